"""Cases and choices become trials: interleaved, each with a safe place of its own."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.agent import Agent, Command, find_agent
from audition.eligible import is_explicit
from audition.model import Case, CheckSpec, Skill, Suite
from audition.plan import Arm, Limits, key_skills, plan_trials, slug


def agent(name="tester", **more):
    return Agent(name=name, command=lambda _: Command(argv=("x",)), read=lambda *_: (), **more)


def suite(*cases, skills=(), file="/s/cases.yaml", policy="default"):
    return Suite(file=file, cases=cases, skills=skills, policy=policy)


GREETING = Skill(name="greeting", path="/s/skills/greeting", digest="1")
SHUT = Skill(name="shut", path="/s/skills/shut", digest="2", model_invocable=False)
NATIVE = Arm(agent=agent(), delivery="native")


def test_all_first_trials_come_before_any_second_one():
    cases = [Case(id=name, prompt="p", skill="greeting") for name in "abc"]
    plan = plan_trials([suite(*cases, skills=(GREETING,))], [NATIVE], Limits(trials=2))
    assert [(t.case.id, t.number) for t in plan.trials] == [
        ("a", 1), ("b", 1), ("c", 1), ("a", 2), ("b", 2), ("c", 2),
    ]  # fmt: skip
    assert [t.index for t in plan.trials] == list(range(6))


def test_the_command_line_wins_over_a_cases_own_number_of_trials():
    case = Case(id="a", prompt="p", skill="greeting", trials=3)
    assert len(plan_trials([suite(case)], [NATIVE], Limits()).trials) == 3
    assert len(plan_trials([suite(case)], [NATIVE], Limits(trials=1)).trials) == 1


def test_an_id_names_skill_case_agent_delivery_and_number():
    case = Case(id="implicit", prompt="p", skill="greeting")
    negative = Case(id="quiet", prompt="p", should_trigger=False)
    plan = plan_trials([suite(case, negative)], [NATIVE], Limits())
    assert [t.id for t in plan.trials] == [
        "greeting/implicit/tester+native/1",
        "none/quiet/tester+native/1",
    ]


def test_several_models_are_told_apart_in_the_id():
    arms = [Arm(agent=agent(), delivery="native", model=m) for m in ("m-1", "m/2")]
    plan = plan_trials([suite(Case(id="a", prompt="p", skill="greeting"))], arms, Limits())
    ids = [t.id for t in plan.trials]
    assert ids[0] == "greeting/a/tester+native+m-1/1"
    assert len(set(ids)) == 2
    assert "m/2" not in ids[1]


@pytest.mark.parametrize(
    "name", ["../../x", "a" * 300, "con", "NUL.txt", "", ".", "..", "é", "a b"]
)
def test_a_hostile_id_becomes_a_safe_name(name):
    safe = slug(name)
    assert 0 < len(safe) <= 80
    assert "/" not in safe
    assert not safe.startswith(".")
    assert safe != name


@given(st.lists(st.text(max_size=40), min_size=2, max_size=6, unique=True))
def test_no_two_ids_ever_share_a_place(ids):
    cases = [Case(id=name, prompt="p", skill="greeting") for name in ids]
    plan = plan_trials([suite(*cases)], [NATIVE], Limits())
    places = [t.place.casefold() for t in plan.trials]
    assert len(set(places)) == len(ids)
    assert [t.case.id for t in plan.trials] == ids


def test_ids_that_differ_only_in_case_do_not_meet():
    cases = [Case(id=name, prompt="p", skill="greeting") for name in ("Yes", "yes", "YES")]
    plan = plan_trials([suite(*cases)], [NATIVE], Limits())
    assert len({t.place.casefold() for t in plan.trials}) == 3


def test_the_same_id_in_two_files_is_two_places():
    case = Case(id="a", prompt="p", skill="greeting")
    plan = plan_trials([suite(case), suite(case, file="/t/cases.yaml")], [NATIVE], Limits())
    assert len({t.place for t in plan.trials}) == 2


def test_two_skills_of_one_name_get_two_keys():
    other = msgspec.structs.replace(GREETING, path="/t/skills/greeting", digest="9")
    skills, offers = key_skills([suite(skills=(GREETING,)), suite(skills=(other,), file="/t")])
    assert len(skills) == 2
    assert offers["/s/cases.yaml"] != offers["/t"]


@pytest.mark.parametrize(
    ("case", "arm", "words"),
    [
        (Case(id="a", prompt="p", skill="greeting"), Arm(agent=agent(), delivery="plugin"), "does not take"),
        (Case(id="a", prompt="p", skill="shut"), NATIVE, "may not invoke"),
        (Case(id="a", prompt="p", then=("q",), skill="greeting"), NATIVE, "several turns"),
        (Case(id="a", prompt="p", skill="greeting"), Arm(agent=agent(), delivery="none"), "nothing to check"),
    ],
)  # fmt: skip
def test_what_an_arm_cannot_run_is_ineligible_with_the_reason(case, arm, words):
    plan = plan_trials([suite(case, skills=(GREETING, SHUT))], [arm], Limits())
    assert words in plan.trials[0].ineligible


def test_what_an_arm_can_run_is_eligible():
    cases = [
        Case(id="slash", prompt="/shut now", skill="shut"),
        Case(id="quiet", prompt="p", skill="shut", should_trigger=False),
        Case(id="either", prompt="p", any_of=("shut", "greeting")),
    ]
    plan = plan_trials([suite(*cases, skills=(GREETING, SHUT))], [NATIVE], Limits())
    assert [t.ineligible for t in plan.trials] == ["", "", ""]
    bare = Case(id="a", prompt="p", skill="greeting", checks=(CheckSpec(name="exit_code"),))
    none = Arm(agent=agent(), delivery="none")
    assert not plan_trials([suite(bare)], [none], Limits()).trials[0].ineligible


def test_a_skill_that_runs_a_shell_when_it_is_loaded_is_not_tried_in_part():
    runs = msgspec.structs.replace(GREETING, body="Now: !`date`")
    one = Case(id="a", prompt="p", skill="greeting")
    cases = [
        one,
        msgspec.structs.replace(one, id="b", settings={"allow_skill_shell": True}),
        msgspec.structs.replace(one, id="c", should_trigger=False),
        msgspec.structs.replace(one, id="d", skill="shut", any_of=("greeting", "other")),
    ]
    told = {}
    for delivery in ("native", "plugin", "mcp", "instructions"):
        arm = Arm(agent=find_agent("claude"), delivery=delivery)
        plan = plan_trials([suite(*cases, skills=(runs,))], [arm], Limits())
        told[delivery] = [bool(trial.ineligible) for trial in plan.trials]
    assert told["native"] == told["plugin"] == [True, False, False, False]
    assert not any((*told["mcp"], *told["instructions"])), "there it is only text"
    other = Arm(agent=find_agent("codex"), delivery="native")
    plan = plan_trials([suite(one, skills=(runs,))], [other], Limits())
    assert not plan.trials[0].ineligible


def test_only_the_agent_s_own_sign_calls_a_skill_that_the_model_may_not_invoke():
    cases = [Case(id=p[0], prompt=p, skill="shut") for p in ("/shut", "$shut now")]
    told = {}
    for name in ("claude", "codex", "gemini"):
        arm = Arm(agent=find_agent(name), delivery="native")
        plan = plan_trials([suite(*cases, skills=(SHUT,))], [arm], Limits())
        told[name] = [trial.ineligible for trial in plan.trials]
    assert told["gemini"] == ["", ""]
    assert (told["claude"][0], told["codex"][1]) == ("", "")
    assert told["codex"][0].endswith("(disable-model-invocation); codex puts it in by `$shut`")
    assert told["claude"][1].endswith("claude puts it in by `/shut`")


@pytest.mark.parametrize(
    ("prompt", "explicit"),
    [("/greeting Ada", True), ("use $greeting now", True), ("say /greeting", False), ("greeting", False), ("", False)],
)  # fmt: skip
def test_only_a_slash_or_dollar_call_is_explicit(prompt, explicit):
    assert is_explicit(Case(id="a", prompt=prompt, skill="greeting")) is explicit
