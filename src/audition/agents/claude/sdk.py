"""Turns an Ask into a run of Claude Code through its Agent SDK for Python.

In: an Ask. Out: a Command that starts our runner, which prints the program's own lines.
Must not know: the SDK itself (see sdk_runner.py), how output is read.
"""

import json
import sys
from typing import Any

from audition.agent import Ask, Command
from audition.agents.claude.wishes import Wishes, environment, read_wishes


def command(ask: Ask) -> Command:
    """Our runner, with the options of the SDK on its standard input."""
    asked = {"prompts": ask.case.prompts, "options": _options(ask)}
    argv = (sys.executable, "-I", "-m", "audition.sdk_runner")
    return Command(argv=argv, stdin=json.dumps(asked).encode(), env=environment(ask))


def _options(ask: Ask) -> dict[str, Any]:
    wishes = read_wishes(ask)
    options: dict[str, Any] = {
        "cli_path": ask.program[0] if ask.program else None,
        "cwd": ask.workspace,
        "system_prompt": _system_prompt(wishes),
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


def _system_prompt(wishes: Wishes) -> str | dict[str, str]:
    more = wishes.append_system_prompt
    if wishes.system_prompt:
        # As the program joins the two; the SDK puts nothing behind a text.
        return f"{wishes.system_prompt}\n\n{more}" if more else wishes.system_prompt
    # The SDK gives no system prompt by default: the skills would meet another agent.
    preset = {"type": "preset", "preset": "claude_code"}
    return {**preset, "append": more} if more else preset
