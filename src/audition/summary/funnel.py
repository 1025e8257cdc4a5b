"""How far skills came, rung by rung, and the conditional rates between rungs.

In: the Evidence of graded positives. Out: a Funnel. Must not know: files, formats, the screen.
"""

from collections import Counter
from collections.abc import Mapping

from audition.model import RUNGS, Evidence, Value
from audition.stats import wilson

STEPS = (
    ("offered", "of"),
    ("asked", "offered"),
    ("loaded", "asked"),
    ("read", "loaded"),
    ("ran", "loaded"),
    ("followed", "loaded"),
)
"""Rungs of the ladder, and which one each is counted among."""


class Step(Value, frozen=True, kw_only=True):
    """Of the trials that reached one rung of the ladder, how many reached the next."""

    given: str
    rung: str
    passed: int
    of: int
    rate: float | None = None
    low: float | None = None
    high: float | None = None


class Funnel(Value, frozen=True, kw_only=True):
    """How many of a skill's graded positives reached each rung of the ladder.

    `read`, `ran` and `followed` do not need one another: a skill may bundle no script.
    """

    of: int = 0
    offered: int = 0
    asked: int = 0
    denied: int = 0
    loaded: int = 0
    read: int = 0
    ran: int = 0
    followed: int = 0
    noodled: int = 0
    steps: tuple[Step, ...] = ()
    """The conditional rates, from `of` on; `read`, `ran` and `followed` are given `loaded`."""


def climb(counts: Counter[str], evidence: Evidence | None) -> None:
    """Count one graded positive: its rungs, and the pairs of them that STEPS asks for."""
    reached = {"of", *(rungs_reached(evidence) if evidence else ())}
    counts.update(reached)
    counts.update(f"{rung} of {given}" for rung, given in STEPS if {rung, given} <= reached)


def make_funnel(counts: Mapping[str, int]) -> Funnel:
    """The funnel from how many trials reached each rung, and each pair of STEPS."""
    rungs = {name: counts.get(name, 0) for name in Funnel.__struct_fields__ if name != "steps"}
    steps = []
    for rung, given in STEPS:
        passed, of = counts.get(f"{rung} of {given}", 0), counts.get(given, 0)
        bounds = wilson(passed, of) or (None, None)
        steps.append(
            Step(
                given="graded" if given == "of" else given,
                rung=rung,
                passed=passed,
                of=of,
                rate=passed / of if of else None,
                low=bounds[0],
                high=bounds[1],
            )
        )
    return Funnel(**rungs, steps=tuple(steps) if counts else ())


def is_invisible(evidence: Evidence) -> bool:
    """Whether the model had no description of a skill that it was to choose."""
    return evidence.offered in ("name", "missing") and evidence.how != "injected"


def rungs_reached(evidence: Evidence) -> set[str]:
    """The rungs that one skill stood on in one trial; each needs its own proof."""
    height = RUNGS.index(evidence.rung)
    reached = {rung for rung in ("offered", "asked", "loaded") if RUNGS.index(rung) <= height}
    proofs = {
        "denied": evidence.rung == "denied",
        "read": evidence.rung == "read" or bool(evidence.resources),
        "ran": evidence.rung == "ran" or bool(evidence.scripts),
        "followed": evidence.rung == "followed",
        "noodled": evidence.noodled,
    }
    return reached | {rung for rung, proven in proofs.items() if proven}
