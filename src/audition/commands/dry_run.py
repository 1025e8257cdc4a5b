"""`--dry-run`: what would be tried and what it will take, without asking anybody.

In: a plan, the wishes. Out: a Quote, or what people see of it. Must not know: how trials are run.
"""

import os
from pathlib import Path

from audition.commands.wishes import Wishes
from audition.config import Config
from audition.errors import Exit
from audition.installed import configure_agent
from audition.plan import Plan
from audition.quote import Quote


def show_plan(plan: Plan, wishes: Wishes, config: Config) -> int:
    """Show the plan and what it will take; nobody is asked."""
    from audition.terminal import print_plan

    print_plan(plan, wishes.output_format, quote=quote_plan(plan, wishes, config))
    return Exit.OK


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
