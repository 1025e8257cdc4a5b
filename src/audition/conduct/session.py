"""A session as its rules see it: what began, what ended, what played a role.

In: a Trace and Sights. Out: marks in order, one pass. A call is open from its line to its
result; where it started a sub-agent, what the sub-agent does comes after its start.
Must not know: rules.
"""

from collections.abc import Iterator, Mapping, Sequence

from audition.conduct.sights import Sight
from audition.model import AnyEvent, Call, Denial, Result, Trace, Value
from audition.settling import number_turns

NEVER = 2**62
"""The end of what has none."""


_BETWEEN = (";", "&", "|", "\n", "(", "`", "{")
"""One of these stands between two commands of a line, or around one."""
BACKGROUND = ("run_in_background", "is_background")
"""How agents (Claude Code; Gemini, Qwen) are told not to wait for a command."""


class Mark(Value, frozen=True, kw_only=True):
    """An event of which some Sight says yes or perhaps; or the end of one."""

    key: int
    ends: int
    """Equal to the key for what takes no time."""
    started: int
    """With a call that starts a sub-agent: just before the first thing this does."""
    turn: int
    is_call: bool
    sights: tuple[tuple[int, bool | None], ...]
    """Which Sights saw it, by number; None where it is not known."""
    lines: tuple[int, ...]
    places: Mapping[int, Mapping[int, bool | None]] = {}
    """Where in its line each Sight sees it, where that may matter; all of the line without."""


class Paired(Value, frozen=True, kw_only=True):
    """What the calls of a session came back with, and when."""

    results: dict[int, tuple[int, Result]]
    """By the place of the call: the place of its result, and the result."""
    denied: frozenset[str]
    starts: dict[str, int]
    """By the id of a call that started a sub-agent: the place of what that did first."""
    told: bool
    """The session tells of results at all; else each call ends where it begins."""


def pair_up(events: Sequence[AnyEvent]) -> Paired:
    """Find the result of each call; ids may come again."""
    waiting: dict[str, int] = {}
    results: dict[int, tuple[int, Result]] = {}
    denied: set[str] = set()
    starts: dict[str, int] = {}
    told = False
    for place, event in enumerate(events):
        kind = type(event)
        if kind is Call:
            waiting[event.id] = place  # type: ignore[union-attr]
        elif kind is Result:
            told = True
            call = waiting.pop(event.id, None)  # type: ignore[union-attr]
            if call is not None:
                results[call] = (place, event)  # type: ignore[assignment]
        elif kind is Denial and event.id:  # type: ignore[union-attr]
            denied.add(event.id)  # type: ignore[union-attr]
        if event.sub:
            starts.setdefault(event.sub, place)
    return Paired(results=results, denied=frozenset(denied), starts=starts, told=told)


def walk(trace: Trace, sights: Sequence[Sight], *, every_call: bool) -> Iterator[Mark]:
    """The beginnings of what the Sights see; with `every_call`, of all calls."""
    events = trace.events
    paired = pair_up(events)
    kinds = {kind: _asked(kind, "", sights) for kind in {each.about for each in sights}}
    calls: dict[str, list[tuple[int, Sight]]] = {}
    for place, (event, turn) in enumerate(zip(events, number_turns(events), strict=True)):
        if type(event) is Call:
            does = event.does
            if does not in calls:
                calls[does] = _asked("call", does, sights)
            if (calls[does] or every_call) and event.id not in paired.denied:
                mark = _call(place, event, turn, calls[does], paired)
                if mark.sights or every_call:
                    yield mark
        elif found := kinds.get(type(event).__name__.lower()):
            seen = _seen(event, None, found)
            if seen:
                yield Mark(
                    key=place,
                    ends=place,
                    started=place,
                    turn=turn,
                    is_call=False,
                    sights=seen,
                    lines=(event.line,),
                )


def _asked(about: str, does: str, sights: Sequence[Sight]) -> list[tuple[int, Sight]]:
    return [
        (number, each)
        for number, each in enumerate(sights)
        if each.about == about and (not each.does or each.does == does)
    ]


def _seen(
    event: AnyEvent, result: Result | None, sights: list[tuple[int, Sight]]
) -> tuple[tuple[int, bool | None], ...]:
    found: list[tuple[int, bool | None]] = []
    for number, each in sights:
        sure = each.seen(event, result)
        if sure is not False:
            found.append((number, sure))
    return tuple(found)


def _call(
    place: int, call: Call, turn: int, asked: list[tuple[int, Sight]], paired: Paired
) -> Mark:
    ends, result = paired.results.get(place, (NEVER if paired.told else place, None))
    first = paired.starts.get(call.id, NEVER) if call.id else NEVER
    if any(call.input.get(name) is True for name in BACKGROUND):
        # It came back at once, and that says nothing of how it ended.
        first, ends, result = min(first, ends), NEVER, None
    seen = _seen(call, result, asked)
    return Mark(
        key=place,
        ends=ends,
        started=min(ends, max(place, first - 1)),
        turn=turn,
        is_call=True,
        sights=seen,
        lines=(call.line, result.line) if result else (call.line,),
        places=_places(call, result, seen, asked) if seen and _is_several(call) else {},
    )


def _is_several(call: Call) -> bool:
    """Whether it may be more than one command; to take every line apart takes a tenth more."""
    return call.does == "shell" and any(sign in call.command for sign in _BETWEEN)


def _places(
    call: Call,
    result: Result | None,
    seen: tuple[tuple[int, bool | None], ...],
    asked: list[tuple[int, Sight]],
) -> dict[int, Mapping[int, bool | None]]:
    """Where in the line each Sight sees it; nothing where fewer than two places are told apart."""
    wanted = {number for number, _ in seen}
    found = {
        n: each.places(call.command, result) for n, each in asked if n in wanted and each.places
    }
    return found if len(frozenset().union(*found.values())) > 1 else {}
