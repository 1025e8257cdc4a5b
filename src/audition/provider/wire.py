"""What a wire is: one protocol between an agent and its model, as pure functions.

In: an HTTP request, as words and bytes. Out: what it asks, in one form for all protocols,
and the bytes of an answer. Must not know: sockets, scripts, how an answer is chosen.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from audition.model import Json, Offer, Spent, Value
from audition.registry import Registry


class Request(Value, frozen=True, kw_only=True):
    """One HTTP request; `path` stands behind the trial's own prefix, without the query."""

    method: str
    path: str
    query: str = ""
    headers: Mapping[str, str] = {}
    """By lower-case name."""
    body: bytes = b""


class Tool(Value, frozen=True, kw_only=True):
    """A tool on offer."""

    name: str
    description: str = ""
    schema: dict[str, Json] = {}
    """JSON Schema of its input; empty for a tool that takes plain text."""
    space: str = ""
    """The namespace that a call must name, where there are any."""
    free: bool = False
    """Takes plain text, no JSON."""
    within: str = ""
    """The tool through which it is reached: by a program, or by its name and input."""


class Said(Value, frozen=True, kw_only=True, tag=True):
    """Text in the conversation; with `skill`, the body of a skill put there."""

    role: Literal["user", "assistant", "system"]
    text: str
    skill: str = ""
    folder: str = ""
    """With `skill`: where its files are, if that is said."""


class Called(Value, frozen=True, kw_only=True, tag=True):
    """A call that the model made before."""

    id: str
    tool: str
    input: Json = None


class Returned(Value, frozen=True, kw_only=True, tag=True):
    """What a call came back with."""

    id: str
    text: str
    failed: bool = False


Part = Said | Called | Returned


class Listed(Value, frozen=True, kw_only=True):
    """A skill as the model is shown it, and the way to load it."""

    name: str
    description: str = ""
    path: str = ""
    """Its SKILL.md, where the listing says so."""
    tool: str = ""
    """The tool whose description listed it."""
    aka: str = ""
    """Another name that the listing gives."""

    @property
    def offer(self) -> Offer:
        """What the model was shown; what was cut off without a mark, only the skill can tell."""
        shown = len(self.description)
        if not shown:
            return Offer(skill=self.name, offered="name", shown_chars=0)
        cut = self.description.endswith(("…", "..."))
        return Offer(skill=self.name, offered="cut" if cut else "full", shown_chars=shown)


class Asked(Value, frozen=True, kw_only=True):
    """What a request asks, whatever the protocol."""

    model: str = ""
    stream: bool = False
    side: str = ""
    """Why this is no turn of the conversation: `title`, `memory` …; empty where it is one."""
    system: str = ""
    parts: tuple[Part, ...] = ()
    tools: tuple[Tool, ...] = ()
    listed: tuple[Listed, ...] = ()
    cwd: str = ""
    """The agent's working directory, where the request says so."""
    schema: Json = None
    """The JSON Schema that the answer must obey."""
    finder: tuple[str, Json] | None = None
    """The call that tells of deferred tools, where there are any that nobody looked for yet."""
    size: int = 0
    """Bytes of the body."""
    digest: str = ""
    """A short name of the body, from which ids are made."""

    @property
    def listing(self) -> tuple[Offer, ...]:
        """The skills as the model is shown them; of two listings of one, the agent's own."""
        return tuple({each.name: each.offer for each in reversed(self.listed)}.values())[::-1]

    @property
    def listing_bytes(self) -> dict[str, int]:
        """What each listing of skills costs, by the tool that carries it; "" is the agent's own."""
        costs: dict[str, int] = {}
        for each in self.listed:
            if tool := self.tool(each.tool):
                costs[each.tool] = len(tool.description.encode())
            else:
                entry = f"- {each.name}: {each.description}\n"
                costs[""] = costs.get("", 0) + len(entry.encode())
        return costs

    def tool(self, name: str) -> Tool | None:
        """The tool of that name, if it is on offer."""
        return next((each for each in self.tools if each.name == name), None)


class Reply(Value, frozen=True, kw_only=True, omit_defaults=True):
    """What the model answers, or how the provider fails."""

    text: str = ""
    calls: tuple[tuple[str, Json], ...] = ()
    """Tools to call, each with its input."""
    usage: Spent = Spent()
    stop_reason: Literal["", "refusal", "max_tokens"] = ""
    delay_s: float = 0.0
    status: int = 200
    message: str = ""
    """With a status of 400 or more: what went wrong."""
    retry_after: str = ""
    malformed: bool = False
    """Garbage in the middle of the answer."""
    truncated: bool = False
    """The connection is cut in the middle of the answer."""
    hang: bool = False
    """No answer before the trial is over."""


Refusal = tuple[int, dict[str, str], bytes]


class Wire(Value, frozen=True, kw_only=True):
    """One protocol. Every function is pure, and none raises for a body it does not know."""

    name: str
    claims: Callable[[str, str], bool]
    """(method, path) → whether such a request is of this protocol."""
    aside: Callable[[Request], bytes | None]
    """The JSON answer to a request that needs no model: token counts, lists of models."""
    understand: Callable[[Request], Asked]
    answer: Callable[[Reply, Asked], tuple[bytes, ...]]
    """The body: events of a stream where one is asked for, else one JSON object."""
    refuse: Callable[[int, str, str], Refusal]
    """(status, message, retry after) → (status, headers, body)."""


wires: Registry[Wire] = Registry("wire")
