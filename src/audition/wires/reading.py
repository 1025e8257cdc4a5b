"""Takes JSON apart that may hold anything.

In: bytes, or a decoded value. Out: mappings, lists and texts, empty where there are none.
Must not know: protocols. A stranger's request is never a reason to fall over.
"""

from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from audition.model import Json
from audition.provider.wire import Asked, Part, Request, Said, Tool
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
    parts: list[Part],
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


def list_models(request: Request) -> bytes | None:
    """The answer to a request for the list of models, in OpenAI's form."""
    if request.method != "GET":
        return None
    models = [{"id": "understudy", "object": "model", "created": 0, "owned_by": "audition"}]
    return msgspec.json.encode({"object": "list", "data": models, "models": []})


def guess_side(parts: Sequence[Part], body: dict[str, Json]) -> str:
    """Why a request that offers no tools is no turn; empty where it may be one.

    OpenCode and goose ask for a title beside the first turn, Qwen for what to remember.
    """
    said = " ".join(each.text[:400] for each in parts[:3] if isinstance(each, Said)).lower()
    if "title" in said:
        return "title"
    if "memor" in said and ("extract" in said or "save" in said):
        return "memory"
    return "probe" if body.get("max_tokens") == 1 else ""
