"""What a policy is, and those there are.

In: a name. Out: the policy, and its rules as sentences. Must not know: cases, traces.
"""

from typing import Literal

import msgspec

from audition.errors import unknown
from audition.model import How, Value

ALL_WAYS: tuple[How, ...] = (
    "skill-tool",
    "mcp-tool",
    "mcp-resource",
    "file-read",
    "shell-read",
    "script-run",
    "injected",
)


OWN_PREFIX = "audition:"
"""What stands before the names in a plug-in of ours, and in none of another harness."""


class Policy(Value, frozen=True, kw_only=True):
    """A way of judging whether the right skill was called. The defaults are ours."""

    name: str
    of: str = ""
    """The harness it is faithful to."""
    decides: Literal["any", "first", "last", "self_report"] = "any"
    """Which of several skill calls counts; `self_report` believes the answer's own list."""
    counts: tuple[How, ...] = ALL_WAYS
    """The ways of loading that are activation. A way that is not the agent's own never is."""
    attempts_count: bool = False
    """A call counts though its result failed or was refused."""
    strips_namespace: tuple[str, ...] | None = None
    """The prefixes taken off a called name; None takes off any, () compares exactly."""
    any_skill_tool: Literal["", "any", "lower"] = ""
    """Any tool with "skill" in its name counts, but for "skill-resource"; or in lower case."""
    tools_by_delivery: bool = False
    """In `native` only the skill tool itself does, in `mcp` only a name in lower case."""
    nameless_counts: bool = False
    """A call that names no skill is a call all the same: of no skill."""
    own_reads_count: bool = False
    """An agent that has no skill tool loads by reading SKILL.md, and that counts."""
    resource_by_tool: bool = False
    """A resource is read by a tool with "skill-resource" in its name, and by nothing else."""
    commands: Literal["ours", "pkbllm"] = "ours"
    """Which commands are effective."""
    negative: Literal["any", "target"] = "target"
    """A negative that names a skill forbids any skill, or that one alone."""
    noodling_counts: bool = False
    """A SKILL.md read past the skill tool is activation."""
    crash_passes_negative: bool = False
    """A session that failed passes a negative: nothing was called in it."""
    timeout_passes_negative: bool = False
    """So does a session without an end."""
    crash_fails: bool = False
    """A session that failed or has no end is a fail, not an error."""
    looks_at_exit: bool = True
    """A session that failed is told from one that ended well; a time-out always is."""
    answer_needed: bool = True
    """A session that ended well without an answer is a fail."""
    checks_negatives: bool = True
    """The checks of a negative case are made."""
    missing_usage_passes: bool = False
    """Unknown token counts are 0, and pass every cap."""
    text_scope: Literal["last", "all"] = "last"
    """Where expected text is looked for, unless the check says: last message, or all."""


default = Policy(name="default")
policies: dict[str, Policy] = {
    each.name: each
    for each in (
        default,
        Policy(
            name="skilljack",
            of="skilljack-mcp `evals/`",
            decides="last",
            counts=("skill-tool", "mcp-tool"),
            attempts_count=True,
            negative="any",
            strips_namespace=(),
            any_skill_tool="any",
            tools_by_delivery=True,
            nameless_counts=True,
            own_reads_count=True,
            resource_by_tool=True,
            crash_fails=True,
            answer_needed=False,
        ),
        Policy(
            name="skilljack-evals",
            of="skilljack-evals, its first version",
            decides="first",
            counts=("skill-tool", "mcp-tool"),
            attempts_count=True,
            negative="any",
            strips_namespace=(),
            any_skill_tool="any",
            own_reads_count=True,
            crash_passes_negative=True,
            timeout_passes_negative=True,
            crash_fails=True,
            answer_needed=False,
            checks_negatives=False,
        ),
        Policy(
            name="pkbllm",
            of="pkbllm `run_skill_evals.py`",
            decides="self_report",
            counts=(),
            strips_namespace=(),
            crash_fails=True,
            missing_usage_passes=True,
            commands="pkbllm",
        ),
        Policy(
            name="cat",
            of="cat `tests/eval/`",
            decides="first",
            counts=("skill-tool",),
            attempts_count=True,
            negative="any",
            strips_namespace=("cat:",),
            nameless_counts=True,
            own_reads_count=True,
            crash_passes_negative=True,
            crash_fails=True,
            looks_at_exit=False,
            answer_needed=False,
        ),
    )
}


