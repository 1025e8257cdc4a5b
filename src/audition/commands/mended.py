"""Which cases of a run are checked otherwise today than when they were asked.

In: a run and its Inputs. Out: those cases, with the checks of today; what is to be said of it.
Must not know: how a trial is graded.

What was asked cannot be changed any more; how it is checked can. So a case file whose bytes
are others than when the run began is read again. What was found is kept with the run, so that
its grades stay what they are on a day when that file is gone.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from audition.case_file import find_format, load_suites
from audition.counted import counted
from audition.errors import AuditionError, BadFile, RunTrouble
from audition.fingerprint import digest_file
from audition.model import Case, Inputs, Value
from audition.report.escape import visible
from audition.store.files import write_whole

KEPT = "mended.json"
KEEPS = "graded as planned"
AS_PLANNED = "grade by the checks as they were: `--as-planned`"


class Mended(Value, frozen=True, kw_only=True):
    """The cases that are checked otherwise, by node, and words about them."""

    cases: dict[str, Case] = {}
    notes: tuple[str, ...] = ()


def kept_cases(run: Path) -> dict[str, Case]:
    """What an earlier grading found."""
    try:
        return msgspec.json.decode((run / KEPT).read_bytes(), type=dict[str, Case])
    except FileNotFoundError:
        return {}
    except msgspec.DecodeError as error:
        raise RunTrouble(f"{run / KEPT} cannot be understood: {error}", "remove it") from error


def find_mended(run: Path, inputs: Inputs) -> Mended:
    """Read the case files that have changed since the run began."""
    began = inputs.settings.get("case_files") or {}
    # What a baseline was asked may differ; where both were asked, the skill's own case tells.
    plan = sorted(inputs.plan, key=lambda trial: not trial.variant)
    planned = {trial.case.node: trial.case for trial in plan}
    files: dict[str, list[Case]] = {}
    for case in planned.values():
        files.setdefault(case.file, []).append(case)
    before, cases, notes = kept_cases(run), dict[str, Case](), list[str]()
    for file, asked in files.items():
        path = Path(inputs.stood, file)
        now = digest_file(path)
        if file not in began or now == began[file]:
            continue
        if not now:
            cases |= {each.node: before[each.node] for each in asked if each.node in before}
            continue
        today = _read(path, inputs.settings.get("format"))
        if today is None:
            notes.append(f"note: {visible(file)} has changed, and is no suite by itself: {KEEPS}")
            continue
        found = _mend(asked, today)
        cases |= {each.node: each for each in found if each}
        notes += _say(visible(file), found)
    return Mended(cases=cases, notes=tuple(notes))


def _read(path: Path, name: str | None) -> dict[str, Case] | None:
    """The cases of a file by id; None for a file that is a suite only together with others."""
    try:
        find_format(path, name)
    except BadFile:
        return None
    try:
        return {case.id: case for suite in load_suites([path], name) for case in suite.cases}
    except AuditionError as error:
        raise BadFile(str(error), f"mend it, or {AS_PLANNED}") from error


def _mend(asked: Iterable[Case], today: dict[str, Case]) -> list[Case | None]:
    """Each case with other checks; None for one that asks something else today, or is gone."""
    found: list[Case | None] = []
    for case in asked:
        now = today.get(case.id)
        if now is None or _asked(now) != _asked(case):
            found.append(None)
        elif (now.checks, now.process) != (case.checks, case.process):
            found.append(msgspec.structs.replace(case, checks=now.checks, process=now.process))
    return found


def _asked(case: Case) -> Case:
    """What an agent was asked and is to do, without how it is checked and where that stands.

    A rubric belongs to it: what a judge said is an answer to the questions as they were.
    """
    plain = {"checks": (), "process": (), "timeout_s": None, "trials": None, "tags": ()}
    return msgspec.structs.replace(case, file="", line=1, **plain)


def _say(file: str, found: list[Case | None]) -> Iterator[str]:
    if mended := sum(case is not None for case in found):
        have = counted(mended, "case has", "cases have")
        yield f"note: {file}: {have} other checks than when asked: graded by those of today"
    if other := found.count(None):
        are = counted(other, "case is gone or asks", "cases are gone or ask")
        yield f"note: {file}: {are} something else today: graded as planned; `audition run` asks"


def keep_mended(run: Path, cases: dict[str, Case]) -> None:
    """Keep with a run what its grades go by; none where they go by what was planned."""
    if not cases:
        (run / KEPT).unlink(missing_ok=True)
    elif cases != kept_cases(run):
        write_whole(f"{run}/{KEPT}", msgspec.json.encode(cases), fsync=False)
