"""pi: how it is asked and how its JSON is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 0.87.1 (tests/traces/pi). A 401 ends it with code 0: the last message's
`stopReason` is the end. It has no skill tool: reading SKILL.md is how a skill is loaded.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Does, End, Json, Message, Result, Usage
from audition.settling import end_by_last_fault, tell_fault
from audition.tool_words import add_up, call_words, code_in, dicts_of, text_of

_OWN: dict[str, Does] = {
    "read": "read",
    "bash": "shell",
    **dict.fromkeys(("write", "edit"), "write"),
    **dict.fromkeys(("grep", "find", "ls"), "search"),
}
_QUIET = frozenset(
    ("session", "agent_start", "turn_start", "message_start", "message_update", "turn_end")
) | {"tool_execution_start", "tool_execution_update", "entry_appended", "auto_retry_end"}
_QUIETER = frozenset(("agent_settled", "queue_update", "compaction_start", "compaction_end"))
_EXITED = re.compile(r"exited with code (\d{1,9})")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream."""

    type: str
    message: dict[str, Any] = {}
    error_message: str = msgspec.field(default="", name="errorMessage")
    will_retry: bool = msgspec.field(default=False, name="willRetry")
    call: str = msgspec.field(default="", name="toolCallId")
    result: dict[str, Any] | None = None
    failed: bool = msgspec.field(default=False, name="isError")


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    match said.type:
        case "message_end":
            return _message(number, said.message)
        case "tool_execution_end":
            text = text_of((said.result or {}).get("content"))
            code = code_in(text, _EXITED) if said.failed else None
            at: Any = {"line": number, "id": said.call}
            return [Result(**at, output=text, failed=said.failed, exit_code=code)]
        case "auto_retry_start":
            return [tell_fault({"line": number}, said.error_message, retrying=True)]
        case "agent_end":
            return [] if said.will_retry else [End(line=number, status="completed")]
        case kind:
            return () if kind in _QUIET | _QUIETER else None


def _message(number: int, message: dict[str, Any]) -> list[AnyEvent]:
    content, role = message.get("content"), message.get("role")
    at: dict[str, Any] = {"line": number, "time": (message.get("timestamp") or 0) / 1000 or None}
    if role == "user":
        return [Message(**at, role="user", text=text_of(content))]
    if role != "assistant":
        return []  # the prompt; and results, which are told already
    events: list[AnyEvent] = []
    for block in dicts_of(content):
        match block.get("type"):
            case "text":
                events.append(Message(**at, text=text_of(block.get("text"))))
            case "thinking":
                events.append(Message(**at, role="thought", text=text_of(block.get("thinking"))))
            case "toolCall":
                words = call_words(str(block.get("name")), block.get("arguments"), _OWN)
                events.append(Call(**at, id=str(block.get("id") or ""), **words))
    return [*events, *_rest(at, message)]


def _rest(at: dict[str, Any], message: dict[str, Any]) -> list[AnyEvent]:
    used, why = message.get("usage") or {}, message.get("stopReason")
    events: list[AnyEvent] = []
    # A request that failed says 0 of everything.
    if not used or any(used.get(each) for each in ("totalTokens", "input", "output")):
        got = add_up(used.get("input"), used.get("cacheRead"), used.get("cacheWrite"))
        cached, dollars = used.get("cacheRead"), (used.get("cost") or {}).get("total") or None
        words: Any = {"input_tokens": got, "cached_input_tokens": cached, "dollars": dollars}
        events.append(Usage(**at, **words, output_tokens=used.get("output")))
    if why == "error":
        events.append(tell_fault(at, str(message.get("errorMessage") or why)))
    elif why == "aborted":
        events.append(End(**at, status="interrupted", reason="aborted"))
    elif why == "length":
        events.append(End(**at, status="limited", reason="max tokens"))
    return events


def settle(events: list[AnyEvent]) -> list[AnyEvent]:
    """An end is what the last answer said of it: the program says it is over in any case."""
    last: End | None = None
    for place, event in enumerate(events):
        if isinstance(event, End) and event.status != "completed":
            last = event
        elif isinstance(event, End) and last:
            events[place] = msgspec.structs.replace(event, status=last.status, reason=last.reason)
        elif isinstance(event, Call) or (isinstance(event, Message) and event.role != "user"):
            last = None
    return end_by_last_fault(events)


def command(ask: Ask) -> Command:
    """The command line; project skills are only seen with `--approve`."""
    argv = [*ask.program, "--mode", "json", "--approve", "--no-session", "--offline"]
    files: dict[str, str] = {}
    if ask.endpoint:
        name = ask.model or "stand-in"
        provider: dict[str, Json] = {"baseUrl": f"{ask.endpoint}/v1", "api": "openai-completions"}
        provider |= {"apiKey": "loopback", "models": [{"id": name}]}
        text = json.dumps({"providers": {"loopback": provider}})
        files[f"{ask.home}/.pi/agent/models.json"] = text
        argv += ["--provider", "loopback", "--model", name]
    elif ask.model:
        argv += ["--model", ask.model]
    return Command(argv=(*argv, "-p", ask.case.prompt), files=files)


pi = Agent(
    name="pi",
    command=command,
    read=read,
    settle=settle,
    program=("pi",),
    known_version="0.87.1",
    get_it="npm install -g @earendil-works/pi-coding-agent",
    deliveries=("native", "none", "instructions"),
    loads_by=("file-read", "shell-read", "script-run", "injected"),
    lets_through=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"),
    login=(".pi/agent/auth.json",),
    sign_in="run `pi` and /login, or set its provider's key",
    wire="chat",
)
"""pi by Earendil, its program `pi`."""
