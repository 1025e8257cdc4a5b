"""Tools that an agent keeps back until its model looks for them.

In: the parts of a conversation. Out: the call that finds such tools, those that were found,
and the conversation without the search. Must not know: protocols, skills.

Codex names the namespaces alone: its code mode lists the tools in `ALL_TOOLS`, its classic
mode by `tool_search`. Qwen names the tools, and `tool_search` says the rest.
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from audition.model import Json
from audition.provider.wire import Called, Part, Returned, Said, Tool

Finder = tuple[str, Json]

CODE: Finder = ("exec", "text(ALL_TOOLS.filter(each => each.name.startsWith('mcp__')));\n")
SEARCH: Finder = ("tool_search", {"query": "skill"})
MARK = re.compile(
    r"^Deferred tool namespaces:\n(?:- .*\n)*?- mcp__|^- \"mcp__[^\"]+\": \"", re.MULTILINE
)
FUNCTION = re.compile(r"^<function>(\{.*\})</function>$", re.MULTILINE)
LISTED = re.compile(r"^\[\{\"name\":.*\}\]$", re.MULTILINE)
DECLARED = re.compile(r"\(args: \{(?P<fields>.*?)\}\): Promise", re.DOTALL)
COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
FIELD = re.compile(r"(?:^\s*|; )(?P<name>\w+)(?P<maybe>\??): (?P<type>\w+)", re.MULTILINE)


class Found(NamedTuple):
    """A conversation without the search for tools, and what the search has found."""

    parts: list[Part]
    tools: list[Tool]
    finder: Finder | None


def take_found(parts: Sequence[Part], finder: Finder, within: str) -> Found:
    """Take the search out of a conversation; `within` is the tool that reaches what it found."""
    said = (each.text for each in parts if isinstance(each, Said) and each.role != "assistant")
    if not any(map(MARK.search, said)):
        return Found([*parts], [], None)
    ids = {each.id for each in parts if isinstance(each, Called) and _is_search(each)}
    came = [each.text for each in parts if isinstance(each, Returned) and each.id in ids]
    rest = [each for each in parts if isinstance(each, Said) or each.id not in ids]
    tools = [tool for text in came for tool in _read_tools(text, within)]
    return Found(rest, tools, None if ids else finder)


def read_fields(declared: str) -> dict[str, Json]:
    """The JSON Schema of a tool's input that is declared in TypeScript; outer fields alone."""
    match = DECLARED.search(declared)
    fields = [*FIELD.finditer(COMMENT.sub("", match["fields"]))] if match else []
    return {
        "type": "object",
        "properties": {each["name"]: {"type": each["type"]} for each in fields},
        "required": [each["name"] for each in fields if not each["maybe"]],
    }


def _is_search(called: Called) -> bool:
    if called.tool == CODE[0]:
        return isinstance(called.input, str) and "ALL_TOOLS" in called.input
    return called.tool == SEARCH[0]


def _read_tools(text: str, within: str) -> Iterable[Tool]:
    told: list[Json] = []
    for each in (*LISTED.findall(text), *FUNCTION.findall(text)):
        try:
            found = msgspec.json.decode(each)
        except (msgspec.MsgspecError, RecursionError):
            continue
        told += found if isinstance(found, list) else [found]
    for each in told:
        if isinstance(each, dict) and isinstance(each.get("name"), str):
            about = str(each.get("description") or "")
            schema = each.get("parametersJsonSchema")
            yield Tool(
                name=each["name"],
                description=about.partition("\n\nexec tool declaration:")[0],
                schema=schema if isinstance(schema, dict) else read_fields(about),
                within=within,
            )
