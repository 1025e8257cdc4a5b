"""Rulings as grades: what a rule adds to the verdict on a trial.

In: Rules and a Trace. Out: a Grade for each rule, `process:<id>`.
Must not know: how rules are judged.
"""

from collections.abc import Mapping, Sequence

from audition.conduct.rulings import judge_conduct
from audition.model import Grade, GradeStatus, Rule, Ruling, Trace

_STATUS: Mapping[str, GradeStatus] = {
    "met": "pass",
    "unmet": "fail",
    "vacuous": "vacuous",
    "unknown": "unknown",
}


def grade_conduct(rules: Sequence[Rule], trace: Trace) -> tuple[Grade, ...]:
    """One grade for each rule. What never arose proves nothing, unless the rule allows it."""
    rulings = judge_conduct(rules, trace)
    return tuple(_grade(rule, ruling) for rule, ruling in zip(rules, rulings, strict=True))


def _grade(rule: Rule, ruling: Ruling) -> Grade:
    status, reason = _STATUS[ruling.result], ruling.reason
    if status == "vacuous":
        reason = f"the situation never arose: {reason}"
        status = "pass" if rule.vacuous == "allow" else status
    words = f"{status}: {reason}" if status in ("vacuous", "unknown") else reason
    return Grade(by=f"process:{rule.id}", status=status, reason=words, lines=ruling.lines)
