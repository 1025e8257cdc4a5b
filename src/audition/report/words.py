"""The words and rows that every report for people shares.

In: a Summary and Records. Out: short plain text, not yet escaped for any medium.
Must not know: formats, the screen.
"""

import shlex
from bisect import insort
from collections.abc import Iterable
from math import ceil, floor

from audition.model import Record, Value
from audition.report.arms import say_arm
from audition.report.escape import one_line
from audition.summary import (
    ArmSummary,
    Difference,
    Invisible,
    Share,
    SkillSummary,
    Summary,
    has_failed,
    is_open,
    is_sequential,
)

WEAK = 0.7
"""A lower bound below this is worth a word of caution, however many passed."""


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


def gather_troubles(
    records: Iterable[Record], summary: Summary, cap: int = 50
) -> tuple[Group, ...]:
    """Failed and erring trials by skill: failed before erring, then by name; `cap` a skill.

    How many there are says the summary: `records` may be a choice of them.
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
            shown=tuple(_trouble(record, summary.run_id) for _, record in kept.get(skill, [])),
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


def _trouble(record: Record, run_id: str) -> Trouble:
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
        command=look_command(run_id, record.id),
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
    numbers = ", ".join(map(str, lines[:most])) + (" …" if len(lines) > most else "")
    return f"trace line{'s' * (len(lines) > 1)} {numbers}"


def say_count(share: Share) -> str:
    """`8/9`; a dash where nothing was counted."""
    return f"{share.passed}/{share.of}" if share.of else "–"


def say_rate(share: Share) -> str:
    """`89%`; never 100% where one failed, never 0% where one passed."""
    if share.rate is None:
        return ""
    rounded = round(share.rate * 100)
    if share.passed < share.of:
        rounded = min(rounded, 99)
    return f"{max(rounded, 1) if share.passed else rounded}%"


def say_interval(share: Share) -> str:
    """`57–99%`, rounded outwards, so that it never promises more than it holds."""
    if share.low is None or share.high is None:
        return ""
    # A hair of slack: 0.7 * 100 is 70.00000000000001 and is no 71.
    return f"{floor(share.low * 100 + 1e-9)}–{ceil(share.high * 100 - 1e-9)}%"


def say_seconds(seconds: float | None) -> str:
    """`0.4 s`, `2 min 5 s`, `3 h 4 min`; a question mark where unknown."""
    if seconds is None:
        return "?"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def say_dollars(arm: ArmSummary) -> str:
    """`$0.41`; with `+` where the cost of some trials is unknown; a question mark where of all."""
    if arm.dollars is None:
        return "?"
    digits = 0 if not arm.dollars else 2 if arm.dollars >= 1 else 4
    tried = arm.trials - arm.ineligible
    return f"${arm.dollars:.{digits}f}{'+' * (arm.dollars_known < tried)}"


def say_routes(arm: ArmSummary) -> str:
    """Which ways skills took, and what their listings cost; empty where there was one way only."""
    if len(arm.routes) < 2 and len(arm.listing_bytes) < 2:
        return ""
    ways = [f"{count(times, 'time')} by {route}" for route, times in arm.routes.items()]
    costs = [f"{size} bytes {route}" for route, size in arm.listing_bytes.items()]
    parts = [f"loaded {_and(ways)}"] if ways else []
    parts += [f"the listings cost {_and(costs)}"] if costs else []
    return f"{say_arm(arm)}: {'; '.join(parts)}."


def say_unread(arm: ArmSummary) -> str:
    """That an agent printed what its reader does not know; empty where it knew all."""
    lines = count(arm.unread, "line it does not know", "lines it does not know")
    return f"The reader of {say_arm(arm)} met {lines}, and missed what they tell." * (
        arm.unread > 0
    )


def say_invisible(each: Invisible) -> str:
    """That a skill could not be chosen, for it was not shown."""
    how = "by its name only" if each.offered == "name" else "not at all"
    trials = count(each.trials, "positive")
    return (
        f"{each.skill} was shown {how} on {say_arm(each)} ({trials}): "
        "no wording can mend what is not shown."
    )


def say_difference(each: Difference) -> str:
    """That a faithful policy and the strict one disagree about a case."""
    name = f"{each.skill}/{each.case}" if each.skill else each.case
    trials = f" ({count(each.trials, 'trial')})" if each.trials > 1 else ""
    return (
        f"{name} on {say_arm(each)}: {each.faithful} as {each.policy} judges, "
        f"{each.strict} by the default policy{trials}"
    )


def count(number: int, one: str, many: str = "") -> str:
    """`1 trial`, `2 trials`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def conclude(summary: Summary) -> tuple[str, ...]:
    """What may honestly be said of the run: the verdict first, then every reservation."""
    totals = summary.totals
    graded = totals.passed + totals.fail
    said: list[str] = []
    if not totals.trials:
        said.append("Nothing was tried.")
    elif not graded:
        said.append("Nothing could be graded, so nothing is known.")
    elif totals.fail:
        said.append(f"{totals.fail} of {count(graded, 'graded trial')} failed.")
        said.extend(_where(summary))
    elif graded == 1:
        said.append("The one graded trial passed.")
    else:
        said.append(f"All {graded} graded trials passed.")
    left_out = [
        words
        for number, words in (
            (totals.error, f"{totals.error} ended in error"),
            (totals.ineligible, f"{totals.ineligible} could not be tried in that arm"),
        )
        if number
    ]
    if left_out:
        said.append(f"{_and(left_out)}; they count neither way.")
    if missing := max(0, summary.planned - summary.spared - totals.trials):
        most = "at most " if summary.spared else ""
        why = f" ({summary.cut.words})" if summary.cut and summary.cut.words else ""
        said.append(f"{most}{missing} of {summary.planned} planned trials have not been run{why}.")
    said.extend(say_invisible(each) for each in summary.invisible[:3])
    if len(summary.invisible) > 3:
        said.append(f"And {len(summary.invisible) - 3} more were not shown, see summary.json.")
    said.extend(filter(None, map(say_routes, summary.arms)))
    said.extend(filter(None, map(say_unread, summary.arms)))
    if summary.answered_by != "live":
        said.append(f"Models were not asked: `{summary.answered_by}` answered for them.")
    said.extend(_caution(summary))
    return tuple(said)


