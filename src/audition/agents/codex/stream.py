"""Reads what `codex exec --json` prints, line by line.

In: a numbered raw line; of a rollout or of the app-server too. Out: its events.
Must not know: files, other lines.

Read from 0.169.0 (tests/traces/codex). The stream leaves out commands that end in a denial,
skills put in by `$name`, and the list of skills: these are in the rollout alone.
"""

from collections.abc import Sequence

import msgspec

from audition.agents.codex.lines import Item, Line, Used
from audition.agents.codex.rollout import read_rollout
from audition.agents.codex.server import read_notice
from audition.model import AnyEvent, Call, Denial, End, Fault, Json, Message, Result, Usage
from audition.settling import tell_failure
from audition.tool_words import OUTPUT_CAP, call_words, text_of, unwrap
from audition.trouble import tell_trouble

_NOT_APPROVED = "requires approval"


_line = msgspec.json.Decoder(Line)
_QUIET = ("thread.started", "turn.started", "item.updated")


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    if said.payload:
        return read_rollout(number, raw)
    if said.method is not None or (said.id is not None and not said.type):
        return read_notice(number, raw)
    events: Sequence[AnyEvent] | None = ()
    match said.type:
        case "item.started" | "item.completed" if said.item:
            events = _read_item(number, said.item, done=said.type == "item.completed")
        case "turn.completed":
            events = _completed(number, said.usage or Used())
        case "turn.failed":
            events = [tell_failure({"line": number}, message_of(said.error))]
        case "error":
            events = [_fault(number, said.message)]
        case kind if kind not in _QUIET:
            events = None
    return events


def _completed(number: int, used: Used) -> list[AnyEvent]:
    # Of a resumed thread it counts all turns: the last one is the total.
    return [
        Usage(
            line=number,
            input_tokens=used.input_tokens,
            cached_input_tokens=used.cached_input_tokens,
            output_tokens=used.output_tokens,
            total=True,
        ),
        End(line=number, status="completed"),
    ]


def _fault(number: int, text: str) -> Fault:
    again = text.startswith("Reconnecting")
    what = "context" if text.startswith("Exceeded skills context") else tell_trouble(text)
    return Fault(line=number, what=what, text=text[:500], retrying=again)


def message_of(error: Json) -> str:
    """What an error says, whether it is a string or holds a message."""
    if isinstance(error, dict):
        error = error.get("message")
    return error if isinstance(error, str) else ""


def _read_item(number: int, item: Item, *, done: bool) -> Sequence[AnyEvent] | None:
    match item.type:
        case "agent_message" | "reasoning":
            role = "assistant" if item.type == "agent_message" else "thought"
            text = item.text if done else ""
            return [Message(line=number, role=role, text=text)] if text else ()  # type: ignore[arg-type]
        case "error":
            return [_fault(number, item.message)] if done else ()
        case "todo_list":
            return ()
        case "command_execution" | "file_change" | "mcp_tool_call" | "web_search":
            call = _call(number, item)
        case "collab_tool_call":
            call = Call(line=number, id=item.id, tool=item.tool or "agent", does="task")
        case _:
            return None
    return [call, *_outcome(number, item)] if done else [call]


def _call(number: int, item: Item) -> Call:
    if item.type == "command_execution":
        line = unwrap(item.command)
        return Call(line=number, id=item.id, tool="shell", does="shell", command=line)
    if item.type == "file_change":
        paths = tuple(each.path for each in item.changes)
        return Call(line=number, id=item.id, tool="apply_patch", does="write", paths=paths)
    if item.type == "web_search":
        return Call(line=number, id=item.id, tool="web_search", input={"query": item.query})
    words = call_words(f"mcp__{item.server}__{item.tool}", item.arguments, {})
    return Call(line=number, id=item.id, **words)


def _outcome(number: int, item: Item) -> list[AnyEvent]:
    error = message_of(item.error)
    output = item.aggregated_output or error or text_of(item.result)
    refused = item.status == "declined" or _NOT_APPROVED in error
    events: list[AnyEvent] = []
    if refused:
        events.append(Denial(line=number, id=item.id, reason=error or "declined"))
    failed = refused or item.status == "failed"
    events.append(
        Result(
            line=number,
            id=item.id,
            output=output[:OUTPUT_CAP],
            failed=failed,
            exit_code=item.exit_code,
        )
    )
    return events
