"""Anthropic Messages, as Claude Code and others speak it.

In: a request. Out: what it asks, and the bytes of an answer. Must not know: sockets, scripts.
"""

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
from audition.wires.reading import as_items, as_mapping, as_text, make_asked, read_body
from audition.wires.said import take_base, take_said
from audition.wires.writing import count_usage, encode, event

ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def claims(method: str, path: str) -> bool:
    """Messages, token counts, and the greeting that Claude Code sends at its start."""
    if method == "HEAD":
        return path in ("/", "/api/hello")
    return method == "POST" and path.endswith(("/messages", "/messages/count_tokens"))


def aside(request: Request) -> bytes | None:
    """The greeting and token counts."""
    if request.method == "HEAD":
        return b""
    if request.path.endswith("/count_tokens"):
        return encode({"input_tokens": max(1, len(request.body) // 4)})
    return None


def understand(request: Request) -> Asked:
    """What a Messages request asks."""
    body = read_body(request.body)
    parts: list[Part] = []
    if system := as_text(body.get("system")):
        parts.append(Said(role="system", text=system))
    for message in as_items(body.get("messages")):
        parts += _message(message)
    tools = [_tool(each) for each in as_items(body.get("tools"))]
    shape = as_mapping(as_mapping(body.get("output_config")).get("format"))
    return make_asked(
        request,
        body,
        parts,
        tools,
        stream=body.get("stream") is True,
        side=_side(body, system, shape),
        schema=shape.get("schema"),
    )


def _side(body: dict[str, Json], system: str, shape: dict[str, Json]) -> str:
    if body.get("tools"):
        return ""
    if body.get("max_tokens") == 1:
        return "probe"
    fields = as_mapping(as_mapping(shape.get("schema")).get("properties"))
    if "title" in fields or "title" in system.lower()[:400]:
        return "title"
    return ""


def _message(message: dict[str, Json]) -> list[Part]:
    role, content = message.get("role"), message.get("content")
    if role == "system":
        return [Said(role="system", text=as_text(content))]
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    blocks = as_items(content)
    answered = any(each.get("type") == "tool_result" for each in blocks)
    parts: list[Part] = []
    for block in blocks:
        kind, text = block.get("type"), as_text(block.get("text"))
        if kind == "tool_use":
            name, id_ = str(block.get("name", "")), str(block.get("id", ""))
            parts.append(Called(id=id_, tool=name, input=block.get("input")))
        elif kind == "tool_result":
            parts.append(
                Returned(
                    id=str(block.get("tool_use_id", "")),
                    text=as_text(block.get("content")),
                    failed=block.get("is_error") is True,
                )
            )
        elif kind == "text" and role == "assistant":
            parts.append(Said(role="assistant", text=text))
        elif kind == "text" and answered:
            # Beside a result it is the agent that speaks, not the user.
            parts += take_base(text) or [Said(role="system", text=text)]
        elif kind == "text":
            parts += take_said(text)
    return parts


def _tool(tool: dict[str, Json]) -> Tool:
    return Tool(
        name=str(tool.get("name", "")),
        description=as_text(tool.get("description")),
        schema=as_mapping(tool.get("input_schema")),
    )


def answer(reply: Reply, asked: Asked) -> tuple[bytes, ...]:
    """A message, as the events of a stream or as one object."""
    given, cached, made = count_usage(reply, asked)
    usage = {
        "input_tokens": given,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": cached,
        "output_tokens": made,
    }
    stop = reply.stop_reason or ("tool_use" if reply.calls else "end_turn")
    message: dict[str, Json] = {
        "id": f"msg_{asked.digest}",
        "type": "message",
        "role": "assistant",
        "model": asked.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {**usage, "output_tokens": 1},
    }
    blocks = _blocks(reply, asked)
    if not asked.stream:
        return (encode({**message, "content": blocks, "stop_reason": stop, "usage": usage}),)
    events: list[dict[str, Json]] = [{"type": "message_start", "message": message}]
    for index, block in enumerate(blocks):
        events += _block_events(index, block)
    delta = {"stop_reason": stop, "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": usage})
    events.append({"type": "message_stop"})
    return tuple(event(each, each["type"]) for each in events)


def _blocks(reply: Reply, asked: Asked) -> list[dict[str, Json]]:
    blocks: list[dict[str, Json]] = [{"type": "text", "text": reply.text}] if reply.text else []
    for number, (tool, given) in enumerate(reply.calls):
        id_ = f"toolu_{asked.digest}{number:02}"
        blocks.append({"type": "tool_use", "id": id_, "name": tool, "input": given})
    return blocks


def _block_events(index: int, block: dict[str, Json]) -> list[dict[str, Json]]:
    if block["type"] == "text":
        empty = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    else:
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": encode(block["input"]).decode()}
    return [
        {"type": "content_block_start", "index": index, "content_block": empty},
        {"type": "content_block_delta", "index": index, "delta": delta},
        {"type": "content_block_stop", "index": index},
    ]


def refuse(status: int, message: str, retry_after: str) -> Refusal:
    """An error in the form that the protocol gives it."""
    kind = ERRORS.get(status, "api_error")
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return status, {"retry-after": retry_after} if retry_after else {}, encode(body)


anthropic = Wire(
    name="anthropic",
    claims=claims,
    aside=aside,
    understand=understand,
    answer=answer,
    refuse=refuse,
)
