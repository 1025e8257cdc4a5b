"""`--dry-run`: what would be tried and what it will take, without asking anybody.

In: a plan, the wishes. Out: a Quote, or what people see of it. Must not know: how trials are run.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from audition.commands.finish import say
from audition.commands.judges import say_unjudged
from audition.commands.wishes import Wishes
from audition.config import Config
from audition.counted import counted
from audition.errors import AgentMissing, Exit
from audition.installed import configure_agent, find_program, settings_of
from audition.plan import Plan
from audition.quote import Quote
from audition.report.escape import one_line

ARMS_SHOWN = 6


def show_plan(plan: Plan, wishes: Wishes, config: Config) -> int:
    """Show the plan and what it will take; nobody is asked."""
    from audition.terminal import print_plan

    for words in (say_unjudged(plan, wishes.judged), *_missing(wishes, config)):
        if words:
            say(words)
    print_plan(plan, wishes.output_format, quote=quote_plan(plan, wishes, config))
    return Exit.OK


def say_plan(plan: Plan, wishes: Wishes) -> str:
    """The plan on one line: how many trials, of how many cases, in which arms."""
    arms = dict.fromkeys(
        f"{each.agent}+{each.delivery}" + (f" {each.model}" if each.model else "")
        for each in plan.trials
    )
    shown = ", ".join(map(one_line, list(arms)[:ARMS_SHOWN]))
    more = f" and {len(arms) - ARMS_SHOWN} more" if len(arms) > ARMS_SHOWN else ""
    most = "at most " * any(cell.cap is not None for cell in plan.cells)
    cases = counted(len({each.case.node for each in plan.trials}), "case")
    left_out = sum(bool(each.ineligible) for each in plan.trials)
    words = f"{most}{counted(len(plan.trials), 'trial')}: {cases}, {shown}{more}"
    words += f", {left_out} ineligible" if left_out else ""
    told = f"{words}; {min(at_once(wishes), len(plan.trials))} at once"
    return "\n".join(filter(None, (told, say_unjudged(plan, wishes.judged))))


def _missing(wishes: Wishes, config: Config) -> Iterator[str]:
    """Programs that a run would ask for in vain."""
    for name in dict.fromkeys(wishes.agent):
        agent, settings = configure_agent(name, config), settings_of(name, config)
        if not (agent.program or settings.command):
            continue  # an embedded one
        try:
            find_program(agent, settings, config.folder)
        except AgentMissing as error:
            yield f"warning: {error}\nhint: {error.hint}"


def quote_plan(plan: Plan, wishes: Wishes, config: Config) -> Quote:
    """What a plan will take, by what such trials took lately."""
    from audition.index import read_averages
    from audition.quote import make_quote

    agents = [configure_agent(name, config) for name in dict.fromkeys(wishes.agent)]
    free = frozenset(each.name for each in agents if not each.version)
    took = read_averages(Path(wishes.out), wishes.provider)
    return make_quote(plan, took, at_once(wishes), free)


def at_once(wishes: Wishes) -> int:
    """How many trials run at once."""
    return wishes.jobs or min(8, max(2, os.cpu_count() or 2))
