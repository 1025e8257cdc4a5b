"""What may honestly be said of a run: the verdict first, then every reservation.

In: a Summary. Out: sentences, not yet escaped for any medium. Must not know: formats, the screen.
"""

from collections.abc import Iterable
from math import floor

from audition.counted import counted
from audition.report.arms import say_arm
from audition.summary.figures import (
    ArmSummary,
    Invisible,
    SkillSummary,
    Summary,
    has_failed,
    is_open,
    is_sequential,
)

WEAK = 0.7
"""A lower bound below this is worth a word of caution, however many passed."""


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
        said.append(f"{totals.fail} of {counted(graded, 'graded trial')} failed.")
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
        them = "it counts" if totals.error + totals.ineligible == 1 else "they count"
        said.append(f"{_and(left_out)}; {them} neither way.")
    if missing := max(0, summary.planned - summary.spared - totals.trials):
        said.append(_say_missing(summary, missing))
    said.extend(say_invisible(each) for each in summary.invisible[:3])
    if len(summary.invisible) > 3:
        more = counted(len(summary.invisible) - 3, "more was", "more were")
        said.append(f"And {more} not shown, see summary.json.")
    said.extend(filter(None, map(say_routes, summary.arms)))
    said.extend(filter(None, map(say_unread, summary.arms)))
    said.extend(_judges(summary))
    said.extend(_caution(summary))
    return tuple(said)


def _judges(summary: Summary) -> Iterable[str]:
    """Who answered, where no model did, and whose rules judged, where they are not ours."""
    if summary.answered_by != "live":
        yield f"Models were not asked: `{summary.answered_by}` answered for them."
    theirs = [each for each in summary.policies if each != "default"]
    if theirs:
        yield f"Judged by the policy {_and(theirs)}: see `audition explain {theirs[0]}`."


def _say_missing(summary: Summary, missing: int) -> str:
    most = "at most " if summary.spared else ""
    why = f" ({summary.cut.words})" if summary.cut and summary.cut.words else ""
    have = "has" if missing == 1 else "have"
    planned = counted(summary.planned, "planned trial")
    return f"{most}{missing} of {planned} {have} not been run{why}."


def _where(summary: Summary) -> Iterable[str]:
    bad = [
        f"{name} failed {_missed(each)}"
        for name, each in summary.skills.items()
        if each.verdict == "fail"
    ]
    if bad:
        more = [f"{counted(len(bad) - 3, 'more skill')} failed"] * (len(bad) > 3)
        yield f"{'; '.join([*bad[:3], *more])}."
    if is_sequential(summary) and not has_failed(summary) and not is_open(summary):
        yield "Every verdict is pass: the rates are good enough."


def _missed(skill: SkillSummary) -> str:
    parts = [
        f"{share.of - share.passed} of {counted(share.of, word)}"
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


def say_routes(arm: ArmSummary) -> str:
    """Which ways skills took, and what their listings cost; empty where there was one way only."""
    if len(arm.routes) < 2 and len(arm.listing_bytes) < 2:
        return ""
    ways = [f"{counted(times, 'time')} by {route}" for route, times in arm.routes.items()]
    costs = [f"{size} bytes {route}" for route, size in arm.listing_bytes.items()]
    parts = [f"loaded {_and(ways)}"] if ways else []
    parts += [f"the listings cost {_and(costs)}"] if costs else []
    return f"{say_arm(arm)}: {'; '.join(parts)}."


def say_unread(arm: ArmSummary) -> str:
    """That an agent printed what its reader does not know; empty where it knew all."""
    lines = counted(arm.unread, "line it does not know", "lines it does not know")
    return f"The reader of {say_arm(arm)} met {lines}, and missed what they tell." * (
        arm.unread > 0
    )


def say_invisible(each: Invisible) -> str:
    """That a skill could not be chosen, for it was not shown."""
    how = "by its name only" if each.offered == "name" else "not at all"
    trials = counted(each.trials, "positive")
    return (
        f"{each.skill} was shown {how} on {say_arm(each)} ({trials}): "
        "no wording can mend what is not shown."
    )
