"""Plain text for a terminal: control characters shown, columns aligned.

In: text of other people. Out: text that cannot move the cursor.
Must not know: what it says.
"""

from collections.abc import Sequence


def printable(text: str) -> str:
    """The text on one line; what a terminal would obey is shown as an escape."""
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else _escape(each) for each in text)


def _escape(character: str) -> str:
    if character in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[character]
    return character.encode("unicode_escape").decode()


def shorten(text: str, width: int) -> str:
    """At most `width` characters, with an ellipsis where something is missing."""
    return text if len(text) <= width else text[: width - 1] + "…"


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Rows with their columns aligned, two blanks between."""
    if not rows:
        return ""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
    return "\n".join(lines)
