"""A last look at a whole Claude session: several results, repeated denials, turns.

In: the events of all lines. Out: the same, mended. Must not know: raw lines.
"""

import msgspec

from audition.figures import add_usage
from audition.model import AnyEvent, Call, Denial, End, Message, Result, Usage


def settle(events: list[AnyEvent]) -> list[AnyEvent]:
    """Says each denial once, sums usage over turns and `/clear`, and counts turns.

    Turns are the model's answers in the main conversation, which `--max-turns` counts.
    The stream's own `num_turns` is another number: 1 and the user-side messages, so that
    a skill call counts twice. Parallel calls whose results come between them count apart.
    """
    denied: set[str] = set()
    settled: list[AnyEvent] = []
    used: list[Usage] = []
    for event in events:
        if type(event) is Denial and event.id:
            if event.id in denied:
                continue
            denied.add(event.id)
        if type(event) is Usage:
            used.append(event)
            settled.append(_sum_up(used))
        else:
            settled.append(event)
    return _with_turns(settled)


def _sum_up(used: list[Usage]) -> Usage:
    """All of a session up to its last result, as a total."""
    banked: Usage | None = None
    before = used[0]
    for now in used[1:]:
        if not now.total or _fell(before, now):
            banked = _add(banked, before if now.total else _without_dollars(before, now))
        before = now
    return msgspec.structs.replace(_add(banked, before), total=True)


def _add(banked: Usage | None, more: Usage) -> Usage:
    return more if banked is None else add_usage(banked, more)


def _fell(before: Usage, now: Usage) -> bool:
    """Dollars are cumulative: they fall only where `/clear` began another conversation."""
    return before.dollars is not None and now.dollars is not None and now.dollars < before.dollars


def _without_dollars(before: Usage, now: Usage) -> Usage:
    """Tokens of a turn alone: where they are told by the turn, dollars still grow."""
    return before if _fell(before, now) else msgspec.structs.replace(before, dollars=None)


def _with_turns(events: list[AnyEvent]) -> list[AnyEvent]:
    turns, answering = 0, False
    for event in events:
        if event.sub:
            continue
        if type(event) is Call or (
            type(event) is Message and event.role in ("assistant", "thought")
        ):
            turns += not answering
            answering = True
        elif type(event) in (Result, End, Message):
            answering = False
    for place in range(len(events) - 1, -1, -1):
        event = events[place]
        if type(event) is End:
            events[place] = msgspec.structs.replace(event, turns=turns or None)
            break
    return events
