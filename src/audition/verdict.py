"""What the trials of one cell come to: pass, fail, inconclusive or invalid.

A cell is a skill in one arm (agent, delivery, model), its positives and its negatives apart.
Every verdict is about two rates: the target that is good enough, and the unacceptable one.

In: the outcomes of a cell in the order of the plan, and its two rates. Out: a CellVerdict
with the numbers it rests on. Must not know: records, files, how trials are run.

For positives an outcome is good where the trial passed. For negatives too: it passed where
the skill stayed quiet. So the rates of negatives are mirrored false alarms: .95 and .75 are
at most 5 % and no less than 25 % of false alarms.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

from audition.aim import DEFAULTS, Aim, rates_of
from audition.counted import counted
from audition.model import Inputs, Suite, Trial, Value
from audition.stats.duel import Duel, make_duel
from audition.stats.fixed import fixed_design, judge_counts, trials_to_prove
from audition.stats.rates import clustered, proven_at_least, wilson
from audition.stats.sequential import Decision, Design, decide, find_design

Word = Literal["pass", "fail", "inconclusive", "invalid"]
Outcome = Literal["pass", "fail", "error", "ineligible"]
BY_CHECKS = ("none", "instructions")
"""Baselines that call no skill: beside them only the case's own checks count."""
GIVE_UP = 5
"""So many errors in a row, without an outcome between, end the asking of a cell."""


class Cell(Value, frozen=True, kw_only=True):
    """One skill in one arm, its positives or its negatives."""

    skill: str | None
    agent: str
    delivery: str
    model: str | None
    positives: bool
    target: float = DEFAULTS["positives"][0]
    unacceptable: float = DEFAULTS["positives"][1]
    cap: int | None = None
    """At most so many trials, fewer where they suffice; None for a fixed number."""
    variant: str = ""
    """Which baseline it is; a baseline has no verdict."""
    error: float = 0.05
    """How often its sequential test may be wrong, each way."""
    pairs: int | None = None
    """With a baseline and no fixed number: at most so many pairs, beyond its own cap if need be."""

    @property
    def key(self) -> tuple[str | None, str, str, str | None, bool]:
        """What tells it from other cells."""
        way = _way(self.delivery, self.variant)
        return (self.skill, self.agent, way, self.model, self.positives)

    @property
    def duel(self) -> Duel:
        """The test of it beside a baseline: it looks for a rise from one rate to the other."""
        return make_duel(self.unacceptable, self.target - self.unacceptable)

    @property
    def design(self) -> Design:
        """The test that stops it."""
        return find_design(self.unacceptable, self.target, self.error, self.error)


def is_compared(cell: Cell, baseline: Cell) -> bool:
    """Whether a baseline's cell has the partners of this one's trials."""
    same = (cell.skill, cell.agent, cell.model, cell.positives) == (
        baseline.skill, baseline.agent, baseline.model, baseline.positives,
    )  # fmt: skip
    # Other skills reach the agent by the same way; nothing at all has no way.
    by_same_way = baseline.variant in BY_CHECKS or cell.delivery == baseline.delivery
    return same and by_same_way and bool(baseline.variant) and not cell.variant


class CellVerdict(Value, frozen=True, kw_only=True):
    """What a cell's trials come to, and the numbers it rests on."""

    skill: str | None
    agent: str
    delivery: str
    model: str | None
    positives: bool
    verdict: Word
    reason: str
    target: float
    unacceptable: float
    passed: int
    of: int
    """Graded trials; those in flight when a sequential test ended are counted here too."""
    decided_at: int | None = None
    """After how many graded trials a sequential test ended."""
    cap: int | None = None
    errors: int = 0
    ineligible: int = 0
    rate: float | None = None
    low: float | None = None
    high: float | None = None
    """Wilson's interval: of the rate over these cases."""
    cases_low: float | None = None
    cases_high: float | None = None
    """The interval over all cases one might ask; wider, and null below two cases."""
    proven: float = 0.0
    """The rate that is surely reached (one-sided, 95 %)."""


def cell_key(trial: Trial) -> tuple[str | None, str, str, str | None, bool]:
    """The key of the cell that a trial belongs to."""
    case, way = trial.case, _way(trial.delivery, trial.variant)
    return (case.skill, trial.agent, way, trial.model, bool(case.expected))


def _way(delivery: str, variant: str) -> str:
    return f"{delivery}@{variant}" if variant else delivery


def read_cells(inputs: Inputs) -> tuple[Cell, ...]:
    """The cells that a run was planned with; none for a run of before there were any."""
    return msgspec.convert(inputs.settings.get("cells") or (), tuple[Cell, ...])


def plan_cells(
    trials: Iterable[Trial], suites: Sequence[Suite], aim: Aim, *, auto: bool
) -> tuple[Cell, ...]:
    """The cells of a plan, with the rates of their suites; of two suites the stricter ones."""
    by_file = {suite.file: suite for suite in suites}
    found: dict[tuple[str | None, str, str, str | None, bool], tuple[float, float]] = {}
    ways: dict[str, tuple[str, str]] = {}
    alike = ((cell_key(each), each.case.file, each.delivery, each.variant) for each in trials)
    for key, file, delivery, variant in dict.fromkeys(alike):
        ways[key[2]] = (delivery, variant)
        suite = by_file.get(file) or Suite(file=file)
        rates = rates_of(suite, key[-1], aim)
        found[key] = max(found.get(key, rates), rates)
    planned = (_make_cell(key, ways[key[2]], rates, aim.error) for key, rates in found.items())
    return tuple(
        msgspec.structs.replace(each, cap=each.design.cap) if auto and not each.variant else each
        for each in planned
    )


Key = tuple[str | None, str, str, str | None, bool]


