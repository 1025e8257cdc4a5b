"""Cline: how it is asked and how its JSON is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 3.0.65 (tests/traces/cline). The model is shown the names of skills alone, no
descriptions. It leaves a daemon behind (`--cline-hub-daemon`), which the trial's end ends.
"""

import json
import shlex
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Does, End, Message, Result, Usage
from audition.settling import end_by_last_fault, tell_fault
from audition.tool_words import call_words, dicts_of, name_over_mcp, seconds, text_of, usage_words

_OWN: dict[str, Does] = {
    "skills": "skill",
    "read_files": "read",
    "run_commands": "shell",
    "editor": "write",
    "apply_patch": "write",
    "search_codebase": "search",
    "spawn_agent": "task",
}
_QUIET = ("iteration_start", "iteration_end", "content_update", "usage", "done", "notice", "status")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream."""

    type: str
    ts: str | None = None
    event: dict[str, Any] = {}
    reason: str = msgspec.field(default="", name="finishReason")
    total: dict[str, Any] = msgspec.field(default_factory=dict, name="aggregateUsage")
    text: str = ""
    message: str = ""


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    at: dict[str, Any] = {"line": number, "time": seconds(said.ts)}
    match said.type:
        case "agent_event":
            return _event(at, said.event)
        case "run_result":
            return _ended(at, said)
        case "error":
            return [tell_fault(at, said.message)]
        case kind:
            return () if kind in ("hook_event", "run_start", "team_event") else None


def _event(at: dict[str, Any], event: dict[str, Any]) -> Sequence[AnyEvent] | None:
    kind, what = event.get("type"), event.get("contentType")
    if kind == "content_start" and what == "tool":
        tool = name_over_mcp(str(event.get("toolName") or ""), _OWN, "__")
        words = call_words(tool, event.get("input"), _OWN)
        return [Call(**at, id=str(event.get("toolCallId") or ""), **words)]
    if kind == "content_end" and what == "tool":
        return [_result(at, event)]
    if kind == "content_end" and what in ("text", "reasoning"):
        text = text_of(event.get("text") or event.get("reasoning"))
        return [Message(**at, role="assistant" if what == "text" else "thought", text=text)]
    if kind == "error":
        error = event.get("error") or {}
        text = str(error.get("message") or error)
        told = tell_fault(at, text, retrying=bool(event.get("recoverable")))
        known = event.get("errorClass") == "auth"  # the words need not say so
        return [msgspec.structs.replace(told, what="auth") if known else told]
    return () if kind in _QUIET or kind == "content_start" else None


def _result(at: dict[str, Any], event: dict[str, Any]) -> Result:
    output = event.get("output")
    each_one = dicts_of(output)
    errors = [str(each.get("error")) for each in each_one if each.get("success") is False]
    errors += [str(event["error"])] if event.get("error") else []
    # A skill that is not there is no error to it.
    lost = event.get("toolName") == "skills" and '" not found' in str(output)[:200]
    broken = lost or (isinstance(output, dict) and bool(output.get("isError")))
    code = next((each.rpartition(" ")[2] for each in errors if "exited with code" in each), "")
    text = text_of([each.get("result") for each in each_one] if each_one else output)
    words: Any = {
        "failed": bool(errors) or broken,
        "exit_code": int(code) if code.isdigit() else None,
    }
    return Result(**at, **words, id=str(event.get("toolCallId") or ""), output=text)


def _ended(at: dict[str, Any], said: Line) -> list[AnyEvent]:
    used, events = said.total, []
    if used.get("inputTokens"):
        words = usage_words(used, "inputTokens", "cacheReadTokens", "outputTokens")
        events = [Usage(**at, **words, dollars=used.get("totalCost") or None, total=True)]
    match said.reason:
        case "completed":
            return [*events, End(**at, status="completed", answer=said.text)]
        case "max_iterations" | "max_consecutive_mistakes":
            return [*events, End(**at, status="limited", reason=said.reason.replace("_", " "))]
        case "aborted":
            return [*events, End(**at, status="interrupted", reason="aborted")]
    return [*events, End(**at, status="failed")]


def command(ask: Ask) -> Command:
    """The command line; its provider is set by a command of its own before."""
    # A prompt of one word is taken for a command's name.
    prompt = ask.case.prompt if " " in ask.case.prompt.strip() else f"{ask.case.prompt} ."
    argv = [*ask.program, "--json", "-c", ask.workspace]
    files: dict[str, str] = {}
    if server := ask.over_mcp:
        how = {"url": server.url, "type": "streamableHttp"} if server.url else server.words
        path = f"{ask.home}/.cline/data/settings/cline_mcp_settings.json"
        files[path] = json.dumps({"mcpServers": {server.name: how}})
    if not ask.endpoint:
        argv += ["-m", ask.model] if ask.model else []
        return Command(argv=(*argv, prompt), files=files)
    first = [*ask.program, "auth", "-p", "openai-compatible", "-k", "loopback"]
    first += ["-m", ask.model or "stand-in", "-b", f"{ask.endpoint}/v1"]
    script = f"{shlex.join(first)} >&2 && exec {shlex.join([*argv, prompt])}"
    return Command(argv=("/bin/sh", "-c", script), files=files)


cline = Agent(
    name="cline",
    command=command,
    read=read,
    settle=end_by_last_fault,
    program=("cline",),
    known_version="3.0.65",
    get_it="npm install -g cline@latest",
    deliveries=("native", "none", "mcp", "mcp+native"),
    loads_by=("skill-tool", "mcp-tool", "mcp-resource"),
    lets_through=("CLINE_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"),
    login=(".cline/data/settings/providers.json", ".cline/data/secrets.json"),
    sign_in="run `cline auth`",
    wire="chat",
)
"""Cline by Cline Bot, its program `cline`."""
