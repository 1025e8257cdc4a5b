"""A plain table: columns aligned, two blanks between.

In: rows of text that is already harmless. Out: lines. Must not know: what they say.
"""

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]]) -> str:
    """The rows as lines with their columns aligned."""
    if not rows:
        return ""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join(lines)
