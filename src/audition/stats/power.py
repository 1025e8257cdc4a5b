"""How small a difference can be seen, and how many trials it takes to see one.

In: a rate to start from, numbers of trials. Out: differences, numbers of trials.
Must not know: skills, trials, records.

By the normal approximation with the variance under the difference itself, for a fall from
the rate; a fall is what a comparison is mostly for, and it needs more trials than a rise.
"""

from math import ceil, sqrt

from audition.stats.curves import normal_quantile

ALPHA = 0.05
POWER = 0.8


def smallest_difference(
    rate: float, of: float, correlation: float = 0.0, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """The smallest fall from a rate that so many trials an arm see with this power.

    `correlation` is that of the two outcomes of a pair; 0 where arms are not paired. With
    several trials a case, give the effective number (see `design_effect`). None where not
    even a fall to 0 would be seen.
    """
    if of <= 0 or rate <= 0 or not _seen(rate, rate, of, (correlation, alpha, power)):
        return None
    low, high = 0.0, rate
    while high - low > 1e-12:
        middle = (low + high) / 2
        if _seen(rate, middle, of, (correlation, alpha, power)):
            high = middle
        else:
            low = middle
    return high


def _seen(rate: float, fall: float, of: float, terms: tuple[float, float, float]) -> bool:
    correlation, alpha, power = terms
    reach = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    return fall >= reach * sqrt(_variance(rate, fall, correlation) / of)


def _variance(rate: float, fall: float, correlation: float) -> float:
    one, two = rate * (1 - rate), (rate - fall) * (1 - rate + fall)
    return one + two - 2 * correlation * sqrt(one * two)


def trials_needed(
    rate: float, fall: float, correlation: float = 0.0, alpha: float = ALPHA, power: float = POWER
) -> int:
    """How many trials an arm, or pairs, it takes to see a fall from a rate."""
    if not 0 < fall <= rate:
        raise ValueError(f"a fall of {fall} from {rate} is impossible")
    reach = normal_quantile(1 - alpha / 2) + normal_quantile(power)
    return max(1, ceil(reach**2 * _variance(rate, fall, correlation) / fall**2 - 1e-9))
