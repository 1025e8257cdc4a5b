"""The lines of stream, rollout and app-server as msgspec decodes them: only what is read.

In: nothing. Out: the shapes. Must not know: what they mean.
"""

import msgspec

from audition.model import Json


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a patch."""

    path: str = ""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A thing the agent did; which fields are set depends on its type."""

    id: str = ""
    type: str = ""
    text: str = ""
    message: str = ""
    command: str = ""
    aggregated_output: str = ""
    exit_code: int | None = None
    status: str = ""
    changes: list[Change] = []
    server: str = ""
    tool: str = ""
    arguments: Json = None
    result: Json = None
    error: Json = None
    query: str = ""


class Used(msgspec.Struct, frozen=True, kw_only=True):
    """Tokens of a turn; `input_tokens` holds the cached ones."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream."""

    type: str = ""
    item: Item | None = None
    usage: Used | None = None
    error: Json = None
    message: str = ""
    payload: msgspec.Raw = msgspec.Raw()
    method: Json = None
    id: Json = None


class Payload(msgspec.Struct, frozen=True, kw_only=True):
    """What a line tells; which fields are set depends on its type."""

    type: str = ""
    role: str = ""
    content: Json = None
    summary: Json = None
    call_id: str = ""
    name: str = ""
    namespace: Json = None
    input: Json = None
    arguments: Json = None
    action: Json = None
    output: Json = None
    item: Json = None
    usage: Json = None
    error: Json = None
    message: Json = None
    reason: Json = None
    last_agent_message: str | None = None
    id: Json = None
    source: Json = None


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a rollout."""

    type: str
    timestamp: str | None = None
    payload: Payload = Payload()


class Notice(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the app-server: a notice, a request of it, or an answer to one of its client."""

    method: str = ""
    params: Json = None
    error: Json = None
    at: float | None = msgspec.field(default=None, name="emittedAtMs")
