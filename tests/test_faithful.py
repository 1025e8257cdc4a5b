"""What each harness made of a session, what the strict reading makes of it, and where they differ."""

import msgspec
import pytest

from audition.check import Outcome
from audition.faithful import weigh
from audition.model import (
    Call,
    Case,
    CheckSpec,
    Commands,
    End,
    Evidence,
    Message,
    Result,
    Sealed,
    Trace,
    Trial,
    Usage,
)

LOADED = Evidence(
    skill="greeting", rung="loaded", how="skill-tool", routes=("skill-tool",), order=0
)
CALL = (
    Call(id="1", tool="Skill", does="skill", skill="greeting", input={"skill": "greeting"}, line=1),
    Result(id="1", output="body", line=2),
)
POSITIVE = Case(id="c", prompt="p", skill="greeting")
NEGATIVE = Case(id="c", prompt="p", skill=None, should_trigger=False)
MARKED = (CheckSpec(name="answer_contains", arguments={"text": "MARK"}),)
CAPPED = (CheckSpec(name="max_tokens", arguments={"total": 10}),)
DONE = End(status="completed", line=9)


def outcome(case, *, called=False, end=DONE, stopped="", answer="said", usage=None):
    trial = Trial(
        id="t", place="t", index=0, case=case, agent="a", delivery="native", model=None, number=1, skills=()
    )  # fmt: skip
    events = (*(CALL if called else ()), Message(text=answer, line=3), end)
    return Outcome(
        sealed=Sealed(trial=trial, stopped=stopped, exit_code=0),
        trace=Trace(agent="a", events=events, end=end, answer=answer, usage=usage),
        skills=(LOADED,) if called else (),
        commands=Commands(total=0, effective=0),
        files=None,
        as_json=lambda: b"",
        run_program=None,
    )


def readings(made, policy, trouble=""):
    worth = weigh(made, trouble, policy)
    return worth.status, worth.strict


CRASH = {"end": End(status="failed", reason="auth", line=9)}
TIMEOUT = {"end": End(reason="no terminal event"), "stopped": "timeout"}


@pytest.mark.parametrize(
    ("policy", "case", "how", "faithful"),
    [
        ("cat", NEGATIVE, CRASH, "pass"),
        ("cat", NEGATIVE, TIMEOUT, "fail"),
        ("cat", POSITIVE, CRASH, "fail"),
        ("cat", POSITIVE, {**CRASH, "called": True}, "pass"),
        ("cat", POSITIVE, {**TIMEOUT, "called": True}, "fail"),
        ("skilljack-evals", NEGATIVE, CRASH, "pass"),
        ("skilljack-evals", NEGATIVE, TIMEOUT, "pass"),
        ("skilljack-evals", POSITIVE, {**CRASH, "called": True}, "fail"),
        ("skilljack", POSITIVE, {**CRASH, "called": True}, "fail"),
        ("pkbllm", NEGATIVE, CRASH, "fail"),
        ("pkbllm", NEGATIVE, TIMEOUT, "fail"),
    ],
)
def test_trouble_is_an_error_by_our_reading_whatever_theirs_was(policy, case, how, faithful):
    made = outcome(case, **how)
    assert readings(made, policy, "it broke") == (faithful, "error")
    assert readings(made, "default", "it broke") == ("error", None)


@pytest.mark.parametrize("policy", ["cat", "skilljack", "skilljack-evals", "pkbllm"])
def test_what_we_stopped_ourselves_is_an_error_by_every_reading(policy):
    made = outcome(NEGATIVE, end=End(reason="x"), stopped="fault")
    assert readings(made, policy, "stopped: rate_limit") == ("error", None)


@pytest.mark.parametrize(
    ("policy", "case", "how", "both"),
    [
        # The checks of a negative case are not made by skilljack-evals.
        ("skilljack-evals", Case(id="c", prompt="p", should_trigger=False, checks=MARKED), {}, ("pass", "fail")),
        # A missing count of tokens is 0 to pkbllm, and an answer without a schema is not judged.
        ("pkbllm", Case(id="c", prompt="p", skill="greeting", checks=CAPPED), {"called": True}, ("pass", "error")),
        ("pkbllm", POSITIVE, {}, ("pass", "fail")),
        # Without an answer CAT and skilljack pass what was called.
        ("cat", POSITIVE, {"called": True, "answer": ""}, ("pass", "fail")),
        ("skilljack", POSITIVE, {"called": True, "answer": ""}, ("pass", "fail")),
        # Where nothing is odd both agree.
        ("cat", POSITIVE, {"called": True}, ("pass", None)),
        ("cat", NEGATIVE, {}, ("pass", None)),
        ("skilljack-evals", POSITIVE, {}, ("fail", None)),
    ],
)  # fmt: skip
def test_both_readings_of_a_sound_session(policy, case, how, both):
    assert readings(outcome(case, **how), policy) == both


