"""Reads what `codex app-server` tells its client: the same deeds, in other letters.

In: a numbered raw line, JSON-RPC without its version. Out: its events.
Must not know: files, other lines.

Read from 0.169.0 (tests/traces/codex/0.169.0/appserver_*). It tells where a command ran,
and that a skill was put in as input, which `codex exec` does not. It hides the same commands.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agents.codex.items import read_item
from audition.agents.codex.lines import Notice
from audition.model import AnyEvent, Call, End, Fault, Json, Message, Usage
from audition.settling import tell_failure, tell_fault
from audition.tool_words import arguments_of, dicts_of, text_of, usage_words

_line = msgspec.json.Decoder(Notice)
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_ROOMS = frozenset(
    "thread turn item account skills hook command process project mcpServer app model fs "  # noqa: SIM905
    "externalAgentConfig remoteControl modelProvider fuzzyFileSearch serverRequest windows "
    "windowsSandbox autoApprovalReview rawResponseItem".split()
)
"""What comes before the slash of the kinds that tell nothing of ours, but for those read here."""
_WARNINGS = ("warning", "guardianWarning", "deprecationNotice", "configWarning")


def read_notice(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    told = arguments_of(said.params)
    stamp = told.get("completedAtMs") or told.get("startedAtMs") or said.at
    at: dict[str, Any] = {"line": number, "time": stamp / 1000 if stamp else None}
    events: Sequence[AnyEvent] | None = ()
    match said.method:
        case "":
            text = _message_of(said.error)
            events = [tell_fault(at, text), tell_failure(at, text)] if text else ()
        case "item/started" | "item/completed":
            done = said.method.endswith("completed")
            events = _item(at, arguments_of(told.get("item")), done=done)
        case "thread/tokenUsage/updated":
            used = arguments_of(arguments_of(told.get("tokenUsage")).get("total"))
            words = usage_words(used, "inputTokens", "cachedInputTokens", "outputTokens")
            events = [Usage(**at, **words, total=True)] if used else ()
        case "turn/completed":
            events = [_ended(at, arguments_of(told.get("turn")))]
        case "error":
            text, again = _message_of(told.get("error")), bool(told.get("willRetry"))
            events = [tell_fault(at, text, retrying=again)]
        case kind if kind in _WARNINGS:
            events = _warned(at, str(told.get("message") or ""))
        case kind if kind.partition("/")[0] not in _ROOMS:
            events = None
    return events


def _message_of(error: Json) -> str:
    return str(arguments_of(error).get("message") or "")


def _warned(at: dict[str, Any], text: str) -> list[AnyEvent]:
    over = text.startswith("Exceeded skills context")
    return [Fault(**at, what="context", text=text[:500])] if over else []


def _ended(at: dict[str, Any], turn: dict[str, Any]) -> End:
    if turn.get("status") == "failed":
        return tell_failure(at, _message_of(turn.get("error")))
    if turn.get("status") == "interrupted":
        return End(**at, status="interrupted", reason="the turn was interrupted")
    return End(**at, status="completed")


def _item(at: dict[str, Any], item: dict[str, Any], *, done: bool) -> Sequence[AnyEvent] | None:
    kind = str(item.get("type") or "")
    match kind:
        case "agentMessage" | "reasoning":
            text = text_of(item.get("text") or item.get("summary") or item.get("content") or "")
            role: Any = "assistant" if kind == "agentMessage" else "thought"
            return [Message(**at, role=role, text=text)] if done and text else ()
        case "userMessage":
            return _given(at, dicts_of(item.get("content"))) if done else ()
        case "dynamicToolCall":
            item = {**item, "type": "mcpToolCall", "server": item.get("namespace") or "client"}
    # `commandExecution` with `exitCode` is what a rollout calls CommandExecution and exit_code.
    renamed = {_CAPITAL.sub("_", key).lower(): value for key, value in item.items()}
    kind = str(item.get("type") or "")
    if kind == "fileChange":
        renamed["changes"] = [str(each.get("path")) for each in dicts_of(item.get("changes"))]
    told = read_item(at, {**renamed, "type": kind[:1].upper() + kind[1:]})
    if told is None or done:
        return told
    return [each for each in told if isinstance(each, Call)]


def _given(at: dict[str, Any], content: list[dict[str, Any]]) -> list[AnyEvent]:
    """What the user gave: text, and skills, whose bodies the model is shown."""
    events: list[AnyEvent] = []
    for each in content:
        if each.get("type") == "skill":
            events.append(Message(**at, role="system", skill=str(each.get("name") or "")))
        elif text := text_of(each.get("text") or ""):
            events.append(Message(**at, role="user", text=text))
    return events
