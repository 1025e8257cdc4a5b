"""`audition cases`: the cases as they are understood, and what an import lost.

In: paths. Out: a table or JSON on stdout. Must not know: agents, how cases are run.
"""

import json
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from audition.case_file import formats, load_suites
from audition.commands.options import option, output_format, paths_argument
from audition.commands.plain import columns
from audition.errors import Exit
from audition.model import Case, Suite
from audition.report.escape import one_line, visible


@click.command()
@paths_argument
@output_format("text", "json")
@option("--strict", is_flag=True, help="Exit 1 when anything was dropped or reinterpreted.")
@option("--format", "format_name", metavar="NAME", help="Read every file as this format.")
def cases(paths: tuple[str, ...], output_format: str, strict: bool, format_name: str | None) -> int:
    """Show the cases below PATHS as they are understood; nothing is asked.

    \b
    Examples:
      audition cases
      audition cases evals/ --strict
      audition cases cases.yaml --output-format json
    """
    if format_name is not None:
        _ = formats[format_name]
    suites = load_suites([Path(each) for each in paths], format_name)
    if output_format == "json":
        click.echo(json.dumps([_entry(each) for each in suites], indent=2))
    else:
        click.echo("\n\n".join(_show(each) for each in suites))
    lost = any(each.severity != "note" for suite in suites for each in suite.losses)
    return Exit.FAILED if strict and lost else Exit.OK


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
        where = f"{each.severity}: {each.line}:{each.column}"
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
                "what": each.message,
                "column": each.column,
                "hint": each.hint,
                "severity": each.severity,
            }
            for each in suite.losses
        ],
    }
