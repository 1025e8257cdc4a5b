"""Gemini's generateContent, as Gemini CLI speaks it.

In: a request. Out: what it asks, and the bytes of an answer. Must not know: sockets, scripts.
"""

import re

from audition.model import Json
from audition.provider.wire import (
    Asked,
    Called,
    Part,
    Refusal,
    Reply,
    Request,
    Returned,
    Said,
    Tool,
    Wire,
)
from audition.wires.reading import (
    as_items,
    as_mapping,
    as_text,
    guess_side,
    make_asked,
    read_body,
)
from audition.wires.said import take_said
from audition.wires.writing import count_usage, encode, event

PATH = re.compile(
    r"/models/(?P<model>[^/:]+):(?P<deed>generateContent|streamGenerateContent|countTokens)$"
)
STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
STOPS = {"refusal": "SAFETY", "max_tokens": "MAX_TOKENS"}


def claims(method: str, path: str) -> bool:
    """Generating and counting, for any model."""
    return method == "POST" and PATH.search(path) is not None


def aside(request: Request) -> bytes | None:
    """Token counts."""
    if request.path.endswith(":countTokens"):
        return encode({"totalTokens": max(1, len(request.body) // 4)})
    return None


def understand(request: Request) -> Asked:
    """What a generateContent request asks."""
    body = read_body(request.body)
    parts: list[Part] = []
    if text := as_text(as_mapping(body.get("systemInstruction")).get("parts")):
        parts.append(Said(role="system", text=text))
    for content in as_items(body.get("contents")):
        parts += _content(content)
    tools = [
        _tool(declared)
        for each in as_items(body.get("tools"))
        for declared in as_items(each.get("functionDeclarations"))
    ]
    config = as_mapping(body.get("generationConfig"))
    schema = config.get("responseJsonSchema", config.get("responseSchema"))
    match = PATH.search(request.path)
    return make_asked(
        request,
        body,
        parts,
        tools,
        model=match["model"] if match else "",
        stream=bool(match and match["deed"] == "streamGenerateContent"),
        side="" if tools else guess_side(parts, body) or ("json" if schema else ""),
        schema=schema,
    )


def _content(content: dict[str, Json]) -> list[Part]:
    blocks = as_items(content.get("parts"))
    answered = any("functionResponse" in each for each in blocks)
    parts: list[Part] = []
    for block in blocks:
        text = as_text(block.get("text"))
        call = as_mapping(block.get("functionCall"))
        result = as_mapping(block.get("functionResponse"))
        if call:
            name = str(call.get("name", ""))
            parts.append(Called(id=str(call.get("id") or name), tool=name, input=call.get("args")))
        elif result:
            came = as_mapping(result.get("response"))
            text = as_text(came.get("output")) or as_text(came.get("error")) or as_text(came)
            id_ = str(result.get("id") or result.get("name", ""))
            parts.append(Returned(id=id_, text=text, failed="error" in came))
        elif not text or block.get("thought"):
            continue
        elif content.get("role") == "model":
            parts.append(Said(role="assistant", text=text))
        else:
            parts += [Said(role="system", text=text)] if answered else take_said(text)
    return parts


def _tool(tool: dict[str, Json]) -> Tool:
    schema = tool.get("parametersJsonSchema", tool.get("parameters"))
    return Tool(
        name=str(tool.get("name", "")),
        description=as_text(tool.get("description")),
        schema=as_mapping(schema),
    )


def answer(reply: Reply, asked: Asked) -> tuple[bytes, ...]:
    """Candidates: one event for each part of a stream, or one object."""
    given, cached, made = count_usage(reply, asked)
    usage = {
        "promptTokenCount": given + cached,
        "cachedContentTokenCount": cached,
        "candidatesTokenCount": made,
        "totalTokenCount": given + cached + made,
    }
    parts: list[dict[str, Json]] = [{"text": reply.text}] if reply.text or not reply.calls else []
    for number, (name, value) in enumerate(reply.calls):
        id_ = f"{asked.digest}{number:02}"
        parts.append({"functionCall": {"id": id_, "name": name, "args": value}})
    stop = STOPS.get(reply.stop_reason, "STOP")
    if not asked.stream:
        return (encode(_candidate(parts, stop, usage, asked)),)
    *first, last = [[each] for each in parts]
    chunks = [_candidate(each, "", {}, asked) for each in first]
    return tuple(event(each) for each in (*chunks, _candidate(last, stop, usage, asked)))


def _candidate(
    parts: list[dict[str, Json]], stop: str, usage: dict[str, int], asked: Asked
) -> dict[str, Json]:
    candidate: dict[str, Json] = {"index": 0, "content": {"role": "model", "parts": parts}}
    whole: dict[str, Json] = {"candidates": [candidate], "modelVersion": asked.model}
    whole["responseId"] = asked.digest
    if stop:
        candidate["finishReason"] = stop
        whole["usageMetadata"] = usage
    return whole


def refuse(status: int, message: str, retry_after: str) -> Refusal:
    """An error in Google's form."""
    error: dict[str, Json] = {"code": status, "message": message}
    error["status"] = STATUS.get(status, "INTERNAL")
    headers: dict[str, str] = {}
    if retry_after:
        headers["retry-after"] = retry_after
        info = "type.googleapis.com/google.rpc.RetryInfo"
        error["details"] = [{"@type": info, "retryDelay": f"{retry_after}s"}]
    return status, headers, encode({"error": error})


gemini = Wire(
    name="gemini",
    claims=claims,
    aside=aside,
    understand=understand,
    answer=answer,
    refuse=refuse,
)
