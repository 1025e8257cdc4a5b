"""Reads what our ACP client writes down: the messages of both sides, one a line.

In: a numbered raw line. Out: its events. Must not know: files, other lines.

Read from seven agents (tests/traces/acp). The protocol has no word for a skill, and each
agent names its tools somewhere else: in `_meta`, in the title, in the id of the call.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.model import AnyEvent, Call, Does, End, Json, Message, Result, Usage
from audition.settling import tell_failure, tell_fault
from audition.tool_words import (
    SKILL_TOOLS,
    add_up,
    arguments_of,
    call_words,
    code_in,
    dicts_of,
    text_of,
)
from audition.trouble import tell_trouble

_KINDS: dict[str, Does] = {"execute": "shell", "read": "read", "edit": "write", "search": "search"}
_SKILL_TITLE = re.compile(r'^(?:Using skill: |")([\w.:-]+)')
_EXITED = re.compile(r"(?:exited with code|Exit Code:) (\d{1,9})")
_FAILED = ("Ran into this error:", "Error: ", "[API Error:")
_ENDS: dict[str, Any] = {
    "end_turn": ("completed", ""),
    "max_tokens": ("limited", "max tokens"),
    "max_turn_requests": ("limited", "max turns"),
    "refusal": ("failed", "refused"),
    "cancelled": ("interrupted", "cancelled"),
}


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A message, and who wrote it: `in` is the agent."""

    dir: str
    method: str = ""
    params: Json = None
    result: Json = None
    error: Json = None


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    params = arguments_of(said.params)
    if said.dir != "in":
        return () if said.dir == "out" else None
    if said.error is not None:
        text = text_of(said.error.get("message") if isinstance(said.error, dict) else said.error)
        return [tell_fault({"line": number}, text), tell_failure({"line": number}, text)]
    if said.method == "session/update":
        return _update(number, arguments_of(params.get("update")))
    if said.method == "session/request_permission":
        return [_call(number, arguments_of(params.get("toolCall")))]
    result = arguments_of(said.result)
    return _ended(number, result) if "stopReason" in result else ()


def _update(number: int, update: dict[str, Any]) -> list[AnyEvent]:
    kind, text = update.get("sessionUpdate"), text_of(_text(update.get("content")))
    events: list[AnyEvent] = []
    if kind in ("agent_message_chunk", "agent_thought_chunk"):
        role: Any = "assistant" if kind == "agent_message_chunk" else "thought"
        events = [_said(number, role, text)] if text else []
        if used := arguments_of((update.get("_meta") or {}).get("usage")):  # Qwen, by the request
            got, cached = used.get("inputTokens"), used.get("cachedReadTokens")
            made = used.get("outputTokens")
            events.append(
                Usage(line=number, input_tokens=got, cached_input_tokens=cached, output_tokens=made)
            )
    elif kind in ("tool_call", "tool_call_update"):
        events = [_call(number, update)]
        if update.get("status") in ("completed", "failed"):
            events.append(_outcome(number, update))
    return events


def _said(number: int, role: Any, text: str) -> AnyEvent:
    """Text; or a failure, which goose and Copilot tell as if the model had said it."""
    if text.startswith("Info: Request failed"):
        return tell_fault({"line": number}, text, retrying=True)
    if text.startswith(_FAILED) and tell_trouble(text) != "unknown":
        return tell_fault({"line": number}, text)
    return Message(line=number, role=role, text=text)


def _call(number: int, told: dict[str, Any]) -> Call:
    """What is known of a call by now; `settle` puts the pieces together."""
    meta, id_ = arguments_of(told.get("_meta")), str(told.get("toolCallId") or "")
    goose = arguments_of(arguments_of(meta.get("goose")).get("toolCall"))
    title, given = str(told.get("title") or ""), arguments_of(told.get("rawInput"))
    prefix = id_.partition("__")[0] if "__" in id_ else ""
    named = meta.get("toolName") or goose.get("toolName") or told.get("name") or prefix
    tool = str(named or title)
    found = _SKILL_TITLE.match(title)
    if tool.lower() in SKILL_TOOLS or title.startswith("Using skill: "):
        given = given or ({"name": found[1]} if found else {})
        return Call(line=number, id=id_, **call_words(tool, given, {tool: "skill"}))
    does = _KINDS.get(str(told.get("kind") or ""), "shell" if "command" in given else "other")
    words = call_words(tool, given, {tool: does})
    if does == "shell" and not words["command"] and title:
        words["command"] = title
    places = tuple(str(each.get("path")) for each in dicts_of(told.get("locations")))
    words["paths"] = words.get("paths") or (places if does != "shell" else ())
    return Call(line=number, id=id_, **words)


def _outcome(number: int, told: dict[str, Any]) -> Result:
    meta, out = arguments_of(told.get("_meta")), told.get("rawOutput")
    shown = "\n".join(filter(None, map(_text, dicts_of(told.get("content")))))
    shown = shown or str(arguments_of(meta.get("terminal_output_delta")).get("data") or "")
    text = text_of(shown or out)
    code = arguments_of(out).get("exit_code")
    code = arguments_of(meta.get("terminal_exit")).get("exit_code") if code is None else code
    code = code if isinstance(code, int) else code_in(text, _EXITED)
    failed = told.get("status") == "failed" or bool(code)
    id_ = str(told.get("toolCallId") or "")
    return Result(line=number, id=id_, output=text, failed=failed, exit_code=code)


def _text(content: Json) -> str:
    inner = arguments_of(content)
    return text_of(inner.get("text") or arguments_of(inner.get("content")).get("text"))


def _ended(number: int, result: dict[str, Any]) -> list[AnyEvent]:
    """The end of a turn. A plain `usage` is of the last request alone with some: not taken."""
    counts = arguments_of(
        arguments_of(arguments_of(result.get("_meta")).get("quota")).get("token_count")
    )
    events: list[AnyEvent] = []
    if counts:
        camel = add_up(counts.get("inputTokens"), counts.get("cachedInputTokens"))
        events.append(
            Usage(
                line=number,
                input_tokens=camel if camel is not None else counts.get("input_tokens"),
                cached_input_tokens=counts.get("cachedInputTokens"),
                output_tokens=add_up(counts.get("outputTokens"), counts.get("output_tokens")),
            )
        )
    unknown = ("failed", f"it stopped: {result.get('stopReason')}")
    status, reason = _ENDS.get(str(result.get("stopReason")), unknown)
    return [*events, End(line=number, status=status, reason=reason)]
