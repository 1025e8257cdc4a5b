"""One trial's session, read from what was sealed; for `show` and `view`.

In: a run and the place of a trial. Out: a Session. Must not know: how it is shown.
"""

import os
from pathlib import Path

from audition.commands.finish import say
from audition.config import Config
from audition.errors import RunTrouble
from audition.model import End, Inputs, Record, Sealed, Trace
from audition.session_text import Session
from audition.store import read_inputs, read_record, read_sealed

STDERR_BYTES = 4096


def read_session(path: Path, place: str, config: Config) -> Session:
    """The session of the trial at that place of a run."""
    folder = path / "work" / place
    if not (folder / "meta.json").exists():
        raise RunTrouble(
            f"this trial was not run: {folder} holds no meta.json",
            f"`audition status {path.name}` tells what is left",
        )
    sealed = read_sealed(folder)
    return Session(
        sealed=sealed,
        trace=_trace(folder, sealed, read_inputs(path, plan=False), config),
        record=_record(folder),
        stderr=_tail(folder / "stderr.txt"),
    )


def _record(folder: Path) -> Record | None:
    try:
        return read_record(folder)
    except RunTrouble as error:
        say(f"damaged: {error}")
        return None


def _trace(folder: Path, sealed: Sealed, inputs: Inputs, config: Config) -> Trace:
    name = sealed.trial.agent
    if not (folder / "trace.jsonl").exists():
        why = sealed.problem or sealed.trial.ineligible or "no trace was kept"
        return Trace(agent=name, end=End(reason=why))
    from audition.grading import read_sealed_trace
    from audition.installed import configure_agent

    like = (inputs.agents.get(name) or {}).get("like")
    agent = configure_agent(name if name in config.agents or not like else like, config)
    return read_sealed_trace(folder, agent, sealed)


def _tail(path: Path) -> str:
    try:
        with path.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - STDERR_BYTES))
            return file.read().decode(errors="replace")
    except OSError:
        return ""
