"""Any agent that speaks the Agent Client Protocol: `acp:COMMAND`, as in `acp:"opencode acp"`.

In: the command. Out: the agent. Must not know: processes, files.

Where an agent of ours has the same program, what it needs in its home and environment, its
login, its wire and its ways of loading a skill are taken from there.
"""

import shlex

import msgspec

from audition.agent import Agent, agents, find_agent
from audition.agents.acp.asking import make_command
from audition.agents.acp.reading import read
from audition.agents.acp.settling import settle
from audition.errors import UsageError

_BORROWED = (
    *("loads_by", "skills_dir", "instructions_file", "lets_through", "login", "open_login"),
    *("home_var", "sign_in", "wire", "model", "mention", "known_version"),
)


def acp(argument: str) -> Agent:
    """The agent that a command starts."""
    try:
        words = shlex.split(argument)
    except ValueError:
        words = []
    if not words:
        raise UsageError(
            "agent `acp` needs the command of an ACP program", 'write `acp:"opencode acp"`'
        )
    name = words[0].rpartition("/")[2].removesuffix("-acp")
    known = find_agent(name) if name in agents and name != "acp" else None
    agent = Agent(
        name="acp",
        command=make_command(tuple(words[1:]), known),
        read=read,
        settle=settle,
        program=(words[0],),
        known_version="ACP 1",
        deliveries=("native", "none", "instructions", "mcp", "mcp+native"),
        # Whether it has a skill tool is not known: any way may be its own.
        loads_by=("skill-tool", "mcp-tool", "mcp-resource", "file-read", "shell-read", "injected"),
        package="acp acp",
        several_turns=True,
    )
    if known is None:
        return agent
    borrowed = {field: getattr(known, field) for field in _BORROWED}
    return msgspec.structs.replace(agent, **borrowed)
