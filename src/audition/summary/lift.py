"""What the skills are worth: the same cases with them and with a baseline, in pairs.

In: Records one at a time, the Inputs of their run. Out: Lifts. Nothing is kept for a run
without a baseline. Must not know: files, formats, the screen.

Beside `none` and `instructions`, which call no skill, only the case's own checks count:
whether the job was done. Beside other skills the whole trial counts. With `--trials auto` the
word is that of the duel which decided when to stop; McNemar's p is for a fixed number.
"""

from collections.abc import Iterable, Mapping
from math import isfinite
from typing import Literal

from audition.model import RUNGS, Inputs, Record, Value
from audition.stats.difference import MeansWord, compare_means, compare_rates
from audition.stats.power import ALPHA
from audition.summary.duels import Pair, PairTest, did_the_job, judge_duel, tell_duel
from audition.verdict import BY_CHECKS, cell_key, read_cells

LOADED = RUNGS.index("loaded")
METRICS = ("tokens", "seconds", "turns")
Word = Literal["helps", "hurts", "no significant difference", "nothing to compare"]
NOTHING: Word = "no significant difference"
DUEL_WORDS: Mapping[str, Word] = {
    "better": "helps",
    "worse": "hurts",
    "no difference": NOTHING,
    "open": NOTHING,
}


class Gain(Value, frozen=True, kw_only=True):
    """Pairs of a trial with the skill and its partner of the baseline; null without a pair."""

    pairs: int = 0
    baseline: float | None = None
    skill: float | None = None
    low: float | None = None
    high: float | None = None
    """The 95 % interval of the difference."""
    p: float | None = None
    smallest: float | None = None
    """The smallest difference that so many pairs would mostly show."""
    word: Word = "nothing to compare"


class Took(Value, frozen=True, kw_only=True):
    """What the same trials took, by the means of their cases."""

    metric: str
    cases: int
    baseline: float
    skill: float
    p: float | None
    """By sign flips over cases; null below six of them, which cannot show a difference."""
    word: MeansWord


class Lift(Value, frozen=True, kw_only=True):
    """One skill in one arm beside one baseline."""

    baseline: str
    skill: str | None
    agent: str
    delivery: str
    model: str | None
    as_offered: Gain = Gain()
    """All positives."""
    when_loaded: Gain = Gain()
    """Only those trials in which the skill was loaded."""
    sequential: PairTest | None = None
    """With `--trials auto`: how the comparison ended; null for a fixed number of trials."""
    took: tuple[Took, ...] = ()
    """What the skill adds or spares in tokens, seconds and turns, where they are known."""


class _Seen(Value, frozen=True, kw_only=True):
    done: bool | None
    """Whether the job was done, by the case's own checks."""
    right: bool | None
    loaded: bool
    took: tuple[float | None, float | None, float | None]


Arm = tuple[str | None, str, str, str | None, str]
"""Skill, agent, delivery, model, variant."""


