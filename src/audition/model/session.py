"""What an agent did: the events of a session, the trace they make, what became of each skill."""

from typing import Literal

import msgspec

from audition.model.value import Json, Value


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag_field="kind", tag=str.lower):
    """One thing that happened in a session, with the raw line that tells it.

    Made of JSON, so no event holds itself, and the collector need not look for circles. Who
    walks a whole session asks `type(event) is Call`: no event is of two kinds, and a struct's
    metaclass makes each No of `isinstance` take 260 ns, which was a sixth of all grading.
    """

    line: int = 0
    sub: str = ""
    """The sub-agent it happened in; empty for the main conversation."""
    time: float | None = None
    """Seconds since the epoch, where the agent says so."""


class Message(Event, frozen=True, kw_only=True):
    """Text that somebody said; with `skill`, the body of a skill put into the conversation."""

    role: Literal["assistant", "user", "system", "thought"] = "assistant"
    text: str = ""
    skill: str = ""
    reply: str = ""
    """Which answer of the model it is part of, where the agent says so."""


Does = Literal["skill", "resource", "shell", "read", "write", "search", "task", "mcp", "other"]


class Call(Event, frozen=True, kw_only=True):
    """A tool was called. `does` is what the tool is for, whatever the agent calls it."""

    id: str = ""
    tool: str = ""
    does: Does = "other"
    input: dict[str, Json] = {}
    skill: str = ""
    """With `does` skill or resource: the name that was asked for, as typed."""
    command: str = ""
    """With `does` shell: the command line."""
    paths: tuple[str, ...] = ()
    """Files it names: read, written, searched, or the path inside a skill."""
    reply: str = ""
    """As a Message's."""


class Result(Event, frozen=True, kw_only=True):
    """What a call came back with; `output` is at most 64 KiB of it."""

    id: str = ""
    output: str = ""
    failed: bool = False
    exit_code: int | None = None


class Denial(Event, frozen=True, kw_only=True):
    """A call was refused for want of permission."""

    id: str = ""
    tool: str = ""
    reason: str = ""


class Usage(Event, frozen=True, kw_only=True):
    """What was used; null where the agent does not say. `total` replaces all before it."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None
    total: bool = False


Trouble = Literal[
    "auth",
    "billing",
    "rate_limit",
    "overloaded",
    "server",
    "network",
    "model",
    "invalid",
    "refusal",
    "context",
    "mcp",
    "agent",
    "unknown",
]


class Fault(Event, frozen=True, kw_only=True):
    """Something outside the task went wrong; fatal only if the End says so."""

    what: Trouble = "unknown"
    text: str = ""
    retrying: bool = False
    wait_s: float | None = None
    """How many seconds to wait, where that is said."""
    until: float | None = None
    """When it is over, in seconds since the epoch, where that is said."""


class Offer(Event, frozen=True, kw_only=True):
    """A skill as the model was shown it, where the session tells."""

    skill: str = ""
    offered: Literal["full", "cut", "name", "missing", "unknown"] = "unknown"
    shown_chars: int | None = None
    of_chars: int | None = None


class End(Event, frozen=True, kw_only=True):
    """How the session ended. A later End replaces an earlier one."""

    status: Literal["completed", "limited", "failed", "interrupted"] = "interrupted"
    reason: str = ""
    answer: str | None = None
    """The final answer, where the agent says it again at the end."""
    turns: int | None = None


AnyEvent = Message | Call | Result | Denial | Usage | Fault | Offer | End


class Trace(Value, frozen=True, kw_only=True):
    """A session as events, and what follows from them alone."""

    agent: str
    events: tuple[AnyEvent, ...] = ()
    end: End = End(reason="no terminal event")
    usage: Usage | None = None
    answer: str = ""
    turns: int | None = None
    unread: tuple[int, ...] = ()
    """Line numbers that were not understood, the first thousand."""
    unread_count: int = 0
    lost: tuple[int, ...] = ()
    """Lines of results whose calls must be among the unread lines: something was called there."""
    truncated: bool = False
    """Some of what the agent printed was not kept, or of a line not looked at."""

    @property
    def has_gaps(self) -> bool:
        """Whether something may have been done of which no event tells."""
        return self.truncated or bool(self.lost)


Rung = Literal["none", "offered", "asked", "denied", "loaded", "read", "ran", "followed"]
RUNGS: tuple[Rung, ...] = (
    "none",
    "offered",
    "asked",
    "denied",
    "loaded",
    "read",
    "ran",
    "followed",
)
How = Literal[
    "skill-tool", "mcp-tool", "mcp-resource", "file-read", "shell-read", "script-run", "injected"
]


class Evidence(Value, frozen=True, kw_only=True):
    """What became of one skill in one trial."""

    skill: str
    on_offer: bool = True
    """False for a skill that was asked for, and is none of those that were delivered."""
    rung: Rung = "none"
    offered: Literal["full", "cut", "name", "missing", "unknown"] = "unknown"
    how: How | None = None
    """The route by which it was first loaded, or its SKILL.md read past the skill tool."""
    noodled: bool = False
    """SKILL.md was read, but not by the agent's own way of loading a skill."""
    routes: tuple[How, ...] = ()
    """Every route by which it was loaded, in order, repeats kept."""
    resources: tuple[str, ...] = ()
    """Bundled files that were read."""
    scripts: tuple[str, ...] = ()
    """Bundled scripts that were run."""
    lines: tuple[int, ...] = ()
    """The raw trace lines that prove the rung."""
    order: int | None = None
    """Its place among the skills asked for; 0 was asked for first."""
    last: int | None = None
    """Line of its last request; the greatest was asked for last."""
    sub: str = ""
