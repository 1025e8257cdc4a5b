"""Cases and choices to trials: what will be tried, in what order.

In: suites, arms, how often. Out: the trials, interleaved, each with its place on disk, and
the skills by key. Must not know: processes, files, the store.

Trials go round-robin over cases: all first trials, then all second ones. Asking one case
to the end before the next would make every early stop lie about the rest.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

import msgspec

from audition.agent import Agent
from audition.aim import Aim
from audition.eligible import why_ineligible
from audition.errors import UsageError
from audition.model import Case, Skill, Suite, Trial, Value
from audition.verdict import Cell, cell_key, is_compared, plan_cells

TRIALS_CAP = 1_000_000
"""A plan is held whole, half a kilobyte a trial; more is a slip of the finger."""
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?\Z")


class Arm(Value, frozen=True, kw_only=True):
    """One way of asking: an agent, a delivery, a model."""

    agent: Agent
    delivery: str
    model: str | None = None
    variant: str = ""
    """Which baseline it is; empty for the skills on trial themselves."""

    @property
    def label(self) -> str:
        """`agent+delivery`, and the model when one was named."""
        return f"{self.agent.name}+{self.delivery}"


Swap = Callable[[Suite], Suite]
"""A suite with the skills of a baseline in place of those on trial."""
NO_SWAPS: Mapping[str, Swap] = {}


class Plan(Value, frozen=True, kw_only=True):
    """All that will be tried."""

    trials: tuple[Trial, ...]
    skills: dict[str, Skill]
    cells: tuple[Cell, ...] = ()


class Limits(Value, frozen=True, kw_only=True):
    """How often and how long, unless a case says otherwise."""

    trials: int | None = None
    """Given on the command line, it wins over the cases' own."""
    default_trials: int = 1
    timeout_s: float = 300.0
    policy: str | None = None
    auto: bool = False
    """As many trials as it takes: all that a cell may need are planned, up to its cap."""
    aim: Aim = Aim()


@lru_cache(maxsize=64)  # every case of a skill asks for the skill's
def slug(text: str) -> str:
    """A safe file name; what had to be altered gets a hash, so that no two texts meet."""
    safe = _UNSAFE.sub("-", text).strip("-.")[:80]
    if not safe or safe != text or _RESERVED.match(safe):
        safe = f"{safe[:60] or 'x'}-{_short(text)}"
    return safe


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def key_skills(suites: Iterable[Suite]) -> tuple[dict[str, Skill], dict[str, tuple[str, ...]]]:
    """Skills by a key unique in the run, and the keys each suite offers."""
    keys: dict[tuple[str, str], str] = {}
    skills: dict[str, Skill] = {}
    offers: dict[str, tuple[str, ...]] = {}
    taken: set[str] = set()
    for suite in suites:
        mine = []
        for skill in suite.skills:
            identity = (skill.path, skill.digest)
            if identity not in keys:
                key = slug(skill.name)
                if key.casefold() in taken:
                    key = f"{key}-{_short(skill.path)}"
                taken.add(key.casefold())
                keys[identity] = key
                skills[key] = skill
            mine.append(keys[identity])
        offers[suite.file] = tuple(dict.fromkeys(mine))
    return skills, offers


def plan_trials(
    suites: Sequence[Suite],
    arms: Sequence[Arm],
    limits: Limits,
    swaps: Mapping[str, Swap] = NO_SWAPS,
) -> Plan:
    """Cross cases and arms, interleaved, each trial with its own place.

    `swaps` are the baselines that have skills of their own, by the variant of their arms.
    """
    if limits.auto:
        return _plan_auto(suites, arms, limits, swaps)
    swapped = _swapped(suites, swaps)
    skills, offers = key_skills([*suites, *swapped])
    twins = {
        (suite.file.partition("\0")[2], case.node): case
        for suite in swapped
        for case in suite.cases
    }
    cases = [(suite, case) for suite in suites for case in suite.cases]
    named = _name_places(cases)
    labels = _label_arms(arms)
    trials: list[Trial] = []
    times = [_times(case, limits) for _, case in cases]
    _refuse_endless(sum(times) * len(arms))
    for number in range(1, max(times, default=0) + 1):
        for (suite, case), place, often in zip(cases, named, times, strict=True):
            if number > often:
                continue
            for arm, label in zip(arms, labels, strict=True):
                asked = twins.get((arm.variant, case.node), case)
                trials.append(
                    _trial(suite, asked, arm, limits, (place, label, number, len(trials)), offers)
                )
    agents = {
        (each.agent.name, each.delivery, each.model, each.variant): each.agent for each in arms
    }
    marked = tuple(_mark(trial, agents[_arm_key(trial)], skills) for trial in trials)
    cells = plan_cells(marked, suites, limits.aim, auto=limits.auto)
    return Plan(trials=marked, skills=skills, cells=cells)


def _refuse_endless(count: int) -> None:
    if count > TRIALS_CAP:
        words = f"the plan has {count:,} trials, and {TRIALS_CAP:,} are the most"
        raise UsageError(words, "lower `-r` or `trials`, or choose fewer cases")


