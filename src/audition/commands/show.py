"""`audition show`: a run's summary, or one trial's session with its evidence.

In: `RUN` or `RUN::TRIAL`. Out: a report. Must not know: how anything was asked or graded.
"""

import re
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.commands.finish import LISTED, say, show_result
from audition.commands.options import out_option, output_format
from audition.config import Config
from audition.errors import RunTrouble, UsageError, unknown
from audition.exports import STYLES
from audition.model import Record
from audition.store import (
    find_run,
    read_ended,
    read_inputs,
    read_places,
    read_records,
)

FORMATS = ("text", "json", "jsonl", "markdown", "junit", "github", "html")
STDERR_BYTES = 4096


@click.command
@click.argument("what", metavar="[RUN[::TRIAL]]", required=False)
@click.option(
    "--as", "tool", type=click.Choice(tuple(STYLES)), help="As that tool has its results."
)
@click.option(
    "--to",
    metavar="FOLDER",
    type=click.Path(file_okay=False),
    help="With --as: write the files there instead of printing them.",
)
@out_option
@output_format(*FORMATS)
@click.pass_obj
def show(config: Config, /, what: str | None, out: str, **words: Any) -> None:
    """What RUN (default: the newest) came to, or what happened in one TRIAL of it.

    TRIAL is the id of a trial or a part of it that only one has, beside those of a baseline.

    \b
    Examples:
      audition show
      audition show last::greeting/hello
      audition show 20260102-030405 --output-format markdown
      audition show last --as cat --to artifacts/cat
    """
    run, _, trial = (what or "").partition("::")
    path = find_run(run or None, Path(out))
    if words["tool"]:
        from audition.commands.hand_over import hand_over

        hand_over(path, words["tool"], words["to"], config)
    elif trial:
        show_trial(path, trial, config, words["output_format"])
    else:
        show_run(path, words["output_format"])


def show_run(path: Path, style: str) -> None:
    """Print the summary of a run; what is damaged is named on stderr."""
    from audition.summary.tally import Tally

    inputs = read_inputs(path)
    damaged: list[RunTrouble] = []
    tally = Tally(inputs, read_ended(path))
    notable: list[Record] = []
    for record in read_records(path, damaged=damaged.append):
        tally.add(record)
        if record.status != "pass" and not record.variant and len(notable) < LISTED:
            notable.append(record)
    for each in damaged:
        say(f"damaged: {each}")
    show_result(path, inputs, tally.summary(), notable, style)


def show_trial(path: Path, words: str, config: Config, style: str) -> None:
    """Print the session of one trial."""
    from audition.commands.sessions import read_session
    from audition.session_text import session_as_markdown, session_as_text

    if style not in ("text", "json", "markdown"):
        raise UsageError(f"one trial cannot be shown as `{style}`", "choose text, json or markdown")
    session = read_session(path, find_trial(path, words), config)
    if style == "json":
        told = {name: getattr(session, name) for name in ("record", "sealed", "trace")}
        click.echo(msgspec.json.encode({"version": 1} | told))
    else:
        write = session_as_markdown if style == "markdown" else session_as_text
        click.echo(write(session), nl=False)


def find_trial(path: Path, words: str) -> str:
    """The place of the one trial that is meant; of the skill itself before that of a baseline."""
    trials = list(read_places(path))
    places = {trial.id: trial.place for trial in trials}
    if words in places:
        return places[words]
    whole = [name for name in places if f"/{words}/" in f"/{name}/"]
    if whole:  # a case of that name in another file has a hash behind it
        twin = re.compile(rf"/{re.escape(words)}-[0-9a-f]{{8}}/")
        whole += [name for name in places if twin.search(f"/{name}")]
    near = whole or [name for name in places if words in name]
    if not near:  # a case whose name is no safe file name has another one in its trials
        near = [each.id for each in read_records(path) if words in each.case]
    own = {trial.id for trial in trials if not trial.variant}
    near = [name for name in near if name in own] or near
    if len(near) == 1:
        return places[near[0]]
    if near:
        shown = ", ".join(f"`{name}`" for name in near[:5])
        raise UsageError(f"`{words}` may be {len(near)} trials", f"such as {shown}")
    cases = {name.split("/")[-3] for name in places if name.count("/") > 2}
    raise unknown("trial", words, {*places, *cases})
