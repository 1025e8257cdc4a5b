"""A trial whose inputs are all unchanged is not asked again: `--reuse`.

In: a trial and all that it would be given. Out: its key, and what an earlier run sealed under
the same key. Must not know: grading; what is taken over is graded like any other.

The key holds what the agent is given: the skills on offer byte for byte, the prompt, the
fixture's contents, the agent and its version, the model, the settings, the number of the
trial. Checks, rubric and policy are not in it, for grading is free. It is looked for at the
same place of the other runs, so that nothing has to be indexed.
"""

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from audition import __version__
from audition.errors import RunTrouble
from audition.fingerprint import short_digest
from audition.installed import Ready
from audition.model import Inputs, Json, Sealed, Skill, Trial, Value
from audition.store import read_record, read_sealed

NOT_TAKEN = ("meta.json", "grade.json", "judge.json")


class Shelf(Value, frozen=True, kw_only=True):
    """What the keys of a run's trials are made of, and the runs that may be taken from."""

    skills: Mapping[str, Skill]
    ready: Mapping[str, Ready]
    fixtures: Mapping[str, str]
    shared: tuple[Json, ...] = ()
    """What is the same for all trials: provider, sandbox, the MCP server."""
    runs: Sequence[Path] = ()
    """The newest first; empty without `--reuse`."""


def make_shelf(
    inputs: Inputs, ready: Mapping[str, Ready], mcp: Json, runs: Sequence[Path]
) -> Shelf:
    """The shelf of a run. A scripted model's script is no part of the key, so none is reused."""
    settings = inputs.settings
    provider = str(settings.get("provider") or "live")
    return Shelf(
        skills=inputs.skills,
        ready=ready,
        fixtures=settings.get("fixtures") or {},
        shared=(provider, settings.get("sandbox"), mcp),
        runs=() if provider.startswith("script:") else tuple(runs),
    )


def trial_key(trial: Trial, shelf: Shelf) -> str:
    """The content address of all that the agent is given; empty where it cannot be known."""
    case, ready = trial.case, shelf.ready[trial.agent]
    paths = [*case.files.values(), *([case.fixture] if case.fixture else [])]
    if any(not shelf.fixtures.get(path) for path in paths):
        return ""
    skills = [(shelf.skills[key].name, shelf.skills[key].digest) for key in trial.skills]
    return short_digest(
        *(sorted(skills), case.skill, case.id, case.prompt, case.then, case.settings, case.env),
        shelf.fixtures.get(case.fixture or ""),
        sorted((name, shelf.fixtures[path]) for name, path in case.files.items()),
        *(trial.agent, trial.delivery, trial.model or ready.agent.model, trial.number),
        *(trial.timeout_s, ready.version or __version__, ready.settings, shelf.shared),
    )


def take_over(trial: Trial, staging: Path, shelf: Shelf) -> Sealed | None:
    """What an earlier run sealed of the same trial, copied; None where there is nothing."""
    key = trial_key(trial, shelf) if shelf.runs else ""
    for run in shelf.runs if key else ():
        folder = run / "work" / trial.place
        if not os.path.exists(folder / "meta.json"):
            continue
        try:
            sealed, record = read_sealed(folder), read_record(folder)
        except RunTrouble:
            continue
        # Trouble is asked again: it says nothing about the skill.
        if sealed.key != key or record is None or record.status not in ("pass", "fail"):
            continue
        _copy(folder, staging)
        return msgspec.structs.replace(sealed, trial=trial, reused=sealed.reused or run.name)
    return None


def _copy(folder: Path, staging: Path) -> None:
    for each in sorted(folder.iterdir()):
        if each.name in NOT_TAKEN or each.is_symlink():
            continue
        if each.is_dir():
            shutil.copytree(each, staging / each.name, symlinks=True)
        else:
            shutil.copy2(each, staging / each.name)
