"""Policies: which call decides, what counts as activation, what a negative forbids.

In: a case, the evidence, the trace. Out: one Grade, by "activation".
Must not know: how evidence was found, files, other checks.

What happened is recorded once; a policy is applied when it is graded, so that a stored run
can be judged under another one. `default` is ours. The others are faithful to the harness
they are named after, its mistakes included.
"""

from audition.policy.activation import counts_as_call, grade_activation, requests_by, wants_report
from audition.policy.commands import count_as_pkbllm
from audition.policy.presets import Policy, as_delivered, find_policy, policies, rules
from audition.policy.requests import reported, self_report

__all__ = [
    "Policy",
    "as_delivered",
    "count_as_pkbllm",
    "counts_as_call",
    "find_policy",
    "grade_activation",
    "policies",
    "reported",
    "requests_by",
    "rules",
    "self_report",
    "wants_report",
]
