"""OpenAI Responses, as Codex speaks it, with its code mode.

In: a request. Out: what it asks, and the bytes of an answer. Must not know: sockets, scripts.

In code mode the model has one tool, `exec`, that takes JavaScript; the tools that its
description declares are reached through it. They are on offer here like any other, and a
call of one is written as a program when the answer is made.
"""

import re
from collections.abc import Iterable

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
from audition.wires.chat import refuse as refuse_chat
from audition.wires.deferred import CODE, SEARCH, read_fields, take_found
from audition.wires.reading import (
    as_input,
    as_items,
    as_mapping,
    as_text,
    list_models,
    make_asked,
    read_body,
)
from audition.wires.said import take_said
from audition.wires.writing import count_usage, encode, event

DECLARED = re.compile(
    r"^### `(?P<name>[\w-]+)`\n(?P<about>.*?)(?=^##|\Z)", re.MULTILINE | re.DOTALL
)
CALL_KINDS = ("function_call", "custom_tool_call", "local_shell_call", "tool_search_call")


def claims(method: str, path: str) -> bool:
    """Responses only; lists of models are the chat wire's."""
    return method == "POST" and path.endswith("/responses")


def understand(request: Request) -> Asked:
    """What a Responses request asks."""
    body = read_body(request.body)
    parts: list[Part] = []
    tools = _tools(as_items(body.get("tools")))
    if text := as_text(body.get("instructions")):
        parts.append(Said(role="system", text=text))
    given = body.get("input")
    for item in as_items([{"role": "user", "content": given}] if isinstance(given, str) else given):
        parts += _item(item)
        # What a search has found is on offer like any other tool; its output has no text.
        if item.get("type") in ("additional_tools", "tool_search_output"):
            tools += _tools(as_items(item.get("tools")))
    in_code = _is_code_mode(tools)
    found = take_found(parts, CODE if in_code else SEARCH, "exec" if in_code else "")
    shape = as_mapping(as_mapping(body.get("text")).get("format"))
    return make_asked(
        request,
        body,
        found.parts,
        [*tools, *found.tools],
        stream=body.get("stream") is True,
        schema=shape.get("schema"),
        finder=found.finder,
    )


def _item(item: dict[str, Json]) -> list[Part]:
    kind, id_ = item.get("type", "message"), str(item.get("call_id", ""))
    if kind in CALL_KINDS:
        given = as_input(item.get("arguments", item.get("input", item.get("action"))))
        tool = str(item.get("name") or "tool_search")
        return [Called(id=id_, tool=tool, input=given)]
    if isinstance(kind, str) and kind.endswith("_call_output"):
        output = item.get("output")
        failed = as_mapping(output).get("success") is False
        return [Returned(id=id_, text=as_text(output), failed=failed)]
    if kind != "message":
        return []
    text, role = as_text(item.get("content")), item.get("role")
    if role == "assistant":
        return [Said(role="assistant", text=text)]
    if role != "user":
        return [Said(role="system", text=text)]
    content = item.get("content")
    blocks = content if isinstance(content, list) else [content]
    return [part for block in blocks for part in take_said(as_text(block))]


def _tools(listed: list[dict[str, Json]], space: str = "") -> list[Tool]:
    found: list[Tool] = []
    for each in listed:
        name, about = str(each.get("name", "")), as_text(each.get("description"))
        if each.get("type") == "namespace":
            found += _tools(as_items(each.get("tools")), name)
            continue
        schema = as_mapping(each.get("parameters"))
        free = each.get("type") == "custom"
        if space.startswith("mcp__"):
            name = f"{space}__{name}"
        if name:
            found.append(Tool(name=name, description=about, schema=schema, space=space, free=free))
        if free and name == "exec":
            found += [
                Tool(
                    name=inner["name"],
                    description=inner["about"].strip(),
                    schema=read_fields(inner["about"]),
                    within=name,
                )
                for inner in DECLARED.finditer(about)
            ]
    return found


def _write_program(tool: Tool, given: Json) -> str:
    """The JavaScript that calls a tool and hands on what it returns."""
    name = re.sub(r"\W", "_", tool.name)
    return f"const r = await tools.{name}({encode(given).decode()});\ntext(r);\n"


