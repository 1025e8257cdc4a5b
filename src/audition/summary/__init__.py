"""A run in figures: how often each skill and each arm did right, and how sure that is.

In: Records and the Inputs of their run. Out: a Summary. `run`, `show` and `grade` count alike.
Must not know: files, formats, the screen.
"""

from audition.summary.figures import (
    ArmSummary,
    Cause,
    Cut,
    Difference,
    Funnel,
    Invisible,
    Mixed,
    Share,
    SkillSummary,
    Summary,
    Totals,
    Verdict,
    share,
    verdict_of,
)
from audition.summary.gates import GateResult
from audition.summary.lift import Gain, Lift
from audition.summary.spread import Distribution, Spread
from audition.summary.tally import Tally, rungs_reached, summarise

__all__ = [
    "ArmSummary",
    "Cause",
    "Cut",
    "Difference",
    "Distribution",
    "Funnel",
    "Gain",
    "GateResult",
    "Invisible",
    "Lift",
    "Mixed",
    "Share",
    "SkillSummary",
    "Spread",
    "Summary",
    "Tally",
    "Totals",
    "Verdict",
    "rungs_reached",
    "share",
    "summarise",
    "verdict_of",
]
