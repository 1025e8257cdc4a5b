"""`audition agents`: which agents are here, and how they are found.

In: the configuration and this machine. Out: a list.
Must not know: how an agent is asked.
"""

from typing import Any

import click
import msgspec

from audition.commands.options import output_format
from audition.config import Config
from audition.errors import AuditionError, Exit
from audition.installed import configure_agent, known_agents, make_ready
from audition.report.escape import visible


@click.command
@output_format("text", "json")
@click.pass_obj
def agents(config: Config, output_format: str) -> int:
    """List the agents that can be asked, and what each can do.

    \b
    Examples:
      audition agents
      audition agents --output-format json
    """
    rows = [describe(name, config) for name in known_agents(config)]
    if output_format == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(rows)))
        return Exit.OK
    for row in rows:
        state = f"{row['version'] or 'version unknown'}" if row["found"] else "not here"
        takes = ", ".join(map(str, row["deliveries"]))
        click.echo(f"{row['name']:<14} {visible(str(state)):<28} {takes}".rstrip())
        if row["missing"]:
            click.echo(f"{'':<14} {visible(str(row['missing']))}")
    return Exit.OK


def describe(name: str, config: Config) -> dict[str, Any]:
    """One agent: where it is, its version, what it takes and tells."""
    program: tuple[str, ...] = ()
    version = missing = ""
    agent = None
    try:
        agent = configure_agent(name, config)
        ready = make_ready(name, config)
        program, version = ready.program, ready.version
    except AuditionError as error:
        missing = f"{error}; {error.hint}" if error.hint else str(error)
    return {
        "name": name,
        "found": not missing,
        "program": program,
        "version": version,
        "missing": missing,
        "deliveries": agent.deliveries if agent else (),
        "usage": agent.reports_usage if agent else None,
        "several_turns": agent.several_turns if agent else None,
        "wire": agent.wire if agent else None,
    }
