"""The words and rows that every report for people shares.

In: a Summary and Records. Out: short plain text, not yet escaped for any medium.
Must not know: formats, the screen.
"""

import shlex
from bisect import insort
from collections.abc import Iterable
from math import ceil, floor
from typing import Protocol

from audition.counted import counted, numbered
from audition.model import Record, Value
from audition.report.arms import say_arm
from audition.report.escape import one_line
from audition.summary.figures import ArmSummary, Difference, Share, Summary


class Trouble(Value, frozen=True, kw_only=True):
    """A trial that did not pass, in words."""

    record: Record
    reasons: tuple[str, ...]
    lines: tuple[int, ...]
    """The raw trace lines to look at."""
    command: str
    """Shows the trial."""


class Group(Value, frozen=True, kw_only=True):
    """The troubles of one skill; of cases without a skill where `skill` is null."""

    skill: str | None
    failed: int
    errors: int
    shown: tuple[Trouble, ...]

    @property
    def hidden(self) -> int:
        """How many more there are than are shown."""
        return self.failed + self.errors - len(self.shown)


class Named(Protocol):
    """Whatever is said of one case."""

    @property
    def skill(self) -> str | None: ...  # noqa: D102
    @property
    def case(self) -> str: ...  # noqa: D102
    @property
    def file(self) -> str: ...  # noqa: D102
    @property
    def twin(self) -> bool: ...  # noqa: D102


def say_case(each: Named) -> str:
    """`greeting/hello`; with its file where another file has a case of that name."""
    name = f"{each.skill}/{each.case}" if each.skill else each.case
    return f"{name} of {each.file}" if each.twin and each.file else name


def gather_troubles(
    records: Iterable[Record], summary: Summary, cap: int = 50, out: str = ""
) -> tuple[Group, ...]:
    """Failed and erring trials by skill: failed before erring, then by name; `cap` a skill.

    How many there are says the summary: `records` may be a choice of them. `out` is put
    behind the command that shows one.
    """
    kept: dict[str | None, list[tuple[tuple[object, ...], Record]]] = {}
    for record in records:
        if record.status in {"fail", "error"}:
            some = kept.setdefault(record.skill, [])
            insort(some, (order_of(record), record), key=lambda each: each[0])
            del some[cap:]
    return tuple(
        Group(
            skill=skill,
            failed=failed,
            errors=errors,
            shown=tuple(_trouble(each, summary.run_id, out) for _, each in kept.get(skill, [])),
        )
        for skill, failed, errors in _counts(summary)
        if failed or errors
    )


def _counts(summary: Summary) -> Iterable[tuple[str | None, int, int]]:
    failed, errors = summary.totals.fail, summary.totals.error
    for name, each in summary.skills.items():
        missed = sum(share.of - share.passed for share in (each.positives, each.negatives))
        yield name, missed, each.errors
        failed, errors = failed - missed, errors - each.errors
    yield None, failed, errors


def order_of(record: Record) -> tuple[object, ...]:
    """Where a record stands in a list: failed first, then by case, arm and number."""
    arm = (record.agent, record.delivery, record.model or "")
    return (record.status != "fail", record.case, *arm, record.trial, record.id)


def _trouble(record: Record, run_id: str, out: str) -> Trouble:
    bad = [each for each in record.grades if each.status not in {"pass", "vacuous"}]
    reasons = [record.reason] if record.reason else []
    reasons += [
        f"{each.by}: {each.reason or each.status}"
        for each in bad
        if not each.reason or each.reason not in record.reason
    ]
    lines = {line for each in bad for line in each.lines}
    if not lines:
        lines = {line for each in record.skills for line in each.lines}
    return Trouble(
        record=record,
        reasons=tuple(reasons) or ("no reason was given",),
        lines=tuple(sorted(lines)),
        command=look_command(run_id, record.id) + out,
    )


def say_reason(record: Record, limit: int = 300) -> str:
    """Why it did not pass, on one line, never empty."""
    return one_line(record.reason, limit) or "no reason was given"


def look_command(run_id: str, trial: str) -> str:
    """The command that shows one trial."""
    return f"audition show {shlex.quote(f'{run_id}::{trial}')}"


def say_lines(lines: tuple[int, ...], most: int = 8) -> str:
    """Trace lines by number: `trace lines 4, 9`."""
    if not lines:
        return ""
    return numbered("trace line", lines[:most]) + (" …" if len(lines) > most else "")


def say_count(share: Share) -> str:
    """`8/9`; a dash where nothing was counted."""
    return f"{share.passed}/{share.of}" if share.of else "–"


def say_rate(share: Share) -> str:
    """`89%`; never 100% where one failed, never 0% where one passed."""
    return "" if share.rate is None else say_percent(share.rate)


def say_percent(rate: float) -> str:
    """`89%`; 100% and 0% only where it is exactly that."""
    rounded = round(rate * 100)
    if rate < 1:
        rounded = min(rounded, 99)
    return f"{max(rounded, 1) if rate > 0 else rounded}%"


def say_interval(share: Share) -> str:
    """`57–99%`, rounded outwards, so that it never promises more than it holds."""
    if share.low is None or share.high is None:
        return ""
    # A hair of slack: 0.7 * 100 is 70.00000000000001 and is no 71.
    return f"{floor(share.low * 100 + 1e-9)}–{ceil(share.high * 100 - 1e-9)}%"


def say_dollars(arm: ArmSummary) -> str:
    """`$0.41`; with `+` where the cost of some trials is unknown; a question mark where of all."""
    if arm.dollars is None:
        return "?"
    digits = 0 if not arm.dollars else 2 if arm.dollars >= 1 else 4
    tried = arm.trials - arm.ineligible
    return f"${arm.dollars:.{digits}f}{'+' * (arm.dollars_known < tried)}"


def say_difference(each: Difference) -> str:
    """That a faithful policy and the strict one disagree about a case."""
    trials = f" ({counted(each.trials, 'trial')})" if each.trials > 1 else ""
    return (
        f"{say_case(each)} on {say_arm(each)}: {each.faithful} as {each.policy} judges, "
        f"{each.strict} by the default policy{trials}"
    )
