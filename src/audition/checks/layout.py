"""Checks on the style of what was left: which files there are, and what they are called.

In: an Outcome, whose Files are the sealed workspace. Out: a Verdict.
Must not know: what is in the files, who wrote them.
"""

from typing import Annotated

from msgspec import Meta

from audition.check import BadArguments, Outcome, Verdict, failed, fails_early, passed
from audition.checks.looks import look_at_pattern
from audition.checks.workspace import lines_of, look_at_globs, name_some
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
    use `files_added`.

    Example:
        checks:
          - layout:
              files: ["src/*/__init__.py", "tests/test_*.py"]
              forbid: ["*.py", "**/*.orig"]
    """
    there = list(outcome.files.names())
    if missing := [glob for glob in files if not matching(glob, there)]:
        return failed(f"no file fits {name_some(missing)}")
    if found := sorted({path for glob in forbid for path in matching(glob, there)}):
        return failed(f"there is {name_some(found)}", *lines_of(outcome, found))
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
    nothing to be named well.

    Example:
        checks:
          - named: {path: "reports/**", pattern: '\d{4}-\d{2}-\d{2}-[a-z-]+\.md'}
    """
    found = matching(path, list(outcome.files.names()))
    if not found:
        return failed(f"no file fits `{excerpt(path)}`")
    compiled = compile_pattern(f"^(?:{pattern})$")
    bad = [each for each in found if compiled.search(each.rpartition("/")[2]) is None]
    if bad:
        said = f"not named as `{excerpt(pattern, limit=60)}`: {name_some(bad)}"
        return failed(said, *lines_of(outcome, bad))
    said = f"{counted(len(found), 'file is', 'files are')} named as `{excerpt(pattern, limit=60)}`"
    return passed(said, *lines_of(outcome, found))
