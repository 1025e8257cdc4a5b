"""Reads what `claude -p --output-format stream-json` prints, line by line.

In: a numbered raw line. Out: its events. Must not know: files, other lines.

Read from 2.1.327 and 2.1.197 (tests/traces/claude). What the stream does not say: which
skills the model was shown (`init.skills` is another list), and that a prompt `/name` put
a skill in (see `evidence.climb`).
"""

import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec

from audition.agents.claude import words
from audition.agents.claude.lines import (
    Assistant,
    Block,
    Ended,
    Kind,
    RateLimit,
    System,
    User,
)
from audition.model import AnyEvent, Call, Denial, End, Fault, Message, Result, Usage

OUTPUT_CAP = 64 * 1024
BODY = "Base directory for this skill:"
LOADED_BEFORE = re.compile(r"Skill /(\S+) is already loaded above")
COMMAND_NAME = re.compile(r"<command-name>/([^<\s]+)</command-name>")
EXIT_CODE = re.compile(r"Exit code (\d+)")
REFUSED = ("Permission to use ", "Claude requested permissions ", "Execute skill: ")
"""How a result begins that stands for a refused call; 2.1.197 has no event for it."""


_line = msgspec.json.Decoder(Assistant | User | System | Ended | RateLimit)
_kind = msgspec.json.Decoder(Kind)
_KINDS = frozenset(("assistant", "user", "system", "result", "rate_limit_event"))


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line of stream-json, or None where it is not understood."""
    try:
        found = _line.decode(raw)
    except msgspec.ValidationError:
        # Not one of the five kinds: some are known to say nothing of ours.
        kind = _kind.decode(raw).type
        if kind in _KINDS:
            raise
        return () if kind in words.QUIET_TYPES else None
    return _readers[type(found)](number, found)


def read_all(raw: bytes, lines: int) -> list[AnyEvent] | None:
    """The events of a whole session; raises where a line is not one of the five kinds."""
    events: list[AnyEvent] = []
    values = _line.decode_lines(raw)
    if len(values) != lines:  # two on one line are not understood by `read` either
        return None
    for number, said in enumerate(values, 1):
        found = _readers[type(said)](number, said)
        if found is None:
            return None
        events += found
    return events


def _seconds(stamp: str) -> float | None:
    try:
        return datetime.fromisoformat(stamp).timestamp()
    except (ValueError, OverflowError):
        return None


def _read_assistant(number: int, said: Assistant) -> list[AnyEvent]:
    message, sub = said.message, said.parent_tool_use_id or ""
    time = _seconds(said.timestamp) if said.timestamp else None
    blocks = message.content
    if isinstance(blocks, str):
        blocks = [Block(type="text", text=blocks)]
    blocks = blocks or []
    made_up = message.model == "<synthetic>"
    if said.error or said.is_api_error_message:
        text = "\n".join(each.text for each in blocks if each.text)
        refused = message.stop_reason == "refusal"
        what = "refusal" if refused else words.trouble(said.api_error_status, said.error, text)
        return [Fault(line=number, sub=sub, time=time, what=what, text=text)]
    role, reply = "system" if made_up else "assistant", message.id or ""
    events: list[AnyEvent] = []
    for block in blocks:
        if block.type == "text":
            if block.text:
                events.append(
                    Message(
                        line=number,
                        sub=sub,
                        time=time,
                        role=role,  # type: ignore[arg-type]
                        text=block.text,
                        reply=reply,
                    )
                )
        elif block.type.endswith("tool_use"):
            events.append(_call(number, sub, time, block, reply))
        elif block.type == "thinking":
            if block.thinking:
                events.append(
                    Message(
                        line=number,
                        sub=sub,
                        time=time,
                        role="thought",
                        text=block.thinking,
                        reply=reply,
                    )
                )
        elif block.type.endswith("tool_result"):
            events += _result(number, sub, time, block)
    return events


def _call(number: int, sub: str, time: float | None, block: Block, reply: str) -> Call:
    tool = block.name or ""
    given: dict[str, Any] = block.input if isinstance(block.input, dict) else {}
    does, skill, command, paths = words.purpose(tool, given)
    return Call(
        line=number,
        sub=sub,
        time=time,
        id=block.id or "",
        tool=tool,
        does=does,
        input=given,
        skill=skill,
        command=command,
        paths=paths,
        reply=reply,
    )


def _result(number: int, sub: str, time: float | None, block: Block) -> list[AnyEvent]:
    content = block.content or ""
    if not isinstance(content, str):
        content = "\n".join(part.text for part in content if part.text)
    failed = bool(block.is_error) or words.TOO_LONG.match(content) is not None
    id_ = block.tool_use_id or ""
    events: list[AnyEvent] = []
    code = None
    if failed:
        if content.startswith(REFUSED):
            events.append(Denial(line=number, sub=sub, time=time, id=id_, reason=content[:500]))
        elif found := EXIT_CODE.match(content):
            code = int(found[1][:9])
    events.append(
        Result(
            line=number,
            sub=sub,
            time=time,
            id=id_,
            output=content[:OUTPUT_CAP],
            failed=failed,
            exit_code=code,
        )
    )
    return events


def _read_user(number: int, said: User) -> list[AnyEvent]:
    sub = said.parent_tool_use_id or ""
    time = _seconds(said.timestamp) if said.timestamp else None
    blocks = said.message.content
    if isinstance(blocks, str):
        blocks = [Block(type="text", text=blocks)]
    events: list[AnyEvent] = []
    for block in blocks or ():
        if block.type.endswith("tool_result"):
            events += _result(number, sub, time, block)
        elif block.text:
            text, skill = block.text, ""
            if said.isSynthetic:
                skill = _body_of(text)
            elif found := COMMAND_NAME.search(text):
                skill = found[1]
            events.append(
                Message(
                    line=number,
                    sub=sub,
                    time=time,
                    role="system" if said.isSynthetic else "user",
                    text=text,
                    skill=skill,
                )
            )
    return events


def _body_of(text: str) -> str:
    """The skill whose body this is: the last part of the folder it names."""
    if text.startswith(BODY):
        folder = text[len(BODY) :].split("\n", 1)[0].strip()
        return re.split(r"[/\\]", folder.rstrip("/\\"))[-1]
    found = LOADED_BEFORE.match(text)
    return found[1] if found else ""


def _read_system(number: int, said: System) -> list[AnyEvent] | None:
    if said.subtype == "init":
        return _read_init(number, said)
    if said.subtype == "permission_denied":
        reason = said.message if isinstance(said.message, str) else ""
        return [
            Denial(
                line=number,
                sub=said.parent_tool_use_id or "",
                id=said.tool_use_id or "",
                tool=said.tool_name or "",
                reason=reason[:500],
            )
        ]
    if said.subtype == "api_retry":
        error = said.error if isinstance(said.error, str) else ""
        what = words.trouble(said.error_status, error, "")
        text = f"{error} {said.error_status or ''}".strip()
        wait = said.retry_delay_ms / 1000 if said.retry_delay_ms is not None else None
        return [Fault(line=number, what=what, text=text, retrying=True, wait_s=wait)]
    if said.subtype == "model_refusal_no_fallback":
        return [Fault(line=number, what="refusal", text="the model refused, with no fallback")]
    return [] if said.subtype in words.QUIET_SUBTYPES else None


def _read_init(number: int, said: System) -> list[AnyEvent]:
    events: list[AnyEvent] = []
    for each in words.dicts(said.mcp_servers):
        status = each.get("status")
        # A server that is pending at the first turn has no tools in it (skilljack-mcp #77).
        if status not in ("connected", "disabled"):
            text = f"MCP server `{each.get('name')}` is {status}"
            events.append(Fault(line=number, what="mcp", text=text))
    for each in words.dicts(said.plugin_errors):
        text = " ".join(str(value) for value in each.values())
        events.append(Fault(line=number, what="agent", text=f"plug-in: {text}"[:500]))
    return events


def _read_rate_limit(number: int, said: RateLimit) -> list[AnyEvent]:
    info = said.rate_limit_info
    if not isinstance(info, dict) or info.get("status") != "rejected":
        return []
    until = info.get("resetsAt")
    text = f"rate limited until {until}" if until else "rate limited"
    when = float(until) if isinstance(until, int | float) else None
    return [Fault(line=number, what="rate_limit", text=text, until=when)]


def _read_result(number: int, said: Ended) -> list[AnyEvent]:
    events: list[AnyEvent] = [
        Denial(
            line=number,
            id=str(each.get("tool_use_id") or ""),
            tool=str(each.get("tool_name") or ""),
        )
        for each in words.dicts(said.permission_denials)
    ]
    # modelUsage counts sub-agents and grows over the turns of a session, usage does neither.
    tokens = words.tokens(said.modelUsage) or words.tokens({"": said.usage})
    got, cached, made = tokens or (None, None, None)
    events.append(
        Usage(
            line=number,
            input_tokens=got,
            cached_input_tokens=cached,
            output_tokens=made,
            dollars=said.total_cost_usd,
            total=isinstance(said.modelUsage, dict),
        )
    )
    answer = said.result if isinstance(said.result, str) and not said.is_error else None
    if answer is None and said.structured_output is not None and not said.is_error:
        answer = msgspec.json.encode(said.structured_output).decode()
    status, reason = words.ending(
        said.subtype,
        said.terminal_reason or "",
        said.stop_reason or "",
        words.explanation(said.result, said.errors),
        is_error=bool(said.is_error),
        status=said.api_error_status,
    )
    events.append(End(line=number, status=status, reason=reason, answer=answer))
    return events


_readers: dict[type, Callable[[int, Any], Sequence[AnyEvent] | None]] = {
    Assistant: _read_assistant,
    User: _read_user,
    System: _read_system,
    Ended: _read_result,
    RateLimit: _read_rate_limit,
}
