"""A search for the commit that broke a skill: its values, and what they say in words.

In: looks at commits. Out: text. Must not know: git, files, the screen, how a look is taken.
"""

from collections.abc import Iterable
from typing import Literal

from audition.counted import counted
from audition.model import Value
from audition.report.escape import one_line
from audition.stats.halving import Word

Outcome = Literal["found", "inconclusive", "not broken", "never good"]


class Commit(Value, frozen=True, kw_only=True):
    """A commit by its full name, and in words: short name, date, subject."""

    commit: str
    words: str


class Look(Value, frozen=True, kw_only=True):
    """What was found at one commit, and what it took; tokens and dollars are null where unknown."""

    commit: Commit
    verdict: Word
    reason: str = ""
    run: str = ""
    """The run, below the folder of the search; empty where nothing was asked."""
    trials: int = 0
    passed: int = 0
    of: int = 0
    tokens: int | None = 0
    dollars: float | None = 0.0


class Search(Value, frozen=True, kw_only=True):
    """What a search came to."""

    version: int = 1
    skill: str
    good: str
    bad: str
    outcome: Outcome
    first_bad: Commit | None = None
    """The commit that broke it."""
    last_good: Commit | None = None
    suspects: tuple[Commit, ...] = ()
    """The commits that it may be, where it is not one."""
    looks: tuple[Look, ...] = ()
    ended: str = ""
    """Why it ended before its end."""
    folder: str = ""
    """Where its runs are."""


def say_look(look: Look) -> str:
    """One look on one line."""
    counts = f" ({look.passed} of {look.of} passed)" if look.of else ""
    return one_line(f"{look.verdict:7} {look.commit.words}{counts}: {look.reason}", 200)


def write_search(found: Search) -> str:
    """All looks, what they come to, and what it took."""
    lines = [say_look(each) for each in found.looks]
    return "\n".join([*lines, "", *_conclude(found), _took(found)]) + "\n"


def _conclude(found: Search) -> Iterable[str]:
    name = one_line(found.skill)
    if found.outcome == "found" and found.first_bad:
        yield f"{name} is broken since {one_line(found.first_bad.words)}"
        yield f"see it: git show {found.first_bad.commit[:12]}"
    elif found.outcome == "not broken":
        yield f"{name} is not broken at the end of the range: nothing to search for"
    elif found.outcome == "never good":
        yield f"{name} is bad at the beginning of the range already: begin with an older commit"
    else:
        yield from _undecided(found, name)


def _undecided(found: Search, name: str) -> Iterable[str]:
    why = f" ({one_line(found.ended)})" if found.ended else ""
    if found.suspects:
        yield f"inconclusive{why}: {name} is broken since one of these {len(found.suspects)}:"
        yield from (f"  {one_line(each.words)}" for each in found.suspects)
    else:
        yield f"inconclusive{why}: whether {name} is good at first and bad at last is not known"


def _took(found: Search) -> str:
    trials = sum(each.trials for each in found.looks)
    tokens, dollars = (
        [getattr(each, what) for each in found.looks] for what in ("tokens", "dollars")
    )
    said = "unknown tokens" if None in tokens else f"{sum(tokens):,} tokens"
    cost = "cost unknown" if None in dollars else f"${sum(dollars):.2f}"
    looks = f"{counted(len(found.looks), 'look')}, {counted(trials, 'trial')}"
    return f"{looks}, {said}, {cost}; the runs are in {one_line(found.folder)}"
