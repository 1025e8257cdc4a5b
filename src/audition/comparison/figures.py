"""What a comparison of two runs says: its values.

In: nothing. Out: the values. Must not know: records of trials one by one, files, the screen.
"""

from collections.abc import Iterable
from typing import Literal

from audition.drift import About, Drift
from audition.model import Record, Value
from audition.stats.difference import MeansWord

Change = Literal["better", "worse", "same", "new", "gone", "ungraded"]
Word = Literal["better", "worse", "no significant difference", "nothing to compare"]


class Side(Value, frozen=True, kw_only=True):
    """One of the two runs."""

    name: str
    about: About
    records: Iterable[Record]


class CaseChange(Value, frozen=True, kw_only=True):
    """One case in one arm, in both runs; counts are (passed, graded)."""

    skill: str | None
    case: str
    agent: str
    delivery: str
    model: str | None
    should_trigger: bool
    change: Change
    a: tuple[int, int]
    b: tuple[int, int]
    because: tuple[str, ...] = ()
    """Inputs of it that changed."""
    variant: str = ""
    file: str = ""
    twin: bool = False
    """Another file has a case of this name, too."""


class Pairs(Value, frozen=True, kw_only=True):
    """Pairs of trials of one cell, or of all; rates and p-values are null without a pair."""

    skill: str | None = None
    agent: str = ""
    delivery: str = ""
    model: str | None = None
    variant: str = ""
    positives: bool | None = None
    """None: positives and negatives together."""
    both: int = 0
    only_a: int = 0
    only_b: int = 0
    neither: int = 0
    rate_a: float | None = None
    rate_b: float | None = None
    low: float | None = None
    high: float | None = None
    """The 95 % interval of rate B minus rate A."""
    p: float | None = None
    adjusted: float | None = None
    """p, adjusted for the number of cells."""
    smallest: float | None = None
    """The smallest change from rate A that so many pairs would mostly show; null: none."""
    word: Word = "nothing to compare"

    @property
    def of(self) -> int:
        """How many pairs there are."""
        return self.both + self.only_a + self.only_b + self.neither


class MetricChange(Value, frozen=True, kw_only=True):
    """What the same trials took in both runs, by the means of their cases."""

    metric: str
    agent: str
    delivery: str
    model: str | None
    cases: int
    a: float
    b: float
    p: float | None
    """Null below six cases, which cannot show a difference."""
    word: MeansWord
    variant: str = ""


class LeftOut(Value, frozen=True, kw_only=True):
    """What was not compared."""

    only_a: int = 0
    """Trials that have no partner in B."""
    only_b: int = 0
    reused: int = 0
    """Pairs that are one and the same trial, taken over by `--reuse`."""
    ungraded: int = 0
    """Pairs of which at least one was not graded: in error or ineligible."""


class Comparison(Value, frozen=True, kw_only=True):
    """Two runs side by side."""

    version: int = 1
    a: str
    b: str
    tolerance: float = 0.0
    regressed: bool = False
    """A fall beyond the tolerance is established."""
    overall: Pairs = Pairs()
    cells: tuple[Pairs, ...] = ()
    cases: tuple[CaseChange, ...] = ()
    """Every case and arm whose rate is not the same in both."""
    same: int = 0
    """How many cases and arms have the same rate in both."""
    metrics: tuple[MetricChange, ...] = ()
    changed: tuple[Drift, ...] = ()
    left_out: LeftOut = LeftOut()
