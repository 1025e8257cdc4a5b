"""Is the run good enough to let pass: gates on what is established, never on a single trial.

In: a Gate's settings, the cells, lifts and costs of a run. Out: one result for each gate.
Must not know: files, formats, the screen.

A rate is `pass` where more than it is proven (exact, one-sided, 95 %), `fail` where less is,
and `inconclusive` between. What becomes of `inconclusive` is said by whoever sets the gate.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from audition.config import GateSettings
from audition.counted import counted
from audition.model import Inputs, Record, Value
from audition.stats.rates import proven_at_least, proven_at_most
from audition.summary.lift import Lift
from audition.verdict import CellVerdict

Word = Literal["pass", "fail", "inconclusive"]


class GateResult(Value, frozen=True, kw_only=True):
    """What one gate says."""

    gate: str
    about: str
    status: Word
    lets_pass: bool
    """Whether the run may pass; for `inconclusive` this is the setting's word."""
    reason: str


class Costs(Value, frozen=True, kw_only=True):
    """What the trials cost, as far as that is known."""

    dollars: float
    known: int
    trials: int


class GateTally:
    """Knows the gates of a run, and counts what only they need: how many criteria are met."""

    def __init__(self, inputs: Inputs) -> None:
        settings = inputs.settings.get("gate")
        self.settings = msgspec.convert(settings, GateSettings) if settings else None
        self.met = self.judged = 0

    def add(self, record: Record) -> None:
        """Count one record."""
        if self.settings is None:
            return
        for grade in record.grades:
            if grade.by.startswith("judge:") and grade.status in ("pass", "fail"):
                self.judged += 1
                self.met += grade.status == "pass"

    def absorb(self, other: "GateTally") -> None:
        """Count what another tally of the same run counted."""
        self.met += other.met
        self.judged += other.judged

    def results(
        self, cells: Sequence[CellVerdict], lifts: Sequence[Lift], costs: Costs
    ) -> tuple[GateResult, ...]:
        """What every gate says; nothing where there is none."""
        if self.settings is None:
            return ()
        found = [
            *_rates(self.settings, cells),
            *_lifts(self.settings, lifts),
            *_dollars(self.settings, costs),
            *self._criteria(self.settings),
        ]
        named = {each.skill for each in cells}
        found += [
            _result(self.settings, "skill", name, "inconclusive", "nothing was tried of it")
            for name in self.settings.skills
            if name not in named
        ]
        return tuple(found)

    def _criteria(self, settings: GateSettings) -> Iterable[GateResult]:
        if settings.criteria is not None:
            word, reason = judge_rate(settings.criteria, self.met, self.judged)
            yield _result(settings, "criteria", "all rubrics", word, reason)


def judge_rate(wanted: float, passed: int, of: int) -> tuple[Word, str]:
    """Whether more, or less, than a rate is proven, and why."""
    if not of:
        return "inconclusive", "nothing was graded"
    low, high = proven_at_least(passed, of), proven_at_most(passed, of)
    said = f"{passed} of {of}"
    if low >= wanted:
        return "pass", f"{said} proves at least {low:.0%}"
    if high < wanted:
        return "fail", f"{said} proves at most {high:.0%}"
    return "inconclusive", f"{said} leaves {low:.0%} to {high:.0%} open; {wanted:.0%} is wanted"


def _rates(settings: GateSettings, cells: Iterable[CellVerdict]) -> Iterable[GateResult]:
    for cell in cells:
        side: Literal["positives", "negatives"] = "positives" if cell.positives else "negatives"
        own = settings.skills.get(cell.skill or "", {})
        wanted = own.get(side, getattr(settings, side))
        if wanted is None or wanted is False:
            continue
        model = f"+{cell.model}" if cell.model else ""
        about = f"{cell.skill or 'no skill'} on {cell.agent}+{cell.delivery}{model}"
        if wanted is True:
            word: Word = "inconclusive" if cell.verdict == "invalid" else cell.verdict
            yield _result(settings, side, about, word, cell.reason)
        else:
            yield _result(settings, side, about, *judge_rate(wanted, cell.passed, cell.of))


def _lifts(settings: GateSettings, lifts: Sequence[Lift]) -> Iterable[GateResult]:
    wanted = settings.lift
    if wanted is None:
        return
    if not lifts:
        why = "no baseline was asked; see `--baseline`"
        yield _result(settings, "lift", "all skills", "inconclusive", why)
    for each in lifts:
        gain = each.as_offered
        about = f"{each.skill or 'no skill'} on {each.agent}+{each.delivery} over {each.baseline}"
        if gain.low is None or gain.high is None:
            yield _result(settings, "lift", about, "inconclusive", "nothing to compare")
            continue
        word: Word = "pass" if gain.low >= wanted else "inconclusive"
        word = "fail" if gain.high < wanted else word
        yield _result(settings, "lift", about, word, f"{gain.low:+.0%} to {gain.high:+.0%}")


def _dollars(settings: GateSettings, costs: Costs) -> Iterable[GateResult]:
    most = settings.cost
    if most is None:
        return
    said = f"${costs.dollars:.4f} of ${most:g}"
    if costs.dollars > most:
        yield _result(settings, "cost", "the run", "fail", said)
    elif costs.known < costs.trials:
        unknown = costs.trials - costs.known
        said = f"{said}, but of {counted(unknown, 'trial')} the cost is unknown"
        yield _result(settings, "cost", "the run", "inconclusive", said)
    else:
        yield _result(settings, "cost", "the run", "pass", said)


def _result(settings: GateSettings, gate: str, about: str, status: Word, reason: str) -> GateResult:
    lets_pass = status == "pass" or (status == "inconclusive" and settings.inconclusive != "fail")
    return GateResult(gate=gate, about=about, status=status, lets_pass=lets_pass, reason=reason)
