"""Whose turn it is: which trial is asked next, and when there is none any more.

In: the planned trials, the cells they belong to, caps, the records as they come. Out: one
trial at a time. Must not know: how a trial is run, who shows it.

The order is that of the plan: rounds over the cases. A sequential cell is asked until its
test ends, and with a baseline until that is told from it too; a trial of the baseline is
asked behind its partner. A cell never runs more than three trials (or the workers, if fewer)
ahead of what is known: more would often be asked in vain. Caps are looked at before each
trial, so they are passed by no more than the trials in flight; the cap on runs is never passed.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from audition.model import Record, Trial
from audition.spending import Rules, Spending
from audition.stats.sequential import Decision
from audition.store.ended import Ended
from audition.summary.duels import Pair, did_the_job, judge_duel
from audition.verdict import BY_CHECKS, Cell, Outcome, cell_key, is_compared, stop_at

AHEAD = 3


class _Going:
    """One cell: its trials in the order of the plan, and what came of them."""

    def __init__(self, cell: Cell | None) -> None:
        self.cell = cell
        self.order: list[str] = []
        self.came: dict[str, Outcome] = {}
        self.out: set[str] = set()
        self.ended = False
        self.failed = False
        self.planned: dict[Pair, None] = {}
        """The places of its trials in pairs, in the order of the plan."""
        self.handed: set[Pair] = set()
        self.done: dict[Pair, bool | None] = {}
        """Whether the job was done, by the case's own checks."""
        self.right: dict[Pair, bool | None] = {}
        self.leaders: list[_Going] = []
        """Of a baseline: the cells it is compared with; it has no end of its own."""
        self.duels: list[_Duel] = []

    def is_over(self) -> bool:
        """Whether nothing more is to be asked."""
        if self.leaders and not self.duels:
            return all(each.is_over() for each in self.leaders)
        return (self.ended or bool(self.leaders)) and all(each.ended for each in self.duels)

    def tell(self, trial: str, outcome: Outcome) -> None:
        self.out.discard(trial)
        self.came[trial] = outcome
        if self.cell and self.cell.cap is not None and not self.ended:
            outcomes = (self.came.get(each) for each in self.order)
            end = stop_at(self.cell, outcomes)
            self.ended = end is not None
            self.failed = isinstance(end, Decision) and end.word == "fail"
            if end == "errors":
                for each in self.duels:
                    each.ended = True

    def ahead(self) -> int:
        """How many trials are asked beyond the first that is still out."""
        missing = (place for place, each in enumerate(self.order) if each not in self.came)
        first = next(missing, len(self.order))
        beyond = sum(each in self.came for each in self.order[first:])
        return len(self.out) + beyond

    def has_room(self, at_once: int) -> bool:
        if self.cell is None or self.cell.cap is None:
            return True
        return self.ahead() < min(AHEAD, at_once)

    def may_follow(self, pair: Pair) -> bool | None:
        """Of a baseline: whether its trial's partner is asked; None where it never will be."""
        if not self.leaders or any(pair in each.handed for each in self.leaders):
            return True
        waits = any(pair in each.planned and not each.is_over() for each in self.leaders)
        return False if waits else None


class _Duel:
    """A cell and one of its baselines: until it is known which is better."""

    def __init__(self, skill: _Going, baseline: _Going, cell: Cell, variant: str) -> None:
        self._skill, self._baseline = skill, baseline
        self._by_checks = variant in BY_CHECKS
        self._test = cell.duel
        self.ended = False

    def look(self) -> None:
        """Look again, for something has come back."""
        mine, other = self._skill, self._baseline
        found = (mine.done, other.done) if self._by_checks else (mine.right, other.right)
        if not self.ended:
            self.ended = judge_duel(self._test, mine.planned, *found) is not None


