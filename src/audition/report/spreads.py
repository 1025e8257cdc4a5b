"""What trials took, in words: the median, and the least and the most beside it.

In: Distributions. Out: cells of a table. Must not know: formats, the screen.
"""

from collections.abc import Callable

from audition.report.words import say_seconds
from audition.summary import Distribution, Spread

HEAD = ("Skill", "Arm", "Trials", "Time", "Commands", "Tokens")


def say_spread(spread: Spread | None, say: Callable[[float], str]) -> str:
    """`12 (8 to 40)`; one word where all are the same, a question mark where unknown."""
    if spread is None:
        return "?"
    middle, least, most = say(spread.median), say(spread.least), say(spread.most)
    return middle if least == most else f"{middle} ({least} to {most})"


def say_took(each: Distribution) -> tuple[str, str, str]:
    """Time, commands and tokens."""
    return (
        say_spread(each.seconds, say_seconds),
        say_spread(each.commands, lambda value: f"{value:.10g}"),
        say_spread(each.tokens, lambda value: f"{value:,.0f}".replace(",", " ")),
    )
