"""What is good enough: the target and the unacceptable rate of a cell.

In: the options, a suite. Out: two rates that can be told apart, or why they cannot.
Must not know: outcomes, how trials are run.
"""

from audition.errors import UsageError
from audition.model import Suite, Value
from audition.stats.fixed import about_trials

DEFAULTS = {"positives": (0.9, 0.7), "negatives": (0.95, 0.75)}
"""Target and unacceptable rate, where nobody says otherwise."""
MOST_TRIALS = 20_000
"""Rates that take more trials to tell apart are refused: nobody can ask so often."""


class Aim(Value, frozen=True, kw_only=True):
    """What the options say of the two rates; None leaves them to the suite."""

    target: float | None = None
    unacceptable: float | None = None
    error: float = 0.05
    """How often a sequential test may be wrong, each way."""


def rates_of(suite: Suite, positives: bool, aim: Aim) -> tuple[float, float]:
    """Target and unacceptable rate: the options' for positives, else the suite's, else ours."""
    side = "positives" if positives else "negatives"
    target = suite.target.get(side, DEFAULTS[side][0])
    unacceptable = suite.unacceptable.get(side, DEFAULTS[side][1])
    if positives:
        target = target if aim.target is None else aim.target
        unacceptable = unacceptable if aim.unacceptable is None else aim.unacceptable
    if not 0 < unacceptable < target < 1:
        raise UsageError(
            f"{suite.file}: a target of {target:g} is not above the unacceptable rate of "
            f"{unacceptable:g} ({side}), or one of them is 0 or 1",
            "it must be 0 < unacceptable < target < 1, as .7 and .9",
        )
    if (trials := about_trials(unacceptable, target, aim.error, aim.error)) > MOST_TRIALS:
        raise UsageError(
            f"{suite.file}: to tell {target:g} from {unacceptable:g} ({side}) takes about "
            f"{trials:,.0f} trials",
            "put the target and the unacceptable rate further apart, as .9 and .7: 41 trials",
        )
    return target, unacceptable
