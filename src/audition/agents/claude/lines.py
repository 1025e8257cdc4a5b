"""The lines of Claude Code's stream as msgspec decodes them: only fields that are read.

In: nothing. Out: the shapes. Must not know: what they mean.
"""

import msgspec

from audition.model import Json


class Part(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A piece of a tool result."""

    type: str = ""
    text: str | None = None


class Block(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A block of content; which fields are set depends on its type."""

    type: str
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: Json = None
    tool_use_id: str | None = None
    content: str | list[Part] | None = None
    is_error: Json = None


class Said(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A message of the Messages API."""

    id: str | None = None
    content: str | list[Block] | None = None
    model: str | None = None
    stop_reason: str | None = None


class Assistant(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="assistant"):
    """One block of what the model said, with the message it is of."""

    message: Said
    parent_tool_use_id: str | None = None
    timestamp: str | None = None
    error: Json = None
    is_api_error_message: bool | None = None
    api_error_status: int | None = None


class User(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="user"):
    """A tool result, a prompt, or text that the program put in (`isSynthetic`)."""

    message: Said
    parent_tool_use_id: str | None = None
    timestamp: str | None = None
    isSynthetic: bool | None = None  # noqa: N815  # as the program writes it


class System(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="system"):
    """What the program says of itself."""

    subtype: str
    parent_tool_use_id: str | None = None
    tool_use_id: str | None = None
    tool_name: str | None = None
    message: Json = None
    error: Json = None
    error_status: int | None = None
    retry_delay_ms: float | None = None
    mcp_servers: Json = None
    plugin_errors: Json = None


class Ended(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="result"):
    """The end of one prompt; there may be several."""

    subtype: str = ""
    is_error: Json = None
    result: Json = None
    structured_output: Json = None
    stop_reason: str | None = None
    terminal_reason: str | None = None
    api_error_status: int | None = None
    errors: Json = None
    total_cost_usd: float | None = None
    usage: Json = None
    modelUsage: Json = None  # noqa: N815  # as the program writes it
    permission_denials: Json = None


class RateLimit(msgspec.Struct, frozen=True, kw_only=True, gc=False, tag="rate_limit_event"):
    """How the account stands."""

    rate_limit_info: Json = None


class Kind(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A line of which only the kind is of interest."""

    type: str
