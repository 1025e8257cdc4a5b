"""Eight agents whose recorded sessions tell the same story: what each lets be known of it."""

import json
from typing import NamedTuple

import pytest
from recorded import calls, check_golden, only, said, session, sessions

from audition.agent import Ask, Server, find_agent
from audition.evidence import climb
from audition.model import Call, Case, Result, Skill
from audition.trouble import tell_trouble

GREETER = Skill(
    name="greeter",
    path="/w/.agents/skills/greeter",
    body="# greeter\n\nRead `references/words.md`, then answer with the greeting.\nSKILLBODYMARK",
    resources=("references/words.md", "scripts/hi.sh"),
)
HERE = "http://127.0.0.1:9/t/1"


class Told(NamedTuple):
    """What can be known of one agent's sessions; the rest is the same for all."""

    how: str = "skill-tool"
    offered: str = "unknown"
    usage: tuple[int, int | None, int] | None = (4000, 1600, 200)
    refused: tuple[str, str] = ("failed", "not signed in")
    mcp: tuple[str, str] | None = ("mcp__echo__echo", "mcp")
    provider: str = HERE
    key: str = "type"


AGENTS = {
    "cline": Told(provider=f"{HERE}/v1"),
    "copilot": Told(offered="full", usage=None, provider=f"{HERE}/v1"),
    "gemini": Told(),
    "goose": Told(usage=(4000, None, 200), mcp=("mcp__python3__echo", "mcp")),
    "kimi": Told(
        usage=None, refused=("interrupted", "no terminal event"), mcp=None,
        provider=f"{HERE}/v1", key="role",
    ),
    "opencode": Told(provider=f"{HERE}/v1"),
    "pi": Told(how="shell-read", mcp=None, provider=f"{HERE}/v1"),
    "qwen": Told(mcp=("echo", "other"), provider=f"{HERE}/v1"),
}  # fmt: skip
each_agent = pytest.mark.parametrize("name", AGENTS)
over_mcp = pytest.mark.parametrize("name", [name for name in AGENTS if AGENTS[name].mcp])


@pytest.mark.parametrize(
    ("name", "path"),
    [
        pytest.param(name, path, id=f"{name} {path.stem}")
        for name in AGENTS
        for path in sessions(name)
    ],
)
def test_a_recorded_session_gives_the_events_beside_it(name, path):
    check_golden(name, path)


@each_agent
def test_a_session_that_activates_shows_each_step(name):
    trace = session(name, "activation")
    found = climb(trace, (GREETER,), find_agent(name))
    (told,) = [each for each in found if each.skill == "greeter"]
    assert (told.rung, told.how) == ("read", AGENTS[name].how)
    assert (told.resources, told.offered) == (("references/words.md",), AGENTS[name].offered)
    shell = [each for each in calls(trace) if each[0] == "shell"][-1]
    assert shell == ("shell", "echo hi > out.txt && exit 3", True)
    assert [each.exit_code for each in only(Result, trace) if each.failed] == [3]
    assert trace.answer == "heill ok sæll"


@each_agent
def test_a_session_that_stays_quiet_calls_nothing(name):
    trace = session(name, "no_activation")
    assert calls(trace) == []
    assert (trace.end.status, trace.answer) == ("completed", "The answer is 4.")


@each_agent
def test_usage_is_what_the_stream_says_or_unknown(name):
    used = session(name, "activation").usage
    told = used and (used.input_tokens, used.cached_input_tokens, used.output_tokens)
    assert told == AGENTS[name].usage
    assert session(name, "err_401").usage is None


@each_agent
def test_a_limit_that_passed_is_no_failure(name):
    trace = session(name, "err_429_then_ok")
    assert (trace.end.status, trace.answer) == ("completed", "ok after retry")


@each_agent
def test_a_refused_key_is_no_answer_whatever_the_exit_code(name):
    trace = session(name, "err_401")
    reason = trace.end.reason.partition(":")[0]
    assert (trace.end.status, reason, trace.answer) == (*AGENTS[name].refused, "")


@over_mcp
def test_a_tool_over_mcp_is_known_by_its_server(name):
    (call,) = only(Call, session(name, "mcp"))
    assert (call.tool, call.does) == AGENTS[name].mcp


@each_agent
def test_unknown_lines_are_unread(name):
    trace = said(name, {AGENTS[name].key: "invented"}, "no JSON at all")
    assert trace.unread_count == 2


def ask(name, **more):
    words = {"model": "m-1", "delivery": "native", "workspace": "/w", "home": "/h", **more}
    case = Case(id="c", prompt="say hi")
    return find_agent(name).command(Ask(case=case, program=(name,), **words))


@each_agent
def test_the_provider_is_ours_where_there_is_one(name):
    command = ask(name, endpoint=HERE)
    told = json.dumps([command.argv, command.env, command.files])
    for words in (AGENTS[name].provider, "say hi", "loopback"):
        assert words in told
    plain = ask(name)
    assert "loopback" not in json.dumps([plain.argv, plain.env, plain.files])
    assert all(path.startswith("/h/") for path in command.files)


@over_mcp
def test_a_server_is_written_down_only_for_a_delivery_over_mcp(name):
    server = Server(command=("run", "me"))
    for delivery, there in (("mcp", True), ("native", False)):
        command = ask(name, delivery=delivery, server=server)
        told = json.dumps([command.argv, command.files]).replace("\\", "")
        assert ('"me"' in told) is there


# -- what no session was recorded of: lines by hand, as the programs write them


