"""Is the rate good enough: a test that stops as soon as it knows, with errors that are exact.

In: a target rate, an unacceptable rate, outcomes one by one. Out: pass, fail or go on; and
for any true rate the exact chances of each and the runs it takes.
Must not know: skills, trials, records.

How a stopping rule keeps its error. After n outcomes, k of them passed, the log likelihood
ratio of target against unacceptable is L = k ln(p1/p0) + (n-k) ln((1-p1)/(1-p0)). Wald's
test passes at L >= A and fails at L <= B, and may go on for ever. Cut at a cap (there L >= 0
passes, L < 0 fails; and before, as soon as the rest cannot change it), his bounds break their promise: with .7 against .9 and a cap at the
fixed n of 41, 6.2 % instead of 5 %. So the cap is a quarter above the fixed n, and the
bounds are searched for: for each pair the chances are computed exactly, by carrying the
distribution of k from one n to the next. Looking at an interval after each trial instead
is wrong in a quarter of all runs (see docs/verdicts.md).
"""

from collections.abc import Iterable
from functools import lru_cache
from math import ceil, log
from typing import Literal, NamedTuple

from audition.stats.fixed import fixed_design

Word = Literal["pass", "fail"]
WIDER = 1.25
"""The cap in fixed n: at 1 the guarantee breaks, beyond nothing is gained."""
STEP = 0.3
"""Of the grid of bounds around Wald's: finer ones save less than a trial."""
MIX = ((0.98, 0.4), (0.93, 0.2), (0.85, 0.1), (0.75, 0.1), (0.5, 0.1), (0.2, 0.1))
"""True rates of skills and how common they are: assumed, for telling designs apart."""


class Design(NamedTuple):
    """A calibrated truncated sequential test of a target against an unacceptable rate."""

    unacceptable: float
    target: float
    cap: int
    upper: float
    """Pass where the log likelihood ratio reaches this."""
    lower: float
    """Fail where it falls to this."""


class Chances(NamedTuple):
    """What a design does at one true rate, exactly."""

    passes: float
    fails: float
    runs: float
    """How many trials it takes on average."""


class Decision(NamedTuple):
    """The end of a test: the word, after how many outcomes, and whether the cap decided.

    It decides, too, where the outcomes left to it could not change its word.
    """

    word: Word
    at: int
    by_cap: bool


SHIPPED = {
    (0.6, 0.9): Design(0.6, 0.9, 30, 3.0, -2.7),
    (0.7, 0.9): Design(0.7, 0.9, 52, 3.3, -3.0),
    (0.75, 0.9): Design(0.75, 0.9, 88, 3.3, -3.0),
    (0.75, 0.95): Design(0.75, 0.95, 43, 3.0, -2.7),
    (0.8, 0.95): Design(0.8, 0.95, 63, 3.0, -3.0),
}
"""Designs of the usual pairs at 5 % and 5 %, so that a run starts at once."""


def find_design(
    unacceptable: float, target: float, alpha: float = 0.05, beta: float = 0.05
) -> Design:
    """The design whose wrong passes stay below alpha and wrong fails below beta."""
    if not 0 < unacceptable < target < 1:
        raise ValueError(f"{unacceptable} and {target}: 0 < unacceptable < target < 1 must hold")
    if (alpha, beta) == (0.05, 0.05) and (unacceptable, target) in SHIPPED:
        return SHIPPED[unacceptable, target]
    return search_design(unacceptable, target, alpha, beta)


@lru_cache
def search_design(unacceptable: float, target: float, alpha: float, beta: float) -> Design:
    """Of all bounds on the grid that keep both promises, those with the fewest runs on the mix."""
    fixed = fixed_design(unacceptable, target, alpha, beta).trials
    wider = WIDER
    while True:
        cap = ceil(fixed * wider)
        designs = [
            Design(unacceptable, target, cap, upper, -lower)
            for upper in _near(log((1 - beta) / alpha))
            for lower in _near(log((1 - alpha) / beta))
        ]
        kept = [each for each in designs if keeps_promise(each, alpha, beta)]
        if kept:
            return min(kept, key=lambda each: (round(mean_runs(each), 6), each.upper, -each.lower))
        wider += 0.25


def _near(wald: float) -> tuple[float, ...]:
    first = ceil((wald - 2 * STEP) / STEP)
    return tuple(round((first + step) * STEP, 1) for step in range(5))


