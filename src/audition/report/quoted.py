"""For the terminal: what a plan will take, cell by cell.

In: a Quote. Out: lines of styled spans. Must not know: the screen, rich.
"""

from collections.abc import Iterator

from audition.counted import say_seconds
from audition.quote import CellQuote, Quote
from audition.report.columns import Cell, Line, aligned
from audition.report.escape import one_line

HEAD = ("SKILL", "", "ARM", "RUNS", "TOKENS", "COST", "TIME", "NEEDS", "SEES", "BY")


def lay_out_quote(quote: Quote) -> Iterator[Line]:
    """Expected and at most, for each cell and in all; what is unknown says so."""
    rows: list[list[Cell]] = [[(word, "dim") for word in HEAD]]
    rows += [_row(each) for each in quote.cells]
    yield from aligned(rows, right={3, 4, 5, 6, 7, 8})
    yield ()
    runs = _range(quote.expected_runs, quote.worst_runs, "{:.0f}")
    tokens = _range(quote.expected_tokens, quote.worst_tokens, "{:,.0f}")
    costs = f"{tokens} tokens, {_dollars(quote)}, {_time(quote)}"
    yield ((f"In all {runs} run{'s' * (runs != '1')}, {costs}.", "title"),)
    yield ((f"{quote.at_once} at once. Runs are expected–at most.", "dim"),)
    needed = quote.trials_for_10_points
    yield ((f"To see a rate fall by 10 points takes {needed} trials a cell.", "dim"),)


def _row(cell: CellQuote) -> list[Cell]:
    arm = f"{cell.agent}+{cell.delivery}" + (f" {cell.model}" if cell.model else "")
    sees = cell.smallest_difference
    return [
        (one_line(cell.skill or "–", 40), "name"),
        ("called" if cell.positives else "quiet", ""),
        (one_line(arm, 40), ""),
        (_range(cell.expected_runs, cell.worst_runs, "{:.0f}"), ""),
        (_range(cell.expected_tokens, cell.worst_tokens, "{:,.0f}"), ""),
        (_dollars(cell), ""),
        (_time(cell), ""),
        (str(cell.needed_runs), ""),
        ("nothing" if sees is None else f"{sees * 100:.0f} points", ""),
        (one_line(cell.basis, 60), "dim"),
    ]


def _range(expected: float | None, worst: float | None, form: str) -> str:
    if expected is None or worst is None:
        return "unknown"
    one, two = form.format(expected), form.format(worst)
    return one if one == two else f"{one}–{two}"


def _dollars(each: CellQuote | Quote) -> str:
    told = _range(each.expected_dollars, each.worst_dollars, "{:.2f}")
    return "cost unknown" if told == "unknown" else f"${told}"


def _time(each: CellQuote | Quote) -> str:
    if each.expected_minutes is None or each.worst_minutes is None:
        return "time unknown"
    one, two = say_seconds(each.expected_minutes * 60), say_seconds(each.worst_minutes * 60)
    return one if one == two else f"{one} – {two}"
