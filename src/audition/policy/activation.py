"""Applies a policy: whether the right skill was called, or none where none should be.

In: a policy, a case, the evidence, the trace. Out: one Grade, by "activation".
Must not know: how evidence was found, files, other checks.
"""

from collections.abc import Sequence
from typing import Literal

from audition.model import Case, Evidence, Grade, Trace
from audition.no_verdict import say_lost
from audition.policy.presets import Policy
from audition.policy.requests import Request, requests_of, self_report


def grade_activation(
    policy: Policy, case: Case, evidence: Sequence[Evidence], trace: Trace
) -> Grade:
    """Whether the skill that should be called was called, or none where none should."""
    if policy.decides == "self_report":
        return _grade_report(case, trace)
    requests = requests_by(policy, evidence, trace)
    if case.expected:
        return _grade_positive(policy, case, requests, evidence, trace)
    return _grade_negative(policy, case, requests, evidence, trace)


def requests_by(policy: Policy, evidence: Sequence[Evidence], trace: Trace) -> list[Request]:
    """The requests for skills that a policy sees, in their order."""
    return requests_of(
        trace,
        evidence,
        by_evidence=policy.decides == "any",
        prefixes=policy.strips_namespace,
        any_skill_tool=policy.any_skill_tool,
        nameless=policy.nameless_counts,
    )


def _grade(status: Literal["pass", "fail", "error", "vacuous"], reason: str, *lines: int) -> Grade:
    return Grade(by="activation", status=status, reason=reason, lines=tuple(sorted({*lines} - {0})))


def counts_as_call(policy: Policy, request: Request) -> bool:
    """Whether a request is activation by a policy."""
    if request.noodled:
        return policy.noodling_counts
    if request.how is None:
        return policy.attempts_count
    # A read that is no noodling is the agent's own way: Codex and pi have no skill tool.
    own = policy.own_reads_count and request.how in ("file-read", "shell-read")
    return own or request.how in policy.counts


def _deciding(policy: Policy, requests: Sequence[Request]) -> Sequence[Request]:
    """The requests among which the expected skill must be."""
    counting = [each for each in requests if counts_as_call(policy, each)]
    if policy.decides == "first":
        return counting[:1]
    return counting[-1:] if policy.decides == "last" else counting


def _grade_positive(
    policy: Policy,
    case: Case,
    requests: Sequence[Request],
    evidence: Sequence[Evidence],
    trace: Trace,
) -> Grade:
    deciding = _deciding(policy, requests)
    for request in deciding:
        if request.skill in case.expected:
            return _grade("pass", _how_called(request), *request.lines)
    reason, lines = _why_not(policy, case, requests, deciding, evidence)
    if (lost := say_lost(trace)) and not policy.of:
        return _grade("error", f"{reason}; but {lost}", *lines, *trace.lost)
    if trace.end.status in ("failed", "interrupted") and not policy.crash_fails:
        return _grade("error", f"{reason}; the session {_ended(trace)}", *lines)
    return _grade("fail", reason, *lines)


def _how_called(request: Request) -> str:
    if request.how == "injected":
        return f"`{request.skill}` was put in by the prompt, not chosen by the model"
    if request.noodled:
        return f"`{request.skill}` was read past the skill tool, which this policy counts"
    if request.how is None:
        return f"`{request.skill}` was asked for, which this policy counts"
    sub = " in a sub-agent" if request.sub else ""
    return f"`{request.skill}` was loaded by {request.how}{sub}"


