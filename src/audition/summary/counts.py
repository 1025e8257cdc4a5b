"""What is counted for one skill, one arm, or all of a run.

In: Records one at a time, and other counts. Out: sums. Must not know: what is made of them.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import TypeVar

from audition.model import Record

Key = TypeVar("Key", bound=Hashable)


def add_pairs(mine: dict[Key, tuple[int, int]], theirs: Mapping[Key, tuple[int, int]]) -> None:
    """Add up (passed, of) by key."""
    for key, (passed, of) in theirs.items():
        before = mine.get(key, (0, 0))
        mine[key] = (before[0] + passed, before[1] + of)


@dataclass(slots=True)
class Count:
    """What is counted for one skill or one arm. Sums are integers, so that order is nothing."""

    passed: list[int] = field(default_factory=lambda: [0, 0])
    graded: list[int] = field(default_factory=lambda: [0, 0])
    trials: int = 0
    errors: int = 0
    ineligible: int = 0
    timed: int = 0
    microseconds: int = 0
    priced: int = 0
    nanodollars: int = 0
    routes: Counter[str] = field(default_factory=Counter)
    listing_bytes: dict[str, int] = field(default_factory=dict)
    unread: int = 0

    def add(self, record: Record) -> None:
        """Count one record."""
        self.trials += 1
        self.unread += record.unread
        if record.status == "error":
            self.errors += 1
        elif record.status == "ineligible":
            self.ineligible += 1
        else:
            self.graded[record.should_trigger] += 1
            self.passed[record.should_trigger] += record.status == "pass"
        if record.seconds is not None and isfinite(record.seconds):
            self.timed += 1
            self.microseconds += round(record.seconds * 1e6)
        # What was taken over was paid for by another run.
        dollars = 0.0 if record.reused else record.usage.dollars
        if dollars is not None and isfinite(dollars):
            self.priced += 1
            self.nanodollars += round(dollars * 1e9)
        for each in record.skills:
            self.routes.update(each.routes)
        for route, size in record.listing_bytes.items():
            self.listing_bytes[route] = max(size, self.listing_bytes.get(route, 0))

    def absorb(self, other: "Count") -> None:
        """Count what another one counted."""
        for side in (False, True):
            self.passed[side] += other.passed[side]
            self.graded[side] += other.graded[side]
        for name in ("trials", "errors", "ineligible", "timed", "priced", "unread"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.microseconds += other.microseconds
        self.nanodollars += other.nanodollars
        self.routes.update(other.routes)
        for route, size in other.listing_bytes.items():
            self.listing_bytes[route] = max(size, self.listing_bytes.get(route, 0))
