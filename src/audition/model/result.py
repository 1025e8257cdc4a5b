"""What a trial left behind and what it is worth: sealed, graded, recorded."""

from typing import Literal

from audition.model.session import Evidence, Offer
from audition.model.tried import Skill, Trial
from audition.model.value import Json, Value


class Changes(Value, frozen=True, kw_only=True):
    """What became of the workspace, by relative path."""

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """Links, devices and files past the size cap: named, not kept."""


class Sealed(Value, frozen=True, kw_only=True):
    """What a trial left behind, kept before anything is graded: meta.json."""

    trial: Trial
    argv: tuple[str, ...] = ()
    agent_version: str = ""
    exit_code: int | None = None
    seconds: float = 0.0
    stopped: Literal["", "timeout", "output", "interrupted", "fault"] = ""
    """Why we ended the agent; empty where it ended by itself."""
    problem: str = ""
    """Why it could not be tried at all: set-up trouble."""
    truncated: bool = False
    changes: Changes = Changes()
    catalogue: tuple[Offer, ...] = ()
    """What the model was shown, where a request or a probe told."""
    also_shown: tuple[str, ...] = ()
    """Skills that the model was shown beside those on trial."""
    listing_bytes: dict[str, int] = {}
    """What the listings of skills cost in the request, by route: `native`, `mcp`."""
    answered_by: Literal["live", "understudy", "script"] = "live"
    """Who answered for the model; only `live` costs money."""
    began: str = ""
    attempt: int = 1
    """Which attempt this is; those before it met the account's limit, see `attempts/`."""
    key: str = ""
    """The content address of all that the agent was given."""
    reused: str = ""
    """The run that it was taken over from; empty where it was asked here."""


GradeStatus = Literal["pass", "fail", "error", "vacuous", "unknown"]
Status = Literal["pass", "fail", "error", "ineligible"]


class Grade(Value, frozen=True, kw_only=True):
    """What one check says, and the trace lines that prove it."""

    by: str
    status: GradeStatus
    reason: str = ""
    lines: tuple[int, ...] = ()
    gates: bool = True
    """False: it is said, and decides nothing about the trial."""


class Spent(Value, frozen=True, kw_only=True):
    """Usage as reported: null where unknown, never 0."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    dollars: float | None = None


class Commands(Value, frozen=True, kw_only=True):
    """Shell commands: all, and those that are not mere looking around; null where unknown."""

    total: int | None = None
    effective: int | None = None


class Latency(Value, frozen=True, kw_only=True):
    """What it took until an expected skill was first called; null where the agent does not tell."""

    called: bool
    """False: no such skill was called, and the numbers are those of the whole session."""
    turns: int | None = None
    tokens: int | None = None
    seconds: float | None = None


class JudgedBy(Value, frozen=True, kw_only=True):
    """Which judge a trial's rubric was answered by, and a hash of what it was asked."""

    agent: str = ""
    version: str = ""
    model: str = ""
    command: tuple[str, ...] = ()
    prompt_hash: str = ""
    votes: int = 1
    same_agent: bool = False


class Record(Value, frozen=True, kw_only=True):
    """A trial with its verdict: grade.json, and one entry of results.json."""

    id: str
    skill: str | None
    case: str
    agent: str
    delivery: str
    model: str | None
    trial: int
    should_trigger: bool
    status: Status
    reason: str = ""
    skills: tuple[Evidence, ...] = ()
    grades: tuple[Grade, ...] = ()
    usage: Spent = Spent()
    commands: Commands = Commands()
    listing_bytes: dict[str, int] = {}
    """What the listings of skills cost in the request, by route; empty where unknown."""
    turns: int | None = None
    unread: int = 0
    """Lines of the session that its reader did not understand: the agent may have changed."""
    seconds: float | None = None
    latency: Latency | None = None
    """Null for a negative, and where the prompt itself called the skill."""
    dir: str = ""
    file: str = ""
    line: int = 1
    """Where the case stands, for annotations."""
    policy: str = "default"
    strict: Status | None = None
    """What the default policy says, where `policy` is another and says something else."""
    agent_version: str = ""
    variant: str = ""
    """Which baseline it belongs to; empty for the skills on trial themselves."""
    reused: str = ""
    """The run that it was taken over from, unchanged; empty where it was asked here."""
    judge: JudgedBy | None = None
    """Whose word the grades `judge:…` are; null where no judge was asked."""
    stamp: str = ""
    """What the grade rests on, as a digest; empty where it is always graded anew. It stays
    the last field: see stamp.py, which looks for it at the end of grade.json."""


class Inputs(Value, frozen=True, kw_only=True):
    """What a run was asked for, kept in run.json; enough to grade it again."""

    version: int = 1
    run_id: str
    began: str = ""
    audition: str = ""
    arguments: tuple[str, ...] = ()
    plan: tuple[Trial, ...] = ()
    skills: dict[str, Skill] = {}
    """By key: a slug, unique in the run, also the folder's name in `inputs/skills/`."""
    agents: dict[str, Json] = {}
    settings: dict[str, Json] = {}
    stood: str = ""
    """The folder the run was started in: paths of case files are seen from there."""