def _make_cell(key: Key, way: tuple[str, str], rates: tuple[float, float], error: float) -> Cell:
    return Cell(
        skill=key[0], agent=key[1], delivery=way[0], model=key[3], positives=key[4],
        target=rates[0], unacceptable=rates[1], variant=way[1], error=error,
    )  # fmt: skip


def default_cell(key: Key) -> Cell:
    """A cell of which a run says nothing: a fixed number of trials, our rates."""
    return _make_cell(key, (key[2], ""), DEFAULTS["positives" if key[4] else "negatives"], 0.05)


def stop_at(cell: Cell, outcomes: Iterable[Outcome | None]) -> Decision | Literal["errors"] | None:
    """Where a sequential cell ends: a decision, too many errors in a row, or not yet (None).

    Outcomes are in the order of the plan, and those behind the first that is still missing
    are not looked at: else quick outcomes would be heard before slow ones, and fails are
    often quick.
    """
    graded: list[bool] = []
    troubles = 0
    for outcome in outcomes:
        if outcome is None:
            break
        if outcome in ("pass", "fail"):
            graded.append(outcome == "pass")
            troubles = 0
        elif outcome == "error":
            troubles += 1
            if troubles >= GIVE_UP:
                return decide(cell.design, graded) or "errors"
    return decide(cell.design, graded)


def judge_cell(
    cell: Cell,
    outcomes: Sequence[Outcome | None],
    cases: Mapping[str, tuple[int, int]] | None = None,
    cut: str = "",
) -> CellVerdict:
    """The verdict of a cell.

    `outcomes` are in the order of the plan, None where a trial was not finished. `cases` are
    the counts of each case (passed, of), for the interval over cases. `cut` says why asking
    ended early: `budget`, `interrupted`, `failure`.
    """
    passed, failed = outcomes.count("pass"), outcomes.count("fail")
    of, errors = passed + failed, outcomes.count("error")
    ended = None if cell.cap is None else stop_at(cell, outcomes)
    decision = ended if isinstance(ended, Decision) else None
    word: Word
    if not of:
        word, reason = "invalid", _nothing(errors, outcomes.count("ineligible"), cut)
    elif cell.cap is None:
        found = judge_counts(passed, of, cell.unacceptable, cell.target)
        word, reason = found or "inconclusive", _fixed_words(cell, found, passed, of)
        reason = f"{cut}: {reason}" if cut and not found else reason
    elif decision:
        word, reason = decision.word, _decided_words(cell, decision)
    else:
        word = "inconclusive"
        reason = f"{'errors' if ended == 'errors' else cut or 'not finished'}: " + _open_words(
            cell, passed, of
        )
    bounds, wide = wilson(passed, of), clustered(tuple((cases or {}).values()))
    return CellVerdict(
        skill=cell.skill,
        agent=cell.agent,
        delivery=cell.delivery,
        model=cell.model,
        positives=cell.positives,
        verdict=word,
        reason=reason,
        target=cell.target,
        unacceptable=cell.unacceptable,
        passed=passed,
        of=of,
        decided_at=decision.at if decision else None,
        cap=cell.cap,
        errors=errors,
        ineligible=outcomes.count("ineligible"),
        rate=passed / of if of else None,
        low=bounds[0] if bounds else None,
        high=bounds[1] if bounds else None,
        cases_low=wide.low if wide else None,
        cases_high=wide.high if wide else None,
        proven=proven_at_least(passed, of) if of else 0.0,
    )


def _nothing(errors: int, ineligible: int, cut: str) -> str:
    if errors:
        return f"nothing could be graded: {errors} in error"
    if ineligible:
        return f"nothing could be graded: {ineligible} ineligible"
    return f"{cut}: nothing was asked" if cut else "nothing was asked"


def _fixed_words(cell: Cell, found: str | None, passed: int, of: int) -> str:
    counts = f"{passed} of {of}"
    if found == "pass":
        return f"{counts}: more than {cell.unacceptable:.0%} is established"
    if found == "fail":
        return f"{counts}: less than {cell.target:.0%} is established"
    if passed == of:
        enough = trials_to_prove(cell.unacceptable)
        proven = int(proven_at_least(passed, of) * 100 + 0.5)
        return (
            f"{counts} proves {proven} % at best; {enough} of {enough} "
            f"would prove more than {cell.unacceptable:.0%}"
        )
    return _open_words(cell, passed, of)


def _open_words(cell: Cell, passed: int, of: int) -> str:
    needed = fixed_design(cell.unacceptable, cell.target).trials
    return (
        f"{passed} of {of} tells {cell.target:.0%} from {cell.unacceptable:.0%} "
        f"not yet; {counted(needed, 'trial always does', 'trials always do')}"
    )


def _decided_words(cell: Cell, decision: Decision) -> str:
    side = f"more than {cell.unacceptable:.0%}" if decision.word == "pass" else (
        f"less than {cell.target:.0%}"
    )  # fmt: skip
    where = ""
    if decision.by_cap:
        early = decision.at < cell.design.cap
        where = ", for the rest could not change it" if early else " at the cap"
    return f"{side} is established after {counted(decision.at, 'trial')}{where}"


def overall(cells: Iterable[CellVerdict], *, passed: int, of: int) -> Word:
    """The one word of a skill, over its cells and its graded trials.

    With a fixed number of trials any failed trial fails the skill, for the user asked for
    all of them; a cell then says what is established. With `--trials auto` only cells count.
    """
    words = list(cells)
    if not of:
        return "invalid"
    fixed = any(each.cap is None for each in words) or not words
    if any(each.verdict == "fail" for each in words) or (fixed and passed < of):
        return "fail"
    if any(each.cap is not None and each.verdict in ("inconclusive", "invalid") for each in words):
        return "inconclusive"
    return "pass"
