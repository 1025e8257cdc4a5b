"""`audition agents`: which agents are here, how they are found and signed in.

In: the configuration and this machine. Out: a list.
Must not know: how an agent is asked.
"""

import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.commands.options import output_format
from audition.config import Config
from audition.errors import AuditionError, Exit
from audition.installed import Ready, configure_agent, known_agents, make_ready
from audition.report.escape import visible
from audition.sign_in import find_sign_in

AT_ONCE = 4
"""Programs that are started at once: most take a second to say their version."""
STANDS_FOR = {"acp": "acp:COMMAND", "coin": "coin:0.8"}
"""Names that need a word of the user's, each with one."""
WANTS = {"coin": "a rate: `coin:0.8`"}
"""Those that are here whatever that word is."""


@click.command
@click.argument("names", nargs=-1)
@click.option(
    "--probe",
    is_flag=True,
    help="Ask each one turn, with a model of ours, to prove that it works; free.",
)
@output_format("text", "json")
@click.pass_obj
def agents(config: Config, /, names: tuple[str, ...], *, probe: bool, output_format: str) -> int:
    """List the agents that can be asked, or those of these NAMES, and what each can do.

    \b
    Examples:
      audition agents
      audition agents claude --probe
      audition agents --output-format json
    """
    wanted = [*dict.fromkeys(names)] or known_agents(config)
    for name in names:
        configure_agent(STANDS_FOR.get(name, name), config)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        rows = list(pool.map(lambda name: describe(name, config, probe=probe), wanted))
    if output_format == "json":
        click.echo(msgspec.json.format(msgspec.json.encode(rows)))
    else:
        for row in rows:
            print_row(row)
    broken = any(not (row["probe"] or "works").startswith("works") for row in rows)
    absent = any(row["name"] in names and not row["found"] for row in rows)
    return Exit.FAILED if broken or absent else Exit.OK


def describe(name: str, config: Config, *, probe: bool = False) -> dict[str, Any]:
    """One agent: where it is, its version, how it is signed in, what it takes and tells."""
    ready = agent = None
    missing = ""
    try:
        # What `acp:…` and `coin:…` can do does not hang on what stands behind the colon.
        agent = configure_agent(STANDS_FOR.get(name, name), config)
        ready = make_ready(STANDS_FOR[name] if name in WANTS else name, config)
    except AuditionError as error:
        missing = f"{error}; {error.hint}" if error.hint else str(error)
    return {
        "name": name,
        "found": not missing,
        "program": ready.program if ready else (),
        "version": ready.version if ready else "",
        "wants": WANTS.get(name, ""),
        "trouble": ready.trouble if ready else "",
        "missing": missing,
        "sign_in": say_sign_in(ready) if ready and ready.agent.wire else None,
        "probe": try_out(ready, config) if probe and ready and ready.agent.wire else None,
        "deliveries": agent.deliveries if agent else (),
        "usage": agent.reports_usage if agent else None,
        "offers_by": agent.offers_by if agent else None,
        "several_turns": agent.several_turns if agent else None,
        "wire": agent.wire if agent else None,
    }


def say_sign_in(ready: Ready) -> str:
    """By what it would be signed in; never the secret itself."""
    found = find_sign_in(ready.agent, os.environ, Path.home())
    if found.problem:
        return f"not signed in: {found.how}: {found.problem}"
    if found.how:
        return f"by {found.how}"
    return f"not signed in: {ready.agent.sign_in}" if ready.agent.sign_in else "not signed in"


def try_out(ready: Ready, config: Config) -> str:
    """`works`, or why one turn with a model of ours did not."""
    from audition.attempt import Means
    from audition.provider import Provider, parse_policy
    from audition.sandbox import sandboxes
    from audition.shown import Look, see
    from audition.skills import find_skills
    from audition.workspace import keep_inputs

    with tempfile.TemporaryDirectory(prefix="audition-probe-") as name:
        folder = Path(name)
        skill = folder / "probe"
        skill.mkdir()
        (skill / "SKILL.md").write_text(
            "---\nname: probe\ndescription: For a probe.\n---\nHello.\n"
        )
        skills = {"probe": find_skills([skill])[0]}
        keep_inputs(folder, skills, ())
        means = Means(
            run=folder,
            skills=skills,
            sandbox=sandboxes["home"],
            provider=Provider(parse_policy("live"), None),
            mcp=config.mcp,
        )
        sight = see(Look(skills=("probe",), delivery="native"), ready, means)
    if sight.problem:
        return sight.problem
    (offer,) = sight.catalogue
    if offer.offered == "missing":
        return "its model is not shown the skill on trial"
    return "works" if offer.offered == "full" else "works; its model is shown names only"


def print_row(row: dict[str, Any]) -> None:
    """One agent for people."""
    state = f"{row['version'] or 'version unknown'}" if row["found"] else "not here"
    takes = ", ".join(map(str, row["deliveries"]))
    click.echo(f"{row['name']:<14} {visible(str(state)):<28} {takes}".rstrip())
    lines = [row["missing"], row["wants"] and f"wants {row['wants']}", " ".join(row["program"])]
    lines += [f"its version is not known: {row['trouble']}"] if row["trouble"] else []
    lines += [row["sign_in"]]
    lines += [f"probe: {row['probe']}"] if row["probe"] else []
    for line in filter(None, lines):
        click.echo(f"{'':<14} {visible(str(line))}")
