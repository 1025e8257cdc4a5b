"""Qwen Code: its recorded sessions and the traps of its stream; how it is asked."""

import json

import pytest
from recorded import calls, check_golden, only, said, session, sessions

from audition.agent import Ask, Server, find_agent
from audition.evidence import climb
from audition.model import Call, Case, Result, Skill

qwen = find_agent("qwen")
GREETER = Skill(
    name="greeter",
    path="/w/.agents/skills/greeter",
    body="# greeter\n\nRead `references/words.md`, then answer with the greeting.\nSKILLBODYMARK",
    resources=("references/words.md", "scripts/hi.sh"),
)


@pytest.mark.parametrize("path", sessions("qwen"), ids=lambda path: path.stem)
def test_a_recorded_session_gives_the_events_beside_it(path):
    check_golden("qwen", path)


def test_a_session_that_activates_shows_each_step():
    trace = session("qwen", "activation")
    (told,) = [each for each in climb(trace, (GREETER,), qwen) if each.skill == "greeter"]
    assert (told.rung, told.how, told.resources) == ("read", "skill-tool", ("references/words.md",))
    assert told.offered == "unknown"
    shell = [each for each in calls(trace) if each[0] == "shell"][-1]
    assert shell == ("shell", "echo hi > out.txt && exit 3", True)
    results = [each for each in only(Result, trace) if each.failed]
    assert [each.exit_code for each in results] == [3]
    assert trace.answer == "heill ok sæll"


def test_a_session_that_stays_quiet_calls_nothing():
    trace = session("qwen", "no_activation")
    assert calls(trace) == []
    assert (trace.end.status, trace.answer) == ("completed", "The answer is 4.")


def test_usage_is_what_the_stream_says_or_unknown():
    used = session("qwen", "activation").usage
    assert (used.input_tokens, used.cached_input_tokens, used.output_tokens) == (4000, 1600, 200)
    assert session("qwen", "err_401").usage is None


def test_a_limit_that_passed_is_no_failure():
    trace = session("qwen", "err_429_then_ok")
    assert (trace.end.status, trace.answer) == ("completed", "ok after retry")


def test_a_refused_key_is_a_failure_whatever_the_exit_code():
    trace = session("qwen", "err_401")
    assert (trace.end.status, trace.end.reason.partition(":")[0]) == ("failed", "not signed in")
    assert trace.answer == ""


def test_a_tool_over_mcp_is_known_by_its_server():
    trace = session("qwen", "mcp")
    assert [(each.tool, each.does) for each in only(Call, trace)] == [("echo", "other")]


def test_unknown_lines_are_unread():
    trace = said("qwen", {"type": "invented"}, "no JSON at all")
    assert trace.unread_count == 2


def ask(**more):
    words = {"model": "m-1", "delivery": "native", "workspace": "/w", "home": "/h", **more}
    case = Case(id="c", prompt="say hi")
    return qwen.command(Ask(case=case, program=("qwen",), **words))


def test_the_provider_is_ours_where_there_is_one():
    command = ask(endpoint="http://127.0.0.1:9/t/1")
    told = json.dumps([command.argv, command.env, command.files])
    assert "http://127.0.0.1:9/t/1/v1" in told
    assert "say hi" in told
    assert "loopback" in told
    assert "loopback" not in json.dumps([ask().argv, ask().env, ask().files])
    assert all(path.startswith("/h/") for path in command.files)


def test_a_server_is_written_down_only_for_a_delivery_over_mcp():
    server = Server(command=("run", "me"))
    served = ask(delivery="mcp", server=server)
    assert '"me"' in json.dumps([served.argv, served.files]).replace("\\", "")
    plain = ask(server=server)
    assert '"me"' not in json.dumps([plain.argv, plain.files]).replace("\\", "")
