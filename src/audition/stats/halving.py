"""Where in a row something turned bad: which place to look at next, and what is left.

In: what is known of places 0 to last. Out: a place, or places. Must not know: commits, skills.

The first place is good and the last one bad. Each look halves what is between them; a place
of which nothing can be told is passed by, and stays among those that may be it.
"""

from collections.abc import Mapping
from math import ceil, log2
from typing import Literal

Word = Literal["good", "bad", "unknown"]


def bracket(found: Mapping[int, Word], last: int) -> tuple[int, int]:
    """The last place that is known to be good, and the first bad one behind it."""
    low = max((place for place, word in found.items() if word == "good"), default=0)
    bad = (place for place, word in found.items() if word == "bad" and place > low)
    return low, min(bad, default=last)


def next_look(found: Mapping[int, Word], last: int) -> int | None:
    """The place that halves what is left; None where no look can tell more."""
    low, high = bracket(found, last)
    left = [place for place in range(low + 1, high) if place not in found]
    middle = (low + high) / 2
    return min(left, key=lambda place: (abs(place - middle), place), default=None)


def suspects(found: Mapping[int, Word], last: int) -> range:
    """The places that may be the first bad one."""
    low, high = bracket(found, last)
    return range(low + 1, high + 1)


def most_looks(last: int) -> int:
    """How many looks it takes at most, both ends among them, where each look tells."""
    return 2 + (ceil(log2(last)) if last > 1 else 0)
