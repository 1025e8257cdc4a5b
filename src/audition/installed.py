"""Which agent programs are on this machine, and which agents the configuration makes.

In: names and the configuration. Out: agents ready to ask, with how their program is started.
Must not know: trials, grading.
"""

import os
import shutil
import tempfile
from pathlib import Path

import msgspec

from audition import __version__
from audition.agent import Agent, agents, find_agent
from audition.config import AgentSettings, Config
from audition.errors import AgentMissing, unknown
from audition.model import Value
from audition.process import Start, run_command


class Ready(Value, frozen=True, kw_only=True):
    """An agent with the words that start its program."""

    agent: Agent
    program: tuple[str, ...] = ()
    """Empty for an embedded agent, which needs no program of its own."""
    version: str = ""
    settings: AgentSettings = AgentSettings()

    @property
    def lets_through(self) -> tuple[str, ...]:
        """Environment variables that it may see."""
        return (*self.agent.lets_through, *self.settings.env)


def known_agents(config: Config) -> list[str]:
    """Every name that can be asked for."""
    return sorted({*agents, *config.agents})


def configure_agent(name: str, config: Config) -> Agent:
    """The agent of that name, made from another one where the configuration says `like`."""
    settings = config.agents.get(name)
    if settings is None or not settings.like:
        if name.partition(":")[0] not in agents:
            raise unknown("agent", name, known_agents(config))
        agent = find_agent(name)
    else:
        agent = msgspec.structs.replace(configure_agent(settings.like, config), name=name)
    if settings and settings.model:
        agent = msgspec.structs.replace(agent, model=settings.model)
    return agent


def make_ready(name: str, config: Config) -> Ready:
    """Find the program of an agent and its version; missing is an error that says so."""
    agent = configure_agent(name, config)
    settings = config.agents.get(name, AgentSettings())
    if not settings.command and not agent.program:
        return Ready(agent=agent, version=__version__, settings=settings)
    program = find_program(agent, settings, config.folder)
    return Ready(
        agent=agent, program=program, version=ask_version(agent, program), settings=settings
    )


def find_program(agent: Agent, settings: AgentSettings, folder: Path) -> tuple[str, ...]:
    """The configured command, else PATH, else `node_modules/.bin` here or above."""
    if settings.command:
        first = settings.command[0]
        if not os.path.isabs(first) and (folder / first).is_file():
            return (str((folder / first).resolve()), *settings.command[1:])
        if found := shutil.which(first):
            return (found, *settings.command[1:])
        raise AgentMissing(
            f"the program of agent `{agent.name}`, `{first}`, is not here",
            f"it comes from `command` in [tool.audition.agents.{agent.name}]",
        )
    for name in agent.program:
        for place in _places():
            if found := shutil.which(name, path=place):
                return (found,)
    raise AgentMissing(
        f"agent `{agent.name}` needs the program `{agent.program[0]}`, which is not on PATH",
        f"install it, or set `command` in [tool.audition.agents.{agent.name}]; "
        "`audition agents` shows what is here",
    )


def _places() -> list[str | None]:
    here = Path.cwd()
    bins = [str(each / "node_modules" / ".bin") for each in (here, *here.parents)]
    return [None, *(each for each in bins if os.path.isdir(each))]


def ask_version(agent: Agent, program: tuple[str, ...], seconds: float = 20) -> str:
    """What the program says its version is; empty where it does not say."""
    with tempfile.TemporaryDirectory(prefix="audition-version-") as folder:
        said = Path(folder, "out")
        env = {
            name: value
            for name, value in os.environ.items()
            if name in ("PATH", "LANG", "LC_ALL", "TMPDIR")
        }
        finished = run_command(
            Start(
                argv=(*program, *agent.version),
                cwd=folder,
                env={**env, "HOME": folder},
                stdout=said,
                stderr=Path(folder, "err"),
                seconds=seconds,
            )
        )
        text = said.read_text(errors="replace").strip() if said.exists() else ""
    return text.splitlines()[0][:100] if text and finished.exit_code == 0 else ""