def _where(summary: Summary) -> Iterable[str]:
    bad = [
        f"{name} failed {_missed(each)}"
        for name, each in summary.skills.items()
        if each.verdict == "fail"
    ]
    if bad:
        more = [f"{count(len(bad) - 3, 'more skill')} failed"] * (len(bad) > 3)
        yield f"{'; '.join([*bad[:3], *more])}."
    if is_sequential(summary) and not has_failed(summary) and not is_open(summary):
        yield "Every verdict is pass: the rates are good enough."


def _missed(skill: SkillSummary) -> str:
    parts = [
        f"{share.of - share.passed} of {count(share.of, word)}"
        for share, word in ((skill.positives, "positive"), (skill.negatives, "negative"))
        if share.passed < share.of
    ]
    return _and(parts)


def _and(parts: list[str]) -> str:
    return " and ".join(parts)


def _caution(summary: Summary) -> Iterable[str]:
    """Few trials prove little: say it of the count of which it is truest."""
    perfect = [
        (share.low, name, side, share)
        for name, skill in summary.skills.items()
        if skill.verdict == "pass"
        for side, share in (("positives", skill.positives), ("negatives", skill.negatives))
        if share.low is not None
    ]
    if not perfect:
        return
    low, name, side, share = min(perfect, key=lambda each: each[:3])
    if low < WEAK:
        yield (
            f"Few trials: {share.passed} of {share.of} still fits a true rate of "
            f"{floor(low * 100)}% ({name}, {side})."
        )
