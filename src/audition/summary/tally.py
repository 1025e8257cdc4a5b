"""Records to figures: one record at a time, in any order.

In: Records, and the Inputs of their run. Out: a Summary. What is kept grows with skills,
arms and cases, never with trials.
Must not know: files, formats, the screen.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from audition.model import Inputs, Record
from audition.store import Ended
from audition.summary.calls import CallTally
from audition.summary.cells import CellTally, of_skill
from audition.summary.counts import Count, add_pairs
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

_Case = tuple[str | None, str, str, str, str | None, str]
_NAMES = ("skill", "case", "agent", "delivery", "model", "file")
ALL_ASKED = Ended()
REASONS_KEPT = 20
REASON_CHARS = 200


class Tally:
    """Counts records one at a time; their order is nothing, and shares add up."""

    def __init__(self, inputs: Inputs, ended: Ended = ALL_ASKED) -> None:
        self._inputs = inputs
        self._ended = ended
        self.cells = CellTally(inputs)
        self.calls = CallTally(inputs)
        self.took = SpreadTally()
        self.waited = LatencyTally()
        self.lifts = LiftTally(inputs)
        self.gates = GateTally(inputs)
        self.all = Count()
        self.reused = 0
        self.skills: dict[str, Count] = defaultdict(Count)
        self.arms: dict[tuple[str, str, str | None], Count] = defaultdict(Count)
        self.cases: dict[_Case, tuple[int, int]] = {}
        self.rungs: dict[str, Counter[str]] = defaultdict(Counter)
        self.invisible: Counter[tuple[str, str, str, str | None, str]] = Counter()
        self.causes: Counter[tuple[str, str]] = Counter()
        self.policies: set[str] = set()
        self.differs: Counter[tuple[str | None, ...]] = Counter()

    def add(self, record: Record) -> None:
        """Count one record; one of a baseline says only what the skill adds to it."""
        self.lifts.add(record)
        if record.variant:
            return
        arm = (record.agent, record.delivery, record.model)
        self.all.add(record)
        self.gates.add(record)
        self.reused += bool(record.reused)
        self.cells.add(record)
        self.took.add(record)
        self.waited.add(record)
        self.calls.add(record)
        self.arms[arm].add(record)
        self.policies.add(record.policy)
        if record.strict is not None:
            readings = (record.policy, record.status, record.strict)
            self.differs[record.skill, record.case, *arm, record.file, *readings] += 1
        if record.skill is not None:
            self.skills[record.skill].add(record)
        if record.status in {"error", "ineligible"}:
            self.causes[record.status, record.reason[:REASON_CHARS]] += 1
            return
        case = (record.skill, record.case, *arm, record.file)
        passed, of = self.cases.get(case, (0, 0))
        self.cases[case] = (passed + (record.status == "pass"), of + 1)
        if record.skill is not None and record.should_trigger:
            counts = self.rungs[record.skill]
            mine = next((each for each in record.skills if each.skill == record.skill), None)
            climb(counts, mine)
            if mine and record.delivery != "none" and is_invisible(mine):
                self.invisible[record.skill, *arm, mine.offered] += 1

    def absorb(self, other: "Tally") -> None:
        """Count what another tally of the same run counted."""
        self.cells.absorb(other.cells)
        self.calls.absorb(other.calls)
        self.took.absorb(other.took)
        self.waited.absorb(other.waited)
        self.lifts.absorb(other.lifts)
        self.gates.absorb(other.gates)
        self.all.absorb(other.all)
        for skill, count in other.skills.items():
            self.skills[skill].absorb(count)
        for arm, count in other.arms.items():
            self.arms[arm].absorb(count)
        for name, rungs in other.rungs.items():
            self.rungs[name].update(rungs)
        add_pairs(self.cases, other.cases)
        self.reused += other.reused
        self.invisible.update(other.invisible)
        self.causes.update(other.causes)
        self.policies |= other.policies
        self.differs.update(other.differs)

    def __getstate__(self) -> dict[str, object]:
        # Who absorbs it knows the run; its plan is longer than all that was counted.
        return {**vars(self), "_inputs": None}

    def summary(self) -> Summary:
        """What was counted so far."""
        count, ended = self.all, self._ended
        cells = self.cells.verdicts(ended.why)
        lifts = self.lifts.lifts()
        costs = Costs(
            dollars=count.nanodollars / 1e9,
            known=count.priced + self._unpaid(),
            trials=count.trials - count.ineligible,
        )
        return Summary(
            run_id=self._inputs.run_id,
            began=self._inputs.began,
            planned=sum(not each.variant for each in self._inputs.plan),
            cells=cells,
            reused=self.reused,
            lifts=lifts,
            gates=self.gates.results(cells, lifts, costs),
            calls=self.calls.calls(),
            matrix=self.calls.matrix(),
            distributions=tuple(self.took.distributions()),
            latencies=tuple(self.waited.latencies()),
            repeats=self.cells.repeats(),
            spared=ended.spared,
            cut=Cut(why=ended.why, words=ended.words) if ended.why else None,
            totals=Totals(
                trials=count.trials,
                passed=sum(count.passed),
                fail=sum(count.graded) - sum(count.passed),
                error=count.errors,
                ineligible=count.ineligible,
            ),
            skills={name: self._skill(name, of_skill(cells, name)) for name in sorted(self.skills)},
            arms=tuple(self._arm(arm) for arm in sorted(self.arms, key=_sortable)),
            policies=tuple(sorted(self.policies)),
            causes=self._commonest(),
            mixed=tuple(self._mixed()),
            differs=tuple(self._differing()),
            invisible=tuple(self._hidden()),
            answered_by=str(self._inputs.settings.get("provider") or "live"),
            untried=tuple(
                sorted({each.name for each in self._inputs.skills.values()} - set(self.skills))
            ),
        )

    def _unpaid(self) -> int:
        """Trials without a price that cost nothing: embedded agents start no program of anybody."""
        agents = self._inputs.agents
        free = {name for name, told in agents.items() if (told or {}).get("program") == []}
        found = (each for (agent, *_), each in self.arms.items() if agent in free)
        return sum(each.trials - each.ineligible - each.priced for each in found)

    def _skill(self, name: str, cells: Sequence[CellVerdict]) -> SkillSummary:
        count = self.skills[name]
        positives, negatives = _share(count, True), _share(count, False)
        return SkillSummary(
            positives=positives,
            negatives=negatives,
            verdict=verdict_of(positives, negatives, cells),
            errors=count.errors,
            ineligible=count.ineligible,
            funnel=make_funnel(self.rungs.get(name, Counter())),
        )

    def _arm(self, arm: tuple[str, str, str | None]) -> ArmSummary:
        count = self.arms[arm]
        return ArmSummary(
            agent=arm[0],
            delivery=arm[1],
            model=arm[2],
            positives=_share(count, True),
            negatives=_share(count, False),
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
        for key in sorted(self.invisible, key=_sortable):
            skill, agent, delivery, model, offered = key
            yield msgspec.convert(
                {
                    "skill": skill,
                    "agent": agent,
                    "delivery": delivery,
                    "model": model,
                    "offered": offered,
                    "trials": self.invisible[key],
                },
                Invisible,
            )

    def _commonest(self) -> tuple[Cause, ...]:
        causes = sorted(self.causes.items(), key=lambda each: (-each[1], each[0]))
        return tuple(
            msgspec.convert({"status": status, "reason": reason, "trials": trials}, Cause)
            for (status, reason), trials in causes[:REASONS_KEPT]
        )

    def _differing(self) -> Iterable[Difference]:
        names, twins = (*_NAMES, "policy", "faithful", "strict"), self._twins()
        for key in sorted(self.differs, key=_sortable):
            told = dict(zip(names, key, strict=True))
            more = {"trials": self.differs[key], "twin": key[:2] in twins}
            yield msgspec.convert({**told, **more}, Difference)

    def _mixed(self) -> Iterable[Mixed]:
        twins = self._twins()
        for key in sorted(self.cases, key=_sortable):
            passed, of = self.cases[key]
            if 0 < passed < of:
                told = dict(zip(_NAMES, key, strict=True))
                more = {"passed": passed, "of": of, "twin": key[:2] in twins}
                yield msgspec.convert({**told, **more}, Mixed)

    def _twins(self) -> set[tuple[str | None, str]]:
        """Skill and id of the cases that several files have."""
        files = {(skill, case, file) for skill, case, _, _, _, file in self.cases}
        counts = Counter((skill, case) for skill, case, _ in files)
        return {name for name, number in counts.items() if number > 1}


def _share(count: Count, positive: bool) -> Share:
    return share(count.passed[positive], count.graded[positive])


def summarise(records: Iterable[Record], inputs: Inputs, ended: Ended = ALL_ASKED) -> Summary:
    """All records of a run in figures."""
    tally = Tally(inputs, ended)
    for record in records:
        tally.add(record)
    return tally.summary()


def _sortable(key: tuple[str | None, ...]) -> tuple[tuple[bool, str], ...]:
    return tuple((each is not None, each or "") for each in key)
