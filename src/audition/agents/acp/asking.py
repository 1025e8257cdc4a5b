"""Turns an Ask into the command of our ACP client, which starts the agent.

In: an Ask, the words of the agent's command. Out: a Command.
Must not know: how output is read.
"""

import sys
from collections.abc import Callable

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import Value


class Asked(Value, frozen=True, kw_only=True):
    """What the client reads from its standard input."""

    command: tuple[str, ...]
    cwd: str
    prompts: tuple[str, ...]
    server: dict[str, object] | None = None


def make_command(words: tuple[str, ...], known: Agent | None) -> Callable[[Ask], Command]:
    """How such an agent is asked; a known one brings its files and environment."""

    def command(ask: Ask) -> Command:
        server: dict[str, object] | None = None
        if found := ask.over_mcp:
            server = {"name": found.name, "url": found.url, **found.words}
        asked = Asked(
            command=(*ask.program, *words),
            cwd=ask.workspace,
            prompts=ask.case.prompts,
            server=server,
        )
        plain = msgspec.structs.replace(ask, server=None)
        base = known.command(plain) if known else Command(argv=())
        argv = (sys.executable, "-I", "-m", "audition.acp_runner")
        stdin = msgspec.json.encode(asked)
        return Command(argv=argv, stdin=stdin, env=base.env, files=base.files)

    return command