def _swapped(suites: Sequence[Suite], swaps: Mapping[str, Swap]) -> list[Suite]:
    return [
        msgspec.structs.replace(swap(suite), file=_swapped_file(suite, variant))
        for variant, swap in swaps.items()
        for suite in suites
    ]


def _swapped_file(suite: Suite, variant: str) -> str:
    return f"{suite.file}\0{variant}"


def _plan_auto(
    suites: Sequence[Suite], arms: Sequence[Arm], limits: Limits, swaps: Mapping[str, Swap]
) -> Plan:
    """Rounds over the cases until each cell has its cap; what cannot be tried is planned once.

    A baseline's trial is planned wherever one of the skills on trial is, for it is its partner.
    """
    once = msgspec.structs.replace(limits, auto=False, trials=1)
    first = plan_trials(suites, arms, once, swaps)
    cells = _with_pairs(plan_cells(first.trials, suites, limits.aim, auto=True), first.trials)
    left = {cell.key: max(cell.cap or 0, cell.pairs or 0) for cell in cells if not cell.variant}
    chosen: list[Trial] = []
    going = list(first.trials)
    number = 0
    while any(not each.variant for each in going):
        number += 1
        asked: set[str] = set()
        for trial in going:
            if trial.variant:
                if number > 1 and trial.case.node not in asked:
                    continue
            elif number == 1 or left[cell_key(trial)] > 0:
                left[cell_key(trial)] -= not trial.ineligible
                asked.add(trial.case.node)
            else:
                continue
            chosen.append(_again(trial, number, len(chosen)))
        going = [
            each
            for each in going
            if not each.ineligible and (each.variant or left[cell_key(each)] > 0)
        ]
    return Plan(trials=tuple(chosen), skills=first.skills, cells=cells)


def _with_pairs(cells: Sequence[Cell], trials: Sequence[Trial]) -> tuple[Cell, ...]:
    """The cells, each with the pairs that telling it from its baselines may take.

    Only positives are compared: what a skill adds shows where it should be called.
    """
    asked = {cell_key(each) for each in trials if not each.ineligible}
    baselines = [each for each in cells if each.variant and each.key in asked]
    return tuple(
        msgspec.structs.replace(cell, pairs=cell.duel.cap)
        if cell.positives and any(is_compared(cell, each) for each in baselines)
        else cell
        for cell in cells
    )


def _again(trial: Trial, number: int, index: int) -> Trial:
    place = f"{trial.place.rpartition('/')[0]}/{number}"
    return msgspec.structs.replace(trial, id=place, place=place, index=index, number=number)


def _times(case: Case, limits: Limits) -> int:
    return limits.trials or case.trials or limits.default_trials


def _trial(
    suite: Suite,
    case: Case,
    arm: Arm,
    limits: Limits,
    place: tuple[str, str, int, int],
    offers: Mapping[str, tuple[str, ...]],
) -> Trial:
    where, label, number, index = place
    mine = offers.get(_swapped_file(suite, arm.variant), offers[suite.file])
    name = f"{where}/{label}/{number}"
    return Trial(
        id=name,
        place=name,
        index=index,
        case=case,
        agent=arm.agent.name,
        delivery=arm.delivery,
        model=arm.model,
        number=number,
        skills=mine,
        policy=limits.policy or suite.policy,
        timeout_s=case.timeout_s or limits.timeout_s,
        variant=arm.variant,
    )


def _name_places(cases: Sequence[tuple[Suite, Case]]) -> list[str]:
    """`skill/case` for each, no two alike on any file system."""
    places: list[str] = []
    taken: dict[str, int] = {}
    for suite, case in cases:
        place = f"{slug(case.skill or 'none')}/{slug(case.id)}"
        if place.casefold() in taken:
            place = f"{place}-{_short(f'{suite.file}::{case.id}')}"
        taken[place.casefold()] = 1
        places.append(place)
    return places


def _label_arms(arms: Sequence[Arm]) -> list[str]:
    several = len({arm.model for arm in arms}) > 1
    return [
        f"{slug(arm.agent.name)}+{arm.delivery}"
        + (f"+{slug(arm.model or 'default')}" if several else "")
        + (f"@{slug(arm.variant)}" if arm.variant else "")
        for arm in arms
    ]


def _arm_key(trial: Trial) -> tuple[str, str, str | None, str]:
    return trial.agent, trial.delivery, trial.model, trial.variant


def _mark(trial: Trial, agent: Agent, skills: Mapping[str, Skill]) -> Trial:
    reason = why_ineligible(trial, agent, skills)
    return msgspec.structs.replace(trial, ineligible=reason) if reason else trial


Keep = Callable[[Case], bool]
"""Whether a selection keeps a case."""


def select(suites: Iterable[Suite], keep: Keep) -> tuple[Suite, ...]:
    """The suites with only the cases that are kept; suites left empty are gone."""
    chosen = []
    for suite in suites:
        cases = tuple(case for case in suite.cases if keep(case))
        if cases:
            chosen.append(msgspec.structs.replace(suite, cases=cases))
    return tuple(chosen)
