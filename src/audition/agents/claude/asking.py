"""Turns an Ask into the command line of Claude Code.

In: an Ask. Out: a Command. Must not know: how output is read.
"""

import json

from audition.agent import Ask, Command
from audition.model import Json

_PLUGINS = ("plugin-authoring", "agents-md", "privacy", "telemetry")
_SETTINGS: dict[str, Json] = {
    "enabledPlugins": {f"cc-plugin-{name}@builtin": False for name in _PLUGINS},
    "disableAllHooks": True,
    "disableSkillShellExecution": True,
    "attribution": {"commit": "", "pr": ""},
}
_QUIET = (
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
    "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS",
    "CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS",
)


def command(ask: Ask) -> Command:
    """The command line that shows the skills under test and nothing of the user's."""
    wishes = ask.case.settings
    settings = _SETTINGS | {"disableSkillShellExecution": not wishes.get("allow_skill_shell")}
    several = bool(ask.case.then)
    argv = [*ask.program, "-p", "--output-format", "stream-json", "--verbose"]
    argv += ["--setting-sources", "" if ask.delivery == "plugin" else "project"]
    argv += ["--strict-mcp-config", "--settings", json.dumps(settings)]
    argv += ["--permission-mode", "dontAsk", "--no-session-persistence"]
    argv += ["--max-turns", str(wishes.get("max_turns", 30))]
    argv += _tools(ask)
    if ask.model:
        argv += ["--model", ask.model]
    if ask.schema:
        argv += ["--json-schema", ask.schema]
    if ask.plugin and ask.delivery == "plugin":
        argv += ["--plugin-dir", ask.plugin, "--add-dir", ask.plugin]
    if ask.server and ask.delivery in ("mcp", "mcp+native"):
        argv += ["--mcp-config", _server(ask)]
    argv += ["--input-format", "stream-json"] if several else ["--", ask.case.prompt]
    return Command(argv=tuple(argv), stdin=_turns(ask) if several else b"", env=_environment(ask))


def _tools(ask: Ask) -> list[str]:
    wished = ask.case.settings.get("allowed_tools")
    allowed = [*wished] if isinstance(wished, list) else ["Read", "Write", "Edit", "Bash"]
    native = ask.delivery in ("native", "mcp+native", "plugin")
    tools = [*(["Skill"] if native else []), "Read", "Write", "Edit", "Bash", "Glob", "Grep"]
    if native and "Skill" not in allowed:
        allowed.insert(0, "Skill")
    if ask.server and ask.delivery in ("mcp", "mcp+native"):
        allowed.append(f"mcp__{ask.server.name}")
        tools += ["ToolSearch"] if ask.server.deferred else []
    return ["--tools", ",".join(tools), "--allowedTools", ",".join(map(str, allowed))]


def _server(ask: Ask) -> str:
    server = ask.server
    if server is None:
        return "{}"
    how: dict[str, Json] = (
        {"type": "http", "url": server.url}
        if server.url
        else {"command": server.command[0], "args": [*server.command[1:]]}
    )
    return json.dumps({"mcpServers": {server.name: how}})


def _turns(ask: Ask) -> bytes:
    turns = (ask.case.prompt, *ask.case.then)
    said = ({"type": "user", "message": {"role": "user", "content": turn}} for turn in turns)
    return "".join(json.dumps(turn) + "\n" for turn in said).encode()


def _environment(ask: Ask) -> dict[str, str]:
    # Two retries, not ten: a 401 is tried again for three minutes otherwise.
    environment = {**dict.fromkeys(_QUIET, "1"), "CLAUDE_CODE_MAX_RETRIES": "2"}
    if not (ask.server and ask.server.deferred):
        environment["ENABLE_TOOL_SEARCH"] = "false"
    if ask.endpoint:
        environment |= {"ANTHROPIC_BASE_URL": ask.endpoint, "ANTHROPIC_API_KEY": "loopback"}
    return environment