def keeps_promise(design: Design, alpha: float, beta: float) -> bool:
    """Whether wrong passes and wrong fails stay below alpha and beta."""
    return (
        chances(design, design.unacceptable).passes <= alpha
        and chances(design, design.target).fails <= beta
    )


def mean_runs(design: Design) -> float:
    """The runs that a design takes on the assumed mix of skills."""
    return sum(share * chances(design, rate).runs for rate, share in MIX)


def ratio(design: Design, passed: int, of: int) -> float:
    """The log likelihood ratio of target against unacceptable after so many outcomes."""
    up, down = steps(design)
    return passed * up + (of - passed) * down


@lru_cache
def steps(design: Design) -> tuple[float, float]:
    """What a pass and a fail add to the log likelihood ratio."""
    return (
        log(design.target / design.unacceptable),
        log((1 - design.target) / (1 - design.unacceptable)),
    )


@lru_cache
def bounds(design: Design) -> tuple[tuple[int, int], ...]:
    """For each n from 0: fail at so many passed or fewer, pass at so many or more.

    Where the rest cannot change what the cap would say, the test ends too (curtailment): then
    the ratio crosses no other bound on its way there either, so no chance of an error changes.
    """
    found = []
    enough = _reached(design, design.cap, 0.0)
    for of in range(design.cap + 1):
        if of == design.cap:
            passing, failing = enough, enough - 1
        else:
            passing = _reached(design, of, design.upper)
            failing = of - _reached(design, of, -design.lower, turned=True)
        left = design.cap - of
        found.append((max(failing, enough - 1 - left), min(passing, enough)))
    return tuple(found)


def _reached(design: Design, of: int, bound: float, *, turned: bool = False) -> int:
    """The fewest passed at which the ratio reaches a bound, `of + 1` where none does.

    Turned round: the fewest failed at which the ratio, against the target, reaches it.
    """
    up, down = steps(design)
    up, down = (-down, -up) if turned else (up, down)
    bound -= 1e-12
    number = min(max(ceil((bound - of * down) / (up - down)), 0), of + 1)
    # Rounding may be one off, so the inequality itself has the last word.
    while number <= of and number * up + (of - number) * down < bound:
        number += 1
    while number and (number - 1) * up + (of - number + 1) * down >= bound:
        number -= 1
    return number


def decide(design: Design, outcomes: Iterable[bool]) -> Decision | None:
    """Where the outcomes, in order, first end the test; None while it must go on."""
    limits, passed = bounds(design), 0
    for of, outcome in enumerate(outcomes, 1):
        passed += outcome
        failing, passing = limits[of]
        if passed >= passing:
            return Decision("pass", of, ratio(design, passed, of) < design.upper - 1e-12)
        if passed <= failing:
            return Decision("fail", of, ratio(design, passed, of) > design.lower + 1e-12)
    return None


@lru_cache(maxsize=4096)
def chances(design: Design, rate: float) -> Chances:
    """What the design does at a true rate: exact, by carrying the distribution along."""
    low, live = 0, [1.0]
    passes = fails = runs = 0.0
    for of, (failing, passing) in enumerate(bounds(design)[1:], 1):
        runs += sum(live)
        after = [0.0] * (len(live) + 1)
        for place, weight in enumerate(live):
            after[place] += weight * (1 - rate)
            after[place + 1] += weight * rate
        kept_from = max(low, failing + 1)
        kept_to = max(kept_from, min(low + of + 1, passing))
        fails += sum(after[: kept_from - low])
        passes += sum(after[kept_to - low :])
        low, live = kept_from, after[kept_from - low : kept_to - low]
        if not live:
            break
    return Chances(passes, fails, runs)


@lru_cache
def worst_runs(design: Design) -> float:
    """The most runs that it takes on average, at whatever true rate."""
    return max(chances(design, rate / 100).runs for rate in range(101))


def runs_to_go(design: Design, outcomes: Iterable[bool]) -> tuple[int, int] | None:
    """How many more passes in a row, and fails in a row, would end the test; None where it has."""
    held = list(outcomes)
    if decide(design, held):
        return None

    def until(outcome: bool) -> int:
        ended = decide(design, [*held, *[outcome] * design.cap])
        return (ended.at if ended else design.cap) - len(held)

    return until(True), until(False)
