"""The words for a delivery: ours, and those of skilljack, which name the agent too.

In: words of the command line. Out: deliveries, and the agents that the words mean.
Must not know: how skills are delivered.
"""

from typing import get_args

import click
from click.core import ParameterSource

from audition.agent import Delivery
from audition.errors import UsageError, unknown

MODES = {
    "local": ("native", "claude-sdk"),
    "mcp+local": ("mcp+native", "claude-sdk"),
    "cli-native": ("native", "claude"),
    "cli-local": ("native", "claude"),
}
"""skilljack asks the SDK in some modes and the program in others; where the word is also one of
ours, such as `native`, it says nothing of the agent."""


def check_delivery(word: str) -> str:
    """A delivery by any of its spellings; an unknown one names the nearest."""
    known = get_args(Delivery)
    delivery = MODES[word][0] if word in MODES else word
    if delivery not in known:
        raise unknown("delivery", word, [*known, *MODES])
    return delivery


def agents_meant(
    context: click.Context, parameter: click.Parameter, value: tuple[str, ...]
) -> tuple[str, ...]:
    """The agents as said, else those that the mode means, else the default."""
    source = context.get_parameter_source(str(parameter.name))
    if source not in (ParameterSource.DEFAULT, None):
        return value
    words = context.params.get("delivery") or ()
    meant = dict.fromkeys(MODES[word][1] for word in words if word in MODES)
    if len(meant) > 1 or (meant and not all(word in MODES for word in words)):
        raise UsageError(
            f"the modes {', '.join(f'`{word}`' for word in words)} do not all mean one agent",
            "name the agents by `-a`",
        )
    return tuple(meant) or value
