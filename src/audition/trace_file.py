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
SMALL = 256 * 1024
"""Up to here a whole session is taken into memory at once."""


class Cut:
    """Tells afterwards whether a line was too long to be handed on whole."""

    def __init__(self) -> None:
        self.happened = False


def small_file(path: str) -> bytes | None:
    """All of a small file; None for a larger one."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        size = os.fstat(descriptor).st_size
        data = os.read(descriptor, size) if size <= SMALL else b""
    finally:
        os.close(descriptor)
    return data if len(data) == size else None


def count_objects(raw: bytes) -> int:
    """How many lines there are where each begins and ends a JSON object; else 0."""
    count, start, end = 0, 0, raw.find(b"\n")
    while raw[start : start + 1] == b"{" and raw[end - 1 : end] == b"}" and end > 0:
        count, start, end = count + 1, end + 1, raw.find(b"\n", end + 1)
    # No object goes on over the end of such a line: `}`, a line end and `{` never meet in JSON.
    return count if start == len(raw) else 0


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
