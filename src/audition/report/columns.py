"""A plain table: columns aligned, two blanks between.

In: rows of text that is already harmless. Out: lines. Must not know: what they say.
"""

import unicodedata
from collections.abc import Sequence


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
