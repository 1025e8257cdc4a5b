"""What counts say about rates: intervals, checked against scipy in the tests.

In: counts. Out: numbers, or None where there is nothing to say.
Must not know: skills, trials, records.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

from audition.stats.curves import beta_quantile, t_quantile

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""

Interval = tuple[float, float]
Counts = Sequence[tuple[int, int]]
"""For each case: how many trials passed, of how many."""


def wilson(passed: float, of: float, z: float = Z95) -> Interval | None:
    """The Wilson score interval of a rate; None where nothing was counted.

    It stays inside 0 and 1 and keeps its promise at few trials and at extreme rates, where
    the textbook interval collapses: 3 of 3 is 44 % to 100 %, not 100 % to 100 %.
    """
    _check(passed, of)
    if of == 0:
        return None
    rate = passed / of
    square = z * z / of
    middle = rate + square / 2
    reach = z * sqrt(rate * (1 - rate) / of + square / (4 * of))
    low = (middle - reach) / (1 + square)
    high = (middle + reach) / (1 + square)
    # Exact at the ends, where rounding would leave 1e-17 or 0.9999999999999999.
    return (0.0 if passed == 0 else low, 1.0 if passed == of else high)


def clopper_pearson(passed: int, of: int, level: float = 0.95) -> Interval | None:
    """The exact interval: wider than Wilson's, and never below its promise."""
    _check(passed, of)
    if of == 0:
        return None
    tail = (1 - level) / 2
    low = 0.0 if passed == 0 else beta_quantile(tail, passed, of - passed + 1)
    high = 1.0 if passed == of else beta_quantile(1 - tail, passed + 1, of - passed)
    return low, high


def jeffreys(passed: int, of: int, level: float = 0.95) -> Interval | None:
    """The interval of the Bayesian who knows nothing: Beta(passed + ½, failed + ½)."""
    _check(passed, of)
    if of == 0:
        return None
    tail, a, b = (1 - level) / 2, passed + 0.5, of - passed + 0.5
    low = 0.0 if passed == 0 else beta_quantile(tail, a, b)
    high = 1.0 if passed == of else beta_quantile(1 - tail, a, b)
    return low, high


def proven_at_least(passed: int, of: int, level: float = 0.95) -> float:
    """The rate that is surely reached: the exact one-sided lower bound. 3 of 3 prove 37 %."""
    _check(passed, of)
    return 0.0 if passed == 0 else beta_quantile(1 - level, passed, of - passed + 1)


def proven_at_most(passed: int, of: int, level: float = 0.95) -> float:
    """The rate that is surely not passed: the exact one-sided upper bound."""
    return 1 - proven_at_least(of - passed, of, level)


class Clustered(NamedTuple):
    """A rate over cases that were tried several times each."""

    rate: float
    low: float
    high: float
    cases: int
    trials: int
    effective: float
    """So many independent trials would say as much."""


def clustered(cases: Counts, level: float = 0.95) -> Clustered | None:
    """The rate over all cases one might ask, with the interval that few cases allow.

    Trials of one case resemble one another, so they count for less: the interval is Wilson's
    with an effective number of trials and the t of cases - 1. None below two cases, which
    say nothing about others.
    """
    counted = [(passed, of) for passed, of in cases if of]
    for passed, of in counted:
        _check(passed, of)
    if len(counted) < 2:
        return None
    passed, of = (sum(column) for column in zip(*counted, strict=True))
    effective = of / design_effect(counted)
    bounds = wilson(
        passed / of * effective, effective, t_quantile((1 + level) / 2, len(counted) - 1)
    )
    low, high = bounds or (0.0, 1.0)
    return Clustered(passed / of, low, high, len(counted), of, effective)


def design_effect(cases: Counts) -> float:
    """How many trials of a case are worth one independent trial: from 1 to trials a case.

    Where all outcomes agree the trials cannot tell, and (1 + k) / 2 stands between.
    """
    trials = sum(of for _, of in cases)
    passed = sum(passed for passed, _ in cases)
    alike = sum(of * of for _, of in cases) / trials
    if passed in (0, trials):
        return (1 + alike) / 2
    rate = passed / trials
    between = sum((passed - of * rate) ** 2 for passed, of in cases)
    between *= len(cases) / (len(cases) - 1)
    return min(max(between / (trials * rate * (1 - rate)), 1.0), alike)


def _check(passed: float, of: float) -> None:
    if not 0 <= passed <= of:
        raise ValueError(f"{passed} of {of} is no count")
