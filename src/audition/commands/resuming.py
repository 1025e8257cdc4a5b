"""What `--resume` does not listen to: a run is gone on with as it was asked for.

In: the options that were typed. Out: a note on stderr. Must not know: how a run is gone on with.
"""

from collections.abc import Sequence

import click
from click.core import ParameterSource

from audition.commands.finish import say

PLANNED = frozenset(
    [
        "suite",
        "generate_missing",
        "skill",
        "case",
        "k",
        "max_cases",
        "max_skills",
        "lf",
        "format",
        "agent",
        "delivery",
        "model",
        "trials",
        "timeout",
        "provider",
        "sandbox",
        "target",
        "unacceptable",
        "baseline",
        "fail_under",
    ]
)
"""The options that say what is asked; the plan that is kept has the last word on them."""


def tell_unused(context: click.Context, paths: Sequence[str]) -> None:
    """Name the words that were typed and are not used."""
    typed = [
        f"`{max(each.opts, key=len)}`"
        for each in context.command.params
        if each.name in PLANNED
        and context.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE
    ]
    unused = [*(f"`{path}`" for path in paths), *typed]
    if unused:
        say(f"note: the run goes on as it was planned: {', '.join(unused)} not used")
