"""The files that the commands of a line write, move or remove.

In: a line. Out: paths. Must not know: how words are found.
"""

import re
from posixpath import basename

from audition.shell.reading import Step, in_folder, read_by, run_by, steps_of

_WRITERS = frozenset(("tee", "touch", "rm", "rmdir", "mv", "cp", "mkdir", "truncate", "install"))
_IN_PLACE = re.compile(r"-\w*i.*|--in-place.*")


def writes_in(line: str) -> tuple[str, ...]:
    """The paths that a line writes, makes, moves or removes, `cd` before them applied."""
    return tuple(dict.fromkeys(path for step in steps_of(line) for path in written_by(step)))


def written_by(step: Step) -> list[str]:
    """The paths that a simple command writes, makes, moves or removes."""
    return [in_folder(step.folder, path) for path in (*step.into, *_named(step.words))]


def touched_by(step: Step) -> list[str]:
    """Every path that a simple command reads, runs or writes."""
    return [*read_by(step), *run_by(step), *written_by(step)]


def _named(words: tuple[str, ...]) -> list[str]:
    name = basename(words[0]) if words else ""
    operands = [word for word in words[1:] if word[:1] != "-"]
    if name in _WRITERS:
        return operands
    if name in ("sed", "perl") and any(_IN_PLACE.fullmatch(word) for word in words[1:]):
        return [word for word in operands[1:] if word]  # the first is the script
    return []
