"""One trial's share of the provider: its address, its log, its place in the script.

In: requests, already taken off the network. Out: what to send. Must not know: sockets.
"""

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec

from audition.model import Offer, Value
from audition.provider.log import write_line
from audition.provider.script import Script, take_turn
from audition.provider.wire import Asked, Listed, Reply, Request, Wire, wires

Headers = dict[str, str]
JSON: Headers = {"content-type": "application/json"}
STREAM: Headers = {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}
GARBAGE = b"data: {this is no JSON\n\n"


class Answer(Value, frozen=True, kw_only=True):
    """What goes back over the network."""

    status: int
    headers: Headers
    body: bytes = b""
    delay_s: float = 0.0
    cut: bool = False
    """The connection is closed before the answer is whole."""
    hang: bool = False
    """Nothing is sent until the trial is over."""


class LaneReport(Value, frozen=True, kw_only=True):
    """What one trial's agent asked; null where its requests did not pass by us."""

    catalogue: tuple[Offer, ...] = ()
    """The skills as the first turn that showed any showed them."""
    listed: tuple[Listed, ...] = ()
    """The same with every listing of a skill, and its words."""
    listing_bytes: dict[str, int] = {}
    """What the listings cost there, by the tool that carries one; "" is the agent's own."""
    requests: int | None = None
    """Turns of the conversation."""
    side: int | None = None
    """Titles, token counts and the like: answered, but no turn."""
    unexpected: int | None = None
    """Requests that no wire claims."""
    faults: tuple[str, ...] = ()
    """What went wrong in the provider itself."""


class Lane:
    """One trial's share; its functions may be called from any thread."""

    def __init__(
        self,
        url: str,
        case: str,
        script: Script | None,
        log: Path | None,
        leave: Callable[[], None],
    ) -> None:
        self.url = url
        """The base address for the agent; empty for the real provider."""
        self.case = case
        self.script = script
        self._leave = leave
        self._lock = threading.Lock()
        self._log = log.open("ab") if log else None
        self._turns = self._side = self._unexpected = 0
        self._first = Asked()
        self._listing_bytes: dict[str, int] = {}
        self._faults: list[str] = []

    def close(self) -> LaneReport:
        """Let go of everything that hangs, take no more requests, and tell what was asked."""
        self._leave()
        with self._lock:
            if self._log:
                self._log.close()
                self._log = None
            if not self.url:
                return LaneReport()
            return LaneReport(
                catalogue=self._first.listing,
                listed=self._first.listed,
                listing_bytes=self._listing_bytes,
                requests=self._turns,
                side=self._side,
                unexpected=self._unexpected,
                faults=tuple(self._faults),
            )

    def handle(self, request: Request) -> Answer:
        """The answer to one request; never raises."""
        with self._lock:
            wire = find_wire(request)
            try:
                return self._handle(wire, request)
            except Exception as error:  # noqa: BLE001 - the agent must see an error, not a cut line
                text = f"the provider failed: {type(error).__name__}: {error}"
                self._faults.append(text)
                return self._refuse(wire, request, Reply(status=500, message=text))

    def _handle(self, wire: Wire | None, request: Request) -> Answer:
        if wire is None:
            self._unexpected += 1
            text = f"nothing here answers {request.method} {request.path}"
            return self._refuse(None, request, Reply(status=404, message=text))
        aside = wire.aside(request)
        if aside is not None:
            self._side += 1
            self._write(request, wire.name, "aside", 200)
            return Answer(status=200, headers=JSON, body=aside)
        asked = wire.understand(request)
        reply = self._choose(asked)
        if reply.status >= 400:
            return self._refuse(wire, request, reply)
        self._write(request, wire.name, asked.side, reply)
        return send(reply, asked, wire.answer(reply, asked))

    def _choose(self, asked: Asked) -> Reply:
        # Not at the top: who asks the real provider has no use for a stand-in.
        from audition.provider.stand_in import answer_side, reply_to

        if asked.side:
            self._side += 1
            return answer_side(asked)
        self._turns += 1
        if not self._first.listed:
            self._first = asked
        self._listing_bytes = self._listing_bytes or asked.listing_bytes
        return reply_to(asked) if self.script is None else self._next_turn(self.script, asked)

    def _next_turn(self, script: Script, asked: Asked) -> Reply:
        turn = take_turn(script, self.case, self._turns - 1)
        if turn is None:
            text = f"the script has no turn {self._turns} for case `{self.case}`"
            self._faults.append(text)
            return Reply(status=400, message=text)
        from audition.provider.deeds import carry_out

        calls = []
        for deed in turn.deeds:
            call = carry_out(asked, deed)
            if call is None:
                # Unanswered, it would look as if the agent had nothing to say.
                text = f"turn {self._turns} of the script: no tool of this agent can {deed.does}"
                self._faults.append(text)
                return Reply(status=400, message=text)
            calls.append(call)
        return msgspec.structs.replace(turn.reply, calls=tuple(calls))

    def _refuse(self, wire: Wire | None, request: Request, reply: Reply) -> Answer:
        self._write(request, wire.name if wire else "", "", reply)
        message = reply.message or f"scripted {reply.status}"
        if wire is None:
            body = msgspec.json.encode({"error": {"message": message}})
            return Answer(status=reply.status, headers=JSON, body=body)
        status, headers, body = wire.refuse(reply.status, message, reply.retry_after)
        return Answer(status=status, headers=JSON | headers, body=body, delay_s=reply.delay_s)

    def _write(self, request: Request, wire: str, side: str, answered: Reply | int) -> None:
        if self._log:
            self._log.write(write_line(request, wire, side, answered))
            self._log.flush()


def find_wire(request: Request) -> Wire | None:
    """The wire that claims a request."""
    shelf = (wires[name] for name in wires)
    return next((each for each in shelf if each.claims(request.method, request.path)), None)


def send(reply: Reply, asked: Asked, chunks: tuple[bytes, ...]) -> Answer:
    """The answer as it is sent: whole, or damaged as the reply says."""
    body = b"".join(chunks)
    if reply.truncated:
        body = (
            b"".join(chunks[: (len(chunks) + 1) // 2]) if asked.stream else body[: len(body) // 2]
        )
    elif reply.malformed:
        body = chunks[0] + GARBAGE if asked.stream else body[: len(body) // 2] + GARBAGE
    return Answer(
        status=200,
        headers=STREAM if asked.stream else JSON,
        body=body,
        delay_s=reply.delay_s,
        cut=reply.truncated,
        hang=reply.hang,
    )
