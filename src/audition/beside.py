"""What an agent left beside its stream, as a session file below its home.

In: the private home and the agent's globs; later the sealed folder. Out: copies in the
folder's `beside/`, and their lines. Lines are numbered on from the stream's: line N is
that of `awk 1 trace.jsonl beside/*`.
Must not know: agents, what the lines mean.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from audition.trace_file import Cut, numbered_lines
from audition.tree import copy_file

MOST_FILES = 32
MOST_BYTES = 64 * 1024 * 1024
LAST_BYTES = 4096
"""So much of the end of stderr is looked at."""


def keep_beside(home: str, globs: Sequence[str], folder: Path) -> None:
    """Copy what the globs find, within bounds; no link is followed, no device is opened."""
    left = MOST_BYTES
    found = sorted({path for glob in globs for path in Path(home).glob(glob)})
    for number, path in enumerate(found[:MOST_FILES]):
        info = path.lstat()
        if not stat.S_ISREG(info.st_mode) or info.st_size > left:
            continue
        left -= info.st_size
        into = folder / "beside"
        into.mkdir(exist_ok=True)
        entry = (info.st_size, info.st_mtime_ns, info.st_mode, info.st_ino)
        copy_file(os.fspath(path), entry, os.fspath(into / f"{number:02}-{path.name}"))


def last_words(file: Path) -> str:
    """The last line on stderr: where an agent that ended without an end says why (Kimi)."""
    try:
        with file.open("rb") as stream:
            stream.seek(max(0, stream.seek(0, os.SEEK_END) - LAST_BYTES))
            lines = stream.read().decode(errors="replace").strip().splitlines()
    except OSError:
        return ""
    telling = [line for line in lines if "error" in line.lower()] or lines
    return " ".join(telling[-1].split())[:300] if telling else ""


def lines_beside(folder: Path, cut: Cut) -> Iterator[Iterator[tuple[int, bytes]]]:
    """The numbered lines of each file kept beside a stream."""
    for path in sorted((folder / "beside").glob("*")):
        yield numbered_lines(path, cut)
