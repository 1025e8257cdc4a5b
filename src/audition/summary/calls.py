"""Who was called when who should have been: the confusion matrix, and each skill's scores.

In: Records one at a time, the Inputs of their run. Out: a Matrix, and Calls by skill.
Must not know: files, formats, the screen. A call is what was loaded, in the agent's own way;
trials without a skill on offer say nothing here.
"""

from collections import Counter, defaultdict

from audition.model import RUNGS, Inputs, Record, Value
from audition.stats.labels import (
    Estimate,
    Labels,
    Matrix,
    add_to_matrix,
    balanced_accuracy,
    f1,
    false_positive_rate,
    mcc,
    precision,
    recall,
)

LOADED = RUNGS.index("loaded")


class Guess(Value, frozen=True, kw_only=True):
    """A number and the 95 % interval it lies in."""

    value: float
    low: float
    high: float


class Calls(Value, frozen=True, kw_only=True):
    """How well the calls of one skill match what was expected; null where nothing was counted."""

    tp: int
    fp: int
    fn: int
    tn: int
    precision: Guess | None = None
    recall: Guess | None = None
    f1: Guess | None = None
    mcc: Guess | None = None
    balanced_accuracy: Guess | None = None
    false_positive_rate: Guess | None = None


class CallTally:
    """Counts calls; the order of trials is nothing to the result."""

    def __init__(self, inputs: Inputs) -> None:
        cases = {(trial.case.file, trial.case.id): trial.case for trial in inputs.plan}
        self._expected = {key: case.expected for key, case in cases.items()}
        self.counts: dict[str, Counter[str]] = defaultdict(Counter)
        self.rows: Matrix = {}

    def add(self, record: Record) -> None:
        """Count one record; only what was graded says anything."""
        if record.status not in ("pass", "fail") or not record.skills:
            return
        own = (record.skill,) if record.skill and record.should_trigger else ()
        expected = self._expected.get((record.file, record.case), own)
        called = {each.skill for each in record.skills if RUNGS.index(each.rung) >= LOADED}
        served = bool(called & set(expected))
        for name in {each.skill for each in record.skills}:
            if name in called:
                word = "tp" if name in expected else "fp"
            elif name in expected:
                # Where one of several would do and another was called, it missed nothing.
                word = "served" if served else "fn"
            else:
                word = "tn"
            self.counts[name][word] += 1
        add_to_matrix(self.rows, expected, sorted(called))

    def absorb(self, other: "CallTally") -> None:
        """Count what another tally of the same run counted."""
        for name, counts in other.counts.items():
            self.counts[name].update(counts)
        for expected, row in other.rows.items():
            mine = self.rows.setdefault(expected, {})
            for called, count in row.items():
                mine[called] = mine.get(called, 0) + count

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_expected": {}}

    def matrix(self) -> Matrix:
        """In how many trials each was called, by what was expected; `none` is a row and a column."""
        return {row: dict(sorted(self.rows[row].items())) for row in sorted(self.rows)}

    def calls(self) -> dict[str, Calls]:
        """The scores of each skill on offer."""
        return {name: _score(self.counts[name]) for name in sorted(self.counts)}


def _score(count: Counter[str]) -> Calls:
    labels = Labels(count["tp"], count["fp"], count["fn"], count["tn"])
    return Calls(
        tp=labels.tp,
        fp=labels.fp,
        fn=labels.fn,
        tn=labels.tn,
        precision=_guess(precision(labels)),
        recall=_guess(recall(labels)),
        f1=_guess(f1(labels)),
        mcc=_guess(mcc(labels)),
        balanced_accuracy=_guess(balanced_accuracy(labels)),
        false_positive_rate=_guess(false_positive_rate(labels)),
    )


def _guess(estimate: Estimate | None) -> Guess | None:
    return estimate and Guess(value=estimate.value, low=estimate.low, high=estimate.high)
