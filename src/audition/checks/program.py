"""The check that is the user's own program.

In: an Outcome and a command. Out: what the program says, as a Verdict.
Must not know: how a program is started; the Outcome carries the function for it.
"""

import shlex
from pathlib import Path
from typing import Annotated

from msgspec import Meta

from audition.check import (
    BadArguments,
    Outcome,
    Ran,
    Verdict,
    failed,
    fails_early,
    looks_outside,
    passed,
    undecided,
)
from audition.counted import counted
from audition.model import Json
from audition.pattern import excerpt

REASON = 500


def _words(command: str | list[str]) -> list[str]:
    """The command as words; raises BadArguments where there are none."""
    try:
        words = shlex.split(command) if isinstance(command, str) else list(command)
    except ValueError as error:
        raise BadArguments(f"check `program`: {error}", "close the quote", "command") from error
    if not words or not words[0]:
        raise BadArguments("check `program` needs a command", "", "command")
    if any("\0" in word for word in words):
        raise BadArguments("a command cannot hold a NUL character", "", "command")
    return words


def _look_at_command(arguments: dict[str, Json]) -> None:
    _words(arguments["command"])


def _beside_the_case(word: str, folder: Path) -> str:
    """The word as an absolute path where it names a file beside the case file."""
    if word.startswith("/"):
        return word
    try:
        return str(folder / word) if (folder / word).is_file() else word
    except OSError:  # a word too long to be a name
        return word


def _say_unkept(outcome: Outcome) -> str:
    """What a program that fails may have missed: the copy holds what was kept, no links."""
    unkept = outcome.sealed.changes.refused
    if not unkept:
        return ""
    files = counted(len(unkept), "path was", "paths were")
    return f" ({files} not kept for it to see, the first is `{excerpt(unkept[0], limit=60)}`)"


@looks_outside(lambda _: True)
@fails_early(_look_at_command)
def program(
    outcome: Outcome,
    *,
    command: str | list[str],
    timeout_s: Annotated[float, Meta(gt=0, le=86400)] = 60,
) -> Verdict:
    """A program of yours says yes.

    It runs in a copy of the workspace as the agent left it, after the agent has ended. Exit
    code 0 passes, any other fails, and the first 500 characters of what it prints on stdout
    are the reason. It gets the outcome as JSON on stdin: the trial, the trace, what became of
    each skill. The variables AUDITION_ANSWER and AUDITION_TRACE name files with the answer and
    the raw session, AUDITION_CASE_DIR the folder of the case file. A program that cannot be
    started, takes longer than `timeout_s`, or is ended by a signal is an error.

    The copy holds the files that were kept: no `.git`, no links, of each trial at most 2,000
    files that the agent added or changed, what package managers bring last.

    `command` is split into words as a shell does, but no shell runs: no pipes, no variables;
    for those write `[bash, -c, "…"]`. A word that names a file beside the case file is that
    file, so that the agent cannot put its own in its place. What cannot be
    started, and what is nearly the name of a program, is a mistake in the case file, said
    before anything is asked; a program that this machine does not have is a warning.

    Example:
        checks:
          - program: {command: python3 verify.py --strict}
          - program: {command: [./verify.sh, "two words"], timeout_s: 10}
    """
    folder = outcome.case_folder
    if not folder.is_dir():
        return undecided(f"the folder of the case file is not here: {folder}")
    words = [_beside_the_case(word, folder) for word in _words(command)]
    shown = excerpt(" ".join(words))
    try:
        ran = outcome.run_program(words, outcome.as_json(), timeout_s)
    except OSError as error:
        return undecided(f"`{shown}` cannot be started: {error.strerror or error}")
    said = excerpt(ran.output.strip(), limit=REASON)
    if trouble := _trouble(ran, timeout_s):
        return undecided(f"`{shown}` {trouble}: {said}".removesuffix(": "))
    if ran.exit_code:
        said = said or f"`{shown}` ended with {ran.exit_code} and said nothing"
        return failed(said + _say_unkept(outcome))
    return passed(said)


def _trouble(ran: Ran, timeout_s: float) -> str:
    """Why its exit code says nothing; empty where it does."""
    # First, as an exit code that our own SIGTERM brought about is none of the program's.
    if ran.too_long:
        return "printed more than is kept, and was ended"
    if ran.timed_out:
        return f"took more than {timeout_s:g} s"
    return "was ended from outside" if ran.exit_code < 0 else ""