def pi_says(why, **more):
    message = {"role": "assistant", "content": [{"type": "text", "text": "x"}], "stopReason": why}
    return {"type": "message_end", "message": {**message, **more}}


PI_END = {"type": "agent_end", "messages": []}


@pytest.mark.parametrize(
    ("whys", "end"),
    [
        (("stop",), ("completed", "")),
        (("length",), ("limited", "max tokens")),
        (("aborted",), ("interrupted", "aborted")),
        (("length", "stop"), ("completed", "")),
    ],
)
def test_what_pi_said_last_is_its_end_though_it_ends_all_the_same(whys, end):
    found = said("pi", *map(pi_says, whys), PI_END).end
    assert (found.status, found.reason) == end


def test_a_request_of_unknown_usage_makes_the_sum_unknown():
    told = {"usage": {"input": 10, "output": 5, "totalTokens": 15, "cost": {"total": 0.1}}}
    assert said("pi", pi_says("stop", **told), PI_END).usage.input_tokens == 10
    usage = said("pi", pi_says("stop", **told), pi_says("stop"), PI_END).usage
    assert (usage.input_tokens, usage.output_tokens, usage.dollars) == (None, None, None)


def goose_says(role, **block):
    return {"type": "message", "message": {"role": role, "content": [block]}}


def test_goose_says_as_an_answer_that_its_turns_are_over():
    text = "I've reached the maximum number of actions I can do without user input."
    trace = said("goose", goose_says("assistant", type="text", text=text), {"type": "complete"})
    assert (trace.end.status, trace.end.reason) == ("limited", "max turns")


REFUSALS = {
    "goose": (
        goose_says(
            "assistant",
            type="toolRequest",
            id="a",
            toolCall={"value": {"name": "load_skill", "arguments": {"name": "greeter"}}},
        ),
        goose_says(
            "user",
            type="toolResponse",
            id="a",
            toolResult={"status": "error", "error": "The user has declined to run this tool."},
        ),
    ),
    "gemini": (
        {
            "type": "tool_use",
            "tool_name": "activate_skill",
            "tool_id": "a",
            "parameters": {"name": "greeter"},
        },
        {
            "type": "tool_result",
            "tool_id": "a",
            "status": "error",
            "error": {"type": "policy_violation", "message": "Tool execution denied by policy."},
        },
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_a_skill_that_was_refused_is_denied(name):
    (found,) = climb(said(name, *REFUSALS[name]), [GREETER], find_agent(name))
    assert (found.rung, found.lines) == ("denied", (1, 2))


def test_tokens_of_gemini_are_known_without_their_total():
    stats = {"input_tokens": 3, "output_tokens": 2}
    done = {"type": "result", "status": "success", "stats": stats}
    assert said("gemini", done).usage.input_tokens == 3
    nothing = said("gemini", {**done, "stats": None})
    assert (nothing.end.status, nothing.usage) == ("completed", None)


def test_calls_of_one_answer_of_opencode_are_one_turn():
    def part(kind, **more):
        return {"type": kind, "part": {"messageID": "m1", **more}}

    def ran(id_):
        state = {"status": "completed", "input": {"command": "ls"}, "output": "x"}
        return part("tool_use", tool="bash", callID=id_, state=state)

    text = {"type": "text", "part": {"messageID": "m2", "text": "done"}}
    assert said("opencode", ran("a"), ran("b"), text).turns == 2


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[API Error: {"error":{"code":400,"message":"scripted"}}]', "invalid"),
        ("[API Error: terminated]", "network"),
        ("Request failed: Stream decode error: error decoding response body", "network"),
        ("JSON parsing failed: Text: {this. Error message: JSON Parse error: Expected", "network"),
        ("Expected property name or '}' in JSON at position 1 (line 1 column 2)", "network"),
        ("Failed to parse streaming chunk: key must be a string", "network"),
        ("error: failed to run prompt: provider.auth_error: 401 Incorrect API key", "auth"),
        ("the command ended with exit code 404", "unknown"),
    ],
)
def test_trouble_is_told_by_the_words_that_agents_use(text, what):
    assert tell_trouble(text) == what


@pytest.mark.parametrize(
    ("text", "failed"),
    [
        ('Skill "x" loaded inline. Follow its instructions.', False),
        ('Skill "x" not found in the current skill listing.', True),
        ("Error: no such file", True),
    ],
)
def test_what_failed_is_told_by_kimi_in_words_alone(text, failed):
    call = {"id": "c", "function": {"name": "Skill", "arguments": '{"skill": "x"}'}}
    trace = said(
        "kimi",
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": text},
    )
    assert [each.failed for each in only(Result, trace)] == [failed]


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ('Skill "x" not found. Available skills: greeter', True),
        ('# x\n\nWhere a key is "not found", say so.', False),
    ],
)
def test_a_skill_that_cline_does_not_have_is_not_loaded(output, failed):
    at = {"contentType": "tool", "toolName": "skills", "toolCallId": "c"}
    events = (
        {"type": "content_start", "input": {"skill": "x"}},
        {"type": "content_end", "output": output},
    )
    trace = said("cline", *({"type": "agent_event", "event": {**at, **each}} for each in events))
    assert [each.failed for each in only(Result, trace)] == [failed]


def test_copilot_that_was_told_to_stop_is_interrupted_and_all_of_it_understood():
    gone = {"type": "agent.interrupted", "data": {"activity": "model_call"}}
    trace = said("copilot", gone, {"type": "abort", "data": {"reason": "user_abort"}})
    assert (trace.end.status, trace.unread) == ("interrupted", ())
