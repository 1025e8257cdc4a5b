"""The configuration: `audition.toml`, or `[tool.audition]` in pyproject.toml.

In: a folder to look from. Out: a Config: the defaults of options, the tables.
Must not know: click, agents. Precedence is flag > `AUDITION_…` > file > default; the
command line applies it, this room only reads the file.
"""

import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from audition.errors import BadFile, UsageError, did_you_mean
from audition.model import Value

KEYS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "agent": ((str, list), "Agents to ask, as `-a`."),
    "delivery": ((str, list), "Deliveries to try, as `-d`."),
    "model": ((str, list), "Models to ask, as `--model`."),
    "trials": ((int, str), "How often each case is tried, or `auto`, as `-r`."),
    "target": (float, "The rate that is good enough, as `--target`."),
    "unacceptable": (float, "The rate that is not acceptable any more, as `--unacceptable`."),
    "budget": ((int, float), "The dollars that a run may cost, as `--budget`."),
    "max_tokens": (int, "The tokens that a run may take, as `--max-tokens`."),
    "max_runs": (int, "How many trials a run may ask, as `--max-runs`."),
    "jobs": (int, "How many trials run at once, as `-j`."),
    "timeout": ((int, float), "Seconds one trial may take, as `--timeout`."),
    "out": (str, "The folder that holds the runs, as `--out`; relative to this file."),
    "sandbox": (str, "How agents are kept apart from you, as `--sandbox`."),
    "executor": (str, "Who runs the trials, as `--executor`."),
    "provider": (str, "Who answers for the model, as `--provider`."),
    "policy": (str, "The policy that grades, as `--policy`."),
    "judge": (str, "The agent that answers rubrics, as `--judge-agent`."),
    "judge_command": ((str, list), "The program that answers rubrics, as `--judge-command`."),
    "judge_model": (str, "The model of the agent that judges, as `--judge-model`."),
    "judge_timeout": ((int, float), "Seconds for one answer of the judge, as `--judge-timeout`."),
    "votes": (int, "How often each question is asked, as `--votes`: 1 or 3."),
    "fsync": (bool, "Whether a finished trial is forced to disk; `false` only for benchmarks."),
}
"""Keys that give an option its default: the type, and what it is for."""

TABLES: dict[str, str] = {
    "agents": "One table an agent: `like`, `command`, `env`, `model`, `settings`.",
    "mcp": "The server of the deliveries `mcp` and `mcp+native`.",
    "gate": "What must be established for a run to answer 0.",
}

AGENT_KEYS = {
    "like": "The agent whose output format and flags this one shares, and what else it leaves out.",
    "command": "How its program is started, as a list of words.",
    "env": "Names of further environment variables that it may see; `NAME=VALUE` sets one.",
    "model": "The model when none is given.",
    "settings": "Wishes for every case: `max_turns`, `allowed_tools` …; a case's own win.",
}


MCP_KEYS = {
    "name": "The server's name, which the names of its tools begin with.",
    "command": "How another server is started, instead of ours; `{skills}` is the folder of skills.",
    "url": "Where another server listens, instead of ours.",
    "deferred": "Whether the agent may keep the server's tools back until it searches them.",
    "wording": "What the tool `skill` of our server says it is; `{listing}` is the list.",
}


GATE_KEYS = {
    "positives": "The rate of positives that must be proven; `true`: the verdict of each cell.",
    "negatives": "The same for negatives.",
    "skills": "A table for single skills, each with `positives` and `negatives`.",
    "lift": "How much more than its baseline a skill must surely reach: 0.1 is ten points.",
    "cost": "The dollars that the run may have cost at most.",
    "criteria": "The share of judged criteria that must be proven to be met.",
    "inconclusive": "What becomes of a gate that is open: `fail` (default), `warn`, `pass`.",
}

Rate = Annotated[float, msgspec.Meta(ge=0, le=1)] | bool


class GateSettings(Value, frozen=True, kw_only=True):
    """`[tool.audition.gate]`: what must be established for a run to answer 0."""

    positives: Rate | None = None
    negatives: Rate | None = None
    skills: dict[str, dict[Literal["positives", "negatives"], Rate]] = {}
    lift: Annotated[float, msgspec.Meta(ge=-1, le=1)] | None = None
    cost: Annotated[float, msgspec.Meta(ge=0)] | None = None
    criteria: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    inconclusive: Literal["fail", "warn", "pass"] = "fail"


