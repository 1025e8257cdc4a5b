"""Reads the session file that Codex keeps: what the model really saw and did.

In: a numbered raw line of `$CODEX_HOME/sessions/**/rollout-*.jsonl`. Out: its events.
Must not know: files, other lines.

A call may be told three times (as the model's words, as an item, as the answer to the
model); `joining` keeps one of each.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agents.codex.calls import read_answer, read_call
from audition.agents.codex.items import read_item
from audition.agents.codex.lines import Kept, Payload, Used
from audition.model import AnyEvent, Call, End, Fault, Message, Offer, Usage
from audition.tool_words import OUTPUT_CAP, arguments_of, seconds, text_of
from audition.trouble import say_why, tell_trouble

_QUIET = frozenset(("turn_context", "world_state", "compacted"))
_QUIET_ITEMS = frozenset(
    ("additional_tools", "ghost_snapshot", "tool_search_call", "tool_search_output", "other")
) | {"compaction", "compaction_summary"}
_OFFERED = re.compile(r"^- ([^\s:]+): ?(.*?) ?\(file: [^)\n]*\)$", re.MULTILINE)
_INJECTED = re.compile(r"\s*<skill>\s*<name>([^<]+)</name>")

_line = msgspec.json.Decoder(Kept)
_Events = Sequence[AnyEvent] | None


def read_rollout(number: int, raw: bytes) -> _Events:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    at: dict[str, Any] = {"line": number, "time": seconds(said.timestamp)}
    if said.type == "response_item":
        return _response(at, said.payload)
    if said.type == "event_msg":
        return _event(at, said.payload)
    if said.type == "token_usage_record":
        used = msgspec.convert(said.payload.usage or {}, Used)
        return [
            Usage(
                **at,
                input_tokens=used.input_tokens,
                cached_input_tokens=used.cached_input_tokens,
                output_tokens=used.output_tokens,
            )
        ]
    if said.type == "session_meta":
        return [_thread(at, said.payload)]
    return () if said.type in _QUIET else None


def _thread(at: dict[str, Any], said: Payload) -> Message:
    """Where a thread begins, and whose it is; `joining` takes it out again."""
    spawned = arguments_of(arguments_of(said.source).get("subagent"))
    told = arguments_of(spawned.get("thread_spawn"))
    name = str(told.get("agent_path") or said.id or "agent") if spawned else ""
    return Message(**at, role="system", sub=name)


def _response(at: dict[str, Any], said: Payload) -> _Events:
    events: list[AnyEvent] = []
    match said.type:
        case "message":
            events = _message(at, said.role, text_of(said.content))
        case "reasoning":
            text = text_of(said.summary)
            events = [Message(**at, role="thought", text=text)] if text else []
        case "function_call" | "custom_tool_call" | "local_shell_call":
            events = [read_call(at, said)]
        case "function_call_output" | "custom_tool_call_output":
            events = read_answer(at, said.call_id, said.output)
        case "web_search_call":
            events = [Call(**at, id=said.call_id, tool="web_search")]
        case kind if kind not in _QUIET_ITEMS:
            return None
    return events


def _message(at: dict[str, Any], role: str, text: str) -> list[AnyEvent]:
    if role == "assistant":
        return [Message(**at, text=text)]
    if role == "developer":
        _, shown, listed = text.partition("<skills_instructions>")
        return [_offer(at, *each) for each in _OFFERED.findall(listed)] if shown else []
    if found := _INJECTED.match(text):
        return [Message(**at, role="system", text=text[:OUTPUT_CAP], skill=found[1].strip())]
    # Beside what the user typed: <environment_context>, <user_instructions> and their like.
    return [] if text.startswith("<") else [Message(**at, role="user", text=text)]


def _offer(at: dict[str, Any], name: str, about: str) -> Offer:
    how = "name" if not about else "cut" if about.endswith(("...", "…")) else "full"
    return Offer(**at, skill=name, offered=how, shown_chars=len(about))  # type: ignore[arg-type]


def _event(at: dict[str, Any], said: Payload) -> _Events:
    if said.type == "item_completed" and isinstance(said.item, dict):
        return read_item(at, said.item)
    if said.type == "task_complete":
        if said.error:
            text = str(said.error.get("message", ""))
            return [End(**at, status="failed", reason=say_why(tell_trouble(text), text))]
        return [End(**at, status="completed", answer=said.last_agent_message)]
    if said.type == "turn_aborted":
        return [End(**at, status="interrupted", reason=f"turn aborted: {said.reason}")]
    if said.type in ("error", "stream_error", "warning"):
        text = str(said.message or "")
        return [
            Fault(**at, what=tell_trouble(text), text=text[:500], retrying=said.type != "error")
        ]
    return ()  # the same again, for a screen
