"""What several agents need to make a session of events: faults, ends, whole messages, turns.

In: what a line says of a failure; the events of a session. Out: events, and their turns.
Must not know: agents, lines.
"""

from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.model import AnyEvent, Call, Denial, End, Fault, Message, Result
from audition.trouble import say_why, tell_trouble

_ANSWERING = ("assistant", "thought")


def tell_fault(
    at: dict[str, Any], text: str, status: int | None = None, *, retrying: bool = False
) -> Fault:
    """A fault by its status or its words; `at` says where it was told."""
    return Fault(**at, what=tell_trouble(text, status), text=text[:500], retrying=retrying)


def tell_failure(at: dict[str, Any], text: str, status: int | None = None) -> End:
    """The end of a session that failed, and why."""
    return End(**at, status="failed", reason=say_why(tell_trouble(text, status), text))


def end_by_last_fault(events: list[AnyEvent]) -> list[AnyEvent]:
    """A session whose last word is a fault failed by it, whatever its end and exit code say."""
    last: Fault | None = None
    for place, event in enumerate(events):
        if isinstance(event, Fault):
            last = event
        elif isinstance(event, Call) or (isinstance(event, Message) and event.role != "user"):
            last = None
        elif isinstance(event, End) and (last or event.status == "failed") and not event.reason:
            reason = say_why(last.what, last.text) if last else "the agent failed"
            events[place] = msgspec.structs.replace(event, status="failed", reason=reason)
    return events


def merge_chunks(events: list[AnyEvent]) -> list[AnyEvent]:
    """Messages that come in pieces as whole ones, each at the line where it begins."""
    merged: list[AnyEvent] = []
    pieces: list[str] = []
    for event in events:
        last = merged[-1] if merged else None
        if (
            isinstance(event, Message)
            and isinstance(last, Message)
            and (event.role, event.sub) == (last.role, last.sub)
            and event.role in ("assistant", "thought")
        ):
            pieces.append(event.text)
            continue
        _put_together(merged, pieces)
        merged.append(event)
        pieces = [event.text] if isinstance(event, Message) else []
    _put_together(merged, pieces)
    return merged


def _put_together(merged: list[AnyEvent], pieces: list[str]) -> None:
    if len(pieces) > 1 and isinstance(merged[-1], Message):
        merged[-1] = msgspec.structs.replace(merged[-1], text="".join(pieces))


def number_turns(events: Sequence[AnyEvent]) -> list[int]:
    """The turn of each event, from 1; 0 before the first.

    A turn is one answer of the model in the main conversation: what it says and calls. Where
    the agent tells which answer that is (`reply`), that decides: the results of parallel calls
    may come between them. Else it is over when a result or the user's words come back. What
    sub-agents do belongs to the turn of the main conversation in which they do it.
    """
    by_break: list[int] = []
    by_reply: list[int] = []
    turn = answer = 0
    over, reply = True, None
    for event in events:
        kind = type(event)
        if kind is Call or (kind is Message and event.role in _ANSWERING):  # type: ignore[union-attr]
            if not event.sub:
                turn, over = turn + over, False
                if event.reply != reply:  # type: ignore[union-attr]
                    answer, reply = answer + 1, event.reply  # type: ignore[union-attr]
        elif (kind is Result or kind is Message or kind is End) and not event.sub:
            over = True
        by_break.append(turn)
        by_reply.append(answer)
    # A session that calls all its answers the same tells nothing by it.
    return by_reply if answer > 1 else by_break


def refused_calls(events: Sequence[AnyEvent]) -> dict[tuple[int, str], Denial]:
    """The denial of each call that was refused, by the call's line and id.

    An id may come again: then a call whose result did not fail is not the one that was meant.
    """
    denials: dict[str, Denial] = {}
    for event in events:
        if type(event) is Denial and event.id:
            denials.setdefault(event.id, event)
    if not denials:
        return {}
    meant: dict[str, list[tuple[int, Call]]] = {}
    for place, event in enumerate(events):
        if type(event) is Call and event.id in denials:
            meant.setdefault(event.id, []).append((place, event))
    results = pair_results(events)
    found: dict[tuple[int, str], Denial] = {}
    for known, calls in meant.items():
        in_vain = [each for each in calls if (back := results.get(each[0])) is None or back.failed]
        for _, call in calls if len(calls) == 1 else in_vain:
            found[call.line, known] = denials[known]
    return found


def find_orphans(events: Sequence[AnyEvent]) -> tuple[int, ...]:
    """The lines of results that are of no call."""
    called = {event.id for event in events if type(event) is Call}
    orphans = (event for event in events if type(event) is Result and event.id not in called)
    return tuple(event.line for event in orphans)


def pair_results(events: Sequence[AnyEvent]) -> dict[int, Result]:
    """The result of each call, by the call's place: the first with its id that comes after it.

    An id may come again, as in a thread that was resumed, and what came before a call is no
    result of it.
    """
    waiting: dict[str, int] = {}
    later: dict[str, deque[int]] = {}
    results: dict[int, Result] = {}
    for place, event in enumerate(events):
        if type(event) is Call:
            if event.id in waiting:
                later.setdefault(event.id, deque()).append(place)
            else:
                waiting[event.id] = place
        elif type(event) is Result and (call := waiting.pop(event.id, None)) is not None:
            results[call] = event
            if later.get(event.id):
                waiting[event.id] = later[event.id].popleft()
    return results
