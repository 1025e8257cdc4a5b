"""A number with its noun, as people say it.

In: a number, or several, and a noun. Out: words. Must not know: anything else of this package.
"""

from collections.abc import Sequence


def counted(number: int, one: str, many: str = "") -> str:
    """`1 trial`, `2 trials`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def numbered(one: str, numbers: Sequence[int]) -> str:
    """`line 4`, `lines 4, 9`."""
    return f"{one}{'s' * (len(numbers) > 1)} {', '.join(map(str, numbers))}"
