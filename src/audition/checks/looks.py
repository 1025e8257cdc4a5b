"""What several checks look at in the same way: a pattern, a path, a trace that was cut.

In: arguments of a check, or its verdict. Out: BadArguments, or the verdict that holds.
Must not know: any one check.
"""

import msgspec

from audition.check import BadArguments, Outcome, Verdict, undecided
from audition.model import Json
from audition.no_verdict import say_lost
from audition.pattern import BadPattern, compile_pattern


def look_at_pattern(arguments: dict[str, Json]) -> None:
    """Refuse a `pattern` that RE2 does not take."""
    pattern = arguments.get("pattern")
    if pattern is None:
        return
    try:
        compile_pattern(pattern)
    except BadPattern as error:
        raise BadArguments(str(error), error.hint, "pattern") from error


def look_at_path(
    arguments: dict[str, Json], within: str = "the workspace", like: str = "out/report.md"
) -> None:
    """Refuse a `path` that could not name one file of the workspace, or of another folder."""
    path = arguments.get("path")
    if path is None:
        return
    if path.startswith(("/", "~")) or ".." in path.split("/"):
        raise BadArguments(
            f"`{path}` leads out of {within}",
            f"write the path as seen from {within}, such as `{like}`",
            "path",
        )
    if "*" in path:
        raise BadArguments(f"`{path}` has a `*`", "name one exact path; globs are not read", "path")
    if "\0" in path:
        raise BadArguments("a path cannot hold a NUL character", "", "path")


def look_at_file_pattern(arguments: dict[str, Json]) -> None:
    """Refuse a `path` or a `pattern` that cannot be used."""
    look_at_path(arguments)
    look_at_pattern(arguments)


LINES_CAP = 100
"""So many lines are named as proof: nobody looks at more."""


def end_lines(outcome: Outcome) -> tuple[int, ...]:
    """The line at which the session ended, for what only its end tells."""
    line = outcome.trace.end.line
    return (line,) if line else ()


def unless_cut(outcome: Outcome, verdict: Verdict) -> Verdict:
    """The verdict; what rests on something not being there is undecided in a cut trace."""
    trace = outcome.trace
    if outcome.sealed.truncated:
        trace = msgspec.structs.replace(trace, truncated=True)
    why = say_lost(trace)
    return undecided(why, *outcome.trace.lost[:LINES_CAP]) if why else verdict
