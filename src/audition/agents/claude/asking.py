"""Turns an Ask into the command line of Claude Code.

In: an Ask. Out: a Command. Must not know: how output is read.
"""

import json
import sys

from audition.agent import Ask, Command
from audition.agents.claude.wishes import Wishes, environment, read_wishes, user_line

STREAM_IN = ("--input-format", "stream-json")
LONGEST_WORD = 100_000
"""Linux takes at most 128 KiB a word; a longer prompt goes through standard input."""


def command(ask: Ask) -> Command:
    """The command line that shows the skills under test and nothing of the user's."""
    argv = [*ask.program, "-p", "--output-format", "stream-json", "--verbose"]
    argv += _flags(read_wishes(ask))
    turns = ask.case.prompts
    if len(turns) > 1:
        asked = {"argv": [*argv, *STREAM_IN], "turns": [user_line(each) for each in turns]}
        feeder = (sys.executable, "-I", "-m", "audition.turn_feeder")
        return Command(argv=feeder, stdin=json.dumps(asked).encode(), env=environment(ask))
    if len(turns[0].encode("utf-8", "replace")) > LONGEST_WORD:
        stdin = user_line(turns[0]).encode()
        return Command(argv=(*argv, *STREAM_IN), stdin=stdin, env=environment(ask))
    return Command(argv=(*argv, "--", turns[0]), env=environment(ask))


def _flags(wishes: Wishes) -> list[str]:
    flags = ["--setting-sources", ",".join(wishes.sources), "--strict-mcp-config"]
    flags += ["--settings", json.dumps(wishes.settings)]
    flags += ["--permission-mode", wishes.permission_mode, "--no-session-persistence"]
    flags += ["--tools", ",".join(wishes.tools), "--allowedTools", ",".join(wishes.allowed)]
    words = {
        "--disallowedTools": ",".join(wishes.disallowed),
        "--model": wishes.model,
        "--max-turns": wishes.max_turns,
        "--system-prompt": wishes.system_prompt,
        "--append-system-prompt": wishes.append_system_prompt,
        "--json-schema": wishes.schema,
        "--plugin-dir": wishes.plugin,
        # Its files lie outside the workspace, and could not be read.
        "--add-dir": wishes.plugin,
        "--mcp-config": json.dumps({"mcpServers": wishes.servers}) if wishes.servers else "",
    }
    for flag, word in words.items():
        if word:
            flags += [flag, str(word)]
    return flags
