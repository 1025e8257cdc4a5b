"""What a trial is worth under a policy: its grades, and the status they come to.

In: an Outcome, the infrastructure's trouble if there was any, a policy. Out: grades, status,
reason. Must not know: files, processes, how the outcome was read.

Trouble is an error and nothing else, unless the policy is faithful to a harness that did
not tell trouble from failure. Then the strict status stands beside the faithful one.
"""

from collections.abc import Sequence

import msgspec

from audition.check import Outcome, grade_check, schema_of
from audition.conduct import grade_conduct
from audition.model import Call, CheckSpec, End, Grade, Status, Usage, Value
from audition.policy import (
    Policy,
    as_delivered,
    count_as_pkbllm,
    find_policy,
    grade_activation,
)

STRICT = "default"
SEARCHES = ("answer_contains", "answer_matches", "answer_lacks")
Known = dict[bytes, Grade]
"""Grades of checks that were made already: a verifier program is not run twice."""


class Worth(Value, frozen=True, kw_only=True):
    """What a trial came to."""

    status: Status
    reason: str = ""
    grades: tuple[Grade, ...] = ()
    strict: Status | None = None
    """What the default policy says, where that is something else."""


def weigh(outcome: Outcome, trouble: str, policy: str) -> Worth:
    """What a trial is worth by one policy, with the strict status where it differs."""
    if policy == STRICT:
        return _by_policy(outcome, trouble, find_policy(policy), None)
    known: Known = {}
    worth = _by_policy(outcome, trouble, find_policy(policy), known)
    strict = _by_policy(outcome, trouble, find_policy(STRICT), known).status
    return worth if strict == worth.status else msgspec.structs.replace(worth, strict=strict)


def _by_policy(outcome: Outcome, trouble: str, policy: Policy, known: Known | None) -> Worth:
    grades: tuple[Grade, ...]
    if not trouble:
        grades = grade_case(outcome, policy, known)
    elif not policy.crash_fails or outcome.sealed.stopped not in ("", "timeout"):
        return Worth(status="error", reason=trouble)
    elif outcome.sealed.stopped == "timeout" or policy.looks_at_exit:
        grades = (_grade_spoiled(outcome, trouble, policy),)
    else:
        ended = msgspec.structs.replace(outcome.trace, end=End(status="completed", reason=trouble))
        grades = grade_case(msgspec.structs.replace(outcome, trace=ended), policy, known)
    status, reason = conclude("", grades)
    return Worth(status=status, reason=reason, grades=grades)


def _grade_spoiled(outcome: Outcome, trouble: str, policy: Policy) -> Grade:
    """A crash or a time-out as a harness counts it that knows only pass and fail."""
    timed_out = outcome.sealed.stopped == "timeout"
    passes = policy.timeout_passes_negative if timed_out else policy.crash_passes_negative
    if passes and not outcome.sealed.trial.case.expected:
        return Grade(by="activation", status="pass", reason=f"nothing was called: {trouble}")
    return Grade(by="activation", status="fail", reason=trouble)


def grade_case(outcome: Outcome, policy: Policy, known: Known | None = None) -> tuple[Grade, ...]:
    """Every grade of a trial that took place."""
    trial, case = outcome.sealed.trial, outcome.sealed.trial.case
    grades: list[Grade] = []
    silent = not outcome.trace.answer.strip() and outcome.trace.end.status == "completed"
    if silent and policy.answer_needed:
        lines = (outcome.trace.end.line,)
        grades.append(Grade(by="answer", status="fail", reason="it gave no answer", lines=lines))
    policy = as_delivered(policy, trial.delivery)
    if trial.delivery != "none":
        grade = grade_activation(policy, case, outcome.skills, outcome.trace)
        if grade.status == "vacuous" and policy.decides == "self_report":
            words = f"not judged: {grade.reason}"
            grade = msgspec.structs.replace(grade, status="pass", reason=words)
        grades.append(grade)
    if case.expected or policy.checks_negatives:
        grades += [_grade(outcome, spec, policy, known) for spec in case.checks]
    if policy.decides != "self_report":
        grades += _grade_schema(outcome)
    return (*grades, *grade_conduct(case.process, outcome.trace), *outcome.judged)


def _grade_schema(outcome: Outcome) -> list[Grade]:
    """The answer against the schema that the agent was given."""
    found = [grade_check(outcome, spec) for spec in schema_of(outcome.sealed.trial.case)]
    return [msgspec.structs.replace(each, by="output_schema") for each in found]


def _grade(outcome: Outcome, spec: CheckSpec, policy: Policy, known: Known | None) -> Grade:
    """One check as the policy reads it."""
    if policy.missing_usage_passes and spec.name == "max_tokens":
        return grade_check(_with_usage(outcome), spec)
    if policy.commands == "pkbllm" and spec.name == "max_commands":
        counted = msgspec.structs.replace(outcome, commands=count_as_pkbllm(outcome.trace))
        return grade_check(counted, spec)
    if policy.resource_by_tool and spec.name == "resource_read":
        return _grade_resource(outcome)
    if policy.text_scope == "all" and spec.name in SEARCHES and "where" not in spec.arguments:
        spec = CheckSpec(name=spec.name, arguments={**spec.arguments, "where": "all"})
    if known is None:
        return grade_check(outcome, spec)
    key = msgspec.json.encode(spec)
    if key not in known:
        known[key] = grade_check(outcome, spec)
    return known[key]


def _grade_resource(outcome: Outcome) -> Grade:
    """Whether a tool for resources was called, of whatever skill and however that ended."""
    calls = [each for each in outcome.trace.events if isinstance(each, Call)]
    lines = tuple(each.line for each in calls if "skill-resource" in each.tool)
    if lines:
        return Grade(by="resource_read", status="pass", reason="", lines=lines[:1])
    reason = "no tool `skill-resource` was called; no other way counts by this policy"
    return Grade(by="resource_read", status="fail", reason=reason)


def _with_usage(outcome: Outcome) -> Outcome:
    """The outcome with 0 for every count of tokens that is not known."""
    usage = outcome.trace.usage or Usage(total=True)
    counts = {
        name: getattr(usage, name) or 0
        for name in ("input_tokens", "cached_input_tokens", "output_tokens")
    }
    filled = msgspec.structs.replace(usage, **counts)
    trace = msgspec.structs.replace(outcome.trace, usage=filled)
    return msgspec.structs.replace(outcome, trace=trace)


def conclude(trouble: str, grades: Sequence[Grade]) -> tuple[Status, str]:
    """Infrastructure trouble first; then a proven failure; then what could not be told."""
    if trouble:
        return "error", trouble
    deciding = [grade for grade in grades if grade.gates]
    for grade in deciding:
        if grade.status == "fail":
            return "fail", f"{grade.by}: {grade.reason}"
    for grade in deciding:
        if grade.status != "pass":
            return "error", f"{grade.by}: {grade.reason or grade.status}"
    if not deciding:
        return "error", "nothing was checked"
    return "pass", ""
