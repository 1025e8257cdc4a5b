"""Mends a line that is not quite what its agent's reader takes.

In: a raw line, and what the reader stumbled over. Out: the line without it, or None.
Must not know: any agent, what a line means.
"""

import codecs
import json
import re

import msgspec

MOST_FAULTS = 8
_STRAYS = re.compile(rb"\\u[dD][89a-fA-F]|NaN|Infinity|[\x80-\xff]")
"""What may keep a line of JSON from being strict JSON, though its program meant it."""
_PLACE = re.compile(r" - at `\$((?:\.\w+|\[\d+\])+)`$")
_STEP = re.compile(r"\.(\w+)|\[(\d+)\]")


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
    said = json.loads(raw.decode(errors="replace"), parse_constant=lambda _: None)
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
