"""How a run stands: running, dead, stopped or finished, and how far it came.

In: a run's folder. Out: a State. Must not know: how it is shown.
"""

import os
from pathlib import Path
from typing import Literal

from audition.errors import RunTrouble
from audition.model import Inputs, Value
from audition.store.asked import read_inputs, read_places
from audition.store.ended import read_ended
from audition.store.lock import look_at_lock
from audition.store.records import read_records


class State(Value, frozen=True, kw_only=True):
    """A run, seen from outside."""

    run_id: str
    path: str
    state: Literal["running", "dead", "stopped", "finished"]
    """dead: its process was killed. stopped: it ended in order, with trials left."""
    pid: int | None = None
    host: str = ""
    began: str = ""
    planned: int = 0
    """At most so many, where `spared` is not null."""
    spared: int | None = None
    """How many are not needed, their cells being decided; null with a fixed number of trials."""
    done: int = 0
    passed: int = 0
    failed: int = 0
    error: int = 0
    ineligible: int = 0
    running: tuple[str, ...] = ()
    """Trials that are being asked right now."""
    damaged: tuple[str, ...] = ()
    """Files that cannot be read."""

    @property
    def left(self) -> int:
        """How many trials are still to be done."""
        return self.planned - self.done - (self.spared or 0)


def read_state(run: Path) -> State:
    """How a run stands right now."""
    held, holder = look_at_lock(run)
    inputs = read_inputs(run, plan=False)
    damaged: list[RunTrouble] = []
    counts = {"pass": 0, "fail": 0, "error": 0, "ineligible": 0}
    for record in read_records(run, damaged=damaged.append):
        counts[record.status] += 1
    names = {trial.index: trial.id for trial in read_places(run)}
    done = sum(counts.values())
    spared = read_ended(run).spared if _is_auto(inputs) else None
    if held:
        state: Literal["running", "dead", "stopped", "finished"] = "running"
    elif done + (spared or 0) >= len(names):
        state = "finished"
    else:
        state = "dead" if holder else "stopped"
    return State(
        run_id=inputs.run_id,
        path=str(run),
        state=state,
        pid=holder.pid if holder else None,
        host=holder.host if holder else "",
        began=inputs.began,
        planned=len(names),
        spared=spared,
        done=done,
        passed=counts["pass"],
        failed=counts["fail"],
        error=counts["error"],
        ineligible=counts["ineligible"],
        running=_running(run, names) if held else (),
        damaged=tuple(str(each) for each in damaged),
    )


def _is_auto(inputs: Inputs) -> bool:
    cells = inputs.settings.get("cells") or ()
    return any(each.get("cap") is not None for each in cells)


def _running(run: Path, names: dict[int, str]) -> tuple[str, ...]:
    try:
        staged = [each for each in os.listdir(run / ".staging") if "." not in each]
    except OSError:
        return ()
    indexes = [
        int(head) for head, _, _ in (each.partition("-") for each in staged) if head.isdigit()
    ]
    return tuple(names[index] for index in sorted(indexes) if index in names)
