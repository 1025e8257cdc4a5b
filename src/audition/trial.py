"""One trial, from beginning to end. Read this first.

In: a Trial and the house it runs in. Out: a Record, kept on disk.
Must not know: how many trials there are, who looks at them.
"""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from audition.agent import Ask, Command
from audition.errors import AuditionError
from audition.grading import Grading, grade_sealed
from audition.installed import Ready
from audition.model import Record, Sealed, Trial, Value
from audition.process import Finished, Start, run_command
from audition.sandbox import Sandbox
from audition.store import Run
from audition.workspace import Stage, seal_files, staged


class House(Value, frozen=True, kw_only=True):
    """What all trials of a run share."""

    run: Run
    grading: Grading
    ready: dict[str, Ready]
    sandbox: Sandbox
    bare: bool = False
    """No private home and no repository of its own: the sandbox `none`."""
    stop: Callable[[], bool] = lambda: False
    """True once the user wants running agents ended now."""
    bad_fixtures: dict[str, str] = {}


def run_trial(trial: Trial, house: House) -> Record | None:
    """Stage, ask, seal, read, grade, record; None where it was interrupted."""
    staging = house.run.start(trial)
    sealed = _nothing_asked(trial, house) or ask(trial, staging, house)
    if sealed.stopped == "interrupted":
        house.run.drop(staging)
        return None
    folder = house.run.seal(trial, staging, sealed)
    record = grade_sealed(folder, house.grading)
    house.run.commit(record, folder)
    return record


def _nothing_asked(trial: Trial, house: House) -> Sealed | None:
    """The seal of a trial that need not be asked: it cannot run here, or its fixture is bad."""
    if trial.ineligible:
        return Sealed(trial=trial)
    problem = house.bad_fixtures.get(trial.case.fixture or "")
    return Sealed(trial=trial, problem=problem) if problem else None


def ask(trial: Trial, staging: Path, house: House) -> Sealed:
    """Ask the agent in a workspace of its own, and seal what it leaves behind."""
    ready = house.ready[trial.agent]
    began = datetime.now(UTC).isoformat(timespec="milliseconds")
    argv: tuple[str, ...] = ()
    try:
        with staged(
            trial,
            run=house.run.path,
            agent=ready.agent,
            skills=house.grading.skills,
            bare=house.bare,
        ) as stage:
            command = ready.agent.command(_words(trial, stage, ready, house))
            argv = command.argv
            finished = _start(trial, command, stage, staging, house)
            changes = seal_files(stage, staging / "files")
    except AuditionError as error:
        return Sealed(trial=trial, argv=argv, problem=f"set-up: {error}", began=began)
    return Sealed(
        trial=trial,
        argv=argv,
        agent_version=ready.version,
        exit_code=finished.exit_code,
        seconds=round(finished.seconds, 4),
        stopped=finished.stopped,
        truncated=finished.truncated,
        changes=changes,
        began=began,
    )


def _words(trial: Trial, stage: Stage, ready: Ready, house: House) -> Ask:
    case = trial.case
    if ready.settings.settings:
        import msgspec

        merged = {**ready.settings.settings, **case.settings}
        case = msgspec.structs.replace(case, settings=merged)
    return Ask(
        case=case,
        model=trial.model or ready.agent.model,
        delivery=trial.delivery,
        workspace=stage.place.workspace,
        home=stage.place.home,
        skills=tuple(house.grading.skills[key] for key in trial.skills),
        program=ready.program,
    )


def _start(trial: Trial, command: Command, stage: Stage, staging: Path, house: House) -> Finished:
    for path, text in command.files.items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    ready = house.ready[trial.agent]
    boxed = house.sandbox(command, stage.place, ready.lets_through, os.environ)
    env = {**boxed.env, **_case_env(trial, stage), "AUDITION_TRIAL_ID": trial.id}
    return run_command(
        Start(
            argv=boxed.argv,
            cwd=stage.place.workspace,
            env=env,
            stdin=command.stdin,
            stdout=staging / "trace.jsonl",
            stderr=staging / "stderr.txt",
            seconds=trial.timeout_s,
            stop=house.stop,
        )
    )


def _case_env(trial: Trial, stage: Stage) -> dict[str, str]:
    folder = os.path.dirname(trial.case.file)
    return {
        name: value.replace("{workspace}", stage.place.workspace).replace("{repo}", folder)
        for name, value in trial.case.env.items()
    }
