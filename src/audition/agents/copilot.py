"""GitHub Copilot CLI: how it is asked and how its JSON is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 1.0.102 (tests/traces/copilot). It alone says which skills it has, with their
paths. With a key of one's own it tells no tokens: the usage is unknown, not 0.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Denial, Does, End, Message, Offer, Result
from audition.settling import end_by_last_fault, tell_fault
from audition.tool_words import call_words, dicts_of, name_over_mcp, seconds, text_of

_OWN: dict[str, Does] = {
    "skill": "skill",
    "view": "read",
    "bash": "shell",
    "create": "write",
    "edit": "write",
    "apply_patch": "write",
    "str_replace_editor": "write",
    "glob": "search",
    "grep": "search",
    "rg": "search",
    "task": "task",
}
_QUIET = ("agent.", "assistant.", "model.", "session.", "permission.", "hook.", "tool.execution_")
"""How kinds begin that say nothing of ours, but for those that are read."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream."""

    type: str
    timestamp: str | None = None
    data: dict[str, Any] = {}
    exit_code: int | None = msgspec.field(default=None, name="exitCode")


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    data = said.data
    at: dict[str, Any] = {"line": number, "time": seconds(said.timestamp)}
    events: list[AnyEvent] = []
    match said.type:
        case "session.skills_loaded":
            events = [_offer(at, each) for each in dicts_of(data.get("skills"))]
        case "user.message":
            events = [Message(**at, role="user", text=text_of(data.get("content")))]
        case "assistant.message":
            text = text_of(data.get("content"))
            events = [Message(**at, text=text)] if text else []
        case "assistant.reasoning":
            events = [Message(**at, role="thought", text=text_of(data.get("content")))]
        case "tool.execution_start":
            events = [_call(at, data)]
        case "tool.execution_complete":
            events = _outcome(at, data)
        case "model.call_failure" | "session.error":
            text = text_of(data.get("errorMessage") or data.get("message"))
            again = said.type == "model.call_failure"
            events = [tell_fault(at, text, data.get("statusCode"), retrying=again)]
        case "result" | "abort":
            # The code is the stream's own; the fault before it says why.
            ended = "failed" if said.exit_code else "completed"
            ended = "interrupted" if said.type == "abort" else ended
            events = [End(**at, status=ended)]  # type: ignore[arg-type]
        case kind if not kind.startswith(_QUIET):
            return None
    return events


def _offer(at: dict[str, Any], skill: dict[str, Any]) -> Offer:
    shown = skill.get("enabled") is not False and not skill.get("disableModelInvocation")
    about = str(skill.get("description") or "")
    how = "full" if shown and about else "name" if shown else "missing"
    return Offer(**at, skill=str(skill.get("name")), offered=how, shown_chars=len(about))  # type: ignore[arg-type]


def _call(at: dict[str, Any], data: dict[str, Any]) -> Call:
    tool = str(data.get("toolName") or "")
    if server := data.get("mcpServerName"):
        tool = f"mcp__{server}__{data.get('mcpToolName') or tool}"
    elif tool not in _OWN:
        tool = name_over_mcp(tool, _OWN, "-")
    words = call_words(tool, data.get("arguments"), _OWN)
    return Call(**at, id=str(data.get("toolCallId") or ""), **words)


def _outcome(at: dict[str, Any], data: dict[str, Any]) -> list[AnyEvent]:
    id_, error = str(data.get("toolCallId") or ""), data.get("error")
    told = data.get("result") or error
    text = text_of(told.get("content") or told.get("message") if isinstance(told, dict) else told)
    code = (data.get("shellExecution") or {}).get("exitCode")
    # A command that failed is a success of its tool.
    failed = data.get("success") is False or bool(code)
    result = Result(**at, id=id_, output=text, failed=failed, exit_code=code)
    refused = isinstance(error, dict) and error.get("code") in ("denied", "rejected")
    return [Denial(**at, id=id_, reason=text[:500]), result] if refused else [result]


def command(ask: Ask) -> Command:
    """The command line; with a loopback provider no login at GitHub is needed."""
    argv = [*ask.program, "-p", ask.case.prompt, "--output-format", "json", "--allow-all-tools"]
    argv += ["--no-auto-update", "--no-ask-user"]
    env = {"COPILOT_HOME": f"{ask.home}/.copilot", "COPILOT_ALLOW_ALL": "true"}
    if ask.endpoint:
        env |= {"COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_API_KEY": "loopback"}
        env |= {"COPILOT_PROVIDER_BASE_URL": f"{ask.endpoint}/v1"}
        env["COPILOT_MODEL"] = ask.model or "gpt-4.1"
    elif ask.model:
        argv += ["--model", ask.model]
    if server := ask.over_mcp:
        how = {"type": "http", "url": server.url} if server.url else {"type": "local"}
        servers = {"mcpServers": {server.name: {**how, **server.words, "tools": ["*"]}}}
        argv += ["--additional-mcp-config", json.dumps(servers)]
    return Command(argv=tuple(argv), env=env)


copilot = Agent(
    name="copilot",
    command=command,
    read=read,
    settle=end_by_last_fault,
    program=("copilot",),
    known_version="1.0.102",
    get_it="npm install -g @github/copilot",
    deliveries=("native", "none", "instructions", "mcp", "mcp+native"),
    loads_by=("skill-tool", "mcp-tool", "mcp-resource"),
    lets_through=("COPILOT_GITHUB_TOKEN", "GH_TOKEN", "GITHUB_TOKEN"),
    login=(".copilot/config.json",),
    sign_in="run `copilot login`, or set GH_TOKEN",
    wire="chat",
    offers_by="stream",
    reports_usage=False,
)
"""Copilot CLI by GitHub, its program `copilot`."""