def as_delivered(policy: Policy, delivery: str) -> Policy:
    """The policy for one delivery: which tools are skill calls, what stands before a name."""
    if delivery == "plugin" and policy.strips_namespace is not None:
        return msgspec.structs.replace(
            policy, strips_namespace=(OWN_PREFIX, *policy.strips_namespace)
        )
    tools: dict[str, Literal["", "lower"]] = {"native": "", "mcp": "lower"}
    if not policy.tools_by_delivery or delivery not in tools:
        return policy
    return msgspec.structs.replace(policy, any_skill_tool=tools[delivery])


def find_policy(name: str) -> Policy:
    """The policy of that name."""
    if name not in policies:
        raise unknown("policy", name, policies)
    return policies[name]


def rules(policy: Policy) -> tuple[str, ...]:
    """What a policy says, a sentence a rule."""
    faithful = f"It judges as {policy.of} does, its mistakes included." if policy.of else ""
    return tuple(filter(None, (faithful, *_positive_rules(policy), *_other_rules(policy))))


def _positive_rules(policy: Policy) -> tuple[str, ...]:
    if policy.decides == "self_report":
        return (
            "The answer's own list `invoked_skills` decides; what the session shows does not.",
            "An answer that is no JSON object with such a list is a fail, of a negative too.",
            "A name in the list must be the skill's to the letter; others beside it do not matter.",
            "A case without an output schema is not judged on activation at all.",
        )
    which = {
        "any": "A positive passes when an expected skill was loaded at any time, sub-agents included.",
        "first": "The first skill call decides; later ones are not looked at.",
        "last": "The last skill call decides; earlier ones are not looked at.",
    }
    ways = "any of the agent's own ways" if policy.counts == ALL_WAYS else ", ".join(policy.counts)
    names = {
        True: "A called name counts with or without a prefix such as `plugin:` or `server__`.",
        False: "A called name must be the expected one to the letter.",
    }
    prefixes = ", ".join(f"`{each}`" for each in policy.strips_namespace or ())
    return (
        which[policy.decides],
        f"Loading counts by {ways}."
        + (" `injected` is a prompt that names the skill." if "injected" in policy.counts else ""),
        "A call counts even if it failed or was refused."
        if policy.attempts_count
        else "A call that failed or was refused is no activation.",
        f"A prefix {prefixes} is taken off a called name; then it must be equal."
        if prefixes
        else names[policy.strips_namespace is None],
        ""
        if policy.strips_namespace is None
        else f"In the delivery `plugin` our own prefix `{OWN_PREFIX}` is taken off before.",
        _skill_tools(policy),
        "A call that names no skill counts as a call of none." if policy.nameless_counts else "",
        "An agent that has no skill tool loads by reading SKILL.md; that counts."
        if policy.own_reads_count
        else "",
        "A SKILL.md read past the skill tool (noodling) is activation."
        if policy.noodling_counts
        else "A SKILL.md read past the skill tool (noodling) is no activation, and is reported.",
    )


def _skill_tools(policy: Policy) -> str:
    if not policy.any_skill_tool:
        return ""
    where = (
        "; in the delivery `native` the skill tool alone does, in `mcp` only lower case"
        if policy.tools_by_delivery
        else ""
    )
    return f'Any tool with "skill" in its name counts, but for "skill-resource"{where}.'


def _other_rules(policy: Policy) -> tuple[str, ...]:
    crash = "a fail" if policy.crash_fails else "an error, neither pass nor fail"
    passes = [
        word
        for word, holds in (
            ("that failed", policy.crash_passes_negative),
            ("without an end", policy.timeout_passes_negative),
        )
        if holds
    ]
    forbids = {
        "target": "A negative that names a skill forbids that one; without one it forbids all on offer.",
        "any": "A negative forbids every skill.",
    }
    return (
        forbids[policy.negative],
        "" if policy.decides == "self_report" else "An attempt in vain breaks a negative too.",
        f"A session {' or '.join(passes)} passes a negative in which nothing was called."
        if passes
        else f"A session that failed or has no end is {crash}; it never passes a negative.",
        ""
        if policy.looks_at_exit
        else "A session that failed, but in time, is judged by its calls.",
        "A session that ended well without an answer is a fail."
        if policy.answer_needed
        else "A session without an answer may pass.",
        "" if policy.checks_negatives else "The checks of a negative case are not made.",
        'A resource is read only by a tool with "skill-resource" in its name, of whatever skill.'
        if policy.resource_by_tool
        else "",
        "Every command is effective but a SKILL.md of the skills folder and a bare `ls` or `pwd`, "
        "unwrapped from zsh alone."
        if policy.commands == "pkbllm"
        else "",
        "Unknown token counts pass every cap."
        if policy.missing_usage_passes
        else "Unknown token counts make a token check an error.",
        f"Expected text is looked for in {'every message' if policy.text_scope == 'all' else 'the last message'}.",
    )
