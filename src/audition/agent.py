"""What an agent is: how its program is asked, and how its output is read.

An agent is a value made of pure functions. `command` turns an Ask into argv; `read` turns
one line that the program printed into events. Neither starts a process, so a recorded
session is all that a test needs, and an old run can be read again with a mended reader.

In: words, and raw lines. Out: a Command, and a Trace.
Must not know: processes, sockets, clocks, other agents.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal

import msgspec

from audition.errors import unknown
from audition.figures import add_usage, sound_all
from audition.mending import STUMBLES, read_mended
from audition.model import (
    AnyEvent,
    Call,
    Case,
    Commands,
    End,
    How,
    Json,
    Message,
    Skill,
    Trace,
    Usage,
    Value,
)
from audition.registry import Registry
from audition.settling import find_orphans, number_turns

Delivery = Literal["native", "none", "instructions", "mcp", "mcp+native", "plugin"]
LINE_CAP = 8 * 1024 * 1024
"""A longer line is not decoded: it is unread, and the trace is marked truncated."""


class Server(Value, frozen=True, kw_only=True):
    """An MCP server that carries the skills: a command, or an address."""

    name: str = "skills"
    command: tuple[str, ...] = ()
    url: str = ""
    deferred: bool = False

    @property
    def words(self) -> dict[str, Json]:
        """How most agents write down a server that is a command."""
        return {"command": self.command[0], "args": [*self.command[1:]]} if self.command else {}


class Ask(Value, frozen=True, kw_only=True):
    """All that `command` may use to build its argv. Paths are absolute."""

    case: Case
    model: str | None
    delivery: str
    workspace: str
    """The agent's working directory; skills are already delivered into it."""
    home: str
    """The private HOME."""
    skills: tuple[Skill, ...] = ()
    program: tuple[str, ...] = ()
    """How the agent's program is started: found on PATH, or configured."""
    endpoint: str = ""
    """Base address of the loopback provider; empty for the real one."""
    server: Server | None = None
    plugin: str = ""
    """The plug-in folder, for the delivery of that name."""
    schema: str = ""
    """A file with the JSON Schema that the answer must obey."""
    schema_text: str = ""
    """What that file holds."""

    @property
    def over_mcp(self) -> Server | None:
        """The server, where skills are to come over MCP."""
        return self.server if self.delivery in ("mcp", "mcp+native") else None


class Command(Value, frozen=True, kw_only=True):
    """A program to start, purely described."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    env: dict[str, str] = {}
    """Beside what the sandbox lets through."""
    files: dict[str, str] = {}
    """Written before the start: absolute path beneath home or workspace → text."""


OpenLogin = Callable[[str, bytes, float], dict[str, str]]
"""(name of a login file, its bytes, the time) → variables that sign the agent in; may raise."""
TellBudget = Callable[[str, bytes], int | None]
"""(delivery, raw output) → how many characters the listing of skills may have; None if unknown."""
Read = Callable[[int, bytes], Sequence[AnyEvent] | None]
"""The events of one raw line (its number first), or None where it is not understood."""


class Agent(Value, frozen=True, kw_only=True):
    """One agent."""

    name: str
    command: Callable[[Ask], Command]
    read: Read
    read_all: Callable[[bytes, int], list[AnyEvent] | None] | None = None
    """As `read` for so many lines at once, each an object; None: they are read one by one."""
    settle: Callable[[list[AnyEvent]], list[AnyEvent]] = lambda events: events
    """A last look at all events: several ends, cumulative usage, what a file beside says."""
    program: tuple[str, ...] = ()
    """Names under which its program may be found; empty for `python -m`."""
    version: tuple[str, ...] = ("--version",)
    known_version: str = ""
    """The newest version that its reader was tested with."""
    least_version: str = ""
    """The oldest version that takes what `command` says."""
    get_it: str = ""
    """How its program is installed, in words."""
    package: str = ""
    """A Python package that it runs through, and the extra of ours that brings it."""
    behind: tuple[str, ...] = ()
    """Where npm links a script that only starts the program: globs to it from that script's
    folder. Started itself, it saves a node process a trial."""
    bundled: tuple[str, ...] = ()
    """Where a Python package may bring its program along: `package/path`."""
    deliveries: tuple[Delivery, ...] = ("native", "none")
    skills_dir: str = ".agents/skills"
    """Where in a workspace it looks for skills."""
    instructions_file: str = "AGENTS.md"
    loads_by: tuple[How, ...] = ("skill-tool",)
    """Its own ways of loading a skill. A read of SKILL.md by another way is noodling."""
    mention: str = ""
    """The sign before a name by which a prompt puts a skill in: `/` (at its start) or `$`."""
    lets_through: tuple[str, ...] = ()
    """Environment variables it needs: its keys and nothing else."""
    login: tuple[str, ...] = ()
    """Files below the user's home that hold its login, linked into the private home."""
    home_var: str = ""
    """The variable by which a user moves the folder that these are in."""
    open_login: OpenLogin | None = None
    """Given, the login is passed on as variables, and no file of the user's is linked."""
    sign_in: str = ""
    """How one signs in, in words."""
    troubles: tuple[bytes, ...] = ()
    """Marks of lines that tell of trouble outside the task; only these are read while it runs."""
    gives_up_beyond: float = 0.0
    """Seconds: a limit that lasts longer ends the program at once, and it does not say how long."""
    silences_shell: bool = False
    """Lines of a skill that run a shell when it is loaded come to its model as words of refusal."""
    budget: TellBudget = lambda _delivery, _raw: None
    """How much room its listing of skills has, where that is known."""
    wire: str = ""
    """The protocol it speaks to its model; empty for an embedded agent."""
    beside: tuple[str, ...] = ()
    """Globs below the private home for what it leaves beside its stream."""
    read_beside: Read | None = None
    join: Callable[[list[AnyEvent], list[AnyEvent]], list[AnyEvent]] = lambda stream, beside: [
        *stream,
        *beside,
    ]
    """Its stream's events and those of the files beside it, made one."""
    offers_by: Literal["request", "stream", "beside"] = "request"
    """Where it is told what the model was shown. With a provider of ours the request always
    tells; with a live one a probe is made where neither its stream nor a file beside it does."""
    reports_usage: bool = True
    several_turns: bool = False
    model: str | None = None
    """The model when none is given."""


