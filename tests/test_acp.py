"""Agents over ACP: seven recorded sessions, a real client with a small agent, and how it is asked."""

import json
import os
import subprocess
import sys

import pytest
from recorded import calls, check_golden, only, said, session, sessions

from audition.agent import Ask, Server, find_agent
from audition.errors import UsageError
from audition.evidence import climb
from audition.model import Case, Message, Skill

AGENTS = ("codex", "gemini", "goose", "opencode", "copilot", "kimi", "qwen")
USED = {"codex": 4000, "gemini": 4000, "qwen": 3000}
GREETER = Skill(name="greeter", path="/w/greeter", resources=("references/words.md",), body="x")


@pytest.mark.parametrize("path", sessions("acp"), ids=lambda path: path.stem)
def test_a_recorded_session_gives_the_events_beside_it(path):
    check_golden("acp", path)


@pytest.mark.parametrize("name", AGENTS)
def test_each_agent_activates_by_its_own_way(name):
    trace = session("acp", f"{name}-activation")
    agent = find_agent(f"acp:{name}")
    told = climb(trace, (GREETER,), agent)[0]
    assert told.how == ("file-read" if name == "codex" else "skill-tool")
    assert told.rung in ("loaded", "read")
    assert ("shell", "echo hi > out.txt; exit 3") in [each[:2] for each in calls(trace)]
    assert trace.end.status == "completed"
    used = trace.usage and trace.usage.input_tokens
    assert used == USED.get(name), "a count of the last request alone is not taken for the whole"


def test_a_refused_session_is_a_failure():
    end = session("acp", "cline-activation").end
    assert (end.status, end.reason.partition(":")[0]) == ("failed", "not signed in")


def chunk(text):
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}
    return {"dir": "in", "method": "session/update", "params": {"update": update}}


@pytest.mark.parametrize(
    "text",
    [
        "Error: Authentication failed with provider at http://x (HTTP 401).",
        "Ran into this error: Authentication error: Status: 401 Unauthorized.",
    ],
)
def test_a_failure_told_as_an_answer_lets_no_negative_case_pass(text):
    end = {"dir": "in", "id": 2, "result": {"stopReason": "end_turn"}}
    retrying = chunk("Info: Request failed due to a transient API error. Retrying...")
    failed = said("acp:x", retrying, chunk(text), end)
    assert (failed.end.status, failed.end.reason[:13]) == ("failed", "not signed in")
    assert said("acp:x", retrying, chunk("Fine."), end).end.status == "completed"
    assert said("acp:x", chunk("Error: is a word here."), end).end.status == "completed"


def test_unknown_lines_are_unread():
    assert said("acp:x", {"dir": "sideways"}, "no JSON").unread_count == 2


def ask(argument, **more):
    words = {"model": "m-1", "delivery": "native", "workspace": "/w", "home": "/h", **more}
    case = Case(id="c", prompt="say hi", then=("and bye",))
    return find_agent(argument).command(Ask(case=case, program=("/bin/opencode",), **words))


def test_a_known_program_brings_its_home_and_its_wire():
    agent = find_agent("acp:/opt/opencode acp --flag")
    assert (agent.wire, agent.name) == ("chat", "acp:/opt/opencode acp --flag")
    command = ask("acp:opencode acp --flag", endpoint="http://127.0.0.1:9/t")
    told = json.loads(command.stdin)
    assert told["command"] == ["/bin/opencode", "acp", "--flag"]
    assert told["prompts"] == ["say hi", "and bye"]
    assert "http://127.0.0.1:9/t/v1" in json.dumps(command.files)
    assert find_agent("acp:stranger").wire == ""
    assert find_agent("acp:codex-acp").login == (".codex/auth.json",)


def test_a_server_is_passed_on_in_the_session():
    told = json.loads(ask("acp:x", delivery="mcp", server=Server(command=("run", "me"))).stdin)
    assert told["server"] == {"name": "skills", "url": "", "command": "run", "args": ["me"]}


@pytest.mark.parametrize("argument", ["acp", "acp:", "acp:'"])
def test_it_needs_a_command(argument):
    with pytest.raises((UsageError, TypeError)):
        find_agent(argument)


SMALL_AGENT = """
import json, sys
def say(**m): print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
def update(s, **u): say(method="session/update", params={"sessionId": s, "update": u})
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "initialize":
        say(id=m["id"], result={"protocolVersion": 1, "agentCapabilities": {}})
    elif m.get("method") == "session/new":
        say(id=m["id"], result={"sessionId": "s1"})
    elif m.get("method") == "session/prompt":
        call = {"toolCallId": "t1", "title": "skill", "rawInput": {"name": "greeter"}, "status": "pending"}
        update("s1", sessionUpdate="tool_call", kind="other", **call)
        options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}]
        say(id=99, method="session/request_permission", params={"sessionId": "s1", "toolCall": call, "options": options})
        waiting = m["id"]
    elif m.get("id") == 99:
        done = {"toolCallId": "t1", "status": "completed" if m["result"]["outcome"].get("optionId") == "y" else "failed"}
        update("s1", sessionUpdate="tool_call_update", **done)
        update("s1", sessionUpdate="agent_message_chunk", content={"type": "text", "text": "SAL"})
        update("s1", sessionUpdate="agent_message_chunk", content={"type": "text", "text": "VE"})
        say(id=waiting, result={"stopReason": "end_turn"})
"""


def test_our_client_asks_a_real_program_and_writes_everything_down(tmp_path):
    pytest.importorskip("acp")
    (tmp_path / "small.py").write_text(SMALL_AGENT)
    asked = {
        "command": [sys.executable, str(tmp_path / "small.py")],
        "cwd": str(tmp_path),
        "prompts": ["one", "two"],
    }
    ran = subprocess.run(
        [sys.executable, "-m", "audition.acp_runner"], input=json.dumps(asked).encode(),
        env={**os.environ}, capture_output=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr.decode()
    trace = said("acp:x", *ran.stdout.decode().splitlines())
    assert trace.unread_count == 0
    assert (trace.end.status, trace.answer) == ("completed", "SALVE")
    assert [each.text for each in only(Message, trace)] == ["SALVE", "SALVE"]
    assert ("skill", "greeter", False) in calls(trace)
