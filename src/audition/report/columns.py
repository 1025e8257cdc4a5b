"""Tables: columns aligned, two blanks between; plain, or of styled spans for a terminal.

In: rows of text that is already harmless. Out: lines. Must not know: what they say.
"""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Literal

Style = Literal["", "title", "good", "bad", "warn", "dim", "name"]
Span = tuple[str, Style]
Line = tuple[Span, ...]
Cell = Span | Line

STATUSES: dict[str, Style] = {"pass": "good", "fail": "bad", "error": "warn", "ineligible": "dim"}


def columns(rows: Sequence[Sequence[str]]) -> str:
    """The rows as lines with their columns aligned."""
    if not rows:
        return ""
    widths = [max(map(cell_width, column)) for column in zip(*rows, strict=True)]
    lines = (
        "  ".join(
            cell + " " * (width - cell_width(cell)) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    )
    return "\n".join(lines)


def cell_width(text: str) -> int:
    """How many columns of a terminal a text fills."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(each) else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def plain(line: Line) -> str:
    """A line without its styles."""
    return "".join(text for text, _ in line).rstrip()


def aligned(rows: Sequence[Sequence[Cell]], right: Iterable[int] = ()) -> Iterator[Line]:
    """Rows of cells as lines whose columns stand below one another."""
    lines = [[_spans(cell) for cell in row] for row in rows]
    widths = [
        max(sum(cell_width(text) for text, _ in cell) for cell in column)
        for column in zip_longest(*lines, fillvalue=())
    ]
    flush = set(right)
    for line in lines:
        spans: list[Span] = []
        for number, (cell, width) in enumerate(zip(line, widths, strict=False)):
            if not width:
                continue
            gap: Span = (" " * (width - sum(cell_width(text) for text, _ in cell)), "")
            spans += [gap, *cell] if number in flush else [*cell, gap]
            spans.append(("  ", ""))
        yield tuple(spans)


def _spans(cell: Cell) -> Line:
    # A span is (text, style), a line is spans: the first element tells which.
    return (cell,) if cell and isinstance(cell[0], str) else cell
