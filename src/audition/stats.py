"""What counts say about rates: intervals, checked against scipy in the tests.

In: counts. Out: numbers, or None where there is nothing to say.
Must not know: skills, trials, records.
"""

from math import sqrt

Z95 = 1.959963984540054
"""The normal quantile of a two-sided 95 % interval."""


def wilson(passed: int, of: int, z: float = Z95) -> tuple[float, float] | None:
    """The Wilson score interval of a rate; None where nothing was counted.

    It stays inside 0 and 1 and keeps its promise at few trials and at extreme rates, where
    the textbook interval collapses: 3 of 3 is 44 % to 100 %, not 100 % to 100 %.
    """
    if not 0 <= passed <= of:
        raise ValueError(f"{passed} of {of} is no count")
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
