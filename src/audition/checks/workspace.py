"""Checks on what became of the workspace: files added, changed, removed, left alone.

In: an Outcome, whose Changes compare the workspace before and after. Out: a Verdict, with
the lines of the calls that wrote the files.
Must not know: the live workspace, what is in the files.
"""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from audition.check import (
    BadArguments,
    Outcome,
    Verdict,
    failed,
    fails_early,
    passed,
    undecided,
)
from audition.checks.files import writers
from audition.globs import matching
from audition.model import Json
from audition.pattern import excerpt

Globs = Annotated[list[Annotated[str, Meta(min_length=1)]], Meta(min_length=1)]
SHOWN = 8
NOT_KEPT = "{} was not kept: a link, a device or too large"


def look_at_globs(arguments: dict[str, Json]) -> None:
    """Refuse globs that could fit no file of the workspace."""
    for name, given in arguments.items():
        for glob in given if isinstance(given, list) else ():
            if glob.startswith(("/", "~")) or ".." in glob.split("/"):
                hint = "write it as seen from the workspace, such as `out/*.md`"
                raise BadArguments(f"`{glob}` leads out of the workspace", hint, name)
            if glob.endswith("/"):
                hint = f"for all files below it write `{glob}**`"
                raise BadArguments(f"`{glob}` names a folder", hint, name)
            if "\0" in glob:
                raise BadArguments("a path cannot hold a NUL character", "", name)


def name_some(paths: Sequence[str]) -> str:
    """The first of the paths, and how many more there are."""
    shown = ", ".join(f"`{excerpt(each, limit=60)}`" for each in paths[:SHOWN])
    return f"{shown} and {len(paths) - SHOWN} more" if len(paths) > SHOWN else shown


def lines_of(outcome: Outcome, paths: Sequence[str]) -> tuple[int, ...]:
    """The lines of the calls that wrote the first of the paths."""
    found = {line for path in paths[:SHOWN] for line in writers(outcome, path)}
    return tuple(sorted(found))


def unkept_of(outcome: Outcome) -> tuple[list[str], list[str], list[str]]:
    """The files that were kept, the paths that were not, and what the fixture had below those.

    What was not kept is there all the same, a link or whatever it is. Only of what lies
    below a folder that could not be looked into is it not known whether it still is.
    """
    refused = outcome.sealed.changes.refused
    names = list(outcome.files.names())
    if not refused:
        return names, [], []
    gone = frozenset(refused)
    folders = tuple(f"{each}/" if each else "" for each in refused)
    below = [each for each in names if each.startswith(folders)]
    hidden = gone.union(below)
    return [each for each in names if each not in hidden], list(refused), below


def _may_be(outcome: Outcome, done: str) -> list[str]:
    """Paths of which it is not known whether they were added, changed or removed."""
    refused = outcome.sealed.changes.refused
    if not refused:
        return []
    _, _, below = unkept_of(outcome)
    if done == "removed":
        return below  # whatever else was not kept is there
    begun_with = set(outcome.files.names())
    if done == "changed":
        return [*(each for each in refused if each in begun_with), *below]
    return [each for each in refused if each not in begun_with]


def _each_fits(
    outcome: Outcome, globs: list[str], paths: Sequence[str], done: str, *, exactly: bool
) -> Verdict:
    """Every glob fits a path; with `exactly`, every path is fitted too."""
    unkept = _may_be(outcome, done)
    missing = [glob for glob in globs if not matching(glob, paths)]
    fitted = {path for glob in globs for path in matching(glob, paths)}
    if hidden := [path for glob in missing for path in matching(glob, unkept)]:
        return undecided(NOT_KEPT.format(name_some(hidden)))
    if missing:
        what = name_some(paths) if paths else "none"
        return failed(f"no file was {done} that fits {name_some(missing)}; {done}: {what}")
    over = [path for path in paths if path not in fitted]
    if exactly and over:
        return failed(f"{name_some(over)} was {done} too", *lines_of(outcome, over))
    if exactly and unkept:
        return undecided(f"{name_some(unkept)} was not kept; it may have been {done} too")
    found = sorted(fitted)
    return passed(f"{done}: {name_some(found)}", *lines_of(outcome, found))


@fails_early(look_at_globs)
def files_added(outcome: Outcome, *, paths: Globs, exactly: bool = False) -> Verdict:
    """Files are there now that were not there before.

    Each of `paths` is a glob, relative to the workspace, and must fit at least one added
    file: `*` and `?` stay inside a name, `**` crosses folders, `[a-c]` is one of these. With
    `exactly: true` every added file must fit one of them. The skills that were delivered are
    no part of the comparison. A file that could not be kept (a link, or too large) makes the
    check an error where it might decide.

    Example:
        checks:
          - files_added: {paths: ["out/*.xlsx"]}
          - files_added: {paths: [report.md, "figures/**"], exactly: true}
    """
    return _each_fits(outcome, paths, outcome.sealed.changes.added, "added", exactly=exactly)


@fails_early(look_at_globs)
def files_changed(outcome: Outcome, *, paths: Globs, exactly: bool = False) -> Verdict:
    """Files of the fixture have another content now.

    `paths` and `exactly` are as in `files_added`. A file that was removed, or added, was not
    changed. One of the fixture where a link stands now makes the check an error where it
    might decide.

    Example:
        checks:
          - files_changed: {paths: [CHANGELOG.md], exactly: true}
    """
    return _each_fits(outcome, paths, outcome.sealed.changes.changed, "changed", exactly=exactly)


@fails_early(look_at_globs)
def files_removed(outcome: Outcome, *, paths: Globs, exactly: bool = False) -> Verdict:
    """Files of the fixture are gone.

    `paths` and `exactly` are as in `files_added`. A file that was moved was removed from
    where it was, and added where it is.

    Example:
        checks:
          - files_removed: {paths: ["build/**"], exactly: true}
    """
    return _each_fits(outcome, paths, outcome.sealed.changes.removed, "removed", exactly=exactly)


@fails_early(look_at_globs)
def files_untouched(outcome: Outcome, *, paths: Globs) -> Verdict:
    """Nothing that fits these globs was added, changed or removed.

    `paths` are as in `files_added`. Write `["**"]` where the agent should leave no trace in
    the workspace at all.

    Example:
        checks:
          - files_untouched: {paths: ["src/**", pyproject.toml]}
    """
    changes = outcome.sealed.changes
    for what, touched in (
        ("added", changes.added),
        ("changed", changes.changed),
        ("removed", changes.removed),
        ("added or changed", changes.refused),
    ):
        hit = sorted({path for glob in paths for path in matching(glob, touched)})
        if hit:
            return failed(f"{what}: {name_some(hit)}", *lines_of(outcome, hit))
    return passed(f"untouched: {name_some(paths)}")
