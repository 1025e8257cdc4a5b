"""What the lists show: one line a run, one line a trial, read from what each run keeps.

In: run folders. Out: rows. Must not know: HTML, HTTP.

Only the keys that a row shows are decoded; of 10,000 trials, 20 MB, that takes a blink.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Literal

import msgspec

from audition.counted import counted
from audition.errors import AuditionError, RunTrouble
from audition.model import Value
from audition.store import list_runs, read_state
from audition.summary.figures import ArmSummary, Share, Totals, share

Status = Literal["pass", "fail", "error", "ineligible"]


class RunRow(Value, frozen=True, kw_only=True):
    """One run: its totals, or what it is doing where it has none yet."""

    run_id: str
    began: str = ""
    totals: Totals = Totals()
    arms: tuple[ArmSummary, ...] = ()
    state: str = ""
    """How it stands, where it has no summary yet."""

    @property
    def positives(self) -> Share:
        """Over all arms."""
        return _sum(each.positives for each in self.arms)

    @property
    def negatives(self) -> Share:
        """Over all arms."""
        return _sum(each.negatives for each in self.arms)


def _sum(shares: Iterable[Share]) -> Share:
    some = list(shares)
    return share(sum(each.passed for each in some), sum(each.of for each in some))


class TrialRow(Value, frozen=True, kw_only=True):
    """One trial."""

    id: str
    dir: str
    status: Status
    case: str
    skill: str | None = None
    agent: str = ""
    delivery: str = ""
    model: str | None = None
    trial: int = 1
    should_trigger: bool = True
    reason: str = ""
    seconds: float | None = None
    variant: str = ""
    reused: str = ""


class Wanted(Value, frozen=True, kw_only=True):
    """Which trials a list shows; empty words let all through."""

    status: str = ""
    skill: str = ""

    def lets(self, row: TrialRow) -> bool:
        """Whether it is one of them."""
        return self.status in ("", row.status) and self.lets_skill(row)

    def lets_skill(self, row: TrialRow) -> bool:
        """Whether it is about the skill that is wanted."""
        return self.skill in ("", row.skill or "none")


class _Results(Value, frozen=True, kw_only=True):
    trials: tuple[TrialRow, ...] = ()


def list_run_rows(out: Path) -> list[RunRow]:
    """All runs, the newest first; one that cannot be read says so."""
    return [_run_row(path) for path in list_runs(out)[::-1]]


def _run_row(path: Path) -> RunRow:
    try:
        held = (path / "summary.json").read_bytes()
        return msgspec.structs.replace(msgspec.json.decode(held, type=RunRow), run_id=path.name)
    except (OSError, msgspec.MsgspecError):
        return RunRow(run_id=path.name, state=_state_of(path))


def _state_of(path: Path) -> str:
    try:
        state = read_state(path)
    except AuditionError as error:
        return f"cannot be read: {error}"
    return f"{state.state}, {state.done} of {counted(state.planned, 'trial')} done"


def read_rows(run: Path) -> tuple[TrialRow, ...]:
    """The trials of a run that has results, in the order of the plan."""
    try:
        held = (run / "results.json").read_bytes()
    except FileNotFoundError as error:
        why = f"{run.name} has no results yet"
        raise RunTrouble(why, f"`audition status {run.name}` says how far it is") from error
    try:
        return msgspec.json.decode(held, type=_Results).trials
    except msgspec.MsgspecError as error:
        hint = f"`audition grade {run.name}` writes it again"
        raise RunTrouble(f"damaged: {run}/results.json: {error}", hint) from error
