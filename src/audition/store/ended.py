"""Why a run asked nothing more: ended.json, beside what it asked.

In: a run's folder. Out: an Ended. Must not know: how it was decided.
A run that was killed has none, or one of before it was gone on with: it says only how many
trials are not needed, and those that are finished are never among them.
"""

from pathlib import Path
from typing import Literal

import msgspec

from audition.model import Value
from audition.store.files import write_whole

Why = Literal["", "budget", "interrupted", "failure"]


class Ended(Value, frozen=True, kw_only=True):
    """How the asking of a run ended."""

    version: int = 1
    why: Why = ""
    """Empty where all was asked that was needed."""
    words: str = ""
    """The same for people."""
    spared: int = 0
    """How many planned trials are not needed: their cells are decided."""


def write_ended(run: Path, ended: Ended, *, fsync: bool = True) -> None:
    """Keep how a run ended."""
    write_whole(f"{run}/ended.json", msgspec.json.encode(ended), fsync=fsync)


def read_ended(run: Path) -> Ended:
    """How a run ended; an empty one where it does not say."""
    try:
        return msgspec.json.decode((run / "ended.json").read_bytes(), type=Ended)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return Ended()
