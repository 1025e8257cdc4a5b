"""`audition sees`: what an agent really shows its model of the skills.

In: skills, agents, models, deliveries. Out: a table for each cell of the grid, or JSON.
Must not know: how the agent is asked; see shown.py.
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.attempt import Means
from audition.commands.modes import agents_meant, check_delivery
from audition.commands.options import option, output_format
from audition.config import Config
from audition.counted import counted
from audition.eligible import why_not_taken
from audition.errors import AgentMissing, BadFile, Exit, UsageError
from audition.installed import Ready, check_mcp, make_ready
from audition.model import Skill, Value
from audition.plan import slug
from audition.provider import Provider, parse_policy
from audition.report.escape import visible
from audition.sandbox import sandboxes
from audition.shown import Look, Sight, see
from audition.skills import find_skills
from audition.workspace import keep_inputs

TOPICS = ("invoices", "recipes", "tides", "chess openings", "bird songs", "tax forms", "maps")


@click.command
@click.argument("skills", nargs=-1, type=click.Path(path_type=Path))
@option(
    "--agent",
    "-a",
    multiple=True,
    default=("claude",),
    show_default=True,
    callback=agents_meant,
    help="Look at this agent; may repeat.",
)
@option("--model", "-m", multiple=True, help="With this model; may repeat.")
@option(
    "--delivery",
    "-d",
    "--mode",
    multiple=True,
    default=("native",),
    show_default=True,
    is_eager=True,
    help="How the skills reach it; may repeat.",
)
@click.option(
    "--with",
    "beside",
    metavar="N|FOLDER",
    multiple=True,
    help="Beside N made-up skills, or those of a folder; may repeat.",
)
@output_format("text", "json")
@click.pass_obj
def sees(config: Config, /, **words: Any) -> int:
    """Show what an agent shows its model of SKILLS: in full, cut, by name only, or not.

    Runs the real program once for each cell, with a model of ours: no key, no network, no cost.

    \b
    Examples:
      audition sees
      audition sees skills/greeting -a claude -m sonnet -m haiku
      audition sees skills -d native -d mcp --with 40
      audition sees skills --output-format json
    """
    cells = list(look_at(words, config))
    if words["output_format"] == "json":
        told = msgspec.json.encode([cell.told for cell in cells])
        click.echo(msgspec.json.format(told).decode())
    for cell in cells:
        if words["output_format"] != "json":
            _print(cell)
        elif cell.sight.problem:
            click.echo(visible(f"error: {cell.name}: {cell.sight.problem}"), err=True)
    return Exit.BROKEN if any(cell.sight.problem for cell in cells) else Exit.OK


class Cell(Value, frozen=True, kw_only=True):
    """One cell of the grid: as JSON tells it, and as it was seen."""

    told: dict[str, Any]
    sight: Sight
    for_users: frozenset[str]
    """Skills that no model may call."""

    @property
    def name(self) -> str:
        """The arm, and its model."""
        return f"{self.told['agent']}+{self.told['delivery']} {self.told['model'] or ''}".rstrip()


def look_at(words: dict[str, Any], config: Config) -> Iterator[Cell]:
    """Every cell of the grid."""
    own = find_skills(words["skills"])
    if not own:
        raise UsageError("there are no skills here", "name a skill folder, or a folder of them")
    ready = [make_ready(name, config) for name in dict.fromkeys(words["agent"])]
    for each in ready:
        if not each.agent.wire:
            raise AgentMissing(f"`{each.agent.name}` asks no model, so it shows none anything")
    deliveries = dict.fromkeys(map(check_delivery, words["delivery"]))
    check_mcp(deliveries, config.mcp)
    with tempfile.TemporaryDirectory(prefix="audition-sees-") as name:
        folder = Path(name)
        skills = _by_key((*own, *_beside(words["beside"], folder)))
        if bad := keep_inputs(folder, skills, ()).skills:
            raise BadFile("\n".join(bad.values()), "a copy holds plain files and folders only")
        means = Means(
            run=folder,
            skills=skills,
            sandbox=sandboxes["home"],
            provider=Provider(parse_policy("live"), None),
            mcp=config.mcp,
        )
        hidden = (skill.name for skill in skills.values() if not skill.model_invocable)
        for_users = frozenset(hidden)
        for each in ready:
            for delivery in deliveries:
                for model in dict.fromkeys(words["model"] or (None,)):
                    look = Look(skills=tuple(skills), delivery=delivery, model=model)
                    cannot = why_not_taken(delivery, each.agent)
                    sight = Sight(problem=cannot) if cannot else see(look, each, means)
                    told = _tell(each, look, sight, {skill.name for skill in own})
                    yield Cell(told=told, sight=sight, for_users=for_users)


def _beside(wanted: tuple[str, ...], folder: Path) -> Iterator[Skill]:
    for word in wanted:
        if word.isdigit():
            yield from find_skills([_make_up(int(word), folder / "made-up")])
        else:
            yield from find_skills([Path(word)])


def _make_up(number: int, folder: Path) -> Path:
    """So many skills that nobody needs, with descriptions of an ordinary length."""
    for n in range(1, number + 1):
        topic = TOPICS[n % len(TOPICS)]
        about = f"Helps with {topic}, number {n}. Use it when somebody asks about {topic}. " * 3
        skill = folder / f"made-up-{n:03}"
        skill.mkdir(parents=True)
        text = f"---\nname: {skill.name}\ndescription: {about.strip()}\n---\nNothing to do.\n"
        (skill / "SKILL.md").write_text(text)
    folder.mkdir(exist_ok=True)
    return folder


def _by_key(skills: tuple[Skill, ...]) -> dict[str, Skill]:
    found: dict[str, Skill] = {}
    for each in skills:
        key = slug(each.name)
        while key in found:
            key += "-2"
        found[key] = each
    return found


def _tell(ready: Ready, look: Look, sight: Sight, own: set[str]) -> dict[str, Any]:
    return {
        "agent": ready.agent.name,
        "version": ready.version,
        "model": look.model or ready.agent.model,
        "delivery": look.delivery,
        "budget_chars": sight.budget_chars,
        "skills": [
            {
                "skill": offer.skill,
                "offered": offer.offered,
                "shown_chars": offer.shown_chars,
                "of_chars": offer.of_chars,
            }
            for offer in sorted(sight.catalogue, key=lambda each: each.skill not in own)
        ],
    }


def _print(cell: Cell) -> None:
    told, sight = cell.told, cell.sight
    click.echo(visible(f"{cell.name}  ({told['version']})"))
    if sight.problem:
        click.echo(visible(f"  nothing was seen: {sight.problem}"))
    for offer in told["skills"]:
        shown, of = offer["shown_chars"], offer["of_chars"]
        why = ": only the user may call it" if offer["skill"] in cell.for_users else ""
        said = {
            "full": f"in full, {counted(shown, 'character')}",
            "cut": f"cut after {shown} of {counted(of, 'character')}",
            "name": f"name only, none of {counted(of, 'character')}",
            "missing": f"missing{why}",
        }.get(offer["offered"], "unknown")
        click.echo(visible(f"  {offer['skill']:<24} {said}"))
    used = sum(sight.listing_bytes.values())
    room = f" of about {sight.budget_chars} characters" if sight.budget_chars else ""
    ways = ", ".join(f"{size} {route}" for route, size in sight.listing_bytes.items())
    click.echo(
        f"  listing: {counted(used, 'byte')}{room}"
        + (f" ({ways})" if len(sight.listing_bytes) > 1 else "")
    )
    if sight.also_shown:
        click.echo(visible(f"  shared with the agent's own: {', '.join(sight.also_shown)}"))