def _why_not(
    policy: Policy,
    case: Case,
    requests: Sequence[Request],
    deciding: Sequence[Request],
    evidence: Sequence[Evidence],
) -> tuple[str, tuple[int, ...]]:
    """What happened instead, in words, with its lines."""
    wanted = " or ".join(f"`{name}`" for name in case.expected)
    ours = [each for each in requests if each.skill in case.expected and not each.noodled]
    others = [each for each in deciding if each.skill not in case.expected]
    if ours:
        said = f"{wanted} was asked for but {_fate(ours[-1].skill, evidence)}"
        if policy.decides in ("first", "last") and others:
            other = f"was `{others[0].skill}`" if others[0].skill else "named no skill"
            said = f"the {policy.decides} call {other}, not {wanted}"
        return said, tuple(line for each in (*ours, *others) for line in each.lines)
    tried = others or [each for each in requests if not each.noodled]
    if tried:
        names = dict.fromkeys(each.skill for each in tried)
        called = ", ".join(f"`{name}`" if name else "a skill without a name" for name in names)
        verb = "called" if others else "asked for, in vain,"
        plural = "were" if "," in called else "was"
        return (
            f"{called} {plural} {verb} instead of {wanted}",
            tuple(line for each in tried for line in each.lines),
        )
    noodled = [each for each in evidence if each.noodled]
    if noodled:
        by = {"file-read": "a file tool", "shell-read": "the shell"}
        words = ", ".join(
            f"`{each.skill}` was only read by {by.get(each.how or '', 'another way')} (noodling)"
            for each in noodled
        )
        return f"no skill was called; {words}", tuple(n for each in noodled for n in each.lines)
    return f"no skill was called; {wanted} was expected", ()


def _fate(name: str, evidence: Sequence[Evidence]) -> str:
    rungs = {each.skill: each.rung for each in evidence}
    return "refused" if rungs.get(name) == "denied" else "the call did not succeed"


def _ended(trace: Trace) -> str:
    return f"{trace.end.status}: {trace.end.reason}" if trace.end.reason else trace.end.status


def _grade_negative(
    policy: Policy,
    case: Case,
    requests: Sequence[Request],
    evidence: Sequence[Evidence],
    trace: Trace,
) -> Grade:
    # An attempt, even in vain, shows that the description lured the model.
    called = [each for each in requests if not each.noodled or policy.noodling_counts]
    if policy.decides != "any":
        called = [each for each in _deciding(policy, called) if each.skill]
    target = case.skill if policy.negative == "target" else None
    if target is not None:
        called = [each for each in called if each.skill == target]
    elif policy.negative == "target":
        # An agent's own built-in skill, or one it made up, says nothing about those on offer.
        strange = {each.skill for each in evidence if not each.on_offer}
        called = [each for each in called if each.skill not in strange]
    if called:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(each.skill for each in called))
        lines = (line for each in called for line in each.lines)
        return _grade("fail", f"{names} was called, and should not have been", *lines)
    crashed = {
        "failed": policy.crash_passes_negative,
        "interrupted": policy.timeout_passes_negative,
    }
    if not crashed.get(trace.end.status, True):
        status: Literal["fail", "error"] = "fail" if policy.crash_fails else "error"
        return _grade(status, f"nothing was called, but the session {_ended(trace)}")
    quiet = f"`{target}` stayed quiet" if target else "no skill was called"
    if (lost := say_lost(trace)) and not policy.of:
        return _grade("error", f"{quiet} as far as can be seen; but {lost}", *trace.lost)
    noodled = [each for each in evidence if each.noodled]
    if noodled:
        names = ", ".join(f"`{each.skill}`" for each in noodled)
        quiet += f"; {names} was read past the skill tool"
    # That nothing was called is told by the whole session, to its end.
    return _grade("pass", quiet, *(n for each in noodled for n in each.lines), trace.end.line)


def _grade_report(case: Case, trace: Trace) -> Grade:
    """The answer's own list of skills, as pkbllm believes it."""
    if not wants_report(case):
        return _grade("vacuous", "the case has no output schema: the answer reports no skills")
    if trace.end.status in ("failed", "interrupted"):
        return _grade("fail", f"the session {_ended(trace)}")
    names = self_report(trace.answer)
    if names is None:
        return _grade("fail", "the answer is no JSON object with `invoked_skills`")
    wanted = case.expected or ((case.skill,) if case.skill else ())
    said = [name for name in wanted if name in names]
    shown = ", ".join(f"`{name}`" for name in names) or "none"
    good = bool(said) if case.should_trigger else not said
    return _grade("pass" if good else "fail", f"the answer reports as invoked: {shown}")


def wants_report(case: Case) -> bool:
    """Whether the case asks the answer to obey a schema."""
    return any(case.settings.get(key) for key in ("schema", "output_schema")) or any(
        check.name == "json_valid" and not check.arguments.get("path") for check in case.checks
    )
