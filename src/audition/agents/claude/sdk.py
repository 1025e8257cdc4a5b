"""Turns an Ask into a run of Claude Code through its Agent SDK for Python.

In: an Ask. Out: a Command that starts our runner, which prints the program's own lines.
Must not know: the SDK itself (see sdk_runner.py), how output is read.
"""

import json
import sys
from typing import Any

from audition.agent import Ask, Command
from audition.agents.claude.wishes import environment, prompts, read_wishes


def command(ask: Ask) -> Command:
    """Our runner, with the options of the SDK on its standard input."""
    asked = {"prompts": prompts(ask), "options": _options(ask)}
    argv = (sys.executable, "-I", "-m", "audition.sdk_runner")
    return Command(argv=argv, stdin=json.dumps(asked).encode(), env=environment(ask))


def _options(ask: Ask) -> dict[str, Any]:
    wishes = read_wishes(ask)
    # The SDK gives no system prompt by default: the skills would meet another agent.
    prompt: dict[str, str] = {"type": "preset", "preset": "claude_code"}
    if wishes.append_system_prompt:
        prompt["append"] = wishes.append_system_prompt
    options: dict[str, Any] = {
        "cli_path": ask.program[0] if ask.program else None,
        "cwd": ask.workspace,
        "system_prompt": wishes.system_prompt or prompt,
        "setting_sources": list(wishes.sources),
        "settings": json.dumps(wishes.settings),
        "permission_mode": wishes.permission_mode,
        "tools": list(wishes.tools),
        "allowed_tools": list(wishes.allowed),
        "disallowed_tools": list(wishes.disallowed),
        "strict_mcp_config": True,
        "mcp_servers": wishes.servers,
        "model": wishes.model,
        "max_turns": wishes.max_turns,
        "extra_args": {"no-session-persistence": None},
    }
    if wishes.plugin:
        options["plugins"] = [{"type": "local", "path": wishes.plugin}]
        options["add_dirs"] = [wishes.plugin]
    if wishes.schema:
        schema = json.loads(wishes.schema)
        options["output_format"] = {"type": "json_schema", "schema": schema}
    return options
