"""The distributions behind the statistics: normal, beta, t and binomial.

In: numbers. Out: probabilities and quantiles, good to about 1e-12.
Must not know: what they are asked for.
"""

from collections.abc import Callable
from functools import lru_cache
from math import erfc, exp, inf, lgamma, log, log1p, sqrt, tau

TINY = 1e-300


def normal_tail(z: float) -> float:
    """The chance that a normal deviate is above z."""
    return erfc(z / sqrt(2)) / 2


@lru_cache(maxsize=256)  # asked for every trial of a plan, always the same few
def normal_quantile(p: float) -> float:
    """The z below which a normal deviate falls with chance p."""
    # By the nearer tail: 1 - 1e-12 has lost four digits of it.
    tail = _solve(lambda z: -normal_tail(z), -min(p, 1 - p), 0.0, 40.0)
    return -tail if p < 0.5 else tail


def beta_cdf(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function I_x(a, b)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = exp(_log_front(x, a, b))
    # The fraction converges quickly only left of the mean; right of it, mirror.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


LARGE = 10.0
"""From here on Stirling's series is good to 1e-13."""


def _log_front(x: float, a: float, b: float) -> float:
    """The logarithm of x^a (1-x)^b / B(a, b).

    Written down as that, it is a difference of numbers as large as a and b: at ten millions
    eight digits are left. So what is large is taken out before it is computed.
    """
    if b < LARGE <= a:
        return _log_front(1 - x, b, a)
    if a >= LARGE:
        middle = a / (a + b)
        off = x - middle
        apart = a * log1p(off / middle) + b * log1p(-off / (1 - middle))
        return apart + log(a * b / (a + b) / tau) / 2 + _rest(a + b) - _rest(a) - _rest(b)
    if b >= LARGE:
        gammas = (b - 0.5) * log1p(a / b) + a * log(a + b) - a + _rest(a + b) - _rest(b)
        return gammas - lgamma(a) + a * log(x) + b * log1p(-x)
    return lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)


def _rest(a: float) -> float:
    """What Stirling's formula leaves of the logarithm of the gamma function."""
    square = 1 / (a * a)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / a


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    upper, lower = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    whole = lower
    for m in range(1, 10_000):
        twice = a + 2 * m
        for step in (
            m * (b - m) * x / ((twice - 1) * twice),
            -(a + m) * (a + b + m) * x / (twice * (twice + 1)),
        ):
            lower = 1 / _away_from_zero(1 + step * lower)
            upper = _away_from_zero(1 + step / upper)
            whole *= lower * upper
        if abs(lower * upper - 1) < 1e-16:
            break
    return whole


def _away_from_zero(number: float) -> float:
    return number if abs(number) > TINY else TINY


@lru_cache(maxsize=4096)
def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with I_x(a, b) = p."""
    return _solve(lambda x: beta_cdf(x, a, b), p, 0.0, 1.0)


def _solve(rises: Callable[[float], float], to: float, low: float, high: float) -> float:
    """Where a rising function reaches a value, by halving until nothing lies between."""
    while True:
        middle = (low + high) / 2
        if middle in (low, high):
            return middle
        if rises(middle) < to:
            low = middle
        else:
            high = middle


@lru_cache(maxsize=4096)
def t_quantile(p: float, freedom: float) -> float:
    """The quantile of Student's t; infinite without a degree of freedom."""
    if freedom <= 0:
        return inf
    if p < 0.5:
        return -t_quantile(1 - p, freedom)
    share = beta_quantile(2 * (1 - p), freedom / 2, 0.5)
    return sqrt(freedom * (1 - share) / share)


def binomial_at_least(passed: int, of: int, rate: float) -> float:
    """The chance of so many or more out of so many."""
    if passed <= 0:
        return 1.0
    return 0.0 if passed > of else beta_cdf(rate, passed, of - passed + 1)


def binomial_at_most(passed: int, of: int, rate: float) -> float:
    """The chance of so many or fewer out of so many."""
    if passed >= of:
        return 1.0
    return 0.0 if passed < 0 else beta_cdf(1 - rate, of - passed, passed + 1)
