"""What trials took, by skill and arm: the least, the middle, the most.

In: Records, one at a time, in any order. Out: Distributions.
Must not know: files, formats, the screen.

Values are counted by their first three digits, so that what is kept does not grow with the
trials; the least and the most are exact, the median is as good as three digits.
"""

from collections import Counter
from collections.abc import Iterable
from math import floor, isfinite, log10

from audition.model import Record, Value

DIGITS = 3
Cell = tuple[str | None, str, str, str | None]


class Spread(Value, frozen=True, kw_only=True):
    """So many known values between the least and the most."""

    of: int
    least: float
    median: float
    most: float


class Distribution(Value, frozen=True, kw_only=True):
    """What the graded trials of one skill in one arm took; null where it is not known."""

    skill: str | None
    agent: str
    delivery: str
    model: str | None
    trials: int
    seconds: Spread | None = None
    turns: Spread | None = None
    commands: Spread | None = None
    effective: Spread | None = None
    """The commands that did more than look around."""
    tokens: Spread | None = None
    dollars: Spread | None = None


MEASURES = ("seconds", "turns", "commands", "effective", "tokens", "dollars")


def _measure(record: Record) -> tuple[float | None, ...]:
    """What one trial took, in the order of MEASURES."""
    used, commands = record.usage, record.commands
    took, gave = used.input_tokens, used.output_tokens
    tokens = None if took is None or gave is None else took + gave
    counted = (commands.total, commands.effective)
    return (record.seconds, record.turns, *counted, tokens, used.dollars)


class _Values:
    """Values of one sort."""

    __slots__ = ("counts", "least", "most")

    def __init__(self) -> None:
        self.counts: Counter[float] = Counter()
        self.least = self.most = 0.0

    def add(self, value: float | None) -> None:
        if value is None or not isfinite(value):
            return
        self.least = min(self.least, value) if self.counts else value
        self.most = max(self.most, value) if self.counts else value
        self.counts[shorten(value)] += 1

    def absorb(self, other: "_Values") -> None:
        if other.counts:
            self.least = min(self.least, other.least) if self.counts else other.least
            self.most = max(self.most, other.most) if self.counts else other.most
            self.counts.update(other.counts)

    def spread(self) -> Spread | None:
        of = self.counts.total()
        if not of:
            return None
        low, high = self._at((of - 1) // 2), self._at(of // 2)
        middle = min(max((low + high) / 2, self.least), self.most)
        return Spread(of=of, least=self.least, median=middle, most=self.most)

    def _at(self, place: int) -> float:
        for value in sorted(self.counts):
            place -= self.counts[value]
            if place < 0:
                return value
        return self.most


class SpreadTally:
    """Counts what records took."""

    def __init__(self) -> None:
        self.cells: dict[Cell, tuple[list[int], tuple[_Values, ...]]] = {}

    def add(self, record: Record) -> None:
        """Count one record; only a graded trial says what the work takes."""
        if record.status not in ("pass", "fail"):
            return
        cell = (record.skill, record.agent, record.delivery, record.model)
        if cell not in self.cells:
            self.cells[cell] = ([0], tuple(_Values() for _ in MEASURES))
        trials, kept = self.cells[cell]
        trials[0] += 1
        for values, value in zip(kept, _measure(record), strict=True):
            values.add(value)

    def absorb(self, other: "SpreadTally") -> None:
        """Count what another tally counted."""
        for cell, theirs in other.cells.items():
            trials, kept = self.cells.setdefault(cell, ([0], tuple(_Values() for _ in MEASURES)))
            trials[0] += theirs[0][0]
            for values, more in zip(kept, theirs[1], strict=True):
                values.absorb(more)

    def distributions(self) -> Iterable[Distribution]:
        """What was counted so far, skills and arms in order."""
        for cell in sorted(self.cells, key=in_order):
            trials, kept = self.cells[cell]
            skill, agent, delivery, model = cell
            yield Distribution(
                skill=skill,
                agent=agent,
                delivery=delivery,
                model=model,
                trials=trials[0],
                **{name: each.spread() for name, each in zip(MEASURES, kept, strict=True)},
            )


def in_order(cell: Cell) -> tuple[tuple[bool, str], ...]:
    """What a cell is sorted by; what it lacks comes first."""
    return tuple((each is not None, each or "") for each in cell)


def shorten(value: float) -> float:
    """A number to its first three digits."""
    if not value:
        return 0.0
    return round(value, DIGITS - 1 - floor(log10(abs(value))))