agents: Registry[Agent | Callable[[str], Agent]] = Registry("agent")


def find_agent(name: str) -> Agent:
    """The agent of that name; `coin:0.8` is the agent `coin` made with `0.8`."""
    base, _, argument = name.partition(":")
    found = agents[base]
    if isinstance(found, Agent):
        if argument:
            raise unknown("agent", name, agents)
        return found
    return msgspec.structs.replace(found(argument), name=name)


def read_events(
    agent: Agent, lines: Iterable[tuple[int, bytes]], read: Read | None = None
) -> tuple[list[AnyEvent], list[int]]:
    """The events of numbered raw lines, and the numbers that were not understood.

    No line is fatal: whatever a reader stumbles over is unread.
    """
    events: list[AnyEvent] = []
    unread: list[int] = []
    read = read or agent.read
    for number, raw in lines:
        if not raw or raw.isspace():
            continue
        try:
            found = read(number, raw)
        except STUMBLES as error:
            found = read_mended(read, number, raw, error)
        if found is None:
            unread.append(number)
        else:
            events += found
    return sound_all(events), unread


def read_with_beside(
    agent: Agent,
    lines: Iterable[tuple[int, bytes]],
    beside: Iterable[Iterable[tuple[int, bytes]]] = (),
) -> tuple[list[AnyEvent], list[int]]:
    """As read_events, with the files beside the stream; their lines are numbered on from it."""
    if agent.read_beside is None:
        return read_events(agent, lines)
    last = 0

    def count(lines: Iterable[tuple[int, bytes]], start: int = 0) -> Iterable[tuple[int, bytes]]:
        nonlocal last
        for number, raw in lines:
            last = start + number
            yield last, raw

    events, unread = read_events(agent, count(lines))
    more: list[AnyEvent] = []
    for each in beside:
        found, missed = read_events(agent, count(each, last), agent.read_beside)
        more += found
        unread += missed
    return (agent.join(events, more) if more else events), unread


def make_trace(
    agent: Agent, events: list[AnyEvent], unread: Sequence[int] = (), *, truncated: bool = False
) -> Trace:
    """What follows from the events alone: the end, the answer, the usage."""
    events = agent.settle(events)
    end: End | None = None
    usage: Usage | None = None
    answer = ""
    turns = ended = 0
    for event, turn in zip(events, number_turns(events), strict=True):
        turns = turn
        if type(event) is Message:
            if event.role == "assistant" and not event.sub and event.text.strip():
                answer = event.text
        elif type(event) is Usage:
            usage = event if event.total or usage is None else add_usage(usage, event)
        elif type(event) is End:
            end, ended = event, turn
    if end is None or turns > ended:
        # Of several turns in one session the last must end, too.
        reason = "no terminal event" + ("" if end is None else " for the last turn")
        end = End(reason=reason)
    return Trace(
        agent=agent.name,
        events=tuple(events),
        end=end,
        usage=usage,
        answer=answer if end.answer is None else end.answer,
        turns=end.turns if end.turns is not None else (turns or None),
        unread=tuple(unread[:1000]),
        unread_count=len(unread),
        lost=find_orphans(events) if unread else (),
        truncated=truncated,
    )


def read_trace(
    agent: Agent, lines: Iterable[tuple[int, bytes]], *, truncated: bool = False
) -> Trace:
    """Raw lines to a Trace."""
    events, unread = read_events(agent, lines)
    return make_trace(agent, events, unread, truncated=truncated)


def count_commands(trace: Trace, effective: Callable[[Call], bool]) -> Commands:
    """How many shell commands ran, and how many of them did more than look around."""
    shell = [each for each in trace.events if type(each) is Call and each.does == "shell"]
    return Commands(total=len(shell), effective=sum(map(effective, shell)))
