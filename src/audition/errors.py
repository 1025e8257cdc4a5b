"""What can go wrong that a user can mend, and the exit codes.

In: words for people. Out: one exception class that carries a hint, and its kinds.
Must not know: anything else of this package.

    AuditionError          says what and where; `hint` says what to try next
    ├── UsageError         words on the command line or in the configuration
    │   └── UnknownName    no agent, check, skill, case … of that name
    ├── BadFile            a file of the user's that cannot be understood
    ├── AgentMissing       the agent's program is not here, or too old
    └── RunTrouble         a run folder is missing, busy or damaged

    Interrupted            no fault: what runs is to end now

Anything else that escapes is our own defect and shows a traceback.
"""

from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum


class Exit(IntEnum):
    """What the process says when it ends; the only table of exit codes."""

    OK = 0
    """Everything asked for was done, and nothing failed."""
    FAILED = 1
    """Something that was tried failed: a trial, a lint rule, a comparison."""
    BROKEN = 2
    """We or the configuration failed: bad words, a bad file, every trial in error."""
    INTERRUPTED = 130
    """Stopped by Ctrl-C; what was finished is kept."""


class AuditionError(Exception):
    """A fault that the user can mend; `hint` is the next thing to try."""

    exit_code = Exit.BROKEN

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(AuditionError):
    """The words on the command line or in the configuration do not fit."""


class UnknownName(UsageError):
    """Nothing of that kind has that name."""


class BadFile(AuditionError):
    """A file of the user's cannot be understood."""


class AgentMissing(AuditionError):
    """The agent's program is not on this machine, or cannot be used."""


class RunTrouble(AuditionError):
    """A run folder is missing, busy or damaged."""


class Interrupted(Exception):
    """Somebody wants it to end now; what was not finished is done when the run is gone on with."""


SHOWN_CHARS = 80
"""Of one name in a list of what is known."""


def did_you_mean(name: str, known: Iterable[str], *, all_of_them: int = 12) -> str:
    """A hint with the nearest known name, or with what is known."""
    names = sorted(set(known))
    near = get_close_matches(name, names, n=1, cutoff=0.5)
    if not near:
        folded = {each.casefold(): each for each in reversed(names)}
        alike = get_close_matches(name.casefold(), folded, n=1, cutoff=0.5)
        near = [folded[each] for each in alike]
    if near:
        return f"did you mean `{near[0]}`?"
    if not names:
        return ""
    shown = ", ".join(f"`{_short(each)}`" for each in names[:all_of_them])
    more = f" and {len(names) - all_of_them} more" if len(names) > all_of_them else ""
    return f"known: {shown}{more}"


def _short(name: str) -> str:
    return name if len(name) <= SHOWN_CHARS else f"{name[: SHOWN_CHARS - 1]}…"


def unknown(kind: str, name: str, known: Iterable[str]) -> UnknownName:
    """The error for a name that nothing has, with the nearest one that something has."""
    return UnknownName(f"unknown {kind} `{name}`", did_you_mean(name, known))
