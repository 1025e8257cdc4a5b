"""Checks on the style of what was left: which files there are, and what they are called.

In: an Outcome, whose Files are the sealed workspace. Out: a Verdict.
Must not know: what is in the files, who wrote them.
"""

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
from audition.checks.looks import look_at_pattern
from audition.checks.workspace import NOT_KEPT, lines_of, look_at_globs, name_some, unkept_of
from audition.counted import counted
from audition.globs import matching
from audition.model import Json
from audition.pattern import compile_pattern, excerpt

Glob = Annotated[str, Meta(min_length=1)]


def _some_globs(arguments: dict[str, Json]) -> None:
    if not arguments["files"] and not arguments["forbid"]:
        raise BadArguments("check `layout` needs `files` or `forbid`", "", "files")
    look_at_globs(arguments)


@fails_early(_some_globs)
def layout(outcome: Outcome, *, files: list[Glob] = [], forbid: list[Glob] = []) -> Verdict:  # noqa: B006 - never changed, and shown as it is
    """The workspace is laid out as wanted when the agent has ended.

    Each glob of `files` must fit at least one file, none of `forbid` may fit any. Globs are
    as in `files_added`. Files that came with the fixture count: to ask what the agent did,
    use `files_added`. What could not be kept (a link, a device, or too large) breaks `forbid`
    as any file does; where a glob of `files` fits nothing else, the check is an error.

    Example:
        checks:
          - layout:
              files: ["src/*/__init__.py", "tests/test_*.py"]
              forbid: ["*.py", "**/*.orig"]
    """
    there, unkept, below = unkept_of(outcome)
    missing = [glob for glob in files if not matching(glob, there)]
    if surely := [glob for glob in missing if not matching(glob, [*unkept, *below])]:
        return failed(f"no file fits {name_some(surely)}")
    if found := sorted({path for glob in forbid for path in matching(glob, [*there, *unkept])}):
        return failed(f"there is {name_some(found)}", *lines_of(outcome, found))
    perhaps = {path for glob in missing for path in matching(glob, [*unkept, *below])}
    if hidden := perhaps.union(path for glob in forbid for path in matching(glob, below)):
        return undecided(NOT_KEPT.format(name_some(sorted(hidden))))
    fitted = sorted({path for glob in files for path in matching(glob, there)})
    return passed(
        f"{counted(len(there), 'file lies', 'files lie')} as wanted", *lines_of(outcome, fitted)
    )


def _look(arguments: dict[str, Json]) -> None:
    look_at_globs({"path": [arguments["path"]]})
    look_at_pattern(arguments)


@fails_early(_look)
def named(outcome: Outcome, *, path: Glob, pattern: Glob) -> Verdict:
    r"""The names of some files match a regular expression.

    `path` is a glob as in `files_added`. Of each file that it fits, the name without its
    folders must match `pattern` whole. Where it fits no file, the check fails: there is
    nothing to be named well. What could not be kept (a link, a device, or too large) must be
    named well too; where there is nothing else, the check is an error.

    Example:
        checks:
          - named: {path: "reports/**", pattern: '\d{4}-\d{2}-\d{2}-[a-z-]+\.md'}
    """
    found, unkept, below = (matching(path, each) for each in unkept_of(outcome))
    if not (found or unkept or below):
        return failed(f"no file fits `{excerpt(path)}`")
    compiled = compile_pattern(f"^(?:{pattern})$")
    bad = [p for p in (*found, *unkept) if compiled.search(p.rpartition("/")[2]) is None]
    if bad:
        said = f"not named as `{excerpt(pattern, limit=60)}`: {name_some(bad)}"
        return failed(said, *lines_of(outcome, bad))
    if below or not found:
        return undecided(NOT_KEPT.format(name_some([*unkept, *below])))
    said = f"{counted(len(found), 'file is', 'files are')} named as `{excerpt(pattern, limit=60)}`"
    return passed(said, *lines_of(outcome, found))
