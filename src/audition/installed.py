"""Which agent programs are on this machine, and which agents the configuration makes.

In: names and the configuration. Out: agents ready to ask, with how their program is started.
Must not know: trials, grading, how an agent is signed in.
"""

import os
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec

from audition import __version__
from audition.agent import Agent, agents, find_agent
from audition.beside import last_words
from audition.config import AgentSettings, Config, McpSettings
from audition.errors import AgentMissing, UsageError, unknown
from audition.model import Value
from audition.process import Start, run_command


class Ready(Value, frozen=True, kw_only=True):
    """An agent with the words that start its program."""

    agent: Agent
    program: tuple[str, ...] = ()
    """Empty for an embedded agent, which needs no program of its own."""
    version: str = ""
    trouble: str = ""
    """What it said when it was asked for its version and did not tell it."""
    settings: AgentSettings = AgentSettings()

    @property
    def lets_through(self) -> tuple[str, ...]:
        """Environment variables that it may see."""
        return (*self.agent.lets_through, *self.wished)

    @property
    def wished(self) -> tuple[str, ...]:
        """Those that the configuration names."""
        return tuple(each.partition("=")[0] for each in self.settings.env)

    @property
    def given(self) -> dict[str, str]:
        """Those that the configuration gives a value, as NAME=VALUE."""
        pairs = (each.partition("=") for each in self.settings.env)
        return {name: value for name, sign, value in pairs if sign}


def known_agents(config: Config) -> list[str]:
    """Every name that can be asked for."""
    return sorted({*agents, *config.agents})


def configure_agent(name: str, config: Config) -> Agent:
    """The agent of that name, made from another one where the configuration says `like`."""
    base = _chain(name, config)[-1]
    if base.partition(":")[0] not in agents:
        raise unknown("agent", base, known_agents(config))
    agent = (
        msgspec.structs.replace(find_agent(base), name=name) if base != name else find_agent(base)
    )
    said = settings_of(name, config)
    silences = agent.silences_shell and said.settings.get("allow_skill_shell") is not True
    return msgspec.structs.replace(agent, model=said.model or agent.model, silences_shell=silences)


def settings_of(name: str, config: Config) -> AgentSettings:
    """What the configuration says of an agent, and of those that it is like; its own wins."""
    chain = _chain(name, config)
    found = AgentSettings()
    for each in reversed(chain):
        own = config.agents.get(each, AgentSettings())
        found = AgentSettings(
            like=chain[-1] if len(chain) > 1 else "",
            command=own.command or found.command,
            env=(*found.env, *own.env),
            model=own.model or found.model,
            settings={**found.settings, **own.settings},
        )
    return found


def _chain(name: str, config: Config) -> list[str]:
    """The agent, the one that it is like, and so on to one that is built in."""
    chain = [name]
    while (own := config.agents.get(chain[-1])) and own.like:
        if own.like == chain[-1] and own.like in agents:
            break
        if own.like in chain:
            raise UsageError(
                f"agent `{name}` is like itself: {' → '.join([*chain, own.like])}",
                "`like` must lead to an agent that is built in",
            )
        chain.append(own.like)
    return chain


def make_ready(name: str, config: Config) -> Ready:
    """Find the program of an agent and its version; missing or too old is an error that says so."""
    agent = configure_agent(name, config)
    settings = settings_of(name, config)
    module, _, extra = agent.package.partition(" ")
    if module and find_spec(module) is None:
        raise AgentMissing(
            f"agent `{name}` needs the Python package `{module}`",
            f"pip install 'audition[{extra}]'",
        )
    if not settings.command and not agent.program:
        return Ready(agent=agent, version=__version__, settings=settings)
    program = find_program(agent, settings, config.folder)
    version, trouble = ask_version(agent, program)
    if is_older(version, agent.least_version):
        raise AgentMissing(
            f"`{program[0]}` is too old for agent `{name}`: it is {version}, "
            f"and {agent.least_version} or newer is needed",
            agent.get_it,
        )
    return Ready(agent=agent, program=program, version=version, trouble=trouble, settings=settings)


def all_ready(names: Sequence[str], config: Config) -> dict[str, Ready]:
    """Every agent with its version; several are asked at once, as each takes up to a second."""
    names = tuple(dict.fromkeys(names))
    if len(names) < 2:
        return {name: make_ready(name, config) for name in names}
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(len(names)) as pool:
        found = pool.map(lambda name: make_ready(name, config), names)
        return dict(zip(names, found, strict=True))


def with_node(program: tuple[str, ...], env: Mapping[str, str]) -> dict[str, str]:
    """The environment in which a program that npm installed finds what it needs beside it.

    pi and Kimi Code need Node.js 22; `make agents` brings it, and a machine's own may be older.
    OpenCode's skill tool needs `rg`, which Codex brings: it stands in where there is none.
    """
    before, behind = _brought(os.path.dirname(program[0])) if program else ((), ())
    if not (before or behind):
        return dict(env)
    path = (*before, env.get("PATH", os.defpath), *behind)
    return {**env, "PATH": os.pathsep.join(path)}


