"""The pieces by which a text is known again where it is printed.

In: texts. Out: for each a few pieces of it, in its order. Must not know: files, skills,
who prints.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

SHORTEST = 24
"""Characters: what is shorter stands in many a text."""
_LONGEST = 160
_MOST = 8


def tell_apart(texts: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """The first pieces of each of the texts, without those that two of them have.

    A text that is shorter than any piece is one itself.
    """
    found = [tuple(dict.fromkeys(islice(_pieces(text), _MOST))) for text in texts]
    held = Counter(piece for pieces in found for piece in pieces)
    return tuple(tuple(piece for piece in pieces if held[piece] == 1) for pieces in found)


def stands_in(piece: str, output: str) -> bool:
    """Whether a piece stands in a text; a short one must have its lines for itself."""
    return piece in output and (len(piece) >= SHORTEST or f"\n{piece}\n" in f"\n{output}\n")


def stand_in_order(pieces: Sequence[str], output: str) -> bool:
    """Whether all pieces stand in a text, each behind the one before it."""
    at = 0
    for piece in pieces:
        found = output.find(piece, at)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _pieces(text: str) -> Iterator[str]:
    """Long lines; a short one makes a piece with those behind it, for a list of words is a text too."""
    start = end = 0
    for line in text.splitlines(keepends=True):
        begin, end = end, end + len(line)
        alone = len(line.strip()) >= SHORTEST
        piece = text[begin if alone else start : end].strip()
        if len(piece) >= SHORTEST:
            start = end
            yield piece[:_LONGEST]
    if not start and (short := text.strip()):
        yield short
