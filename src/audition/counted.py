"""A number with its noun, as people say it.

In: a number and a noun. Out: words. Must not know: anything else of this package.
"""


def counted(number: int, one: str, many: str = "") -> str:
    """`1 trial`, `2 trials`."""
    return f"{number} {one if number == 1 else many or one + 's'}"
