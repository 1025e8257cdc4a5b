"""`audition lint`: mistakes in skills and case files, by reading alone.

In: paths. Out: findings on stdout, as they are found; what was mended and the count on stderr.
Must not know: the rules.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import click

from audition.commands.options import option, output_format, paths_argument
from audition.counted import counted
from audition.errors import Exit
from audition.lint import FORMATS, Lint, choose_rules
from audition.lint import lint as find
from audition.model import Finding
from audition.report.escape import visible


@click.command()
@paths_argument
@output_format(*FORMATS)
@option("--select", multiple=True, metavar="RULES", help="Only these: ids, or how they begin.")
@option("--ignore", multiple=True, metavar="RULES", help="All but these: ids, or how they begin.")
@option("--check-evals", is_flag=True, help="Look at the case files, too.")
@option("--strict", is_flag=True, help="Exit 1 on warnings, too.")
@option("--fix", is_flag=True, help="Mend what can be mended without loss, and say so.")
def lint(paths: tuple[str, ...], output_format: str, **words: Any) -> int:
    """Find mistakes in the skills below PATHS, or in the usual places; nothing is run.

    Exit 0 without errors, 1 with some, 2 where there is nothing to look at.
    `audition explain SK101` shows the page of a rule. A comment in SKILL.md,
    `<!-- audition: ignore SK203 -->`, silences a rule for that skill; rules on safety
    (SK5) listen to `--ignore` only.

    \b
    Examples:
      audition lint
      audition lint skills/ --check-evals --strict
      audition lint cases.yaml
      audition lint --select SK1,SK5 --output-format github
    """
    asked = Lint(paths, choose_rules(words["select"], words["ignore"]), evals=words["check_evals"])
    count: Counter[str] = Counter()
    for text in FORMATS[output_format](_counted(find(asked, fix=words["fix"]), count)):
        click.echo(_fitting(text), nl=False)
    for each in asked.mended:
        click.echo(f"mended: {visible(each)}", err=True)
    click.echo(_sum(asked, count), err=True)
    bad = count["error"] + (count["warning"] if words["strict"] else 0)
    return Exit.FAILED if bad else Exit.OK


def _counted(found: Iterator[Finding], count: Counter[str]) -> Iterator[Finding]:
    for each in found:
        count[each.severity] += 1
        yield each


def _fitting(text: str) -> str:
    # A Windows console may know a few hundred characters only.
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _sum(asked: Lint, count: Counter[str]) -> str:
    looked = [counted(len(asked.folders), "skill")]
    if asked.evals:
        looked.append(counted(len(asked.read[0]), "case file"))
    found = ", ".join(counted(count[each], each) for each in ("error", "warning", "note"))
    return f"{' and '.join(looked)}: {found}"