class Turns:
    """Hands out trials to as many threads as ask, until all is decided, asked or spent."""

    def __init__(self, trials: Iterable[Trial], rules: Rules, at_once: int) -> None:
        self._at_once = max(1, at_once)
        self._spending = Spending(rules)
        self._one_fail_ends = rules.one_fail_ends
        self._going: dict[Any, _Going] = {}
        self._cells: dict[str, _Going] = {}
        self._pairs: dict[str, Pair] = {}
        self._left: deque[Trial] = deque(trials)
        self._changed = threading.Condition()
        self._words = ""
        self._spared = 0
        cells = {cell.key: cell for cell in rules.cells}
        for trial in self._left:
            key = cell_key(trial)
            going = self._going.setdefault(key, _Going(cells.get(key)))
            self._cells[trial.id] = going
            self._pairs[trial.id] = (trial.case.node, trial.number)
            going.planned[self._pairs[trial.id]] = None
            if going.cell and going.cell.cap is not None:
                going.order.append(trial.id)
        self._lead()

    def _lead(self) -> None:
        """A baseline is asked as long as one of the cells it is compared with."""
        followers = [each for each in self._going.values() if each.cell and each.cell.variant]
        leaders = [each for each in self._going.values() if each.cell and each.cell.cap is not None]
        for other in followers:
            for mine in leaders:
                if not mine.cell or not other.cell or not is_compared(mine.cell, other.cell):
                    continue
                other.leaders.append(mine)
                if mine.cell.pairs:
                    duel = _Duel(mine, other, mine.cell, other.cell.variant)
                    mine.duels.append(duel)
                    other.duels.append(duel)

    def _hear(self, record: Record) -> None:
        """What came of a trial, for its cell and for the pair it is of."""
        going, pair = self._cells[record.id], self._pairs[record.id]
        graded = record.status in ("pass", "fail")
        going.handed.add(pair)
        going.tell(record.id, record.status)
        if going.duels:
            going.right[pair] = record.status == "pass" if graded else None
            going.done[pair] = did_the_job(record)
        for each in going.duels:
            each.look()

    def resume(self, records: Iterable[Record]) -> None:
        """What is finished already: it counts, and is not asked again."""
        finished = set()
        for record in records:
            if record.status != "ineligible":
                self._spending.ask()
            self._spending.tell(record)
            finished.add(record.id)
            if record.id in self._cells:
                self._hear(record)
        self._left = deque(each for each in self._left if each.id not in finished)

    def each(self, slowing: Callable[[], bool]) -> Iterator[Trial]:
        """The trials, one by one; waits where a cell must first hear of those in flight."""
        while True:
            with self._changed:
                trial = self._next()
                while trial is None and self._left and not self._words and not slowing():
                    # A pressed brake does not wake us, so look again by ourselves.
                    self._changed.wait(0.1)
                    trial = self._next()
                if trial is None or slowing():
                    if trial is not None:
                        self._left.appendleft(trial)
                        self._cells[trial.id].out.discard(trial.id)
                    return
                if not trial.ineligible:
                    self._spending.ask()
            yield trial

    def _is_over(self, going: _Going) -> bool:
        return going.is_over() or (
            self._one_fail_ends and any(each.failed for each in self._going.values())
        )

    def _next(self) -> Trial | None:
        passed_over: list[Trial] = []
        found = None
        while self._left and found is None:
            trial = self._left.popleft()
            going = self._cells[trial.id]
            may = going.may_follow(self._pairs[trial.id])
            if self._is_over(going) or may is None:
                self._spared += 1
            elif not may or not going.has_room(self._at_once):
                passed_over.append(trial)
            else:
                found = trial
        self._left.extendleft(reversed(passed_over))
        if found is not None and (words := self._spending.exceeded()):
            self._words = words
            self._left.appendleft(found)
            return None
        if found is not None:
            self._cells[found.id].out.add(found.id)
            self._cells[found.id].handed.add(self._pairs[found.id])
        return found

    def tell(self, record: Record) -> None:
        """A trial has come back."""
        with self._changed:
            self._spending.tell(record)
            self._hear(record)
            self._changed.notify_all()

    def give_back(self, trial: Trial) -> None:
        """A trial was interrupted: it is still to be asked."""
        with self._changed:
            self._cells[trial.id].out.discard(trial.id)
            self._left.appendleft(trial)
            self._changed.notify_all()

    def ended(self, *, failure: bool = False) -> Ended:
        """How asking ended, once it has."""
        with self._changed:
            going = [each for each in self._left if not self._is_over(self._cells[each.id])]
            spared = self._spared + len(self._left) - len(going)
            if not going:
                return Ended(spared=spared)
            if self._words:
                return Ended(why="budget", words=self._words, spared=spared)
            if failure:
                return Ended(
                    why="failure",
                    words="`-x` ended it at the first that did not pass",
                    spared=spared,
                )
            return Ended(why="interrupted", words="stopped by hand", spared=spared)