class LiftTally:
    """Counts pairs; the order of trials is nothing to the result."""

    def __init__(self, inputs: Inputs) -> None:
        self._has_baseline = any(trial.variant for trial in inputs.plan)
        self.seen: dict[Arm, dict[Pair, _Seen]] = {}
        cells = read_cells(inputs) if self._has_baseline else ()
        self._cells = {cell.key: cell for cell in cells if cell.pairs}
        self._order: dict[tuple[object, ...], list[Pair]] = {}
        for trial in inputs.plan if self._cells else ():
            if cell_key(trial) in self._cells:
                pair = (trial.case.node, trial.number)
                self._order.setdefault(cell_key(trial), []).append(pair)

    def add(self, record: Record) -> None:
        """Count one record."""
        if not self._has_baseline or not record.should_trigger:
            return
        arm = (record.skill, record.agent, record.delivery, record.model, record.variant)
        rungs = [RUNGS.index(each.rung) for each in record.skills if each.skill == record.skill]
        graded = record.status in ("pass", "fail")
        usage = record.usage
        known = [usage.input_tokens, usage.output_tokens]
        tokens = None if None in known else sum(each or 0 for each in known)
        pair = (f"{record.file}::{record.case}", record.trial)
        self.seen.setdefault(arm, {})[pair] = _Seen(
            done=did_the_job(record),
            right=record.status == "pass" if graded else None,
            loaded=bool(rungs) and max(rungs) >= LOADED,
            took=(tokens, record.seconds, record.turns) if graded else (None, None, None),
        )

    def absorb(self, other: "LiftTally") -> None:
        """Count what another tally of the same run counted."""
        for arm, seen in other.seen.items():
            self.seen.setdefault(arm, {}).update(seen)

    def __getstate__(self) -> dict[str, object]:
        return {**vars(self), "_order": {}}

    def lifts(self) -> tuple[Lift, ...]:
        """Each skill in each arm beside each of its baselines."""
        return tuple(self._lift(*pair) for pair in self._partners())

    def _partners(self) -> list[tuple[Arm, Arm]]:
        arms = sorted(self.seen, key=str)
        return [
            (mine, other)
            for mine in arms
            for other in arms
            if other[4]
            and not mine[4]
            and (mine[0], mine[1], mine[3]) == (other[0], other[1], other[3])
            # Other skills reach the agent by the same way; nothing at all has no way.
            and (other[4] in BY_CHECKS or mine[2] == other[2])
        ]

    def _lift(self, mine: Arm, other: Arm) -> Lift:
        by_checks = other[4] in BY_CHECKS
        pairs: list[tuple[bool, bool, bool]] = []
        for key, one in self.seen[mine].items():
            two = self.seen[other].get(key)
            if two is None:
                continue
            a, b = (two.done, one.done) if by_checks else (two.right, one.right)
            if a is not None and b is not None:
                pairs.append((a, b, one.loaded))
        ended = self._duel(mine, other)
        return Lift(
            baseline=other[4],
            skill=mine[0],
            agent=mine[1],
            delivery=mine[2],
            model=mine[3],
            as_offered=_gain([(a, b) for a, b, _ in pairs], ended),
            when_loaded=_gain([(a, b) for a, b, loaded in pairs if loaded]),
            sequential=ended,
            took=tuple(_took(self.seen[mine], self.seen[other])),
        )

    def _duel(self, mine: Arm, other: Arm) -> PairTest | None:
        key = (*mine[:4], True)
        cell = self._cells.get(key)
        if cell is None:
            return None
        ours, theirs = self.seen[mine], self.seen[other]
        by_checks = other[4] in BY_CHECKS

        def outcomes(seen: Mapping[Pair, _Seen]) -> dict[Pair, bool | None]:
            return {pair: each.done if by_checks else each.right for pair, each in seen.items()}

        duel = cell.duel
        return tell_duel(
            duel, judge_duel(duel, self._order.get(key, ()), outcomes(ours), outcomes(theirs))
        )


def _took(mine: Mapping[Pair, _Seen], other: Mapping[Pair, _Seen]) -> Iterable[Took]:
    for place, metric in enumerate(METRICS):
        cases: dict[str, list[tuple[float, float]]] = {}
        for pair in sorted(mine.keys() & other.keys()):
            a, b = other[pair].took[place], mine[pair].took[place]
            if a is not None and b is not None and isfinite(a) and isfinite(b):
                cases.setdefault(pair[0], []).append((a, b))
        found = compare_means(list(cases.values()))
        if found:
            yield Took(
                metric=metric,
                cases=len(cases),
                baseline=found.a,
                skill=found.b,
                p=found.p,
                word=found.word,
            )


def _gain(pairs: list[tuple[bool, bool]], ended: PairTest | None = None) -> Gain:
    only_a, only_b = pairs.count((True, False)), pairs.count((False, True))
    found = compare_rates(pairs.count((True, True)), only_a, only_b, pairs.count((False, False)))
    if found is None:
        return Gain()
    word: Word = "helps" if only_b > only_a else "hurts"
    if ended:
        word = DUEL_WORDS[ended.word]
    elif found.p > ALPHA:
        word = NOTHING
    return Gain(
        pairs=len(pairs),
        baseline=found.a,
        skill=found.b,
        low=found.low,
        high=found.high,
        p=found.p,
        smallest=found.smallest,
        word=word,
    )