def answer(reply: Reply, asked: Asked) -> tuple[bytes, ...]:
    """A response, as the events of a stream or as one object."""
    given, cached, made = count_usage(reply, asked)
    items = _items(reply, asked)
    response: dict[str, Json] = {
        "id": f"resp_{asked.digest}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": asked.model,
        "output": items,
        "parallel_tool_calls": True,
        "usage": {
            "input_tokens": given + cached,
            "input_tokens_details": {"cached_tokens": cached},
            "output_tokens": made,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": given + cached + made,
        },
    }
    last = "response.completed"
    if reply.stop_reason:
        last = "response.incomplete"
        reason = "content_filter" if reply.stop_reason == "refusal" else "max_output_tokens"
        response |= {"status": "incomplete", "incomplete_details": {"reason": reason}}
    if not asked.stream:
        return (encode(response),)
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    events: list[dict[str, Json]] = [{"type": "response.created", "response": begun}]
    for index, item in enumerate(items):
        events += _item_events(index, item)
    events.append({"type": last, "response": response})
    numbered = ({**each, "sequence_number": n} for n, each in enumerate(events))
    return tuple(event(each, each["type"]) for each in numbered)


def _items(reply: Reply, asked: Asked) -> list[dict[str, Json]]:
    items: list[dict[str, Json]] = []
    if reply.text or not reply.calls:
        said = {"type": "output_text", "text": reply.text, "annotations": []}
        items.append(
            {
                "type": "message",
                "id": f"msg_{asked.digest}",
                "role": "assistant",
                "status": "completed",
                "content": [said],
            }
        )
    for number, (name, given) in enumerate(reply.calls):
        items.append(_call(asked, name, given, f"{asked.digest}{number:02}"))
    return items


def _call(asked: Asked, name: str, given: Json, id_: str) -> dict[str, Json]:
    if name == "tool_search":
        return {
            "type": "tool_search_call",
            "id": f"tsc_{id_}",
            "call_id": f"call_{id_}",
            "execution": "client",
            "status": "completed",
            "arguments": given,
        }
    # A tool that code mode defers is in no description, but its programs reach it.
    hidden = "exec" if name != "exec" and _is_code_mode(asked.tools) else ""
    tool = asked.tool(name) or Tool(name=name, within=hidden)
    outer = asked.tool(tool.within) if tool.within else None
    if outer:
        tool, given = outer, _write_program(tool, given)
    short = tool.name.removeprefix(f"{tool.space}__")
    call: dict[str, Json] = {"call_id": f"call_{id_}", "name": short, "status": "completed"}
    if tool.space:
        call["namespace"] = tool.space
    if tool.free:
        text = given if isinstance(given, str) else encode(given).decode()
        return {"type": "custom_tool_call", "id": f"ctc_{id_}", **call, "input": text}
    return {
        "type": "function_call",
        "id": f"fc_{id_}",
        **call,
        "arguments": given if isinstance(given, str) else encode(given).decode(),
    }


def _is_code_mode(tools: Iterable[Tool]) -> bool:
    return any(each.name == "exec" and each.free for each in tools)


def _item_events(index: int, item: dict[str, Json]) -> list[dict[str, Json]]:
    where = {"item_id": item["id"], "output_index": index}
    kind = item["type"]
    fills: dict[str, dict[str, Json]] = {
        "message": {"content": []},
        "function_call": {"arguments": ""},
    }
    empty = fills.get(kind, {"input": ""})
    begun = {**item, **empty, "status": "in_progress"}
    between: list[dict[str, Json]] = []
    if kind == "message":
        (said,) = item["content"]
        place = {**where, "content_index": 0}
        between = [
            {"type": "response.content_part.added", **place, "part": {**said, "text": ""}},
            {"type": "response.output_text.delta", **place, "delta": said["text"]},
            {"type": "response.output_text.done", **place, "text": said["text"]},
            {"type": "response.content_part.done", **place, "part": said},
        ]
    elif kind == "function_call":
        stem = "response.function_call_arguments"
        between = [
            {"type": f"{stem}.delta", **where, "delta": item["arguments"]},
            {"type": f"{stem}.done", **where, "arguments": item["arguments"]},
        ]
    return [
        {"type": "response.output_item.added", "output_index": index, "item": begun},
        *between,
        {"type": "response.output_item.done", "output_index": index, "item": item},
    ]


def refuse(status: int, message: str, retry_after: str) -> Refusal:
    """An error in OpenAI's form."""
    return refuse_chat(status, message, retry_after)


responses = Wire(
    name="responses",
    claims=claims,
    aside=list_models,
    understand=understand,
    answer=answer,
    refuse=refuse,
)
