"""What a tool call is for, by the tool's name and its arguments.

Agents name the same things differently: `run_shell_command {command}`, `bash {cmd}`,
`run_commands {commands}`. Each agent brings a table of its own tools; what every agent has,
tools over MCP and the many names of a path, is here.

In: a name, arguments, the agent's table. Out: the fields of a Call.
Must not know: agents, lines.
"""

import json
import re
import shlex
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from audition.model import Does, Json

OUTPUT_CAP = 64 * 1024
SKILL_TOOLS = frozenset(
    ("skill", "skills", "activate_skill", "get_skill", "invoke_skill", "load_skill")
) | {"read_skill", "run_skill", "use_skill"}
_NAMES = ("skill", "skill_name", "skillName", "name", "command")
_COMMANDS = ("command", "cmd", "commands", "script")
_PATHS = (
    "file_path",
    "filePath",
    "absolute_path",
    "notebook_path",
    "path",
    "paths",
    "files",
    "file_paths",
    "dir_path",
    "pattern",
)


def call_words(tool: str, given: Json, own: Mapping[str, Does]) -> dict[str, Any]:
    """The fields of a Call but for its line and id; `mcp__server__tool` is a tool over MCP."""
    given = arguments_of(given)
    words: dict[str, Any] = {"tool": tool, "input": given}
    does = own.get(tool, "other")
    if tool.endswith("read_mcp_resource"):  # Codex and Qwen have one tool for all servers
        return {**words, **_resource_words(_first(given, ("uri",)))}
    if tool.startswith("mcp__"):
        name = tool[len("mcp__") :].partition("__")[2].lower().replace("-", "_")
        does = "skill" if name in SKILL_TOOLS else "mcp"
        if "skill" in name and "resource" in name:
            return {
                **words,
                "does": "resource",
                "skill": _first(given, _NAMES),
                "paths": _paths(given),
            }
    if does == "skill":
        # `greeter/references/words.md` asks for a file of the skill (goose).
        skill, slash, inside = _first(given, _NAMES).lstrip("/$").partition("/")
        if slash and inside != "SKILL.md":
            return {**words, "does": "resource", "skill": skill, "paths": (inside,)}
        return {**words, "does": "skill", "skill": skill}
    if does == "shell":
        return {**words, "does": does, "command": command_of(given)}
    return {**words, "does": does, "paths": () if does in ("other", "mcp") else _paths(given)}


def _resource_words(uri: str) -> dict[str, Any]:
    """What `skill://greeter/SKILL.md` asks for: a skill, or a file of one."""
    folder, _, inside = uri.partition("://")[2].partition("/")
    if not uri.startswith("skill://"):
        return {"does": "mcp", "paths": (uri,) if uri else ()}
    if inside in ("", "SKILL.md") or inside.endswith("/SKILL.md"):
        skill = inside.split("/")[-2] if "/" in inside else folder
        return {"does": "skill", "skill": skill, "paths": ("SKILL.md",)}
    return {"does": "resource", "skill": folder, "paths": (inside,)}


def name_over_mcp(tool: str, own: Mapping[str, Does], mark: str) -> str:
    """`echo-echo`, `echo_echo` or `echo__echo` as `mcp__echo__echo`; its own tools as they are."""
    if tool in own or tool.startswith("mcp__"):
        return tool
    server, found, name = tool.removeprefix("mcp_").partition(mark)
    return f"mcp__{server}__{name}" if found and server and name else tool


def arguments_of(given: Json) -> dict[str, Any]:
    """Arguments as a mapping, also where they come as JSON in a string."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            return {}
    return given if isinstance(given, dict) else {}


def command_of(given: Mapping[str, Json]) -> str:
    """The command line of a shell call, however it is written down."""
    for key in _COMMANDS:
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
        if isinstance(value, list) and value:
            words = [str(each) for each in value]
            return "\n".join(words) if key == "commands" else join_words(words)
    return ""


def join_words(words: list[str]) -> str:
    """A command line of words; what `bash -lc` was given is the line itself."""
    wrapped = len(words) == 3 and words[1] in ("-lc", "-c") and words[0].endswith("sh")
    return words[2] if wrapped else shlex.join(words)


def unwrap(line: str) -> str:
    """The line that `/bin/bash -lc '…'` was given; any other line as it is."""
    if " -lc " not in line[:40] and " -c " not in line[:40]:
        return line
    try:
        return join_words(shlex.split(line))
    except ValueError:
        return line


def text_of(content: Json) -> str:
    """The text of a result: a string, parts with `text`, or anything as JSON; capped."""
    if isinstance(content, str):
        return content[:OUTPUT_CAP]
    if isinstance(content, dict) and isinstance(content.get("content"), (str, list)):
        content = content["content"]
        return text_of(content)
    if isinstance(content, list):
        parts = [_part(each) for each in content]
        return "\n".join(part for part in parts if part)[:OUTPUT_CAP]
    return "" if content is None else json.dumps(content, ensure_ascii=False)[:OUTPUT_CAP]


def _part(each: Json) -> str:
    if isinstance(each, dict):
        for key in ("text", "content", "result", "output", "error"):
            if isinstance(each.get(key), str):
                return str(each[key])
            if isinstance(each.get(key), (dict, list)):
                return text_of(each[key])
        return ""
    return str(each)


def _first(given: Mapping[str, Json], keys: tuple[str, ...]) -> str:
    for key in keys:
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


def _paths(given: Mapping[str, Json]) -> tuple[str, ...]:
    found: list[str] = []
    for key in _PATHS:
        value = given.get(key)
        for each in value if isinstance(value, list) else [value]:
            path = each.get("path") if isinstance(each, dict) else each
            if isinstance(path, str) and path:
                found.append(path)
    return tuple(dict.fromkeys(found))


def dicts_of(value: Json) -> list[dict[str, Any]]:
    """The mappings of a list; nothing of anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def add_up(*values: int | None) -> int | None:
    """The sum of what is known; None where nothing is."""
    known = [value for value in values if type(value) is int]  # True is an int, and no count
    return sum(known) if known else None


def usage_words(used: Mapping[str, Json], *keys: str) -> dict[str, Any]:
    """The fields of a Usage out of its keys for input, cached input and output."""
    names = ("input_tokens", "cached_input_tokens", "output_tokens")
    return dict(zip(names, map(used.get, keys), strict=True))


def code_in(text: str, pattern: re.Pattern[str]) -> int | None:
    """The exit code that a text begins or ends with."""
    found = pattern.search(text[:500]) or pattern.search(text[-500:])
    return int(found[1]) if found else None


def seconds(stamp: str | None) -> float | None:
    """An ISO time stamp as seconds since the epoch."""
    try:
        return datetime.fromisoformat(stamp).timestamp() if stamp else None
    except (ValueError, OverflowError):
        return None
