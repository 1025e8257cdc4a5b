"""How long it took until a skill was first called, of one trial and of many."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from outcomes import an_outcome
from records import make_inputs, make_record
from scipy import stats as theirs

from audition.latency import measure
from audition.model import Call, Case, Evidence, Latency, Message, Result, Sealed, Usage
from audition.summary.tally import summarise

CASE = Case(id="c", prompt="Greet Ada.", skill="greeting")
LOADED = Evidence(skill="greeting", rung="loaded", lines=(5, 6))
EVENTS = (
    Message(line=1, text="I look around.", time=1_767_225_600.5),
    Call(line=2, id="c2", tool="Bash", does="shell", command="ls", time=1_767_225_600.9),
    Result(line=3, id="c2", time=1_767_225_601.0),
    Usage(line=4, input_tokens=10, output_tokens=2),
    Call(line=5, id="c5", tool="Skill", does="skill", skill="greeting", time=1_767_225_604.5),
    Result(line=6, id="c5", output="Say hello."),
    Usage(line=7, input_tokens=20, output_tokens=3),
    Message(line=8, text="Hello."),
    Usage(line=9, input_tokens=100, output_tokens=50, total=True),
)


def measured(*skills, events=EVENTS, case=CASE):
    trace = an_outcome(*events, usage=events[-1] if events else None).trace
    sealed = Sealed(
        trial=an_outcome().sealed.trial, seconds=9.87, began="2026-01-01T00:00:00+00:00"
    )
    return measure(trace, skills, case, sealed)


def test_the_way_to_a_call_is_told_in_turns_tokens_and_seconds():
    assert measured(LOADED) == Latency(called=True, turns=2, tokens=35, seconds=4.5)


def test_a_trial_without_a_call_waited_as_long_as_it_took():
    offered = Evidence(skill="greeting", rung="asked", lines=(5,))
    assert measured(offered) == Latency(called=False, turns=3, tokens=150, seconds=9.9)


def test_the_first_of_several_expected_skills_counts_and_what_was_read_before_does_not():
    either = Case(id="c", prompt="x", skill="greeting", any_of=("style", "greeting"))
    early = Evidence(skill="style", rung="read", lines=(2, 3, 5), resources=("a.md",))
    assert measured(early, LOADED, case=either).turns == 2


@pytest.mark.parametrize(
    ("skills", "case"),
    [
        ((LOADED,), Case(id="n", prompt="x", skill="greeting", should_trigger=False)),
        ((), CASE),
        ((Evidence(skill="greeting", on_offer=False, rung="asked", lines=(5,)),), CASE),
        ((Evidence(skill="greeting", rung="loaded", how="injected"),), CASE),
    ],
)
def test_where_nothing_had_to_be_called_or_the_prompt_did_it_there_is_no_latency(skills, case):
    assert measured(*skills, case=case) is None


def test_what_the_agent_does_not_tell_step_by_step_is_unknown_and_never_0():
    quiet = (
        Call(line=5, id="c5", tool="Skill", does="skill", skill="greeting"),
        Result(line=6, id="c5"),
        Usage(line=7, input_tokens=20, output_tokens=3, total=True),
    )
    assert measured(LOADED, events=quiet) == Latency(called=True, turns=1)


def test_tokens_that_are_told_after_later_turns_are_not_those_until_the_call():
    late = (
        Call(line=5, id="c5", tool="Skill", does="skill", skill="greeting"),
        Result(line=6, id="c5"),
        Message(line=7, text="Hello."),
        Usage(line=8, input_tokens=20, output_tokens=3),
    )
    assert measured(LOADED, events=late) == Latency(called=True, turns=1)


WAITS = st.lists(st.tuples(st.integers(1, 12), st.booleans()), min_size=1, max_size=40)


@given(WAITS)
def test_the_median_and_the_mean_of_a_run_are_those_of_kaplan_and_meier(waits):
    records = [
        make_record(number=n, latency=Latency(called=called, turns=turns))
        for n, (turns, called) in enumerate(waits)
    ]
    (found,) = summarise(records, make_inputs("greeting")).latencies
    assert (found.trials, found.called) == (len(waits), sum(called for _, called in waits))
    curve = theirs.ecdf(
        theirs.CensoredData.right_censored([t for t, _ in waits], [not came for _, came in waits])
    ).sf
    horizon = max(turns for turns, _ in waits)
    assert found.turns.horizon == horizon
    assert found.turns.mean == pytest.approx(sum(curve.evaluate(t) for t in range(horizon)))
    # scipy's halves may be .49999, so a hair is allowed.
    halves = [t for t in range(horizon + 1) if curve.evaluate(t) <= 0.5 + 1e-12]
    assert found.turns.median == (halves[0] if halves else None)


def test_a_measure_is_unknown_where_that_of_one_call_is():
    records = [
        make_record(number=1, latency=Latency(called=False, turns=2, tokens=100, seconds=4.0)),
        make_record(number=2, latency=Latency(called=True, turns=1)),
        make_record("error", 3, latency=Latency(called=True, turns=9)),
    ]
    (found,) = summarise(records, make_inputs("greeting")).latencies
    assert (found.trials, found.called) == (2, 1)
    assert (found.turns.median, found.turns.mean, found.turns.horizon) == (1, 1.5, 2)
    assert found.tokens is None
    assert found.seconds is None


def test_a_run_tells_how_long_each_trial_and_each_skill_took(tmp_path):
    skill = tmp_path / "skills" / "greeting"
    skill.mkdir(parents=True)
    (skill / "SKILL.md").write_text("---\nname: greeting\ndescription: Greet people.\n---\nHi.\n")
    cases = [
        {"id": "a", "prompt": "greet Ada", "skill": "greeting"},
        {"id": "b", "prompt": "/greeting Bob", "skill": "greeting"},
        {"id": "n", "prompt": "what is 2 + 2", "skill": "greeting", "should_trigger": False},
    ]
    (tmp_path / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))
    argv = [sys.executable, "-m", "audition", "run", "-q", "-r", "2", "--run-id", "r"]
    subprocess.run(argv, check=True, cwd=tmp_path, capture_output=True)
    folder = tmp_path / "artifacts" / "skill-evals" / "r"
    trials = json.loads((folder / "results.json").read_text())["trials"]
    found = {(each["case"], each["trial"]): each["latency"] for each in trials}
    assert found["a", 1] == found["a", 2]
    assert (found["a", 1]["called"], found["a", 1]["turns"]) == (True, 1)
    assert found["b", 1] is found["n", 1] is None
    (of_skill,) = json.loads((folder / "summary.json").read_text())["latencies"]
    assert (of_skill["trials"], of_skill["called"], of_skill["turns"]["median"]) == (2, 2, 1)
    assert "## Until the first call" in (folder / "summary.md").read_text()
