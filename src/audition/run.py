"""Many trials: which are left, how many at once, when to stop.

In: a plan and the house it runs in. Out: records as they come, each already kept.
Must not know: the command line, the screen; who listens is told through a function.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from audition import __version__
from audition.executor import executors
from audition.installed import Ready
from audition.model import Inputs, Json, Record, Trial, Value
from audition.plan import Plan
from audition.spending import Rules
from audition.store import read_records, read_sealed, write_ended
from audition.trial import House, grade_in, run_trial
from audition.turns import Turns

NO_RULES = Rules()


class Brakes:
    """How a run is stopped: first no new trials, then the running ones too."""

    def __init__(self) -> None:
        self._slow = threading.Event()
        self._halt = threading.Event()
        self._enough = threading.Event()

    def suffice(self) -> None:
        """What is known is enough: start nothing more."""
        self._enough.set()

    def press(self) -> bool:
        """Brake once: start nothing more. Twice: end what runs. True the second time."""
        if self._slow.is_set():
            self._halt.set()
            return True
        self._slow.set()
        return False

    def slowing(self) -> bool:
        """Whether nothing more is to be started."""
        return self._slow.is_set() or self._enough.is_set()

    def is_pressed(self) -> bool:
        """Whether somebody wanted it to stop."""
        return self._slow.is_set()

    def halting(self) -> bool:
        """Whether running agents are to be ended now."""
        return self._halt.is_set()


class Pace(Value, frozen=True, kw_only=True):
    """How many at once, by whom, and whether the first that fails or ends in error is the last."""

    at_once: int
    executor: str = "threads"
    stop_at_failure: bool = False
    begin: Callable[[Trial], None] = lambda _: None
    """Is told of each trial that is begun, from the thread that runs it."""


def new_run_id() -> str:
    """The time, in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y%m%d-%H%M%S")


def describe(
    plan: Plan,
    run_id: str,
    ready: Sequence[Ready],
    arguments: Sequence[str],
    settings: dict[str, Json],
) -> Inputs:
    """What a run is asked for, as run.json keeps it."""
    agents = {
        each.agent.name: {
            "version": each.version,
            "program": list(each.program),
            "like": each.settings.like,
            "model": each.agent.model,
        }
        for each in ready
    }
    return Inputs(
        run_id=run_id,
        began=datetime.now(UTC).isoformat(timespec="seconds"),
        audition=__version__,
        arguments=tuple(arguments),
        plan=plan.trials,
        skills=plan.skills,
        agents=agents,
        settings=settings,
        stood=str(Path.cwd()),
    )


def run_trials(
    trials: Sequence[Trial], house: House, pace: Pace, brakes: Brakes, rules: Rules = NO_RULES
) -> Iterator[Record]:
    """Run what is not finished yet; each record is on disk before it is handed on."""
    yield from grade_unfinished(house)
    (house.run.path / "ended.json").unlink(missing_ok=True)
    turns = Turns(trials, rules, pace.at_once)
    if house.run.finished():
        turns.resume(read_records(house.run.path))
    failed = threading.Event()

    def one(trial: Trial) -> Record | None:
        pace.begin(trial)
        record = run_trial(trial, house)
        if record is None:
            turns.give_back(trial)
        else:
            if pace.stop_at_failure and record.status in ("fail", "error"):
                # Here, not where records are handed on: this thread asks for the next trial.
                failed.set()
                brakes.suffice()
            turns.tell(record)
        return record

    for record in executors[pace.executor](turns.each(brakes.slowing), one, pace.at_once):
        if record is not None:
            yield record
    write_ended(house.run.path, turns.ended(failure=failed.is_set()), fsync=house.run.fsync)


def grade_unfinished(house: House) -> Iterator[Record]:
    """Sealed by a run that died before it could grade: graded now, not asked again."""
    for folder in house.run.sealed_unfinished():
        record = grade_in(house, read_sealed(folder).trial, folder)
        if record:
            house.run.commit(record, folder)
            yield record
