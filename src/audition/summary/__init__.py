"""A run in figures: how often each skill and each arm did right, and how sure that is.

In: Records and the Inputs of their run. Out: a Summary. `run`, `show` and `grade` count alike.
Must not know: files, formats, the screen.
"""

from audition.summary.duels import PairTest
from audition.summary.figures import (
    ArmSummary,
    Cause,
    Cut,
    Difference,
    Invisible,
    Mixed,
    Share,
    SkillSummary,
    Summary,
    Totals,
    Verdict,
    has_failed,
    is_open,
    is_sequential,
    share,
    verdict_of,
)
from audition.summary.funnel import Funnel, Step, rungs_reached
from audition.summary.gates import GateResult
from audition.summary.latencies import CallLatency, Until
from audition.summary.lift import Gain, Lift
from audition.summary.repeats import Repeats
from audition.summary.spread import Distribution, Spread
from audition.summary.tally import Tally, summarise

__all__ = [
    "ArmSummary",
    "CallLatency",
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
    "PairTest",
    "Repeats",
    "Share",
    "SkillSummary",
    "Spread",
    "Step",
    "Summary",
    "Tally",
    "Totals",
    "Until",
    "Verdict",
    "has_failed",
    "is_open",
    "is_sequential",
    "rungs_reached",
    "share",
    "summarise",
    "verdict_of",
]
