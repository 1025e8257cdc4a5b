"""The end of a run, live or graded again: results, reports, index, exit code.

In: a run folder whose trials are graded. Out: its results and summaries, on disk and on
the screen. Must not know: how the trials came about.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from audition.commands.options import out_words
from audition.errors import Exit
from audition.model import Inputs, Record
from audition.report import render
from audition.store import read_ended, read_records, write_results
from audition.store.files import write_whole

if TYPE_CHECKING:
    from audition.summary.figures import Summary

LISTED = 200
"""So many records are at hand for the lists of a report; figures are over all."""


class Reckoning:
    """What a report is made of, one record at a time; shares add up, in the plan's order."""

    def __init__(self, run: Path, inputs: Inputs) -> None:
        # Imported once the first agents are asked, or have been: 6 ms.
        from audition.summary.tally import Tally

        self.tally = Tally(inputs, read_ended(run))
        self.notable: list[Record] = []

    def add(self, record: Record) -> None:
        """Count one record."""
        self.tally.add(record)
        if record.status != "pass" and not record.variant and len(self.notable) < LISTED:
            self.notable.append(record)

    def absorb(self, later: "Reckoning") -> None:
        """Count what another one counted of the trials behind ours."""
        self.tally.absorb(later.tally)
        self.notable += later.notable[: LISTED - len(self.notable)]


def finish(
    run: Path,
    inputs: Inputs,
    *,
    fsync: bool = True,
    anew: bool = True,
    counted: Reckoning | None = None,
) -> tuple["Summary", list[Record]]:
    """Write results.json, summary.json and summary.md, and bring the index up to date.

    Not `anew` where no record differs: results.json and the index stay, as do their stamps.
    What was `counted` already is not counted again.
    """
    reckoning = counted or Reckoning(run, inputs)
    for record in write_results(run, inputs, fsync=fsync) if anew else ():
        if counted is None:
            reckoning.add(record)
    summary, notable = reckoning.tally.summary(), reckoning.notable
    for name, style in (("summary.json", "json"), ("summary.md", "markdown")):
        text = render(summary, notable, style, inputs)
        write_whole(f"{run}/{name}", text.encode("utf-8", "replace"), fsync=fsync)
    if anew:
        _index(run)
    return summary, notable


def _index(run: Path) -> None:
    from audition.commands.history import kept_runs
    from audition.index import update_index

    update_index(run.parent, run.name, kept_runs(run.parent))


def show_result(
    run: Path, inputs: Inputs, summary: "Summary", notable: list[Record], style: str
) -> None:
    """Print the report that was asked for on standard output."""
    if style == "text":
        from audition.terminal import print_summary

        print_summary(summary, notable, out_words(run.parent))
        return
    if style == "jsonl":
        for record in read_records(run):
            click.echo(render(summary, [record], "jsonl", inputs), nl=False)
        return
    # What a baseline fails at is no failure of the skill's.
    own = (record for record in read_records(run) if not record.variant)
    if style == "github":
        own = (_as_github_sees(record, inputs.stood) for record in own)
    records = own if style in ("junit", "html", "github") else notable
    click.echo(render(summary, records, style, inputs))
    if style == "github":
        tell_github(run, inputs, summary)


def _as_github_sees(record: Record, stood: str) -> Record:
    """Marks are put on files as they are called from the root of the repository."""
    root = os.environ.get("GITHUB_WORKSPACE")
    if not root:
        return record
    path = os.path.realpath(os.path.join(stood, record.file))
    below = os.path.relpath(path, os.path.realpath(root))
    return record if below.startswith("..") else msgspec.structs.replace(record, file=below)


def tell_github(run: Path, inputs: Inputs, summary: "Summary") -> None:
    """Append the job summary where GitHub Actions wants it."""
    from audition.report.github import job_summary

    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if target:
        with Path(target).open("a", encoding="utf-8") as file:
            own = (record for record in read_records(run) if not record.variant)
            file.write(job_summary(summary, own, inputs))


def exit_code(summary: "Summary", *, interrupted: bool = False) -> Exit:
    """What the run as a whole says: see the table in errors.py.

    Trials in error beside good ones are not a success either: 1, for not everything that
    was asked for is known to be good. Nothing but errors, or nothing at all, is 2.
    """
    from audition.summary.figures import has_failed, is_open

    totals = summary.totals
    if interrupted:
        return Exit.INTERRUPTED
    if totals.passed + totals.fail == 0:
        return Exit.BROKEN
    if summary.gates:
        # Whoever sets a gate has said what a failing trial, an error and a cap are worth.
        return Exit.OK if all(each.lets_pass for each in summary.gates) else Exit.FAILED
    return Exit.FAILED if has_failed(summary) or is_open(summary) else Exit.OK


def say(text: str) -> None:
    """A line of talk."""
    click.echo(text, err=True)
