"""How long something took that sometimes never came: Kaplan and Meier's curve and its mean.

In: for each trial how long was waited, and whether it came. Out: a curve, a mean, a median.
Must not know: skills, trials, records.

The mean over those that came flatters: an agent that rarely calls a skill, but then at once,
would look quick. A trial without a call says only "longer than this".
"""

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple


class Wait(NamedTuple):
    """One trial: how long was waited, and whether it came or was given up."""

    time: float
    came: bool


class Step(NamedTuple):
    """From this time on, this share is still waiting."""

    time: float
    waiting: float


def survival(waits: Iterable[Wait]) -> list[Step]:
    """The share that still waits, after each time at which something came.

    A Counter of waits is taken at its counts, so that a million of them cost no more than a few.
    """
    came: Counter[float] = Counter()
    left: Counter[float] = Counter()
    for wait, number in Counter(waits).items():
        left[wait.time] += number
        came[wait.time] += number * wait.came
    at_risk, share = sum(left.values()), 1.0
    steps: list[Step] = []
    for time in sorted(left):
        if came[time]:
            share *= 1 - came[time] / at_risk
            steps.append(Step(time, share))
        at_risk -= left[time]
    return steps


def mean_wait(waits: Iterable[Wait], horizon: float) -> float | None:
    """The mean wait within a horizon (RMST): who never came counts as the horizon."""
    held = Counter(waits)
    if not held:
        return None
    area, share, before = 0.0, 1.0, 0.0
    for time, waiting in survival(held):
        if time >= horizon:
            break
        area += share * (time - before)
        share, before = waiting, time
    return area + share * (horizon - before)


def median_wait(waits: Iterable[Wait]) -> float | None:
    """The time by which half had come; None where fewer than half ever did."""
    return next((step.time for step in survival(waits) if step.waiting <= 0.5), None)
