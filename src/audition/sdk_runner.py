"""A program of its own: asks Claude Code through the Agent SDK, and prints its raw lines.

In: JSON on standard input: `prompts`, and the options of the SDK. Out: every line that Claude
Code prints, byte for byte; the SDK's own messages drop fields that evidence needs.
Must not know: trials, agents, how the lines are read.
"""

import asyncio
import json
import logging
import sys
from collections.abc import AsyncIterator
from typing import Any

from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ClaudeSDKError, ProcessError
from claude_agent_sdk._internal.transport.subprocess_cli import SubprocessCLITransport


class _Printing:
    """A stream of text that prints what passes through it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[str]:
        async for chunk in self._stream:
            sys.stdout.buffer.write(chunk.encode("utf-8", "surrogatepass"))
            sys.stdout.buffer.flush()
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()


class PrintingTransport(SubprocessCLITransport):
    """The SDK's own transport, with its output printed too."""

    async def connect(self) -> None:
        """Start the program, and stand between it and the SDK."""
        await super().connect()
        if self._stdout_stream is not None:
            self._stdout_stream = _Printing(self._stdout_stream)  # type: ignore[assignment]


async def _nothing() -> AsyncIterator[dict[str, Any]]:
    """No prompt at the start: each is said when its turn has come."""
    return
    yield {}


async def ask(prompts: list[str], options: ClaudeAgentOptions) -> None:
    """Say each prompt and wait for its end, in one session."""
    transport = PrintingTransport(prompt=_nothing(), options=options)
    async with ClaudeSDKClient(options, transport=transport) as client:
        for prompt in prompts:
            await client.query(prompt)
            async for _ in client.receive_response():
                pass


def main() -> int:
    """Read what is asked, ask it; 1 where the SDK ends with an error."""
    asked = json.load(sys.stdin)
    # What the program itself says on stderr goes past the SDK; of that the SDK knows no more
    # than "Check stderr output for details", and says it twice.
    logging.getLogger("claude_agent_sdk").addHandler(logging.NullHandler())
    try:
        asyncio.run(ask(asked["prompts"], ClaudeAgentOptions(**asked["options"])))
    except ProcessError:
        return 1
    except ClaudeSDKError as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)  # noqa: T201 - a program
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
