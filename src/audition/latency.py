"""How long it took until a skill was first called: turns, tokens, seconds.

In: the events of a session, and where among them the call is. Out: numbers, None where the
agent does not tell. Must not know: checks, records of other trials, files.

A trial in which no skill was called says "longer than all of it": it is kept with what the
whole session took and marked as not called, for the mean over those that were called flatters.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import islice

from audition.model import (
    RUNGS,
    AnyEvent,
    Call,
    Case,
    Evidence,
    Latency,
    Message,
    Sealed,
    Trace,
    Usage,
)
from audition.settling import number_turns

LOADED = RUNGS.index("loaded")
BEFORE = -1
"""The place of a call that the prompt itself made: before all events."""


def find_call(events: Iterable[AnyEvent], lines: Iterable[int]) -> int:
    """The place of the event that first loaded a skill whose evidence has these lines."""
    proof = set(lines)
    found = (place for place, each in enumerate(events) if each.line in proof and _loads(each))
    return next(found, BEFORE)


def _loads(event: AnyEvent) -> bool:
    if isinstance(event, Message):
        return bool(event.skill)
    if not isinstance(event, Call) or event.does == "resource":
        return False
    return event.does == "skill" or any(
        "SKILL.md" in each for each in (event.command, *event.paths)
    )


def turns_until(events: Sequence[AnyEvent], place: int) -> int:
    """The turn in which an event stands, from 1; 0 for what the prompt itself did."""
    return next(islice(number_turns(events), place, None), 0) if place > BEFORE else 0


def tokens_until(events: Sequence[AnyEvent], place: int) -> int | None:
    """The tokens used up to the turn of an event, that turn included.

    None where the agent does not tell them turn by turn, as Codex, which sums up at the end.
    """
    turns = list(number_turns(events))
    told = (at for at, each in enumerate(events) if at > place and isinstance(each, Usage))
    at = next(told, None)
    if place > BEFORE and (at is None or turns[at] != turns[place]):
        return None
    return tokens_at_most(events, place)


def tokens_at_most(events: Sequence[AnyEvent], place: int) -> int | None:
    """No more than so many tokens were used up to the turn of an event: all that was told by
    the first word on tokens behind it. None where that is the sum of the session.
    """
    used: int | None = 0
    told = place == BEFORE
    left = sum(isinstance(each, Usage) for each in events)
    for at, event in enumerate(events):
        if told or not isinstance(event, Usage):
            continue
        left -= 1
        if event.total and not left:
            break  # the sum of the session, not of the way to here
        used = _add(0 if event.total else used, event)
        told = at > place
    return used if told else None


def _add(used: int | None, usage: Usage) -> int | None:
    if used is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    return used + usage.input_tokens + usage.output_tokens


def seconds_until(events: Sequence[AnyEvent], place: int, began: str) -> float | None:
    """From the start of the agent to an event, by the time that the agent writes down."""
    if place == BEFORE:
        return 0.0
    at = next((each.time for each in events[place:] if each.time is not None), None)
    try:
        start: float | None = datetime.fromisoformat(began).timestamp()
    except ValueError:
        start = next((each.time for each in events if each.time is not None), None)
    return None if at is None or start is None or at < start else round(at - start, 1)


def measure(trace: Trace, skills: Iterable[Evidence], case: Case, sealed: Sealed) -> Latency | None:
    """How long it took until one of the expected skills was called.

    None where none was expected or on offer, and where the prompt itself called it.
    """
    mine = [each for each in skills if each.on_offer and each.skill in case.expected]
    if not mine:
        return None
    called = [each for each in mine if RUNGS.index(each.rung) >= LOADED]
    events = trace.events
    if not called:
        used = _add(0, trace.usage) if trace.usage else None
        turns = max(number_turns(events), default=0)
        return Latency(called=False, turns=turns, tokens=used, seconds=round(sealed.seconds, 1))
    place = min(find_call(events, each.lines) for each in called)
    if place == BEFORE or any(each.how == "injected" for each in called):
        return None
    return Latency(
        called=True,
        turns=turns_until(events, place),
        tokens=tokens_until(events, place),
        seconds=seconds_until(events, place, sealed.began),
    )
