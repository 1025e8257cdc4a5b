"""The cells of a run: records sorted into them, and the verdict of each.

In: Records one at a time, the Inputs of their run, why asking ended. Out: CellVerdicts.
Must not know: files, formats, the screen. What is kept grows with cases and, where a test
was sequential, with its cap; never with a fixed number of trials.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from audition.model import Inputs, Record
from audition.summary.counts import add_pairs
from audition.summary.repeats import Repeats, find_repeats
from audition.verdict import (
    CellVerdict,
    Outcome,
    cell_key,
    default_cell,
    judge_cell,
    read_cells,
)

Key = tuple[str | None, str, str, str | None, bool]


class CellTally:
    """Counts the outcomes of each cell; their order is nothing to the result."""

    def __init__(self, inputs: Inputs) -> None:
        self._cells = {cell.key: cell for cell in read_cells(inputs) if not cell.variant}
        self.counts: dict[Key, Counter[Outcome]] = defaultdict(Counter)
        self.cases: dict[Key, dict[str, tuple[int, int]]] = {}
        self.seen: dict[str, Outcome] = {}
        self._plan: dict[Key, list[str]] = {}
        for trial in inputs.plan:
            if self._is_sequential(key := cell_key(trial)):
                self._plan.setdefault(key, []).append(trial.id)

    def _is_sequential(self, key: Key) -> bool:
        return key in self._cells and self._cells[key].cap is not None

    def add(self, record: Record) -> None:
        """Count one record."""
        key = (record.skill, record.agent, record.delivery, record.model, record.should_trigger)
        self.counts[key][record.status] += 1
        if record.status in ("pass", "fail"):
            cases = self.cases.setdefault(key, {})
            name = f"{record.file}::{record.case}"
            passed, of = cases.get(name, (0, 0))
            cases[name] = (passed + (record.status == "pass"), of + 1)
        if self._is_sequential(key):
            self.seen[record.id] = record.status

    def absorb(self, other: "CellTally") -> None:
        """Count what another tally of the same run counted."""
        for key, counts in other.counts.items():
            self.counts[key].update(counts)
        for key, cases in other.cases.items():
            add_pairs(self.cases.setdefault(key, {}), cases)
        self.seen.update(other.seen)

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_plan": {}}

    def verdicts(self, cut: str = "") -> tuple[CellVerdict, ...]:
        """The verdict of every cell that was planned or seen; `cut`: why asking ended early."""
        keys = sorted(self._cells.keys() | self.counts.keys(), key=_sortable)
        return tuple(self._judge(key, cut) for key in keys)

    def repeats(self) -> tuple[Repeats, ...]:
        """What repeating the cases of each cell says, where any was graded."""
        keys = sorted(self.cases, key=_sortable)
        return tuple(find_repeats(key, self.cases[key].values()) for key in keys)

    def _judge(self, key: Key, cut: str) -> CellVerdict:
        cell = self._cells.get(key) or default_cell(key)
        outcomes: list[Outcome | None] = []
        if self._is_sequential(key):
            outcomes += [self.seen.get(trial) for trial in self._plan.get(key, ())]
        else:
            outcomes += self.counts.get(key, Counter()).elements()
        return judge_cell(cell, outcomes, self.cases.get(key), cut)


def of_skill(cells: Iterable[CellVerdict], skill: str) -> list[CellVerdict]:
    """The cells of one skill."""
    return [each for each in cells if each.skill == skill]


def _sortable(key: Key) -> tuple[str, str, str, str, bool]:
    skill, agent, delivery, model, positives = key
    return (skill or "", agent, delivery, model or "", not positives)
