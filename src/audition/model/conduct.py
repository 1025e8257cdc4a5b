"""Rules on how a session went: what must come before what, what must never be done."""

from typing import Literal

from audition.model.value import Value


class EventPattern(Value, frozen=True, kw_only=True):
    """Which events are meant; all that is given must hold."""

    kind: str = ""
    """A kind of event (`call`, `message` …), or what a call is for (`shell`, `write` …)."""
    tool: str = ""
    command: str = ""
    """Words of a simple command, the program first."""
    path: str = ""
    """A glob over the files that a call names."""
    skill: str = ""
    exit: int | None = None
    failed: bool | None = None
    subagent: bool | str | None = None


RuleForm = Literal[
    "before", "follows", "eventually", "never", "count", "within", "between", "fresh"
]


class Rule(Value, frozen=True, kw_only=True):
    """One rule: a form, its patterns by role and its numbers."""

    id: str
    form: RuleForm
    patterns: dict[str, EventPattern]
    numbers: dict[str, int] = {}
    vacuous: Literal["", "allow"] = ""
    """`allow`: that the situation never arose is good enough."""


class Ruling(Value, frozen=True, kw_only=True):
    """What a session shows about one rule, and the lines that prove it."""

    id: str
    result: Literal["met", "unmet", "vacuous", "unknown"]
    reason: str = ""
    lines: tuple[int, ...] = ()
