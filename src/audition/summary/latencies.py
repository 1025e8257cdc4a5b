"""How long it took until a skill was first called, over trials in which it sometimes never was.

In: Records one at a time. Out: Latencies by skill and arm. What is kept grows with unlike
values, not with trials: tokens and seconds are held to their first three digits.
Must not know: files, formats, the screen.
"""

from collections import Counter
from collections.abc import Iterable
from math import isfinite

from audition.model import Record, Value
from audition.stats.waiting import Wait, mean_wait, median_wait
from audition.summary.spread import Cell, in_order, shorten


class Until(Value, frozen=True, kw_only=True):
    """How long until a call, by the curve of Kaplan and Meier."""

    median: float | None
    """Null where less than half of the trials called it."""
    mean: float
    """Within the horizon: a trial without a call counts as all of it."""
    horizon: float
    """The longest that was waited."""


class CallLatency(Value, frozen=True, kw_only=True):
    """Graded positives of a skill in one arm until their first call; null where not told."""

    skill: str | None
    agent: str
    delivery: str
    model: str | None
    trials: int
    called: int
    """In the others it was never called: they waited as long as their session took."""
    turns: Until | None = None
    tokens: Until | None = None
    seconds: Until | None = None


class _Waits:
    """Waits of one sort; of no use once one that ended is not known."""

    __slots__ = ("blind", "counts")

    def __init__(self) -> None:
        self.counts: Counter[Wait] = Counter()
        self.blind = False

    def add(self, time: float | None, *, came: bool) -> None:
        if time is None or not isfinite(time):
            # Without the calls of unknown time, those that never came would weigh too much.
            self.blind = True
        else:
            self.counts[Wait(shorten(time), came)] += 1

    def absorb(self, other: "_Waits") -> None:
        self.counts.update(other.counts)
        self.blind |= other.blind

    def until(self) -> Until | None:
        if self.blind or not self.counts:
            return None
        horizon = max(wait.time for wait in self.counts)
        mean = mean_wait(self.counts, horizon)
        median = median_wait(self.counts)
        return None if mean is None else Until(median=median, mean=mean, horizon=horizon)


class LatencyTally:
    """Counts how long records waited for a call."""

    def __init__(self) -> None:
        self.cells: dict[Cell, tuple[Counter[bool], _Waits, _Waits, _Waits]] = {}

    def add(self, record: Record) -> None:
        """Count one record; only a graded one that had to call the skill by itself."""
        found = record.latency
        if found is None or record.status not in ("pass", "fail"):
            return
        cell = (record.skill, record.agent, record.delivery, record.model)
        if cell not in self.cells:
            self.cells[cell] = (Counter(), _Waits(), _Waits(), _Waits())
        calls, turns, tokens, seconds = self.cells[cell]
        calls[found.called] += 1
        turns.add(found.turns, came=found.called)
        tokens.add(found.tokens, came=found.called)
        seconds.add(found.seconds, came=found.called)

    def absorb(self, other: "LatencyTally") -> None:
        """Count what another tally counted."""
        for cell, theirs in other.cells.items():
            mine = self.cells.setdefault(cell, (Counter(), _Waits(), _Waits(), _Waits()))
            mine[0].update(theirs[0])
            for waits, more in zip(mine[1:], theirs[1:], strict=True):
                waits.absorb(more)

    def latencies(self) -> Iterable[CallLatency]:
        """What was counted so far, skills and arms in order."""
        for cell in sorted(self.cells, key=in_order):
            calls, turns, tokens, seconds = self.cells[cell]
            skill, agent, delivery, model = cell
            yield CallLatency(
                skill=skill,
                agent=agent,
                delivery=delivery,
                model=model,
                trials=calls.total(),
                called=calls[True],
                turns=turns.until(),
                tokens=tokens.until(),
                seconds=seconds.until(),
            )
