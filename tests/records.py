"""Records made by hand, for tests of what is counted and what is shown."""

from typing import Any

from hypothesis import strategies as st

from audition.model import Case, Commands, Evidence, Grade, Inputs, Record, Skill, Spent, Trial

ARMS = [("claude", "native", "sonnet"), ("codex", "mcp", None), ("understudy", "native", None)]


def make_record(status: str = "pass", number: int = 1, **given: Any) -> Record:
    """One record; whatever is not given is ordinary."""
    words = {
        "skill": "greeting",
        "case": "explicit",
        "agent": "understudy",
        "delivery": "native",
        "model": None,
        "trial": number,
        "should_trigger": True,
        "status": status,
        "seconds": 0.1,
        "file": "skills/cases.yaml",
        "line": 7,
        "reason": "" if status == "pass" else f"it was {status}",
        "commands": Commands(total=0, effective=0) if status in ("pass", "fail") else Commands(),
    } | given
    name = f"{words['skill']}/{words['case']}/{words['agent']}+{words['delivery']}/{number}"
    return Record(**({"id": name} | words))


def make_inputs(*skills: str, run_id: str = "20260102-030405") -> Inputs:
    return Inputs(
        run_id=run_id,
        began="2026-01-02T03:04:05+00:00",
        skills={name: Skill(name=name, path=f"/skills/{name}") for name in skills},
    )


def make_trial(name: str, case: Case) -> Trial:
    return Trial(
        id=name,
        place="",
        index=0,
        case=case,
        agent="understudy",
        delivery="native",
        model=None,
        number=1,
        skills=(),
    )


any_text = st.text(max_size=40)


@st.composite
def any_record(draw: st.DrawFn) -> Record:
    agent, delivery, model = draw(st.sampled_from(ARMS))
    skill = draw(st.sampled_from(["greeting", "style", None]))
    number = draw(st.integers(1, 10**6))
    evidence = Evidence(
        skill=skill or "greeting",
        rung=draw(st.sampled_from(["none", "offered", "asked", "denied", "loaded", "followed"])),
        resources=draw(st.sampled_from([(), ("a.md",)])),
        lines=tuple(draw(st.lists(st.integers(1, 99), max_size=3))),
    )
    grade = Grade(
        by=draw(st.sampled_from(["activation", "answer_contains"])),
        status=draw(st.sampled_from(["pass", "fail", "error", "vacuous"])),
        reason=draw(any_text),
        lines=tuple(draw(st.lists(st.integers(1, 99), max_size=3))),
    )
    return make_record(
        draw(st.sampled_from(["pass", "fail", "error", "ineligible"])),
        number,
        skill=skill,
        case=draw(st.sampled_from(["one", "two"]) | any_text),
        agent=agent,
        delivery=delivery,
        model=model,
        should_trigger=draw(st.booleans()),
        reason=draw(any_text),
        skills=(evidence,),
        grades=(grade,),
        usage=Spent(dollars=draw(st.none() | st.floats(0, 10))),
        seconds=draw(st.none() | st.floats(0, 1000)),
    )
