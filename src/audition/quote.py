"""What a plan will take, before it is paid for: runs, tokens, dollars, minutes, and what it can see.

In: a Plan, what trials took lately, how many run at once. Out: a Quote.
Must not know: where history is kept, the screen. An unknown price is null, never 0.
"""

from collections.abc import Iterable, Sequence

from audition.counted import counted
from audition.index import Average
from audition.model import Value
from audition.plan import Plan
from audition.stats.duel import duel_chances
from audition.stats.fixed import fixed_design
from audition.stats.power import smallest_difference, trials_needed
from audition.stats.sequential import mean_runs
from audition.verdict import Cell, cell_key, is_compared

ASSUMED_SECONDS = 45.0
ASSUMED_TOKENS = 40_000.0
"""Of a trial of which nothing is known: a short task of a coding agent."""
FREE_SECONDS = 0.2
POINTS = 0.1


class CellQuote(Value, frozen=True, kw_only=True):
    """What one cell will take."""

    skill: str | None
    agent: str
    delivery: str
    model: str | None
    positives: bool
    cases: int
    expected_runs: float
    worst_runs: int
    expected_tokens: float | None
    worst_tokens: float | None
    expected_dollars: float | None
    worst_dollars: float | None
    expected_minutes: float | None
    worst_minutes: float | None
    basis: str
    """What the figures rest on: trials of before, or an assumption."""
    needed_runs: int
    """How many trials of a fixed number always tell the target from the unacceptable rate."""
    smallest_difference: float | None
    """The smallest fall from the target that two runs like the worst one can tell (80 % power)."""


class Quote(Value, frozen=True, kw_only=True):
    """What a plan will take."""

    cells: tuple[CellQuote, ...]
    expected_runs: float
    worst_runs: int
    expected_tokens: float | None
    worst_tokens: float | None
    expected_dollars: float | None
    worst_dollars: float | None
    expected_minutes: float | None
    worst_minutes: float | None
    at_once: int
    trials_for_10_points: int
    """How many trials a cell it takes to see its rate fall by ten points, in each of two runs."""


def make_quote(
    plan: Plan, averages: Sequence[Average], at_once: int, free: frozenset[str] = frozenset()
) -> Quote:
    """The quote of a plan; `free` are agents that cost nothing."""
    runs: dict[tuple[object, ...], int] = {}
    cases: dict[tuple[object, ...], set[str]] = {}
    for trial in plan.trials:
        if not trial.ineligible:
            key = cell_key(trial)
            runs[key] = runs.get(key, 0) + 1
            cases.setdefault(key, set()).add(trial.case.node)
    cells = tuple(
        _quote_cell(
            cell,
            (_expect(cell, plan.cells, runs[cell.key]), runs[cell.key], len(cases[cell.key])),
            averages,
            free,
        )
        for cell in plan.cells
        if cell.key in runs
    )
    return Quote(
        cells=cells,
        expected_runs=sum(each.expected_runs for each in cells),
        worst_runs=sum(each.worst_runs for each in cells),
        expected_tokens=_sum(each.expected_tokens for each in cells),
        worst_tokens=_sum(each.worst_tokens for each in cells),
        expected_dollars=_sum(each.expected_dollars for each in cells),
        worst_dollars=_sum(each.worst_dollars for each in cells),
        expected_minutes=_times(_sum(each.expected_minutes for each in cells), 1 / at_once),
        worst_minutes=_times(_sum(each.worst_minutes for each in cells), 1 / at_once),
        at_once=at_once,
        trials_for_10_points=trials_needed(
            max((each.target for each in plan.cells if each.positives), default=0.9), POINTS
        ),
    )


def _expect(cell: Cell, cells: Iterable[Cell], most: int) -> float:
    """How many trials a cell takes on average, as far as that can be said before."""
    # A baseline is asked for its pairs; a cell for those, and until it is decided itself.
    pairs = [each for each in cells if each.pairs and (each == cell or is_compared(each, cell))]
    expected = [_expected_pairs(each) for each in pairs]
    if cell.cap is not None:
        expected.append(mean_runs(cell.design))
    return min(most, max(expected, default=most))


def _expected_pairs(cell: Cell) -> float:
    """The pairs it takes where the baseline is just as good, which takes many."""
    return duel_chances(cell.duel, 2 * cell.target * (1 - cell.target), 0.5).pairs


def _quote_cell(
    cell: Cell,
    counts: tuple[float, int, int],
    averages: Sequence[Average],
    free: frozenset[str],
) -> CellQuote:
    expected, worst, cases = counts
    one = _cost(cell, averages, free)
    minutes = _times(one.seconds, 1 / 60)
    return CellQuote(
        skill=cell.skill,
        agent=cell.agent,
        delivery=cell.delivery,
        model=cell.model,
        positives=cell.positives,
        cases=cases,
        expected_runs=expected,
        worst_runs=worst,
        expected_tokens=_times(one.tokens, expected),
        worst_tokens=_times(one.tokens, worst),
        expected_dollars=_times(one.dollars, expected),
        worst_dollars=_times(one.dollars, worst),
        expected_minutes=_times(minutes, expected),
        worst_minutes=_times(minutes, worst),
        basis=_basis(one, cell),
        needed_runs=fixed_design(cell.unacceptable, cell.target).trials,
        smallest_difference=smallest_difference(cell.target, worst),
    )


def _cost(cell: Cell, averages: Sequence[Average], free: frozenset[str]) -> Average:
    """What a trial took: of this skill in this arm, else of any skill in it, else assumed."""
    arm = (cell.agent, cell.delivery, cell.model)
    there = [each for each in averages if (each.agent, each.delivery, each.model) == arm]
    same = [each for each in there if each.skill == cell.skill]
    is_free = cell.agent in free
    if found := same or there:
        one = max(found, key=lambda each: each.trials)
        seconds, tokens, dollars = one.seconds, one.tokens, one.dollars
    else:
        seconds, tokens, dollars = ASSUMED_SECONDS, ASSUMED_TOKENS, None
        if is_free:
            seconds, tokens = FREE_SECONDS, 0.0
    return Average(
        skill=found[0].skill if found else None,
        agent=cell.agent,
        delivery=cell.delivery,
        model=cell.model,
        seconds=seconds,
        dollars=0.0 if is_free else dollars,
        tokens=tokens,
        trials=max((each.trials for each in found), default=0),
    )


def _basis(one: Average, cell: Cell) -> str:
    if not one.trials:
        return f"assumed: {one.seconds:g} s and {one.tokens:g} tokens a trial"
    whose = f"of `{one.skill}`" if one.skill else "without a skill"
    count = f"{counted(one.trials, 'earlier trial')}"
    return count if one.skill == cell.skill else f"{count} {whose}"


def _times(one: float | None, many: float) -> float | None:
    return None if one is None else one * many


def _sum(parts: Iterable[float | None]) -> float | None:
    known = list(parts)
    return None if None in known else sum(each or 0.0 for each in known)
