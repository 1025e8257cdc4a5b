"""Mends a line that is not quite what its agent's reader takes.

In: a raw line, its reader, and what that stumbled over. Out: its events without that, or None.
Must not know: any agent, what a line means.
"""

import codecs
import json
import re
from collections.abc import Callable, Sequence

import msgspec

from audition.model import AnyEvent

STUMBLES = (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError)
"""What a reader may trip over; nothing else is taken for a fault of the line."""
MOST_FAULTS = 8
_STRAYS = re.compile(rb"\\u[dD][89a-fA-F]|NaN|Infinity|[\x00-\x08\x80-\xff]")
"""What may keep a line of JSON from being strict JSON, though its program meant it."""
_MOST_OBJECTS = 100
"""Objects on one line: two programs that print at once may leave out the line's end."""
_lenient = json.JSONDecoder(strict=False, parse_constant=lambda _: None)
_PLACE = re.compile(r" - at `\$((?:\.\w+|\[\d+\])+)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


def read_mended(
    read: Callable[[int, bytes], Sequence[AnyEvent] | None],
    number: int,
    raw: bytes,
    fault: Exception,
) -> Sequence[AnyEvent] | None:
    """The events of a line once what its reader stumbled over is taken out; None where it stays."""
    if whole := _several(read, number, raw):
        return whole
    for _ in range(MOST_FAULTS):
        try:
            mended = mend(raw, fault)
        except STUMBLES:
            return None
        if mended is None or mended == raw:
            return None
        try:
            return read(number, mended)
        except STUMBLES as error:
            raw, fault = mended, error
    return None


def _several(
    read: Callable[[int, bytes], Sequence[AnyEvent] | None], number: int, raw: bytes
) -> list[AnyEvent] | None:
    """The events of several objects on one line; None where it is anything else."""
    text, at, found = raw.decode(errors="replace").strip(), 0, list[AnyEvent]()
    for _ in range(_MOST_OBJECTS):
        try:
            said, end = _lenient.raw_decode(text, at)
            events = read(number, json.dumps(said, ensure_ascii=False).encode(errors="replace"))
        except STUMBLES:
            return None
        if events is None or not isinstance(said, dict) or (at == 0 and end == len(text)):
            return None
        found += events
        at = end + len(text[end:]) - len(text[end:].lstrip())
        if at == len(text):
            return found
    return None


def mend(raw: bytes, fault: Exception) -> bytes | None:
    """The line as strict JSON, or without the field whose value is of no type we know.

    node writes half an emoji as \\ud83d where a text was cut; python writes NaN. A field of
    another type than ever seen, or null, says nothing; the rest of its line still does.
    """
    if raw.startswith(codecs.BOM_UTF8):  # as PowerShell writes a file
        return raw[len(codecs.BOM_UTF8) :]
    if isinstance(fault, msgspec.ValidationError):
        return _without(raw, _PLACE.search(str(fault)))
    if not _STRAYS.search(raw):
        return None
    said = _lenient.decode(raw.decode(errors="replace").strip("\0"))
    return json.dumps(said, ensure_ascii=False).encode(errors="replace")


def _without(raw: bytes, place: re.Match[str] | None) -> bytes | None:
    if place is None:
        return None
    steps = [name or int(number) for name, number in _STEP.findall(place[1])]
    said = held = msgspec.json.decode(raw)
    for step in steps[:-1]:
        held = held[step]
    del held[steps[-1]]
    return msgspec.json.encode(said)
