"""OpenAI Chat Completions, as most agents speak it.

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
from audition.wires.deferred import SEARCH, take_found
from audition.wires.reading import (
    as_input,
    as_items,
    as_mapping,
    as_text,
    guess_side,
    list_models,
    make_asked,
    read_body,
)
from audition.wires.said import take_said
from audition.wires.writing import count_usage, encode, event

CODES = {401: "invalid_api_key", 429: "rate_limit_exceeded", 404: "model_not_found"}
STOPS = {"refusal": "content_filter", "max_tokens": "length"}


def claims(method: str, path: str) -> bool:
    """Completions, and the list of models that some agents fetch first."""
    if method == "GET":
        return path.endswith("/models")
    return method == "POST" and path.endswith("/chat/completions")


def understand(request: Request) -> Asked:
    """What a Chat Completions request asks."""
    body = read_body(request.body)
    parts = [part for each in as_items(body.get("messages")) for part in _message(each)]
    tools = [_tool(each) for each in as_items(body.get("tools"))]
    found = take_found(parts, SEARCH, "tool_call")
    shape = as_mapping(as_mapping(body.get("response_format")).get("json_schema"))
    return make_asked(
        request,
        body,
        found.parts,
        [*tools, *found.tools],
        stream=body.get("stream") is True,
        side="" if tools else guess_side(parts, body),
        schema=shape.get("schema"),
        finder=found.finder,
    )


def _message(message: dict[str, Json]) -> list[Part]:
    role, text = message.get("role"), as_text(message.get("content"))
    if role == "tool":
        return [Returned(id=str(message.get("tool_call_id", "")), text=text)]
    if role == "assistant":
        said: list[Part] = [Said(role="assistant", text=text)] if text else []
        return said + [_called(each) for each in as_items(message.get("tool_calls"))]
    if role != "user":
        return [Said(role="system", text=text)]
    content = message.get("content")
    blocks = content if isinstance(content, list) else [content]
    return [part for block in blocks for part in take_said(as_text(block))]


def _called(call: dict[str, Json]) -> Called:
    function = as_mapping(call.get("function"))
    given = as_input(function.get("arguments"))
    return Called(id=str(call.get("id", "")), tool=str(function.get("name", "")), input=given)


def _tool(tool: dict[str, Json]) -> Tool:
    function = as_mapping(tool.get("function"))
    return Tool(
        name=str(function.get("name", "")),
        description=as_text(function.get("description")),
        schema=as_mapping(function.get("parameters")),
    )


def answer(reply: Reply, asked: Asked) -> tuple[bytes, ...]:
    """A completion, as chunks of a stream or as one object."""
    given, cached, made = count_usage(reply, asked)
    usage: Json = {
        "prompt_tokens": given + cached,
        "completion_tokens": made,
        "total_tokens": given + cached + made,
        "prompt_tokens_details": {"cached_tokens": cached},
        "completion_tokens_details": {"reasoning_tokens": 0},
    }
    stop = STOPS.get(reply.stop_reason) or ("tool_calls" if reply.calls else "stop")
    calls = [_call(asked, number, name, value) for number, (name, value) in enumerate(reply.calls)]
    head: dict[str, Json] = {"id": f"chatcmpl-{asked.digest}", "created": 0, "model": asked.model}
    if not asked.stream:
        message: dict[str, Json] = {"role": "assistant", "content": reply.text or None}
        if calls:
            message["tool_calls"] = calls
        choice = {"index": 0, "message": message, "finish_reason": stop}
        return (encode({**head, "object": "chat.completion", "choices": [choice], "usage": usage}),)
    head["object"] = "chat.completion.chunk"
    deltas: list[dict[str, Json]] = [{"role": "assistant", "content": ""}]
    if reply.text:
        deltas.append({"content": reply.text})
    deltas += [{"tool_calls": [{"index": n, **each}]} for n, each in enumerate(calls)]
    chunks: list[list[dict[str, Json]]]
    chunks = [[{"index": 0, "delta": delta, "finish_reason": None}] for delta in deltas]
    chunks.append([{"index": 0, "delta": {}, "finish_reason": stop}])
    events = [event({**head, "choices": each}) for each in chunks]
    return (*events, event({**head, "choices": [], "usage": usage}), b"data: [DONE]\n\n")


def _call(asked: Asked, number: int, name: str, given: Json) -> dict[str, Json]:
    tool = asked.tool(name)
    if tool and tool.within:
        name, given = tool.within, {"name": name, "arguments": given}
    text = given if isinstance(given, str) else encode(given).decode()
    return {
        "id": f"call_{asked.digest}{number:02}",
        "type": "function",
        "function": {"name": name, "arguments": text},
    }


def refuse(status: int, message: str, retry_after: str) -> Refusal:
    """An error in OpenAI's form."""
    kind = "invalid_request_error" if status < 500 else "server_error"
    error = {"message": message, "type": kind, "code": CODES.get(status, kind), "param": None}
    headers = {"retry-after": retry_after} if retry_after else {}
    return status, headers, encode({"error": error})


chat = Wire(
    name="chat",
    claims=claims,
    aside=list_models,
    understand=understand,
    answer=answer,
    refuse=refuse,
)
