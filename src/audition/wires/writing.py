"""Writes answers: events of a stream, and the usage where a script gives none.

In: plain values. Out: bytes. Must not know: protocols.
"""

import msgspec

from audition.model import Json
from audition.provider.wire import Asked, Reply

encode = msgspec.json.encode


def event(value: Json, name: str = "") -> bytes:
    """One server-sent event."""
    head = f"event: {name}\n".encode() if name else b""
    return b"%bdata: %b\n\n" % (head, encode(value))


def count_usage(reply: Reply, asked: Asked) -> tuple[int, int, int]:
    """Input, cached and output tokens: as scripted, else four bytes are one token."""
    said = len(reply.text) + sum(len(encode(given)) for _, given in reply.calls)
    given, cached, made = (
        reply.usage.input_tokens,
        reply.usage.cached_input_tokens,
        reply.usage.output_tokens,
    )
    return (
        -(-asked.size // 4) if given is None else given,
        cached or 0,
        max(1, -(-said // 4)) if made is None else made,
    )
