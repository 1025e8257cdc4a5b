"""How far apart two paired rates are: Newcombe's interval, McNemar's test, what could be seen.

In: how many pairs came out which way. Out: rates, an interval, a p-value. Must not know: skills, trials, records.
"""

from collections.abc import Sequence
from math import erfc, sqrt
from typing import Literal, NamedTuple

from audition.stats.curves import binomial_at_most
from audition.stats.paired import FEWEST_CASES, mcnemar_mid, sign_flip
from audition.stats.power import ALPHA, smallest_difference
from audition.stats.rates import Z95, wilson

LARGE = 1000
"""From so many discordant pairs on the beta function stands for huge integers."""
MANY_CASES = 50
"""From so many cases on the normal curve stands for the draws of signs."""
MeansWord = Literal["more", "less", "no significant difference", "too few cases"]


class PairedRates(NamedTuple):
    """Two rates of the same pairs, and whether chance explains that they differ."""

    a: float
    b: float
    low: float
    high: float
    """The 95 % interval of B minus A."""
    p: float
    """McNemar's mid-p."""
    smallest: float | None
    """The smallest change from A that so many pairs would mostly show."""


def compare_rates(both: int, only_a: int, only_b: int, neither: int) -> PairedRates | None:
    """What the pairs say; None where there is none."""
    of = both + only_a + only_b + neither
    interval = paired_interval(both, only_a, only_b, neither)
    if interval is None:
        return None
    rate = (both + only_a) / of
    alike = min(max(correlation(both, only_a, only_b, neither), 0.0), 0.95)
    smallest = smallest_difference(max(rate, 1 - rate), of, alike)
    p = _chance(only_a, only_b)
    return PairedRates(rate, (both + only_b) / of, *interval, p, smallest)


def _chance(only_a: int, only_b: int) -> float:
    if only_a + only_b < LARGE:
        return mcnemar_mid(only_a, only_b)
    fewer, of = min(only_a, only_b), only_a + only_b
    return min(1.0, binomial_at_most(fewer, of, 0.5) + binomial_at_most(fewer - 1, of, 0.5))


def paired_interval(
    both: int, only_a: int, only_b: int, neither: int, z: float = Z95
) -> tuple[float, float] | None:
    """The interval of rate B minus rate A; None where there is no pair."""
    of = both + only_a + only_b + neither
    one, two = wilson(both + only_b, of, z), wilson(both + only_a, of, z)
    if one is None or two is None:
        return None
    b, a = (both + only_b) / of, (both + only_a) / of
    alike = _likeness(both, only_a, only_b, neither)
    low, high = (b - one[0], two[1] - a), (one[1] - b, a - two[0])
    return (b - a - _reach(*low, alike), b - a + _reach(*high, alike))


def _reach(one: float, two: float, alike: float) -> float:
    return sqrt(max(0.0, one * one - 2 * alike * one * two + two * two))


def _likeness(both: int, only_a: int, only_b: int, neither: int) -> float:
    """The correlation of the pairs, held back a little where it is positive."""
    of = both + only_a + only_b + neither
    product = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if not product:
        return 0.0
    more = float(both * neither - only_a * only_b)
    if more > 0:
        more = max(0.0, more - of / 2)
    return more / sqrt(product)


def correlation(both: int, only_a: int, only_b: int, neither: int) -> float:
    """The correlation (phi) of the two outcomes of a pair; 0 where it is not defined."""
    product = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    return float((both * neither - only_a * only_b) / sqrt(product)) if product else 0.0


class PairedMeans(NamedTuple):
    """Two means of the same cases, and whether chance explains that they differ."""

    a: float
    b: float
    p: float | None
    """By sign flips, the case as the unit; None below six cases, which can show nothing."""
    word: MeansWord


def compare_means(cases: Sequence[Sequence[tuple[float, float]]]) -> PairedMeans | None:
    """What pairs (A, B), case by case, say of the means of the cases; None without any."""
    held = [each for each in cases if each]
    if not held:
        return None
    a, b = (sum(sum(p[n] for p in case) / len(case) for case in held) / len(held) for n in (0, 1))
    falls = [[two - one for one, two in case] for case in held]
    if len(held) > MANY_CASES:
        p: float | None = many_signs([sum(each) / len(each) for each in falls])
    else:
        p = sign_flip(falls)
    word: MeansWord = "more" if b > a else "less"
    if p is None or len(held) < FEWEST_CASES:
        word = "too few cases"
    elif p > ALPHA:
        word = "no significant difference"
    return PairedMeans(a, b, p, word)


def many_signs(means: list[float]) -> float:
    """The sign-flip test of many differences, by the normal curve that its sums then follow."""
    spread = sqrt(sum(each * each for each in means))
    return erfc(abs(sum(means)) / spread / sqrt(2)) if spread else 1.0
