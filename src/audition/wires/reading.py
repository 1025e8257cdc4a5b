"""Takes JSON apart that may hold anything.

In: bytes, or a decoded value. Out: mappings, lists and texts, empty where there are none.
Must not know: protocols. A stranger's request is never a reason to fall over.
"""

from hashlib import blake2b

import msgspec

from audition.model import Json
from audition.provider.wire import Asked, Called, Request, Returned, Said, Tool
from audition.wires.listing import find_indexed, find_listed
from audition.wires.said import find_cwd


def read_body(body: bytes) -> dict[str, Json]:
    """The JSON object that a body holds."""
    try:
        return as_mapping(msgspec.json.decode(body))
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return {}


def as_mapping(value: Json) -> dict[str, Json]:
    """The value if it is a mapping."""
    return value if isinstance(value, dict) else {}


def as_items(value: Json) -> list[dict[str, Json]]:
    """The mappings in a value that should be a list of them."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def as_text(value: Json) -> str:
    """The text in a value: itself, or the texts of a list of blocks."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, map(as_text, value)))
    if isinstance(value, dict):
        return as_text(value.get("text") or value.get("content"))
    return ""


def as_input(value: Json) -> Json:
    """The input of a call: decoded where it came as text that is JSON."""
    if not isinstance(value, str):
        return value
    try:
        return msgspec.json.decode(value)
    except (msgspec.MsgspecError, RecursionError):
        return value


def make_asked(
    request: Request,
    body: dict[str, Json],
    parts: list[Said | Called | Returned],
    tools: list[Tool],
    **fields: Json,
) -> Asked:
    """What is asked, with what follows from its texts: listing, working directory, ids."""
    system = [each.text for each in parts if isinstance(each, Said) and each.role == "system"]
    listed = find_listed(system, tools)
    if not listed:
        indexes = (find_indexed(text) for text in system if "SKILL.md" in text)
        listed = tuple({each.name: each for found in indexes for each in found}.values())
    told = [each.text for each in parts if isinstance(each, Said) and each.role != "assistant"]
    return Asked(
        model=str(fields.pop("model", None) or body.get("model") or ""),
        system="\n\n".join(system),
        parts=tuple(parts),
        tools=tuple(tools),
        listed=listed,
        cwd=find_cwd(told),
        size=len(request.body),
        digest=blake2b(request.body, digest_size=8).hexdigest(),
        **fields,
    )
