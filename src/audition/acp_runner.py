"""A program of its own: an ACP client that asks one agent and writes down every message.

In: JSON on standard input: `command`, `cwd`, `prompts`, `server`. Out: the messages of both
sides as JSON lines, each with `dir` (`in` is the agent's) and `t` in seconds.
Must not know: trials, agents, how the lines are read.
"""

import asyncio
import contextlib
import json
import os
import sys
import time
from typing import Any

import acp
from acp.connection import StreamDirection, StreamEvent
from acp.schema import (
    AllowedOutcome,
    ClientCapabilities,
    DeniedOutcome,
    HttpMcpServer,
    Implementation,
    McpServerStdio,
    RequestPermissionResponse,
)

LINE_CAP = 64 * 1024 * 1024


class Client:
    """Says yes to all that is asked, and offers neither files nor terminals of its own."""

    async def request_permission(self, options: list[Any], **_: Any) -> RequestPermissionResponse:
        """The first option that allows, for ever before once."""
        for kind in ("allow_always", "allow_once"):
            for option in options:
                if option.kind == kind:
                    outcome = AllowedOutcome(outcome="selected", option_id=option.option_id)
                    return RequestPermissionResponse(outcome=outcome)
        return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))

    async def session_update(self, **_: Any) -> None:
        """Nothing to do: it is written down already."""

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG002 - the SDK's signature
        """No extension is known."""
        raise acp.RequestError.method_not_found(method)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """No extension is known."""

    def on_connect(self, conn: Any) -> None:
        """Nothing to do."""


def write_down(began: float) -> Any:
    """Prints each message as it passes."""

    def note(event: StreamEvent) -> None:
        way = "in" if event.direction == StreamDirection.INCOMING else "out"
        line = {"dir": way, "t": round(time.monotonic() - began, 3), **event.message}
        sys.stdout.write(json.dumps(line, ensure_ascii=True) + "\n")
        sys.stdout.flush()

    return note


def _servers(server: dict[str, Any] | None) -> list[Any]:
    if not server:
        return []
    if server.get("url"):
        return [HttpMcpServer(type="http", name=server["name"], url=server["url"], headers=[])]
    command, args = server["command"], server.get("args") or []
    return [McpServerStdio(name=server["name"], command=command, args=args, env=[])]


async def ask(asked: dict[str, Any]) -> int:
    """Start the agent, say each prompt in one session, and wait for each answer."""
    command, *args = asked["command"]
    how = {"limit": LINE_CAP, "stderr": None, "shutdown_timeout": 1.0}
    client: Any = Client()
    async with acp.spawn_agent_process(
        client,
        command,
        *args,
        env=dict(os.environ),
        cwd=asked["cwd"],
        transport_kwargs=how,
        observers=[write_down(time.monotonic())],
    ) as (connection, _):
        await connection.initialize(
            acp.PROTOCOL_VERSION,
            client_capabilities=ClientCapabilities(),
            client_info=Implementation(name="audition", version="0"),
        )
        servers = _servers(asked.get("server"))
        session = await connection.new_session(cwd=asked["cwd"], mcp_servers=servers)
        for prompt in asked["prompts"]:
            await connection.prompt(session.session_id, [acp.text_block(prompt)])
    return 0


def main() -> int:
    """Ask, and end with 1 where the agent refused: why is in the lines."""
    asked = json.load(sys.stdin)
    with contextlib.suppress(acp.RequestError):
        return asyncio.run(ask(asked))
    return 1


if __name__ == "__main__":
    sys.exit(main())
