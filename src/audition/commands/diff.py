"""`audition diff A B`: what got better, what got worse, and which inputs changed.

In: two runs. Out: a comparison, and an exit code. Must not know: how runs are compared.
"""

from pathlib import Path
from typing import Any

import click
import msgspec

from audition.commands.options import Number, option, out_option, output_format
from audition.errors import Exit


@click.command
@click.argument("a")
@click.argument("b", default="last")
@option(
    "--tolerance",
    type=Number(0, 1),
    default=0.0,
    show_default=True,
    help="A fall of the pass rate up to this much is no regression.",
)
@out_option
@output_format("text", "json", "markdown")
def diff(a: str, b: str, tolerance: float, out: str, **words: Any) -> int:
    """What became of the trials of A in B (default: the newest run).

    A and B are runs, files `results.json` that were put aside as a baseline, `REF:PATH`: such a
    file as of a commit, or `REF`: the newest run of the skills as they were at the commit. Trials are paired by case, skill, file, arm and number. The answer is 1
    where a regression is established, not where one trial failed that passed before.

    \b
    Examples:
      audition diff 20260102-030405
      audition diff baseline.json last --tolerance 0.05
      audition diff main HEAD
      audition diff main:evals/results.json last --output-format markdown
    """
    from audition.commands.sides import read_side
    from audition.comparison import compare
    from audition.report.compared import write_comparison

    sides = read_side(a, Path(out), b), read_side(b, Path(out), a)
    found = compare(*sides, tolerance)
    if words["output_format"] == "json":
        click.echo(msgspec.json.encode(found))
    else:
        click.echo(write_comparison(found, words["output_format"]), nl=False)
    return Exit.FAILED if found.regressed else Exit.OK
