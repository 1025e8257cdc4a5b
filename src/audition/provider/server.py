"""The loopback server: one for all trials of a run, in a thread of its own.

In: HTTP requests below `/t/<token>/`. Out: what the lane of that token answers.
Must not know: wires, scripts, skills. It listens on 127.0.0.1 only; a token that nobody can
guess keeps a web page that the user has open, and one trial's agent, out of another's lane.
"""

import asyncio
import gzip
import io
import secrets
import socket
import threading
import zlib
from collections.abc import Awaitable, Callable
from typing import Any

from audition.errors import AuditionError
from audition.provider.lane import JSON, Answer, Lane
from audition.provider.wire import Request

BODY_CAP = 64 * 1024 * 1024
START_SECONDS = 10.0
# An agent thinks and runs tools for minutes between two requests on one connection; a server
# that closes it meanwhile meets the next request half-way, and the agent sees a reset.
KEEP_ALIVE_SECONDS = 3600

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class Server:
    """Accepts connections until it is stopped."""

    def __init__(self) -> None:
        self._lanes: dict[str, tuple[Lane, asyncio.Event]] = {}
        # asyncio switches Nagle's algorithm off only for a socket that names its protocol; with
        # it on, each answer waits 40 ms for the agent to acknowledge the headers.
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.listen(512)
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.strangers = 0
        """Requests with no token of ours."""
        self._over = asyncio.Event()
        self._thread = self._start()

    def _start(self) -> threading.Thread:
        import uvicorn

        over = self._over

        class Prompt(uvicorn.Server):
            """Ends when it is told to: uvicorn's own looks ten times a second, then waits as long."""

            async def main_loop(self) -> None:
                await self.on_tick(0)
                await over.wait()

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                for each in (*self.servers, *(sockets or ())):
                    each.close()
                for connection in list(self.server_state.connections):
                    connection.shutdown()
                await asyncio.sleep(0)
                for task in self.server_state.tasks:
                    task.cancel()

        config = uvicorn.Config(
            self._answer,
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="off",
            interface="asgi3",
            proxy_headers=False,
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
        )
        server = Prompt(config)
        ready = threading.Event()

        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            self._loop.call_soon(ready.set)
            await server.serve(sockets=[self._socket])

        thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True, name="provider")
        thread.start()
        if not ready.wait(START_SECONDS):
            raise AuditionError("the loopback provider did not start", "is 127.0.0.1 usable?")
        return thread

    def add(self, make: Callable[[str, Callable[[], None]], Lane]) -> Lane:
        """Open a lane; `make` is given its address and the function that ends it."""
        token = secrets.token_hex(12)
        over = asyncio.Event()

        def leave() -> None:
            if self._lanes.pop(token, None) and self._thread.is_alive():
                self._loop.call_soon_threadsafe(over.set)

        lane = make(f"{self.address}/t/{token}", leave)
        self._lanes[token] = (lane, over)
        return lane

    def stop(self) -> None:
        """Close every lane, then the server."""
        for lane, _ in list(self._lanes.values()):
            lane.close()
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join(START_SECONDS)
        self._socket.close()

    async def _answer(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): v.decode("latin-1") for name, v in scope["headers"]}
        token, _, rest = str(scope["path"]).removeprefix("/t/").partition("/")
        lane, over = self._lanes.get(token, (None, None))
        if lane is None or over is None:
            self.strangers += 1
            await _send_plain(send, 404, "there is no such trial")
        elif headers.get("upgrade", "").lower() == "websocket":
            await _send_plain(send, 426, "no websockets here; ask again by plain HTTP")
        elif (body := await _read_body(receive, headers)) is None:
            await _send_plain(send, 413, f"the body is larger than {BODY_CAP >> 20} MiB")
        else:
            request = Request(
                method=scope["method"],
                path=f"/{rest}",
                query=scope["query_string"].decode("latin-1"),
                headers=headers,
                body=body,
            )
            await _send(lane.handle(request), over, receive, send)


async def _read_body(receive: Receive, headers: dict[str, str]) -> bytes | None:
    """The whole body, unpacked; None where it is too large."""
    parts: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size > BODY_CAP:
            return None
        parts.append(part)
        if not message.get("more_body"):
            break
    body = b"".join(parts)
    if headers.get("content-encoding") != "gzip":
        return body
    try:
        with gzip.open(io.BytesIO(body)) as file:
            unpacked = file.read(BODY_CAP + 1)
    except (OSError, EOFError, zlib.error):
        return body
    return unpacked if len(unpacked) <= BODY_CAP else None


async def _send(answer: Answer, over: asyncio.Event, receive: Receive, send: Send) -> None:
    if (answer.hang or answer.delay_s) and not await _wait(answer, over, receive):
        return
    headers = answer.headers
    if not answer.cut:
        headers = {**headers, "content-length": str(len(answer.body))}
    raw = [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": answer.status, "headers": raw})
    # To return before the body is said to be whole makes the server cut the connection.
    await send({"type": "http.response.body", "body": answer.body, "more_body": answer.cut})


async def _wait(answer: Answer, over: asyncio.Event, receive: Receive) -> bool:
    """Wait as the answer says; whether there is still anybody to send it to."""
    seconds = None if answer.hang else answer.delay_s
    events = [asyncio.ensure_future(over.wait()), asyncio.ensure_future(receive())]
    done, waiting = await asyncio.wait(events, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for each in waiting:
        each.cancel()
    return not done and not answer.hang


async def _send_plain(send: Send, status: int, text: str) -> None:
    body = b'{"error":{"message":"%b"}}' % text.encode()
    headers = {**JSON, "content-length": str(len(body)), "connection": "close"}
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
