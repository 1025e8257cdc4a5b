"""`audition cases`: the cases as they are understood, and what an import lost.

In: paths. Out: a table or JSON on stdout. Must not know: agents, how cases are run.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.case_file import BadCases, formats, load_suites, read_suites
from audition.cases.to_yaml import join_suites, to_yaml
from audition.commands.options import option, output_format, paths_argument
from audition.commands.picking import generated_as_pkbllm_does
from audition.errors import Exit, UsageError
from audition.model import Case, Suite
from audition.plan import slug
from audition.report.columns import columns
from audition.report.escape import one_line, visible


@click.command()
@paths_argument
@output_format("text", "json")
@option("--strict", is_flag=True, help="Exit 1 when anything was dropped or reinterpreted.")
@option("--format", "format_name", metavar="NAME", help="Read every file as this format.")
@click.option("--to", type=click.Choice(["yaml"]), help="Print the cases in the native format.")
@click.option(
    "--into",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="With --to: write files there, with paths relative to them.",
)
def cases(paths: tuple[str, ...], output_format: str, strict: bool, **words: Any) -> int:
    """Show the cases below PATHS as they are understood; nothing is asked.

    \b
    Examples:
      audition cases
      audition cases evals/ --strict
      audition cases cases.yaml --output-format json
      audition cases tests/eval/test_cases.json --to yaml --into evals
    """
    format_name = words["format_name"]
    if format_name is not None:
        _ = formats[format_name]
    where = [Path(each) for each in paths]
    suites, findings = read_suites(where, format_name)
    if words["to"] or not suites:
        suites = load_suites(where, format_name)
    suites = (*suites, *generated_as_pkbllm_does(where, suites))
    if words["to"]:
        _convert(suites, words["into"])
    elif output_format == "json":
        click.echo(json.dumps([_entry(each) for each in suites], indent=2))
    else:
        click.echo("\n\n".join(_show(each) for each in suites))
    if findings:
        raise BadCases(findings)
    lost = any(each.severity != "note" for suite in suites for each in suite.losses)
    return Exit.FAILED if strict and lost else Exit.OK


def _convert(suites: Sequence[Suite], into: str | None) -> None:
    """Print one native file, or write as many as it takes; what is lost is said."""
    groups = join_suites(suites)
    for each in (loss for suite in suites for loss in suite.losses if loss.severity != "note"):
        plain = msgspec.structs.replace(each, hint="")
        click.echo(visible(f"{each.severity}: {plain}"), err=True)
    if any(case.process for suite in suites for case in suite.cases):
        click.echo("warning: rules of `process` are not written; copy them by hand", err=True)
    if into is None:
        if len(groups) > 1:
            words = f"the {len(suites)} suites do not fit in one file"
            raise UsageError(words, "name a folder for the files with `--into`, or fewer PATHS")
        click.echo(to_yaml(groups[0]), nl=False)
        return
    folder = Path(into)
    folder.mkdir(parents=True, exist_ok=True)
    taken: set[str] = set()
    for group in groups:
        path = folder / f"{_file_name(group, taken)}.cases.yaml"
        if path.exists():
            raise UsageError(f"`{path}` is there already", "remove it, or name another folder")
        path.write_text(to_yaml(group, folder), "utf-8")
        click.echo(str(path))


def _file_name(group: Sequence[Suite], taken: set[str]) -> str:
    """By its file where it is alone and well named, else by its folder."""
    path = Path(group[0].file).absolute()
    plain = path.stem in {"prompts", "tasks", "task", "evals", "eval", "test_cases", "SKILL"}
    folder = path.parent.parent if path.parent.name in {"evals", "eval", "tasks"} else path.parent
    name = slug(folder.name if plain or len(group) > 1 else path.stem)
    number = 2
    while f"{name}-{number}" in taken:
        number += 1
    name = f"{name}-{number}" if name in taken else name
    taken.add(name)
    return name


def _show(suite: Suite) -> str:
    positives = sum(bool(each.expected) for each in suite.cases)
    negatives = len(suite.cases) - positives
    head = (
        f"{suite.file}: {suite.format}, policy {suite.policy}; {_count(suite.skills, 'skill')}, "
        f"{_count(suite.cases, 'case')}: {positives} positive, {negatives} negative"
    )
    rows = [
        (
            f"  {one_line(each.id, 40)}",
            _expected(each),
            _count(each.checks, "check"),
            one_line(each.prompt, 60),
        )
        for each in suite.cases
    ]
    lines = [visible(head), columns(rows)]
    for each in suite.losses:
        field = f"{each.field}: " if each.field else ""
        hint = f" ({each.hint})" if each.hint else ""
        place = f"{each.line}:{each.column}"
        where = f"{each.severity}: {place if each.path == suite.file else f'{each.path}:{place}'}"
        lines.append("  " + visible(f"{where}: {field}{each.message}{hint}"))
    return "\n".join(lines)


def _count(things: Sequence[object], noun: str) -> str:
    return f"{len(things)} {noun}{'s' * (len(things) != 1)}"


def _expected(case: Case) -> str:
    if case.expected:
        return visible(" or ".join(case.expected))
    return visible(f"not {case.skill}" if case.skill else "none")


def _entry(suite: Suite) -> dict[str, object]:
    return {
        "file": suite.file,
        "format": suite.format,
        "policy": suite.policy,
        "skills": [each.name for each in suite.skills],
        "cases": [msgspec.to_builtins(each) for each in suite.cases],
        "losses": [
            {
                "field": each.field,
                "line": each.line,
                "file": each.path,
                "what": each.message,
                "column": each.column,
                "hint": each.hint,
                "severity": each.severity,
            }
            for each in suite.losses
        ],
    }
