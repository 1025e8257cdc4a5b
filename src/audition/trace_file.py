"""Reads the raw lines of a recorded session, however long they are.

In: a path, or an open stream. Out: numbered lines, in bounded memory.
Must not know: what the lines mean.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

LINE_CAP = 8 * 1024 * 1024
"""As `agent.LINE_CAP`: of a longer line only the first bytes are handed on."""
KEPT = 4096
PIECE = 64 * 1024
"""Read at once: most sessions are one piece."""


class Cut:
    """Tells afterwards whether a line was too long to be handed on whole."""

    def __init__(self) -> None:
        self.happened = False


def numbered_lines(
    source: str | Path | BinaryIO, cut: Cut | None = None, cap: int = LINE_CAP
) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers; a line longer than the cap loses its end."""
    if isinstance(source, (str, Path)):
        with open(source, "rb", buffering=PIECE) as stream:
            about = os.fstat(stream.fileno())
            if stat.S_ISREG(about.st_mode) and about.st_size <= cap:
                yield from enumerate(stream, 1)  # no line is longer than the file
            else:
                yield from _lines(stream, cut or Cut(), cap)
    else:
        yield from _lines(source, cut or Cut(), cap)


def _lines(stream: BinaryIO, cut: Cut, cap: int) -> Iterator[tuple[int, bytes]]:
    number = 0
    while line := stream.readline(cap + 1):
        number += 1
        if len(line) > cap and not line.endswith(b"\n"):
            cut.happened = True
            # The rest is let go before more is read.
            line = line[:KEPT]
            _skip(stream)
        yield number, line


def _skip(stream: BinaryIO) -> None:
    """To the end of the line, a piece at a time: one line of 600 MB was seen."""
    while (piece := stream.readline(1024 * 1024)) and not piece.endswith(b"\n"):
        pass
