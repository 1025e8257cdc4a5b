"""What trials took, in words: the median, and the least and the most beside it.

In: Distributions. Out: cells of a table. Must not know: formats, the screen.
"""

from collections.abc import Callable

from audition.counted import say_seconds
from audition.summary.spread import Distribution, Spread

TOOK = ("Time", "Turns", "Commands", "Effective", "Tokens", "Cost")
HEAD = ("Skill", "Arm", "Trials", *TOOK)


def say_spread(spread: Spread | None, say: Callable[[float], str]) -> str:
    """`12 (8 to 40)`; one word where all are the same, a question mark where unknown."""
    if spread is None:
        return "?"
    middle, least, most = say(spread.median), say(spread.least), say(spread.most)
    return middle if least == most else f"{middle} ({least} to {most})"


def _plain(value: float) -> str:
    return f"{value:.10g}"


def say_took(each: Distribution) -> tuple[str, ...]:
    """What TOOK heads: time, turns, commands, those that were effective, tokens, cost."""
    return (
        say_spread(each.seconds, say_seconds),
        say_spread(each.turns, _plain),
        say_spread(each.commands, _plain),
        say_spread(each.effective, _plain),
        say_spread(each.tokens, lambda value: f"{value:,.0f}".replace(",", " ")),
        say_spread(each.dollars, lambda value: f"${value:.3g}"),
    )


def say_all_it_took(each: Distribution) -> str:
    """The same in a sentence; what cost nothing has no cost."""
    seconds, turns, commands, _, tokens, dollars = say_took(each)
    cost = f", cost {dollars}" if each.dollars and each.dollars.most else ""
    return f"{seconds}, turns {turns}, commands {commands}, tokens {tokens}{cost}"
