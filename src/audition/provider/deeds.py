"""Turns what shall be done into a call of a tool that this agent has.

In: a request, and a deed: load a skill, read or write a file, run a command. Out: the tool
and its input, or None where no tool can do it. Must not know: why it shall be done, wires.
"""

import re
from collections.abc import Iterable
from posixpath import dirname
from shlex import quote

from audition.model import Json
from audition.provider.script import Deed
from audition.provider.wire import Asked, Listed, Tool
from audition.understudy.example import fit_schema

Call = tuple[str, Json]

SKILL_TOOLS = ("skill", "activate_skill", "load_skill", "skills", "use_skill", "load")
READ_TOOLS = ("read", "read_file", "readfile", "view", "text_editor", "read_files")
WRITE_TOOLS = (
    "write",
    "write_file",
    "writefile",
    "create",
    "write_to_file",
    "editor",
    "text_editor",
)
SHELL_TOOLS = (
    *("bash", "exec_command", "shell_command", "run_shell_command", "shell", "local_shell"),
    *("execute_command", "run_commands", "terminal"),
)
SKILL_KEYS = ("skill", "name", "skill_name", "skillName")
PATH_KEYS = ("file_path", "filePath", "path", "absolute_path", "file_paths", "files")
TEXT_KEYS = ("content", "file_text", "contents", "new_text", "text")
COMMAND_KEYS = ("command", "cmd", "commands", "script")


def carry_out(asked: Asked, deed: Deed) -> Call | None:
    """The call that does a scripted deed."""
    if deed.does == "skill":
        own = load_skill(asked, deed.word) or call_skill_tool(asked, deed.word)
        return own or _read_unlisted(asked, deed.word)
    if deed.does == "read":
        return read_file(asked, deed.word)
    if deed.does == "write":
        return write_file(asked, deed.word, deed.text)
    if deed.does == "shell":
        return run_shell(asked, deed.word)
    return deed.word, deed.input


def load_skill(asked: Asked, name: str) -> Call | None:
    """Load a listed skill by the agent's own way: its skill tool, else a read of SKILL.md."""
    listed = find_listed(asked, name)
    if listed is None:
        return None
    if listed.tool and (tool := asked.tool(listed.tool)):
        return tool.name, _fill(tool, SKILL_KEYS, name)
    return call_skill_tool(asked, name) or (read_file(asked, listed.path) if listed.path else None)


def call_skill_tool(asked: Asked, name: str) -> Call | None:
    """Call the agent's skill tool with any name, listed or not."""
    tool = _pick(asked.tools, SKILL_TOOLS)
    if tool is None:
        ours = [each for each in asked.tools if each.name.endswith(("__skill", "_skill", "-skill"))]
        tool = next(iter(ours), None)
    return (tool.name, _fill(tool, SKILL_KEYS, name)) if tool else None


def _read_unlisted(asked: Asked, name: str) -> Call | None:
    """Without a skill tool: read where a skill of that name would lie, beside those listed."""
    known = next((each.path for each in asked.listed if each.path), ".agents/skills/x/SKILL.md")
    return read_file(asked, f"{dirname(dirname(known))}/{name}/SKILL.md")


def find_listed(asked: Asked, name: str) -> Listed | None:
    """The listed skill of that name; one of the agent's own listing comes first."""
    return next((each for each in asked.listed if name in (each.name, each.aka)), None)


def read_resource(asked: Asked, skill: Listed | None, folder: str, path: str) -> Call | None:
    """Read a file of a skill: through the server that gave the skill, else where it lies."""
    if skill and skill.tool:
        stem = skill.tool.removesuffix("skill")
        for tool in asked.tools:
            if tool.name.startswith(stem) and "resource" in tool.name[len(stem) :]:
                given = _fill(tool, SKILL_KEYS, skill.name)
                return tool.name, {**given, _key(tool, ("path", "resource", "file")): path}
    return read_file(asked, f"{folder.rstrip('/')}/{path}") if folder else None


