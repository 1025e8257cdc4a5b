"""Records to figures: one record at a time, in any order.

In: Records, and the Inputs of their run. Out: a Summary. What is kept grows with skills,
arms and cases, never with trials.
Must not know: files, formats, the screen.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite

import msgspec

from audition.model import Inputs, Record
from audition.store import Ended
from audition.summary.calls import CallTally
from audition.summary.cells import CellTally, of_skill
from audition.summary.figures import (
    ArmSummary,
    Cause,
    Cut,
    Difference,
    Invisible,
    Mixed,
    Share,
    SkillSummary,
    Summary,
    Totals,
    share,
    verdict_of,
)
from audition.summary.funnel import climb, is_invisible, make_funnel
from audition.summary.gates import Costs, GateTally
from audition.summary.latencies import LatencyTally
from audition.summary.lift import LiftTally
from audition.summary.spread import SpreadTally
from audition.verdict import CellVerdict

ALL_ASKED = Ended()
REASONS_KEPT = 20
REASON_CHARS = 200


@dataclass(slots=True)
class _Count:
    """What is counted for one skill or one arm. Sums are integers, so that order is nothing."""

    passed: list[int] = field(default_factory=lambda: [0, 0])
    graded: list[int] = field(default_factory=lambda: [0, 0])
    trials: int = 0
    errors: int = 0
    ineligible: int = 0
    timed: int = 0
    microseconds: int = 0
    priced: int = 0
    nanodollars: int = 0
    routes: Counter[str] = field(default_factory=Counter)
    listing_bytes: dict[str, int] = field(default_factory=dict)
    unread: int = 0

    def add(self, record: Record) -> None:
        self.trials += 1
        self.unread += record.unread
        if record.status == "error":
            self.errors += 1
        elif record.status == "ineligible":
            self.ineligible += 1
        else:
            self.graded[record.should_trigger] += 1
            self.passed[record.should_trigger] += record.status == "pass"
        if record.seconds is not None and isfinite(record.seconds):
            self.timed += 1
            self.microseconds += round(record.seconds * 1e6)
        # What was taken over was paid for by another run.
        dollars = 0.0 if record.reused else record.usage.dollars
        if dollars is not None and isfinite(dollars):
            self.priced += 1
            self.nanodollars += round(dollars * 1e9)
        for each in record.skills:
            self.routes.update(each.routes)
        for route, size in record.listing_bytes.items():
            self.listing_bytes[route] = max(size, self.listing_bytes.get(route, 0))

    def share(self, positive: bool) -> Share:
        return share(self.passed[positive], self.graded[positive])


class Tally:
    """Counts records one at a time; their order is nothing to the result."""

    def __init__(self, inputs: Inputs, ended: Ended = ALL_ASKED) -> None:
        self._inputs = inputs
        self._ended = ended
        self._cells = CellTally(inputs)
        self._calls = CallTally(inputs)
        self._took = SpreadTally()
        self._waited = LatencyTally()
        self._lifts = LiftTally(inputs)
        self._gates = GateTally(inputs)
        self._all = _Count()
        self._reused = 0
        self._skills: dict[str, _Count] = {}
        self._arms: dict[tuple[str, str, str | None], _Count] = {}
        self._cases: dict[tuple[str | None, str, str, str, str | None], tuple[int, int]] = {}
        self._rungs: dict[str, Counter[str]] = {}
        self._invisible: Counter[tuple[str, str, str, str | None, str]] = Counter()
        self._causes: Counter[tuple[str, str]] = Counter()
        self._policies: set[str] = set()
        self._differs: Counter[tuple[str | None, ...]] = Counter()

    def add(self, record: Record) -> None:
        """Count one record; one of a baseline says only what the skill adds to it."""
        self._lifts.add(record)
        if record.variant:
            return
        arm = (record.agent, record.delivery, record.model)
        self._all.add(record)
        self._gates.add(record)
        self._reused += bool(record.reused)
        self._cells.add(record)
        self._took.add(record)
        self._waited.add(record)
        self._calls.add(record)
        self._arms.setdefault(arm, _Count()).add(record)
        self._policies.add(record.policy)
        if record.strict is not None:
            readings = (record.policy, record.status, record.strict)
            self._differs[record.skill, record.case, *arm, *readings] += 1
        if record.skill is not None:
            self._skills.setdefault(record.skill, _Count()).add(record)
        if record.status in {"error", "ineligible"}:
            self._causes[record.status, record.reason[:REASON_CHARS]] += 1
            return
        case = (record.skill, record.case, *arm)
        passed, of = self._cases.get(case, (0, 0))
        self._cases[case] = (passed + (record.status == "pass"), of + 1)
        if record.skill is not None and record.should_trigger:
            counts = self._rungs.setdefault(record.skill, Counter())
            mine = next((each for each in record.skills if each.skill == record.skill), None)
            climb(counts, mine)
            if mine and record.delivery != "none" and is_invisible(mine):
                self._invisible[record.skill, *arm, mine.offered] += 1

    def summary(self) -> Summary:
        """What was counted so far."""
        count, ended = self._all, self._ended
        cells = self._cells.verdicts(ended.why)
        lifts = self._lifts.lifts()
        costs = Costs(
            dollars=count.nanodollars / 1e9,
            known=count.priced,
            trials=count.trials - count.ineligible,
        )
        return Summary(
            run_id=self._inputs.run_id,
            began=self._inputs.began,
            planned=sum(not each.variant for each in self._inputs.plan),
            cells=cells,
            reused=self._reused,
            lifts=lifts,
            gates=self._gates.results(cells, lifts, costs),
            calls=self._calls.calls(),
            matrix=self._calls.matrix(),
            distributions=tuple(self._took.distributions()),
            latencies=tuple(self._waited.latencies()),
            repeats=self._cells.repeats(),
            spared=ended.spared,
            cut=Cut(why=ended.why, words=ended.words) if ended.why else None,
            totals=Totals(
                trials=count.trials,
                passed=sum(count.passed),
                fail=sum(count.graded) - sum(count.passed),
                error=count.errors,
                ineligible=count.ineligible,
            ),
            skills={
                name: self._skill(name, of_skill(cells, name)) for name in sorted(self._skills)
            },
            arms=tuple(self._arm(arm) for arm in sorted(self._arms, key=_sortable)),
            policies=tuple(sorted(self._policies)),
            causes=self._commonest(),
            mixed=tuple(self._mixed()),
            differs=tuple(self._differing()),
            invisible=tuple(self._hidden()),
            answered_by=str(self._inputs.settings.get("provider") or "live"),
            untried=tuple(
                sorted({each.name for each in self._inputs.skills.values()} - set(self._skills))
            ),
        )

    def _skill(self, name: str, cells: Sequence[CellVerdict]) -> SkillSummary:
        count = self._skills[name]
        positives, negatives = count.share(True), count.share(False)
        return SkillSummary(
            positives=positives,
            negatives=negatives,
            verdict=verdict_of(positives, negatives, cells),
            errors=count.errors,
            ineligible=count.ineligible,
            funnel=make_funnel(self._rungs.get(name, Counter())),
        )

    def _arm(self, arm: tuple[str, str, str | None]) -> ArmSummary:
        count = self._arms[arm]
        return ArmSummary(
            agent=arm[0],
            delivery=arm[1],
            model=arm[2],
            positives=count.share(True),
            negatives=count.share(False),
            seconds=count.microseconds / 1e6 if count.timed else None,
            dollars=count.nanodollars / 1e9 if count.priced else None,
            dollars_known=count.priced,
            trials=count.trials,
            errors=count.errors,
            ineligible=count.ineligible,
            routes=dict(sorted(count.routes.items())),
            listing_bytes=dict(sorted(count.listing_bytes.items())),
            unread=count.unread,
        )

    def _hidden(self) -> Iterable[Invisible]:
        for key in sorted(self._invisible, key=_sortable):
            skill, agent, delivery, model, offered = key
            yield msgspec.convert(
                {
                    "skill": skill,
                    "agent": agent,
                    "delivery": delivery,
                    "model": model,
                    "offered": offered,
                    "trials": self._invisible[key],
                },
                Invisible,
            )

    def _commonest(self) -> tuple[Cause, ...]:
        causes = sorted(self._causes.items(), key=lambda each: (-each[1], each[0]))
        return tuple(
            msgspec.convert({"status": status, "reason": reason, "trials": trials}, Cause)
            for (status, reason), trials in causes[:REASONS_KEPT]
        )

    def _differing(self) -> Iterable[Difference]:
        names = ("skill", "case", "agent", "delivery", "model", "policy", "faithful", "strict")
        for key in sorted(self._differs, key=_sortable):
            told = dict(zip(names, key, strict=True))
            yield msgspec.convert({**told, "trials": self._differs[key]}, Difference)

    def _mixed(self) -> Iterable[Mixed]:
        for key in sorted(self._cases, key=_sortable):
            passed, of = self._cases[key]
            if 0 < passed < of:
                skill, case, agent, delivery, model = key
                yield Mixed(
                    skill=skill,
                    case=case,
                    agent=agent,
                    delivery=delivery,
                    model=model,
                    passed=passed,
                    of=of,
                )


def summarise(records: Iterable[Record], inputs: Inputs, ended: Ended = ALL_ASKED) -> Summary:
    """All records of a run in figures."""
    tally = Tally(inputs, ended)
    for record in records:
        tally.add(record)
    return tally.summary()


def _sortable(key: tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    return tuple((each is not None, each or "") for each in key)