def with_events(made, *events):
    trace = msgspec.structs.replace(made.trace, events=(*events, *made.trace.events))
    return msgspec.structs.replace(made, trace=trace)


def test_skilljack_knows_a_resource_by_the_tool_that_read_it():
    case = Case(id="c", prompt="p", skill="greeting", checks=(CheckSpec(name="resource_read"),))
    read = msgspec.structs.replace(LOADED, resources=("rules.md",))
    made = msgspec.structs.replace(outcome(case, called=True), skills=(read,))
    assert readings(made, "skilljack") == ("fail", "pass")
    tool = Call(id="r", tool="mcp__skilljack__skill-resource", does="resource", line=4)
    assert readings(with_events(made, tool), "skilljack") == ("pass", None)
    # Of whatever skill, and though nothing came back.
    unread = with_events(outcome(case, called=True), tool)
    assert readings(unread, "skilljack") == ("pass", "fail")


def test_in_the_native_delivery_skilljack_takes_the_skill_tool_alone():
    other = Call(id="o", tool="mcp__skillbook__find", does="mcp", input={"name": "other"}, line=5)
    made = outcome(POSITIVE, called=True)
    events = (*made.trace.events, other)
    made = msgspec.structs.replace(made, trace=msgspec.structs.replace(made.trace, events=events))
    assert readings(made, "skilljack") == ("pass", None)
    trial = msgspec.structs.replace(made.sealed.trial, delivery="mcp")
    over_mcp = msgspec.structs.replace(made, sealed=Sealed(trial=trial, exit_code=0))
    assert readings(over_mcp, "skilljack") == ("fail", "pass")


def test_over_mcp_skilljack_knows_its_own_tool_and_not_the_agent_s_skill_tool():
    made = outcome(POSITIVE, called=True)
    trial = msgspec.structs.replace(made.sealed.trial, delivery="mcp")
    over_mcp = msgspec.structs.replace(made, sealed=Sealed(trial=trial, exit_code=0), skills=())
    assert readings(over_mcp, "skilljack")[0] == "fail"
    own = Call(id="o", tool="mcp__skilljack__skill", does="skill", skill="greeting", line=5)
    assert readings(with_events(over_mcp, own), "skilljack")[0] == "pass"


@pytest.mark.parametrize("policy", ["cat", "skilljack", "skilljack-evals"])
def test_the_prefix_of_our_own_plug_in_is_no_part_of_a_name(policy):
    call = msgspec.structs.replace(CALL[0], skill="audition:greeting")
    made = outcome(POSITIVE, called=True)
    trace = msgspec.structs.replace(made.trace, events=(call, *made.trace.events[1:]))
    assert readings(msgspec.structs.replace(made, trace=trace), policy) == ("fail", "pass")
    trial = msgspec.structs.replace(made.sealed.trial, delivery="plugin")
    sealed = Sealed(trial=trial, exit_code=0)
    over = msgspec.structs.replace(made, trace=trace, sealed=sealed)
    assert readings(over, policy) == ("pass", None)


def test_pkbllm_counts_commands_in_its_own_way():
    checks = (CheckSpec(name="max_commands", arguments={"count": 0}),)
    case = Case(id="c", prompt="p", skill="greeting", checks=checks)
    look = Call(id="s", tool="shell", does="shell", command="bash -lc ls", line=4)
    made = with_events(outcome(case, called=True), look)
    assert readings(made, "pkbllm") == ("fail", "pass")


def test_known_counts_of_tokens_are_not_forgiven():
    case = Case(id="c", prompt="p", skill="greeting", checks=CAPPED)
    made = outcome(case, called=True, usage=Usage(input_tokens=40, total=True))
    assert readings(made, "pkbllm")[0] == "fail"


def test_a_check_is_made_once_for_both_readings():
    made = []

    def run_program(command, stdin, seconds):
        made.append(command)
        raise OSError(2, "no such program")

    case = Case(id="c", prompt="p", skill="greeting", checks=(CheckSpec(name="program", arguments={"command": "x"}),))  # fmt: skip
    both = msgspec.structs.replace(outcome(case, called=True), run_program=run_program)
    assert weigh(both, "", "cat").status == "error"
    assert len(made) == 1
