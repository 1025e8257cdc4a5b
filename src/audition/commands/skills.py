"""`audition skills`: the skills that are there, and who may invoke them.

In: paths. Out: a table or JSON on stdout. Must not know: cases, agents.
"""

import json
from pathlib import Path

import click

from audition.commands.options import output_format, paths_argument
from audition.errors import UsageError
from audition.exports.cat import write_inventory
from audition.model import Skill
from audition.report.columns import columns
from audition.report.escape import one_line, visible
from audition.skills import PLACES, find_skills


@click.command()
@paths_argument
@output_format("text", "json")
@click.option("--as", "tool", type=click.Choice(["cat"]), help="As that tool has its inventory.")
def skills(paths: tuple[str, ...], output_format: str, tool: str | None) -> None:
    """List the skills below PATHS, or in the usual places.

    Whether the model may call a skill (`disable-model-invocation`) and whether the user
    may (`user-invocable`) are two different questions; both are answered.

    \b
    Examples:
      audition skills
      audition skills plugins/ --output-format json
    """
    found = find_skills([Path(each) for each in paths])
    if not found:
        looked = ", ".join(f"`{each}`" for each in paths or PLACES)
        raise UsageError(f"no SKILL.md below {looked}", "name the folder that holds your skills")
    if tool:
        click.echo(write_inventory(found), nl=False)
        return
    if output_format == "json":
        click.echo(json.dumps([_entry(each) for each in found], indent=2))
        return
    rows = [("NAME", "MODEL", "USER", "FILES", "DESCRIPTION", "PATH")]
    rows += [_row(each) for each in found]
    click.echo(columns(rows))
    for skill in found:
        for each in skill.problems:
            where = f"{_near(each.path)}:{each.line}:{each.column}"
            click.echo(visible(f"{each.severity}: {where}: {each.message}"), err=True)


def _row(skill: Skill) -> tuple[str, str, str, str, str, str]:
    return (
        one_line(skill.name, 40),
        "yes" if skill.model_invocable else "no",
        "yes" if skill.user_invocable else "no",
        str(len(skill.resources) + 1),
        one_line(skill.description, 60),
        visible(_near(skill.path)),
    )


def _near(path: str) -> str:
    """The path as one would type it here."""
    try:
        return str(Path(path).absolute().relative_to(Path.cwd()))
    except ValueError:
        return path


def _entry(skill: Skill) -> dict[str, object]:
    return {
        "name": skill.name,
        "description": skill.description,
        "argument_hint": skill.argument_hint,
        "path": skill.path,
        "digest": skill.digest,
        "resources": skill.resources,
        "model_invocable": skill.model_invocable,
        "user_invocable": skill.user_invocable,
        "problems": [
            {
                "path": each.path,
                "line": each.line,
                "column": each.column,
                "message": each.message,
                "hint": each.hint,
                "field": each.field,
                "severity": each.severity,
            }
            for each in skill.problems
        ],
    }
