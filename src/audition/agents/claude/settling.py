"""A last look at a whole Claude session: several results, repeated denials.

In: the events of all lines. Out: the same, mended. Must not know: raw lines.
"""

import msgspec

from audition.figures import add_usage
from audition.model import AnyEvent, Denial, Usage


def settle(events: list[AnyEvent]) -> list[AnyEvent]:
    """Says each denial once, and sums usage over turns and `/clear`.

    Turns are counted as of any agent, which is how `--max-turns` counts. The stream's own
    `num_turns` is another number: 1 and the user-side messages, so that a skill call counts
    twice.
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
    return settled


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
    return before if _fell(before, now) else msgspec.structs.replace(before, dollars=0.0)