def read_file(asked: Asked, path: str) -> Call | None:
    """Read a file with the reading tool, else by a shell."""
    tool = _pick(asked.tools, READ_TOOLS)
    if tool is None:
        return run_shell(asked, f"cat {quote(path)}")
    # Qwen's tool refuses a relative path; the others take either.
    where = path if path.startswith(("/", "~")) or not asked.cwd else f"{asked.cwd}/{path}"
    given = _fill(tool, PATH_KEYS, where)
    return tool.name, {**given, "command": "view"} if tool.name == "text_editor" else given


def write_file(asked: Asked, path: str, text: str) -> Call | None:
    """Write a file beneath the working directory; None for any other."""
    if path.startswith(("/", "~")) or ".." in path.split("/") or not path.strip():
        return None
    tool = _pick(asked.tools, WRITE_TOOLS)
    # Copilot's `create` makes no folder.
    if tool is None or (tool.name == "create" and "/" in path):
        return _write_otherwise(asked, path, text)
    # Claude Code's Write wants an absolute path, and the others take one.
    where = f"{asked.cwd.rstrip('/')}/{path}" if asked.cwd else path
    given = {**_fill(tool, PATH_KEYS, where), _key(tool, TEXT_KEYS): text}
    return tool.name, given


def _write_otherwise(asked: Asked, path: str, text: str) -> Call | None:
    patch = asked.tool("apply_patch")
    if patch and text.endswith("\n"):
        lines = "".join(f"+{line}\n" for line in text.removesuffix("\n").split("\n"))
        words = f"*** Begin Patch\n*** Add File: {path}\n{lines}*** End Patch\n"
        return patch.name, words if patch.free or patch.within else {"input": words}
    folder = path.rpartition("/")[0]
    made = f"mkdir -p {quote(folder)} && " if folder else ""
    return run_shell(asked, f"{made}printf %s {quote(text)} > {quote(path)}")


def run_shell(asked: Asked, command: str) -> Call | None:
    """Run a command in the agent's shell."""
    tool = _pick(asked.tools, SHELL_TOOLS)
    if tool is None:
        return None
    key = _key(tool, COMMAND_KEYS)
    schema = _properties(tool).get(key)
    if key == "command" and isinstance(schema, dict) and schema.get("type") == "array":
        return tool.name, {**_fill(tool, COMMAND_KEYS, ""), key: ["bash", "-lc", command]}
    return tool.name, _fill(tool, COMMAND_KEYS, command)


def _pick(tools: Iterable[Tool], names: Iterable[str]) -> Tool | None:
    """The first tool of these names, whatever extension a prefix says it is from."""
    by_name: dict[str, Tool] = {}
    for tool in tools:
        if not tool.name.startswith("mcp__"):
            by_name.setdefault(re.sub(r"^.*__", "", tool.name).lower(), tool)
    return next((by_name[name] for name in names if name in by_name), None)


def _properties(tool: Tool) -> dict[str, Json]:
    found = tool.schema.get("properties")
    return found if isinstance(found, dict) else {}


def _key(tool: Tool, names: tuple[str, ...]) -> str:
    known = _properties(tool)
    return next((name for name in names if name in known), names[0])


def _fill(tool: Tool, keys: tuple[str, ...], word: str) -> dict[str, Json]:
    """The input with a word under the first key that fits, and what else is required."""
    known, required = _properties(tool), tool.schema.get("required")
    names = (
        [each for each in required if isinstance(each, str)] if isinstance(required, list) else []
    )
    given = {name: fit_schema(known.get(name, {})) for name in names}
    key = _key(tool, keys)
    schema = known.get(key)
    if isinstance(schema, dict) and schema.get("type") == "array":
        item = schema.get("items")
        inner = item.get("properties") if isinstance(item, dict) else None
        return {**given, key: [{"path": word}] if isinstance(inner, dict) else [word]}
    return {**given, key: word}
