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


def say_seconds(seconds: float | None) -> str:
    """`0.4 s`, `2 min 5 s`, `3 h 4 min`; a question mark where unknown."""
    if seconds is None:
        return "?"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
