"""`audition show --as`: a run in the files that another tool reads.

In: a run folder, the tool, a folder or none. Out: files, or one JSON object on stdout.
Must not know: what any tool's files look like.
"""

import json
from pathlib import Path

import click

from audition.config import Config
from audition.counted import counted
from audition.errors import UsageError
from audition.exports import Told, export
from audition.grading import read_judgement, read_sealed_trace
from audition.installed import configure_agent
from audition.model import Inputs, Record, Trace
from audition.store import read_inputs, read_records, read_sealed

KEPT_BYTES = 64 * 1024
"""So much of a session's raw output and of its stderr is at hand for an export."""


def hand_over(run: Path, tool: str, to: str | None, config: Config) -> None:
    """Write the tool's files below a folder, or print them by name."""
    inputs = read_inputs(run)
    told = [_told(run, record, inputs, config) for record in read_records(run)]
    if not told:
        raise UsageError(f"nothing of run {run.name} is finished yet", "")
    files = export(tool, told, inputs)
    if to is None:
        click.echo(
            json.dumps({name: _content(name, text) for name, text in files.items()}, indent=2)
        )
        return
    for name, text in files.items():
        path = Path(to, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", "replace")
    click.echo(f"wrote {counted(len(files), 'file')} below {to}", err=True)


def _content(name: str, text: str) -> object:
    return json.loads(text) if name.endswith(".json") else text


def _told(run: Path, record: Record, inputs: Inputs, config: Config) -> Told:
    folder = run / record.dir
    sealed = read_sealed(folder)
    name = sealed.trial.agent
    trace = Trace(agent=name)
    if (folder / "trace.jsonl").exists():
        like = (inputs.agents.get(name) or {}).get("like")
        agent = configure_agent(name if name in config.agents or not like else like, config)
        trace = read_sealed_trace(folder, agent, sealed)
    return Told(
        record=record,
        sealed=sealed,
        trace=trace,
        stdout=_head(folder / "trace.jsonl"),
        stderr=_head(folder / "stderr.txt"),
        judgement=read_judgement(folder),
    )


def _head(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(KEPT_BYTES).decode("utf-8", "replace")
    except OSError:
        return ""
