"""Is the rate good enough, from a number of trials that was fixed before.

In: a target rate, an unacceptable rate, counts. Out: pass, fail, or that they cannot tell.
Must not know: skills, trials, records.
"""

from functools import lru_cache
from math import ceil, log, sqrt
from typing import Literal, NamedTuple

from audition.stats.curves import binomial_at_least, binomial_at_most, normal_quantile


class Fixed(NamedTuple):
    """So many trials; it passes where at least so many of them do."""

    trials: int
    accept: int


@lru_cache
def fixed_design(
    unacceptable: float, target: float, alpha: float = 0.05, beta: float = 0.05
) -> Fixed:
    """The fewest trials that tell a target from an unacceptable rate, and how many must pass."""
    if not 0 < unacceptable < target < 1:
        raise ValueError(f"{unacceptable} and {target}: 0 < unacceptable < target < 1 must hold")
    trials = 0
    while True:
        trials += 1
        accept = _accept(trials, unacceptable, alpha)
        if accept <= trials and binomial_at_most(accept - 1, trials, target) <= beta:
            return Fixed(trials, accept)


def about_trials(
    unacceptable: float, target: float, alpha: float = 0.05, beta: float = 0.05
) -> float:
    """About how many trials that design has, by the normal curve; at once, however many."""
    one, two = (sqrt(rate * (1 - rate)) for rate in (unacceptable, target))
    reach = normal_quantile(1 - alpha) * one + normal_quantile(1 - beta) * two
    return (reach / (target - unacceptable)) ** 2


def _accept(trials: int, unacceptable: float, alpha: float) -> int:
    """The fewest passes that an unacceptable rate reaches with a chance of at most alpha."""
    low, high = 0, trials + 1
    while low < high:
        middle = (low + high) // 2
        if binomial_at_least(middle, trials, unacceptable) <= alpha:
            high = middle
        else:
            low = middle + 1
    return low


def forced(fixed: Fixed, passed: int, failed: int) -> Literal["pass", "fail"] | None:
    """The outcome of a fixed number of trials, as soon as the rest cannot change it."""
    if passed >= fixed.accept:
        return "pass"
    return "fail" if failed > fixed.trials - fixed.accept else None


def judge_counts(
    passed: int, of: int, unacceptable: float, target: float, alpha: float = 0.05
) -> Literal["pass", "fail"] | None:
    """What counts establish, each way with an error of at most alpha; None where nothing.

    Valid for a number of trials that was fixed before the first one. With many trials a rate
    between the two refutes both; then the nearer one, by likelihood, has it.
    """
    good = of > 0 and binomial_at_least(passed, of, unacceptable) <= alpha
    bad = of > 0 and binomial_at_most(passed, of, target) <= alpha
    if good and bad:
        up = log(target / unacceptable)
        down = log((1 - target) / (1 - unacceptable))
        return "pass" if passed * up + (of - passed) * down >= 0 else "fail"
    return "pass" if good else "fail" if bad else None


def trials_to_prove(unacceptable: float, alpha: float = 0.05) -> int:
    """How many trials, all passed, first prove more than an unacceptable rate."""
    return max(1, ceil(log(alpha) / log(unacceptable) - 1e-9))
