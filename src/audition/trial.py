"""One trial, from beginning to end. Read this first.

In: a Trial and the house it runs in. Out: a Record, kept on disk.
Must not know: how many trials there are, who looks at them.
"""

from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from audition.attempt import Means, attempt
from audition.errors import Interrupted
from audition.grader import Grader
from audition.installed import Ready
from audition.kept import Bad
from audition.model import Record, Sealed, Trial, Value
from audition.patience import Listener, Patience
from audition.reuse import Shelf, take_over, trial_key
from audition.shown import Sights
from audition.store import Run
from audition.yardstick import Grading

if TYPE_CHECKING:
    from audition.judging import Bench


class House(Value, frozen=True, kw_only=True):
    """What all trials of a run share."""

    run: Run
    grading: Grading
    ready: dict[str, Ready]
    means: Means
    patience: Patience
    sights: Sights
    bad: Bad = Bad()
    """Skills and fixtures that could not be copied."""
    bench: "Bench | None" = None
    """The judge that answers rubrics, where one does."""
    grader: Grader | None = None
    """A second process to grade in, where a run is large enough."""
    shelf: Shelf | None = None
    """Where the trials of earlier runs are, and what their keys are made of."""


def run_trial(trial: Trial, house: House) -> Record | None:
    """Stage, ask, seal, judge, read, grade, record; None where it was interrupted."""
    staging = house.run.start(trial)
    sealed = (
        _nothing_asked(trial, house)
        or (house.shelf and take_over(trial, staging, house.shelf))
        or ask(_without_bad(trial, house), staging, house)
    )
    if sealed.stopped == "interrupted":
        house.run.drop(staging)
        return None
    folder = house.run.seal(trial, staging, sealed)
    record = grade_in(house, trial, folder)
    if record:
        house.run.commit(record, folder)
    return record


def grade_in(house: House, trial: Trial, folder: Path) -> Record | None:
    """Judge and grade what is sealed; None where that was interrupted."""
    # Imported here, while the first agents are asked, and not before: 10 ms.
    if house.bench:
        from audition.judging import judge_sealed

        if not judge_sealed(folder, house.grading, house.bench):
            return None
    if record := house.grader and house.grader.grade(trial, folder):
        return record
    from audition.grading import grade_sealed

    with suppress(Interrupted):
        return grade_sealed(folder, house.grading)
    return None


def _nothing_asked(trial: Trial, house: House) -> Sealed | None:
    """The seal of a trial that need not be asked: it cannot run here, or its fixture is bad."""
    if trial.ineligible:
        return Sealed(trial=trial)
    problem = house.bad.fixtures.get(trial.case.begins_with or "")
    meant = {*trial.case.expected, trial.case.skill} - {None}
    # Where all must stay quiet, one that is not there proves nothing.
    skills = house.grading.skills
    lacking = (key for key in trial.skills if not meant or skills[key].name in meant)
    problem = problem or next(filter(None, map(house.bad.skills.get, lacking)), None)
    return Sealed(trial=trial, problem=problem) if problem else None


def _without_bad(trial: Trial, house: House) -> Trial:
    """The trial with the skills that it can be given."""
    given = tuple(key for key in trial.skills if key not in house.bad.skills)
    return msgspec.structs.replace(trial, skills=given) if given != trial.skills else trial


def ask(trial: Trial, staging: Path, house: House) -> Sealed:
    """Ask the agent; where its account is at a limit, wait with all its trials and ask again."""
    ready, means = house.ready[trial.agent], house.means
    account = house.patience.account(ready)
    for number in count(1):
        if refused := account.wait(means.stop):
            return Sealed(trial=trial, problem=refused, attempt=number)
        if means.stop():
            break
        listener = Listener(account)
        sealed = attempt(trial, staging, ready, means, listener)
        late = sealed.stopped == "timeout"
        if not account.may_try_again(listener.faults, number, late=late):
            seen = house.sights.complete(sealed, ready)
            key = trial_key(trial, house.shelf) if house.shelf else ""
            return msgspec.structs.replace(seen, attempt=number, key=key)
        _set_aside(staging, number)
    return Sealed(trial=trial, stopped="interrupted")


def _set_aside(staging: Path, number: int) -> None:
    """Keep what an attempt left that met the account's limit, beside the one that counts."""
    kept = staging / "attempts" / str(number)
    kept.mkdir(parents=True)
    for each in list(staging.iterdir()):
        if each.name != "attempts":
            each.rename(kept / each.name)
