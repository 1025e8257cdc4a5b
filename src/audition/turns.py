"""Whose turn it is: which trial is asked next, and when there is none any more.

In: the planned trials, the cells they belong to, caps, the records as they come. Out: one
trial at a time. Must not know: how a trial is run, who shows it.

The order is that of the plan: rounds over the cases. A sequential cell is asked until its
test ends, and never runs more than three trials (or the workers, if fewer) ahead of what
is known: more would often be asked in vain. Caps are looked at before each trial, so they
are passed by no more than the trials in flight; the cap on runs is never passed.
"""

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from math import isfinite
from typing import Any

from audition.model import Record, Trial, Value
from audition.stats.sequential import Decision
from audition.store.ended import Ended
from audition.verdict import Cell, Outcome, cell_key, stop_at

AHEAD = 3


class Caps(Value, frozen=True, kw_only=True):
    """What a run may cost at most; None is no limit."""

    dollars: float | None = None
    tokens: int | None = None
    runs: int | None = None


class Rules(Value, frozen=True, kw_only=True):
    """When asking ends."""

    cells: tuple[Cell, ...] = ()
    caps: Caps = Caps()
    free: frozenset[str] = frozenset()
    """Agents that cost nothing."""
    one_fail_ends: bool = False
    """Whether nothing more is asked once one cell has failed: the rest cannot change that."""


class Spending:
    """What was spent so far, and whether a cap is reached."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._dollars = 0.0
        self._tokens = 0
        self._dearest: dict[str, float] = {"dollars": 0.0, "tokens": 0.0}
        self._asked = 0
        self._blind = ""

    def ask(self) -> None:
        """One more trial is asked."""
        self._asked += 1

    def tell(self, record: Record) -> None:
        """A trial has come back: what it cost, as far as known."""
        free = record.reused or record.agent in self._rules.free
        if record.status == "ineligible" or free:
            return
        usage, caps = record.usage, self._rules.caps
        known = [usage.input_tokens, usage.output_tokens]
        tokens = None if None in known else float(sum(each or 0 for each in known))
        dollars = usage.dollars
        if caps.dollars is not None:
            self._dollars += self._cost("dollars", dollars, record)
        if caps.tokens is not None:
            self._tokens += round(self._cost("tokens", tokens, record))

    def _cost(self, what: str, cost: float | None, record: Record) -> float:
        """A cost; where it is unknown, that of the dearest trial so far."""
        if cost is not None and isfinite(cost):
            self._dearest[what] = max(self._dearest[what], cost)
            return cost
        if record.status != "error" and not self._dearest[what]:
            self._blind = (
                f"`{record.agent}` does not tell its {what}, so no cap on them can be kept"
            )
        return self._dearest[what]

    def exceeded(self) -> str:
        """Why nothing more may be asked, in words; empty while it may."""
        caps = self._rules.caps
        if caps.runs is not None and self._asked >= caps.runs:
            return f"--max-runs {caps.runs} is reached"
        if self._blind:
            return self._blind
        if caps.dollars is not None and self._dollars >= caps.dollars:
            return f"--budget {caps.dollars:g} is spent: ${self._dollars:.4f}"
        if caps.tokens is not None and self._tokens >= caps.tokens:
            return f"--max-tokens {caps.tokens} is spent: {self._tokens}"
        return ""


class _Going:
    """One cell: its trials in the order of the plan, and what came of them."""

    def __init__(self, cell: Cell | None) -> None:
        self.cell = cell
        self.order: list[str] = []
        self.came: dict[str, Outcome] = {}
        self.out: set[str] = set()
        self.ended = False
        self.failed = False
        self.leaders: list[_Going] = []
        """Of a baseline: the cells it is compared with; it has no end of its own."""

    def is_over(self) -> bool:
        """Whether nothing more is to be asked."""
        if self.leaders:
            return all(each.ended for each in self.leaders)
        return self.ended

    def tell(self, trial: str, outcome: Outcome) -> None:
        self.out.discard(trial)
        self.came[trial] = outcome
        if self.cell and self.cell.cap is not None and not self.ended:
            outcomes = (self.came.get(each) for each in self.order)
            end = stop_at(self.cell, outcomes)
            self.ended = end is not None
            self.failed = isinstance(end, Decision) and end.word == "fail"

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


class Turns:
    """Hands out trials to as many threads as ask, until all is decided, asked or spent."""

    def __init__(self, trials: Iterable[Trial], rules: Rules, at_once: int) -> None:
        self._at_once = max(1, at_once)
        self._spending = Spending(rules)
        self._one_fail_ends = rules.one_fail_ends
        self._going: dict[Any, _Going] = {}
        self._cells: dict[str, _Going] = {}
        self._left: deque[Trial] = deque(trials)
        self._changed = threading.Condition()
        self._words = ""
        self._spared = 0
        cells = {cell.key: cell for cell in rules.cells}
        for trial in self._left:
            key = cell_key(trial)
            going = self._going.setdefault(key, _Going(cells.get(key)))
            self._cells[trial.id] = going
            if going.cell and going.cell.cap is not None:
                going.order.append(trial.id)
        self._lead()

    def _lead(self) -> None:
        """A baseline is asked as long as one of the cells it is compared with."""
        for going in self._going.values():
            cell = going.cell
            if cell is None or not cell.variant:
                continue
            wanted = (cell.skill, cell.agent, cell.model, cell.positives)
            for other in (each.cell for each in self._going.values()):
                if other is None or other.variant or other.cap is None:
                    continue
                if (other.skill, other.agent, other.model, other.positives) == wanted:
                    going.leaders.append(self._going[other.key])

    def resume(self, records: Iterable[Record]) -> None:
        """What is finished already: it counts, and is not asked again."""
        finished = set()
        for record in records:
            if record.status != "ineligible":
                self._spending.ask()
            self._spending.tell(record)
            finished.add(record.id)
            if going := self._cells.get(record.id):
                going.tell(record.id, record.status)
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
            if self._is_over(going):
                self._spared += 1
            elif not going.has_room(self._at_once):
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
        return found

    def tell(self, record: Record) -> None:
        """A trial has come back."""
        with self._changed:
            self._spending.tell(record)
            self._cells[record.id].tell(record.id, record.status)
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
                return Ended(why="failure", words="the first failure ended it", spared=spared)
            return Ended(why="interrupted", words="stopped by hand", spared=spared)