@cache
def _brought(folder: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Folders of npm's for the front and the end of PATH, for a program that lies in `folder`."""
    if not folder.endswith("node_modules/.bin"):
        return (), ()
    node = (folder,) if os.access(f"{folder}/node", os.X_OK) else ()
    found = Path(folder).parent.glob("@openai/codex-*/vendor/*/codex-path")
    return node, tuple(sorted(map(str, found)))


def check_mcp(deliveries: Iterable[str], mcp: McpSettings) -> None:
    """Raise where a delivery needs an MCP server, and what it is made of is not here."""
    wanted = any(each in ("mcp", "mcp+native") for each in deliveries)
    if wanted and mcp.command and not shutil.which(mcp.command[0]):
        raise AgentMissing(
            f"the program of the MCP server, `{mcp.command[0]}`, is not here",
            "it comes from `command` in [tool.audition.mcp]",
        )
    if wanted and mcp.is_ours and find_spec("mcp") is None:
        raise AgentMissing(
            "the deliveries over MCP need the Python package `mcp`",
            "pip install 'audition[mcp]', or name another server in [tool.audition.mcp]",
        )


def is_older(version: str, least: str) -> bool:
    """Whether a version, somewhere in a text, is below another; an unknown one is not."""
    found = re.search(r"\d+(?:\.\d+)+", version)
    if not found or not least:
        return False
    return [int(each) for each in found[0].split(".")] < [int(each) for each in least.split(".")]


def find_program(agent: Agent, settings: AgentSettings, folder: Path) -> tuple[str, ...]:
    """The configured command, else PATH, else `node_modules/.bin` here or above, else a package."""
    if settings.command:
        return _configured(agent, settings, folder)
    for name in agent.program:
        for place in _places():
            if found := shutil.which(name, path=place):
                return (_behind(agent, found) or os.path.abspath(found),)
    for path in _bundled(agent):
        if os.access(path, os.X_OK):
            return (path,)
    get_it = agent.get_it or "install it"
    raise AgentMissing(
        f"agent `{agent.name}` needs the program `{agent.program[0]}`, which is not on PATH",
        f"{get_it}, or set `command` in [tool.audition.agents.{agent.name}]; "
        "`audition agents` shows what is here",
    )


def _behind(agent: Agent, found: str) -> str:
    """The program that npm's script starts, where there is one and no more."""
    script = os.path.realpath(found)
    if not agent.behind or not script.endswith(".js"):
        return ""
    places = [each for glob in agent.behind for each in Path(script).parent.glob(glob)]
    programs = {os.path.realpath(each) for each in places if os.access(each, os.X_OK)}
    return programs.pop() if len(programs) == 1 else ""


def _configured(agent: Agent, settings: AgentSettings, folder: Path) -> tuple[str, ...]:
    first = settings.command[0]
    if not os.path.isabs(first) and (folder / first).is_file():
        return (os.path.abspath(folder / first), *settings.command[1:])
    if found := shutil.which(first):
        return (os.path.abspath(found), *settings.command[1:])
    raise AgentMissing(
        f"the program of agent `{agent.name}`, `{first}`, is not here",
        f"it comes from `command` in [tool.audition.agents.{agent.name}]",
    )


def _places() -> Iterator[str | None]:
    yield None
    here = Path.cwd()
    for each in (here, *here.parents):
        yield str(each / "node_modules" / ".bin")


def _bundled(agent: Agent) -> Iterator[str]:
    """Where Python packages may bring the agent's program along; none of them is imported."""
    for path in agent.bundled:
        package, _, inside = path.partition("/")
        spec = find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            yield f"{folder}/{inside}"


def ask_version(agent: Agent, program: tuple[str, ...], seconds: float = 20) -> tuple[str, str]:
    """What the program says its version is, and else why it does not say."""
    if not agent.version:
        return "", ""  # it has no word for that, and would take it for a session
    with tempfile.TemporaryDirectory(prefix="audition-version-") as folder:
        said, wrong = Path(folder, "out"), Path(folder, "err")
        passed = ("PATH", "LANG", "LC_ALL", "TMPDIR")
        env = {name: os.environ[name] for name in passed if name in os.environ}
        finished = run_command(
            Start(
                argv=(*program, *agent.version),
                cwd=folder,
                env={**with_node(program, env), "HOME": folder},
                stdout=said,
                stderr=wrong,
                seconds=seconds,
            )
        )
        text = said.read_text(errors="replace").strip() if said.exists() else ""
        if text and finished.exit_code == 0:
            return text.splitlines()[0][:100], ""
        if finished.stopped:
            return "", f"no answer within {seconds:g} s"
        last = last_words(wrong)
        return "", f"exit code {finished.exit_code}" + (f": {last}" if last else "")
