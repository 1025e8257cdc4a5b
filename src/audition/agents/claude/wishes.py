"""What an Ask means for Claude Code, by whichever door it is asked: program or SDK.

In: an Ask. Out: Wishes, and the environment. Must not know: flags, how output is read.

Measured on 2.1.327 with a home and folders full of other skills: with exactly these, the
model is shown the skills under test and nothing of the user's.
"""

import json
from typing import Any

from audition.agent import Ask
from audition.model import Json, Value

PLUGINS = ("plugin-authoring", "agents-md", "privacy", "telemetry")
SETTINGS: dict[str, Json] = {
    # One skill that is built in comes as a plug-in, and DISABLE_BUNDLED_SKILLS leaves it.
    "enabledPlugins": {f"cc-plugin-{name}@builtin": False for name in PLUGINS},
    "disableAllHooks": True,
    "attribution": {"commit": "", "pr": ""},
}
QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
)
TOOLS = ("Read", "Write", "Edit", "Bash", "Glob", "Grep")
ALLOWED = ("Read", "Write", "Edit", "Bash")
BY_SKILL_TOOL = ("native", "mcp+native", "plugin")


class Wishes(Value, frozen=True, kw_only=True):
    """What Claude Code is to be told beside the prompt."""

    settings: dict[str, Json]
    sources: tuple[str, ...]
    """Whose settings and skills are read: the project's, or nobody's."""
    permission_mode: str
    tools: tuple[str, ...]
    allowed: tuple[str, ...]
    disallowed: tuple[str, ...]
    model: str | None
    max_turns: int | None
    system_prompt: str
    append_system_prompt: str
    schema: str
    plugin: str
    servers: dict[str, Json]


def read_wishes(ask: Ask) -> Wishes:
    """What the case, the configuration and the delivery ask for."""
    wished = ask.case.settings
    shell = wished.get("allow_skill_shell") is True
    turns = wished.get("max_turns")
    server = ask.server if ask.delivery in ("mcp", "mcp+native") else None
    native = ask.delivery in BY_SKILL_TOOL
    tools = [*(["Skill"] if native else []), *TOOLS]
    # A skill with `allowed-tools` in its front matter is refused where `Skill` is not permitted.
    allowed = _texts(wished.get("allowed_tools")) or [*(["Skill"] if native else []), *ALLOWED]
    # What is permitted must be there: an agent, the web, a notebook.
    named = (each.partition("(")[0].strip() for each in allowed)
    tools += [each for each in named if each not in (*tools, "Skill") and "__" not in each]
    if server:
        allowed.append(f"mcp__{server.name}")
        tools += ["ListMcpResourcesTool", "ReadMcpResourceTool"]
        tools += ["ToolSearch"] if server.deferred else []
    return Wishes(
        settings={**SETTINGS, "disableSkillShellExecution": not shell},
        sources=() if ask.delivery == "plugin" else ("project",),
        permission_mode=str(wished.get("permission_mode") or "dontAsk"),
        tools=tuple(tools),
        allowed=tuple(allowed),
        disallowed=tuple(_texts(wished.get("disallowed_tools"))),
        model=ask.model,
        max_turns=turns if isinstance(turns, int) and not isinstance(turns, bool) else None,
        system_prompt=str(wished.get("system_prompt") or ""),
        append_system_prompt=str(wished.get("append_system_prompt") or ""),
        schema=ask.schema_text,
        plugin=ask.plugin if ask.delivery == "plugin" else "",
        servers=_servers(ask) if server else {},
    )


def _texts(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [str(each) for each in value] if isinstance(value, list | tuple) else []


def _servers(ask: Ask) -> dict[str, Json]:
    server = ask.server
    if server is None:
        return {}
    if server.url:
        return {server.name: {"type": "http", "url": server.url}}
    words: dict[str, Any] = {"command": server.command[0], "args": [*server.command[1:]]}
    return {server.name: words}


def user_line(text: str) -> str:
    """One turn, as the program reads it on standard input."""
    return json.dumps({"type": "user", "message": {"role": "user", "content": text}}) + "\n"


def environment(ask: Ask) -> dict[str, str]:
    """The variables that keep the program to the task."""
    # Ten retries otherwise, also of a 401: three minutes for a key that is wrong.
    told = {**dict.fromkeys(QUIET, "1"), "CLAUDE_CODE_MAX_RETRIES": "2", "MCP_TIMEOUT": "10000"}
    # 2.1.197 asks its model before a server has come up, and so without the skills behind it.
    told["MCP_CONNECTION_NONBLOCKING"] = "0"
    if ask.delivery != "instructions":
        told["CLAUDE_CODE_DISABLE_CLAUDE_MDS"] = "1"
    if not (ask.server and ask.server.deferred):
        # The description of a tool that is held back is not shown, nor the skills it lists.
        told["ENABLE_TOOL_SEARCH"] = "false"
    if ask.endpoint:
        told |= {"ANTHROPIC_BASE_URL": ask.endpoint, "ANTHROPIC_API_KEY": "loopback"}
    return told
