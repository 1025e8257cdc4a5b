"""Checks on the files that the agent left.

In: an Outcome, whose Files are the sealed workspace. Out: a Verdict, with the lines of the
calls that wrote the file.
Must not know: the live workspace, the run folder.
"""

import os
from itertools import islice
from pathlib import Path
from posixpath import basename, normpath
from typing import Annotated

from msgspec import Meta

from audition.check import Outcome, Verdict, failed, fails_early, passed, undecided
from audition.checks.looks import look_at_file_pattern, look_at_path
from audition.errors import did_you_mean
from audition.model import Call
from audition.pattern import excerpt, find_pattern
from audition.shell import writes_in

RelativePath = Annotated[str, Meta(min_length=1)]
Pattern = Annotated[str, Meta(min_length=1)]
NAMES_CAP = 2000
"""So many names are looked through for the nearest; difflib is slow on more."""


def missing(outcome: Outcome, path: str) -> Verdict | None:
    """Why there is no such file to look into; None where there is one."""
    shown = excerpt(path)
    found = outcome.files.find(path)
    if found is None:
        near = excerpt(did_you_mean(path, islice(outcome.files.names(), NAMES_CAP), all_of_them=3))
        return failed(f"no such file: `{shown}`" + (f"; {near}" if near else ""))
    if not os.path.isfile(found):
        return failed(f"`{shown}` is a folder, not a file")
    return None


def writers(outcome: Outcome, path: str) -> tuple[int, ...]:
    """The lines of the calls that wrote the file, as far as they name it: by tool or by shell."""
    plain = normpath(path)
    name = basename(plain)
    lines: dict[int, None] = {}
    for event in outcome.trace.events:
        if type(event) is not Call or event.does not in ("write", "shell"):
            continue
        named = event.paths
        if event.does == "shell":
            named = writes_in(event.command) if name in event.command else ()
        for each in named:
            # Most paths do not hold the name at all, and to make one normal takes long.
            if name in each and (normpath(each) == plain or each.endswith(f"/{plain}")):
                lines[event.line] = None
    return tuple(lines)


def _search(outcome: Outcome, path: str, pattern: str) -> tuple[str | None, bool]:
    """An excerpt around the first match or None, and whether the whole file was looked at."""
    data = outcome.files.read(path) or b""
    # A byte order mark would keep `^` from matching the first word.
    text = data.decode("utf-8-sig", "replace")
    if (found := find_pattern(pattern, text)) is not None:
        return excerpt(text, *found), True
    kept = outcome.files.find(path)
    return None, kept is not None and Path(kept).stat().st_size <= len(data)


@fails_early(look_at_path)
def file_exists(outcome: Outcome, *, path: RelativePath) -> Verdict:
    """There is a file at that path when the agent has ended.

    The path is relative to the workspace and exact: no globs. A folder is not a file; an
    empty file is one. A link, or a file that was too large to be kept, is an error. It does
    not matter who made it: a file that came with the fixture counts, so name one that only
    the agent can have made.

    Example:
        checks:
          - file_exists: {path: out/report.md}
    """
    lines = writers(outcome, path)
    return missing(outcome, path) or passed(f"`{excerpt(path)}` is there", *lines)


@fails_early(look_at_file_pattern)
def file_matches(outcome: Outcome, *, path: RelativePath, pattern: Pattern) -> Verdict:
    r"""A file's text matches a regular expression.

    The path is as in `file_exists`, the pattern as in `answer_matches`: RE2, matching
    anywhere in the file. Bytes that are not UTF-8 are read as `U+FFFD`; a byte order mark is
    left out. The first 16 MiB are looked at: where a larger file has no match in them, it
    is an error.

    Example:
        checks:
          - file_matches: {path: src/app.py, pattern: '(?m)^def main\('}
    """
    if verdict := missing(outcome, path):
        return verdict
    found, whole = _search(outcome, path, pattern)
    if found is not None:
        return passed(f"`{excerpt(path)}` has `{found}`", *writers(outcome, path))
    if not whole:
        return undecided(f"`{excerpt(path)}` is too large to look at whole")
    said = f"nothing in `{excerpt(path)}` matches `{excerpt(pattern, limit=60)}`"
    return failed(said, *writers(outcome, path))


@fails_early(look_at_file_pattern)
def file_lacks(outcome: Outcome, *, path: RelativePath, pattern: Pattern) -> Verdict:
    """A file is there, and nothing in it matches a regular expression.

    The path is as in `file_exists`, the pattern as in `file_matches`. A file that is not
    there cannot show what it lacks: it fails. Where a file is too large to be looked at
    whole, it is an error.

    Example:
        checks:
          - file_lacks: {path: src/app.py, pattern: '(?i)todo'}
    """
    if verdict := missing(outcome, path):
        return verdict
    found, whole = _search(outcome, path, pattern)
    if found is not None:
        return failed(f"`{excerpt(path)}` has `{found}`", *writers(outcome, path))
    if not whole:
        return undecided(f"`{excerpt(path)}` is too large to look at whole")
    said = f"nothing in `{excerpt(path)}` matches `{excerpt(pattern, limit=60)}`"
    return passed(said, *writers(outcome, path))
