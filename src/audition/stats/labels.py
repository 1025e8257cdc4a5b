"""How well calls match what was expected: precision, recall and their kin; who steals from whom.

In: counts of calls that were right and wrong. Out: rates with intervals, None where nothing
was counted. Must not know: skills, trials, records.

Intervals. Precision, recall, specificity and the false-positive rate are proportions: Wilson.
F1 is 2J / (1 + J) of the proportion J = tp / (tp + fp + fn): Wilson of J, carried over, exact.
Balanced accuracy is half a sum of two independent rates: Wilson's distances, squared and
added. MCC has no such form: its value at both lower and both upper Wilson bounds of recall
and specificity, which is wider than it need be.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from math import hypot, sqrt
from typing import NamedTuple

from audition.stats.rates import Interval, wilson

NONE = "none"
"""The row of prompts that should call nothing; the column where nothing was called."""


class Estimate(NamedTuple):
    """A number and the 95 % interval it lies in."""

    value: float
    low: float
    high: float


class Labels(NamedTuple):
    """Calls of one skill: right ones, wrong ones, missed ones, right silences."""

    tp: int
    fp: int
    fn: int
    tn: int


def precision(labels: Labels) -> Estimate | None:
    """Of its calls, how many were right. It depends on the suite's share of positives."""
    return _share(labels.tp, labels.tp + labels.fp)


def recall(labels: Labels) -> Estimate | None:
    """Of the prompts that should call it, how many did."""
    return _share(labels.tp, labels.tp + labels.fn)


def specificity(labels: Labels) -> Estimate | None:
    """Of the prompts that should not call it, how many did not."""
    return _share(labels.tn, labels.tn + labels.fp)


def false_positive_rate(labels: Labels) -> Estimate | None:
    """Of the prompts that should not call it, how many did."""
    return _share(labels.fp, labels.tn + labels.fp)


def f1(labels: Labels) -> Estimate | None:
    """The harmonic mean of precision and recall."""
    found = _share(labels.tp, labels.tp + labels.fp + labels.fn)
    return found and Estimate(*(2 * each / (1 + each) for each in found))


def balanced_accuracy(labels: Labels) -> Estimate | None:
    """The mean of recall and specificity."""
    one, two = recall(labels), specificity(labels)
    if one is None or two is None:
        return None
    value = (one.value + two.value) / 2
    down = hypot(one.value - one.low, two.value - two.low) / 2
    up = hypot(one.high - one.value, two.high - two.value) / 2
    return Estimate(value, value - down, value + up)


def mcc(labels: Labels) -> Estimate | None:
    """Matthews' correlation; None where a margin is empty: see the balanced accuracy."""
    one, two = recall(labels), specificity(labels)
    margin = (labels.tp + labels.fp) * (labels.tn + labels.fn)
    if one is None or two is None or not margin:
        return None
    positives, negatives = labels.tp + labels.fn, labels.tn + labels.fp

    def at(sensitive: float, specific: float) -> float:
        tp, tn = positives * sensitive, negatives * specific
        fp, fn = negatives - tn, positives - tp
        below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
        return (tp * tn - fp * fn) / sqrt(below) if below else 0.0

    return Estimate(at(one.value, two.value), at(one.low, two.low), at(one.high, two.high))


def _share(passed: int, of: int) -> Estimate | None:
    bounds = wilson(passed, of)
    return bounds and Estimate(passed / of, *bounds)


Matrix = dict[str, dict[str, int]]
"""matrix[expected][called]: in how many trials."""


def add_to_matrix(matrix: Matrix, expected: Collection[str], called: Collection[str]) -> None:
    """Count one trial: in the row of what was expected, in the column of what was called.

    Where one of several would do, the row is the one that was called, else the first. A
    right call with a wrong one beside it counts in both columns.
    """
    right = [name for name in expected if name in called]
    row = matrix.setdefault((right or list(expected) or [NONE])[0], {})
    for name in dict.fromkeys(called) if called else (NONE,):
        row[name] = row.get(name, 0) + 1


class Theft(NamedTuple):
    """Prompts of one skill that another one took: called, while the right one was not."""

    owner: str
    thief: str
    trials: int
    of: int
    interval: Interval


def thefts(trials: Iterable[tuple[Collection[str], Collection[str]]]) -> list[Theft]:
    """From (expected, called) of each trial: who took whose prompts, the worst first."""
    owned: Counter[str] = Counter()
    stolen: Counter[tuple[str, str]] = Counter()
    for expected, called in trials:
        owner = next((name for name in expected if name in called), next(iter(expected), NONE))
        owned[owner] += 1
        if not set(expected) & set(called):
            stolen.update((owner, name) for name in set(called))
    return [
        Theft(owner, thief, number, owned[owner], wilson(number, owned[owner]) or (0.0, 1.0))
        for (owner, thief), number in sorted(stolen.items(), key=lambda each: (-each[1], each[0]))
    ]
