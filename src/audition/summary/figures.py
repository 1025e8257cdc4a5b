"""The figures of a run: the content of summary.json.

In: nothing. Out: the values, and the two rules that make them from counts.
Must not know: records, files, formats, the screen.
"""

from collections.abc import Iterable
from typing import Literal

import msgspec

from audition.model import Value
from audition.stats import wilson
from audition.summary.calls import Calls
from audition.summary.funnel import Funnel
from audition.summary.gates import GateResult
from audition.summary.latencies import CallLatency
from audition.summary.lift import Lift
from audition.summary.repeats import Repeats
from audition.summary.spread import Distribution
from audition.verdict import CellVerdict, overall

Verdict = Literal["pass", "fail", "inconclusive", "invalid"]


class Share(Value, frozen=True, kw_only=True):
    """So many of so many, and the interval that the true rate is in; null where of is 0."""

    passed: int = 0
    of: int = 0
    rate: float | None = None
    low: float | None = None
    high: float | None = None


class SkillSummary(Value, frozen=True, kw_only=True):
    """One skill over all its trials."""

    positives: Share
    negatives: Share
    verdict: Verdict
    errors: int = 0
    ineligible: int = 0
    funnel: Funnel = Funnel()


class ArmSummary(Value, frozen=True, kw_only=True):
    """One agent with one delivery and one model over all its trials."""

    agent: str
    delivery: str
    model: str | None
    positives: Share
    negatives: Share
    seconds: float | None
    """The sum over its trials, as far as known."""
    dollars: float | None
    """The sum over its trials, as far as known; see `dollars_known`."""
    dollars_known: int = 0
    """Of how many trials the cost is known."""
    trials: int = 0
    errors: int = 0
    ineligible: int = 0
    routes: dict[str, int] = {}
    """By which routes skills were loaded, and how often."""
    listing_bytes: dict[str, int] = {}
    """What the listings of skills cost in one request at most, by route."""
    unread: int = 0
    """Lines of its sessions that were not understood."""


class Totals(Value, frozen=True, kw_only=True):
    """All trials by status."""

    trials: int = 0
    passed: int = msgspec.field(default=0, name="pass")
    fail: int = 0
    error: int = 0
    ineligible: int = 0


class Mixed(Value, frozen=True, kw_only=True):
    """A case that both passed and failed in the same arm."""

    skill: str | None
    case: str
    agent: str
    delivery: str
    model: str | None
    passed: int
    of: int
    file: str = ""
    twin: bool = False
    """Another file of the run has a case of this name, too."""


class Invisible(Value, frozen=True, kw_only=True):
    """A skill whose description the model was not shown, in trials where it should be called."""

    skill: str
    agent: str
    delivery: str
    model: str | None
    offered: Literal["name", "missing"]
    trials: int


class Difference(Value, frozen=True, kw_only=True):
    """A case of which its own policy says something else than the default one."""

    skill: str | None
    case: str
    agent: str
    delivery: str
    model: str | None
    policy: str
    faithful: str
    strict: str
    trials: int
    file: str = ""
    twin: bool = False
    """Another file of the run has a case of this name, too."""


class Cause(Value, frozen=True, kw_only=True):
    """Why trials could not be graded, and how many."""

    status: Literal["error", "ineligible"]
    reason: str
    trials: int


class Cut(Value, frozen=True, kw_only=True):
    """Why a run ended before all was asked."""

    why: str
    words: str


class Summary(Value, frozen=True, kw_only=True):
    """A run in figures: summary.json. Keys may be added, never changed."""

    version: int = 1
    run_id: str
    totals: Totals
    skills: dict[str, SkillSummary]
    arms: tuple[ArmSummary, ...]
    began: str = ""
    planned: int = 0
    """How many trials were asked for; more than `totals.trials` where it was cut short."""
    policies: tuple[str, ...] = ()
    causes: tuple[Cause, ...] = ()
    """The commonest reasons why trials could not be graded."""
    mixed: tuple[Mixed, ...] = ()
    differs: tuple[Difference, ...] = ()
    """Where a policy that is faithful to another harness and the default one disagree."""
    invisible: tuple[Invisible, ...] = ()
    """No wording can mend what is not shown."""
    answered_by: str = "live"
    """Who answered for the models: `live`, `understudy` or `script:FILE`."""
    cells: tuple[CellVerdict, ...] = ()
    """What is established of each skill in each arm, positives and negatives apart."""
    calls: dict[str, Calls] = {}
    """How well the calls of each skill on offer match what was expected."""
    matrix: dict[str, dict[str, int]] = {}
    """In how many trials each was called, by what was expected; `none` is a row and a column."""
    distributions: tuple[Distribution, ...] = ()
    """What graded trials took, by skill and arm."""
    latencies: tuple[CallLatency, ...] = ()
    """How long it took until skills were first called, by skill and arm."""
    repeats: tuple[Repeats, ...] = ()
    """pass@k, pass^k and flaky cases, by cell."""
    lifts: tuple[Lift, ...] = ()
    """What the skills add to each baseline that was asked for."""
    gates: tuple[GateResult, ...] = ()
    """What the gates say, where there are any; they then decide whether the run passes."""
    reused: int = 0
    """How many trials were taken over from earlier runs, unchanged."""
    spared: int = 0
    """How many planned trials were not needed."""
    cut: Cut | None = None
    untried: tuple[str, ...] = ()
    """Skills on offer that no trial was about."""


def share(passed: int, of: int) -> Share:
    """A rate with its Wilson interval; nothing is claimed where nothing was counted."""
    bounds = wilson(passed, of)
    if bounds is None:
        return Share()
    return Share(passed=passed, of=of, rate=passed / of, low=bounds[0], high=bounds[1])


def verdict_of(positives: Share, negatives: Share, cells: Iterable[CellVerdict] = ()) -> Verdict:
    """What the graded trials of one skill come to; `cells` say what is established of them."""
    passed, of = positives.passed + negatives.passed, positives.of + negatives.of
    return overall(cells, passed=passed, of=of)


def has_failed(summary: Summary) -> bool:
    """Whether something failed: any trial of a fixed number, but with `--trials auto` a verdict."""
    if not is_sequential(summary):
        return summary.totals.fail > 0
    return any(each.verdict == "fail" for each in summary.cells)


def is_sequential(summary: Summary) -> bool:
    """Whether each cell was asked as often as its verdict took."""
    return bool(summary.cells) and all(each.cap is not None for each in summary.cells)


def is_open(summary: Summary) -> bool:
    """Whether not everything that was asked for is known: errors, a cap, a verdict still out."""
    cut = summary.cut is not None and summary.cut.why == "budget"
    out = is_sequential(summary) and any(
        each.verdict in ("inconclusive", "invalid") for each in summary.cells
    )
    return bool(summary.totals.error) or cut or out
