"""What an export is told of one trial, and what every export says in the same way.

In: a record, its seal, its trace, its raw output, what a judge said. Out: plain words and figures.
Must not know: any one tool.
"""

import json
from collections.abc import Iterable

from audition.judge import Judgement
from audition.model import Case, CheckSpec, Grade, Json, Record, Sealed, Trace, Value
from audition.policy import as_delivered, counts_as_call, find_policy, requests_by


class Told(Value, frozen=True, kw_only=True):
    """All that there is of one trial."""

    record: Record
    sealed: Sealed
    trace: Trace
    stdout: str = ""
    stderr: str = ""
    judgement: Judgement | None = None

    @property
    def case(self) -> Case:
        """The case that was tried."""
        return self.sealed.trial.case

    @property
    def passed(self) -> bool:
        """Other tools know two results: whatever is no pass is a fail."""
        return self.record.status == "pass"

    @property
    def trouble(self) -> str:
        """Why there is nothing to be judged; empty where there is."""
        return self.record.reason if self.record.status in ("error", "ineligible") else ""


def called(told: Told, policy: str) -> list[str]:
    """The names that were called, one a call, in their order, as a tool's own harness sees them.

    Empty where a call named no skill.
    """
    rules = as_delivered(find_policy(policy), told.record.delivery)
    requests = requests_by(rules, told.record.skills, told.trace)
    return [each.skill for each in requests if counts_as_call(rules, each)]


def dump(value: Json, *, sort: bool = False) -> str:
    """JSON as these tools write it."""
    return json.dumps(value, indent=2, sort_keys=sort, ensure_ascii=False) + "\n"


def mean(values: Iterable[float]) -> float:
    """The mean; 0 for nothing, as these tools have it."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def expected_skill(told: Told) -> str | None:
    """The skill that should be called; the first where there are several."""
    return told.case.expected[0] if told.case.expected else None


def graded(told: Told) -> list[Grade]:
    """The grades that say something: not those of questions that nobody was asked."""
    return [each for each in told.record.grades if each.gates or each.status != "vacuous"]


def grade_of(told: Told, name: str) -> Grade | None:
    """The first grade by that name."""
    return next((each for each in told.record.grades if each.by == name), None)


def meant(told: Told) -> list[tuple[Grade, str]]:
    """Each grade with what it was about, in words: the question, or the check's arguments."""
    left = list(told.case.checks)
    questions = {f"judge:{each.id}": each.question for each in told.case.rubric}
    found = []
    for grade in graded(told):
        check = next((each for each in left if each.name == grade.by), None)
        if check:
            left.remove(check)
        words = _say_check(check) if check else questions.get(grade.by, grade.by)
        found.append((grade, _say_activation(told.case) if grade.by == "activation" else words))
    return found


def _say_check(check: CheckSpec) -> str:
    told = (
        each if isinstance(each, str) else json.dumps(each) for each in check.arguments.values()
    )
    arguments = ", ".join(told)
    return f"{check.name}: {arguments}" if arguments else check.name


def _say_activation(case: Case) -> str:
    if case.expected:
        return f"the skill {' or '.join(case.expected)} is called"
    return f"the skill {case.skill} stays quiet" if case.skill else "no skill is called"


def total_tokens(told: Told) -> int | None:
    """Input and output together; None where either is unknown."""
    usage = told.record.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens
