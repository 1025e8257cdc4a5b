"""From votes to one verdict a criterion, and from these to grades: by fixed rules, no discretion.

In: opinions, a Judgement. Out: Settled verdicts, Grades. Must not know: who voted.

* A verdict needs more than half of the votes; without that it is `cannot_tell`.
* `must` and unmet: fail. `must` and cannot tell: unknown, which is no pass.
* `must` and not applicable: neither; but where no `must` was met, nothing was proven.
* `should` is said and decides nothing.
* A judge that gave no answer is an error, never a pass.
"""

from collections import Counter
from collections.abc import Sequence

from audition.judge.values import Judgement, Opinion, Settled, Word
from audition.model import Criterion, Grade, GradeStatus

STATUS: dict[Word, GradeStatus] = {
    "met": "pass",
    "unmet": "fail",
    "not_applicable": "vacuous",
    "cannot_tell": "unknown",
}


def settle(votes: Sequence[Opinion], of: int) -> Settled:
    """The verdict that more than half of `of` votes give."""
    counts: Counter[Word] = Counter(each.verdict for each in votes)
    counts["cannot_tell"] += of - len(votes)
    word, number = counts.most_common(1)[0]
    shown: dict[str, int] = {name: count for name, count in sorted(counts.items()) if count}
    if number * 2 <= of:
        said = ", ".join(f"{count} {name}" for name, count in shown.items())
        reason = f"the votes disagree: {said}"
        return Settled(
            criterion=votes[0].criterion, verdict="cannot_tell", reason=reason, votes=shown
        )
    chosen = next((each for each in votes if each.verdict == word), votes[0])
    return Settled(
        criterion=chosen.criterion,
        verdict=word,
        reason=chosen.reason,
        citations=chosen.citations,
        lines=chosen.lines,
        votes=shown,
    )


def grade_rubric(criteria: Sequence[Criterion], judgement: Judgement | None) -> tuple[Grade, ...]:
    """A grade for each criterion; without a judgement a note that nobody was asked."""
    if not criteria:
        return ()
    if judgement is None:
        words = "the rubric was not asked: no judge"
        return (Grade(by="judge", status="vacuous", reason=words, gates=False),)
    grades = list(_overall(judgement) if judgement.overall else _each(criteria, judgement))
    if judgement.problem or not grades:
        reason = judgement.problem or "it said nothing"
        grades.append(Grade(by="judge", status="error", reason=reason))
    return tuple(grades)


def _each(criteria: Sequence[Criterion], judgement: Judgement) -> list[Grade]:
    settled = {each.criterion: each for each in judgement.settled}
    musts = {each.id for each in criteria if each.severity == "must"}
    proven = any(each.verdict == "met" and each.criterion in musts for each in judgement.settled)
    grades = []
    for criterion in criteria:
        found = settled.get(criterion.id)
        if found is None:
            if not judgement.problem:
                words = "it was not judged"
                grades.append(Grade(by=f"judge:{criterion.id}", status="error", reason=words))
            continue
        grades.append(
            Grade(
                by=f"judge:{criterion.id}",
                status=STATUS[found.verdict],
                reason=say(found),
                lines=found.lines,
                gates=criterion.id in musts and not (found.verdict == "not_applicable" and proven),
            )
        )
    return grades


def say(found: Settled) -> str:
    """The verdict's reason, with its words and with the votes where they differ."""
    reason = " ".join(found.reason.split())[:300]
    quotes = [f"{each.event} “{' '.join(each.quote.split())[:80]}”" for each in found.citations]
    shown = f" [{'; '.join(quotes[:3])}]" if quotes else ""
    differ = ", ".join(f"{count} {name}" for name, count in found.votes.items())
    divided = f" (votes: {differ})" if len(found.votes) > 1 and "disagree" not in reason else ""
    word = "" if found.verdict in ("met", "unmet") else f"{found.verdict.replace('_', ' ')}: "
    return f"{word}{reason}{shown}{divided}"


def _overall(judgement: Judgement) -> list[Grade]:
    """Apply the rule of pkbllm: `overall_pass` alone decides; the rest is said."""
    overall = judgement.overall
    if overall is None:
        return []
    status: GradeStatus = "pass" if overall.overall_pass else "fail"
    word = "passed" if overall.overall_pass else "not passed"
    notes = "; ".join(f"{e.id}: {e.notes}" for e in overall.checks if not e.passed)
    reason = f"overall {word}, score {overall.score}" + (f" ({notes[:300]})" if notes else "")
    grades = [Grade(by="judge:overall", status=status, reason=reason)]
    for each in overall.checks:
        word2: GradeStatus = "pass" if each.passed else "fail"
        grades.append(
            Grade(by=f"judge:{each.id}", status=word2, reason=each.notes[:300], gates=False)
        )
    return grades
