"""`audition demo`: the bundled example suite on the embedded agent.

In: the words of the command line. Out: the table, two reports, an exit code.
Must not know: how a run is done; it is the same as `audition run`.
"""

from pathlib import Path

import click
import msgspec

import audition
from audition.commands.options import option, out_option
from audition.config import Config
from audition.errors import RunTrouble


def find_examples() -> Path:
    """The bundled examples: inside an installed package, beside the source of an editable one."""
    package = Path(audition.__file__).resolve().parent
    for folder in (package / "examples", package.parents[1] / "examples"):
        if (folder / "skills").is_dir():
            return folder
    raise RunTrouble("the bundled examples are missing", "install `audition` again")


def list_suites() -> list[Path]:
    """The suites that need no more than the understudy; folders of their own hold the others."""
    return sorted(find_examples().glob("*.cases.yaml"))


def write_page(run: Path) -> Path:
    """Write a run's report as one HTML file beside its results; where it is."""
    from audition.report import render
    from audition.store import read_inputs, read_records
    from audition.summary.tally import summarise

    inputs = read_inputs(run)
    records = list(read_records(run))
    path = run / "report.html"
    path.write_text(render(summarise(records, inputs), records, "html", inputs), encoding="utf-8")
    return path


@click.command
@option(
    "--agent",
    "-a",
    multiple=True,
    default=("understudy",),
    show_default=True,
    help="Ask this agent; may repeat.",
)
@option(
    "--jobs",
    "-j",
    type=click.IntRange(min=0),
    default=0,
    help="Trials at once.  [default: by the processors]",
)
@out_option
@click.pass_obj
def demo(config: Config, agent: tuple[str, ...], jobs: int, out: str) -> int:
    """Run the bundled example, end to end: no key, no network.

    \b
    Examples:
      audition demo
      audition demo -a oracle -a nop
    """
    from audition.commands.carry_out import carry_out
    from audition.commands.wishes import Wishes
    from audition.store import find_run

    wishes = msgspec.structs.replace(
        Wishes(), paths=tuple(map(str, list_suites())), agent=agent, jobs=jobs, out=out
    )
    code = carry_out(wishes, config)
    run = find_run(None, Path(out))
    for path in (write_page(run), run / "summary.md"):
        click.echo(f"report: {path}", err=True)
    return code