class McpSettings(Value, frozen=True, kw_only=True):
    """`[tool.audition.mcp]`: the MCP server that carries the skills."""

    name: str = "skills"
    command: tuple[str, ...] = ()
    url: str = ""
    deferred: bool = False
    wording: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether it is our own server that is started."""
        return not self.command and not self.url


class AgentSettings(Value, frozen=True, kw_only=True):
    """`[tool.audition.agents.NAME]`."""

    like: str = ""
    command: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    model: str | None = None
    settings: dict[str, Any] = {}


class Config(Value, frozen=True, kw_only=True):
    """What the configuration file says."""

    path: str = ""
    """The file, or empty where there is none."""
    defaults: dict[str, Any] = {}
    agents: dict[str, AgentSettings] = {}
    mcp: McpSettings = McpSettings()
    gate: GateSettings | None = None

    @property
    def folder(self) -> Path:
        """What relative paths of the file are relative to."""
        return Path(self.path).parent if self.path else Path.cwd()


def load_config(start: Path | None = None) -> Config:
    """Read the nearest configuration, from this folder upwards; `AUDITION_CONFIG` names one."""
    named = os.environ.get("AUDITION_CONFIG")
    if named:
        if not Path(named).is_file():
            raise UsageError(f"AUDITION_CONFIG names `{named}`, which is no file")
        return _read(Path(named), whole=Path(named).name != "pyproject.toml")
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if (folder / "audition.toml").is_file():
            return _read(folder / "audition.toml", whole=True)
        if (folder / "pyproject.toml").is_file():
            config = _read(folder / "pyproject.toml", whole=False)
            if config.path:
                return config
    return Config()


def say_place(config: Config, key: str) -> str:
    """Where the file says something of a key: its path and line."""
    text = Path(config.path).read_text(encoding="utf-8", errors="replace")
    return f"{config.path}:{_line_of(text, key)}"


def _read(path: Path, *, whole: bool) -> Config:
    text = path.read_text(encoding="utf-8", errors="replace")
    if not whole and "[tool.audition" not in text:
        return Config()  # spares tomllib's import on most projects
    import tomllib

    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadFile(f"{path}: {error}", "it must be valid TOML") from error
    table = table if whole else table.get("tool", {}).get("audition", {})
    defaults: dict[str, Any] = {}
    for key, value in table.items():
        if key in TABLES:
            continue
        defaults[key] = _checked(path, text, key, value)
    if "out" in defaults:
        # Beside the file, wherever below it one stands; said as seen from there.
        out = path.parent.absolute() / Path(defaults["out"]).expanduser()
        defaults["out"] = os.path.relpath(out) if out.is_relative_to(path.parent) else str(out)
    agents = {
        name: _agent(path, text, name, entry) for name, entry in table.get("agents", {}).items()
    }
    mcp = _mcp(path, text, table.get("mcp", {}))
    gate = _gate(path, text, table["gate"]) if "gate" in table else None
    return Config(path=str(path), defaults=defaults, agents=agents, mcp=mcp, gate=gate)


def _line_of(text: str, key: str) -> int:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip().startswith((key, f"[{key}", f'"{key}"')):
            return number
    return 1


def _checked(path: Path, text: str, key: str, value: Any) -> Any:
    where = f"{path}:{_line_of(text, key)}"
    if key not in KEYS:
        raise BadFile(f"{where}: unknown key `{key}`", did_you_mean(key, [*KEYS, *TABLES]))
    wanted_kinds = KEYS[key][0]
    kinds: tuple[type, ...] = wanted_kinds if isinstance(wanted_kinds, tuple) else (wanted_kinds,)
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
        wanted = " or ".join(kind.__name__ for kind in kinds)
        raise BadFile(f"{where}: `{key}` must be {wanted}, not {type(value).__name__}")
    if list in kinds:
        words: list[Any] = [value] if isinstance(value, str) else list(value)  # type: ignore[call-overload]
        return [str(each) for each in words]
    return value


def _agent(path: Path, text: str, name: str, entry: Any) -> AgentSettings:
    where = f"{path}:{_line_of(text, f'tool.audition.agents.{name}')}"
    settings: AgentSettings = _table(where, f"agents.{name}", entry, AGENT_KEYS, AgentSettings)
    return settings


def _mcp(path: Path, text: str, entry: Any) -> McpSettings:
    where = f"{path}:{_line_of(text, '[tool.audition.mcp' if '[tool.' in text else '[mcp')}"
    settings: McpSettings = _table(where, "mcp", entry, MCP_KEYS, McpSettings)
    if not re.fullmatch(r"[A-Za-z0-9-]{1,40}", settings.name):
        raise BadFile(f"{where}: mcp.name must be letters, digits and dashes")
    if settings.command and settings.url:
        raise BadFile(f"{where}: mcp has both `command` and `url`", "give one of them")
    # The agent starts it in the workspace of a trial, where no file of the project's is.
    beside = tuple(_beside(path.parent, word) for word in settings.command)
    return msgspec.structs.replace(settings, command=beside)


def _beside(folder: Path, word: str) -> str:
    """A word of a command, absolute where it names what lies beside the configuration."""
    named = "/" in word or "." in word.strip(".")
    found = folder / word
    # A link stays one: a virtual environment is known by the name of its python.
    return os.path.abspath(found) if named and found.exists() else word


def _gate(path: Path, text: str, entry: Any) -> GateSettings:
    where = f"{path}:{_line_of(text, '[tool.audition.gate' if '[tool.' in text else '[gate')}"
    settings: GateSettings = _table(where, "gate", entry, GATE_KEYS, GateSettings)
    return settings


def _table(where: str, name: str, entry: Any, keys: dict[str, str], kind: Any) -> Any:
    """A table of the file as one value; what is wrong in it is told at its place."""
    if not isinstance(entry, dict):
        raise BadFile(f"{where}: {name} must be a table", f"keys: {', '.join(keys)}")
    for key in entry:
        if key not in keys:
            raise BadFile(f"{where}: unknown key `{name}.{key}`", did_you_mean(key, keys))
    if isinstance(entry.get("command"), str):
        import shlex

        entry = {**entry, "command": shlex.split(entry["command"])}
    try:
        return msgspec.convert(entry, kind)
    except msgspec.ValidationError as error:
        raise BadFile(f"{where}: {name}: {error}") from error
