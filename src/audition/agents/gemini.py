"""Gemini CLI: how it is asked and how its stream-json is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 0.61.0 (tests/traces/gemini). Its exit code of a 401 is 145, and a shell command
that failed is a tool_result of status `success`: neither is believed.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Denial, Does, End, Json, Message, Result, Usage
from audition.settling import merge_chunks, tell_failure, tell_fault
from audition.tool_words import call_words, code_in, name_over_mcp, seconds, text_of, usage_words

_OWN: dict[str, Does] = {
    "activate_skill": "skill",
    "read_file": "read",
    "read_many_files": "read",
    "run_shell_command": "shell",
    "write_file": "write",
    "replace": "write",
    "edit": "write",
    "glob": "search",
    "grep_search": "search",
    "search_file_content": "search",
    "list_directory": "search",
}
_EXITED = re.compile(r"(?:exited with code|Exit Code): (\d{1,9})")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream; which fields are set depends on its type."""

    type: str
    timestamp: str | None = None
    role: str = ""
    content: Json = None
    tool_name: str = ""
    tool_id: str = ""
    parameters: Json = None
    status: str = ""
    output: Json = None
    error: Json = None
    message: Json = None
    severity: str = ""
    stats: dict[str, Any] = {}


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    at: dict[str, Any] = {"line": number, "time": seconds(said.timestamp)}
    events: list[AnyEvent] = []
    match said.type:
        case "message":
            role: Any = "user" if said.role == "user" else "assistant"
            events = [Message(**at, role=role, text=text_of(said.content))]
        case "tool_use":
            tool = said.tool_name
            if tool.startswith("mcp_"):
                tool = name_over_mcp(tool, _OWN, "_")
            events = [Call(**at, id=said.tool_id, **call_words(tool, said.parameters, _OWN))]
        case "tool_result":
            events = _outcome(at, said)
        case "error":
            text = text_of(said.message or said.error)
            events = [tell_fault(at, text)]
        case "result":
            events = _ended(at, said)
        case kind if kind != "init":
            return None
    return events


def _outcome(at: dict[str, Any], said: Line) -> list[AnyEvent]:
    text = text_of(said.output) or text_of(said.error)
    code = code_in(text, _EXITED)
    failed = said.status != "success" or bool(code)
    result = Result(**at, id=said.tool_id, output=text, failed=failed, exit_code=code)
    refused = isinstance(said.error, dict) and said.error.get("type") == "policy_violation"
    return [Denial(**at, id=said.tool_id, reason=text[:500]), result] if refused else [result]


def _ended(at: dict[str, Any], said: Line) -> list[AnyEvent]:
    stats, events = said.stats, []
    # None were used where all are 0.
    if any(stats.get(each) for each in ("total_tokens", "input_tokens", "output_tokens")):
        used = usage_words(stats, "input_tokens", "cached", "output_tokens")
        events = [Usage(**at, **used, total=True)]
    if said.status == "success":
        return [*events, End(**at, status="completed")]
    text = text_of(said.error.get("message") if isinstance(said.error, dict) else said.error)
    if "turn limit" in text or "max session turns" in text.lower():
        return [*events, End(**at, status="limited", reason=f"max turns: {text}")]
    return [*events, tell_failure(at, text)]


def command(ask: Ask) -> Command:
    """The command line, with settings of its own in the private home."""
    argv = [*ask.program, "-y", "--skip-trust", "-o", "stream-json"]
    argv += ["-m", ask.model] if ask.model else []
    settings: dict[str, Json] = {
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        # It would download ripgrep into each new home, and wait for that to fail.
        "tools": {"useRipgrep": False},
        "skills": {"disabled": ["skill-creator", "antigravity-support"]},
    }
    env = {"NO_COLOR": "1"}
    if ask.endpoint:
        settings["security"] = {"auth": {"selectedType": "gemini-api-key"}}
        env |= {"GOOGLE_GEMINI_BASE_URL": ask.endpoint, "GEMINI_API_KEY": "loopback"}
    if turns := ask.case.settings.get("max_turns"):
        settings["model"] = {"maxSessionTurns": turns}
    if server := ask.over_mcp:
        how = {"httpUrl": server.url} if server.url else server.words
        settings["mcpServers"] = {server.name: {**how, "trust": True}}
    files = {f"{ask.home}/.gemini/settings.json": json.dumps(settings)}
    return Command(argv=(*argv, "-p", ask.case.prompt), env=env, files=files)


gemini = Agent(
    name="gemini",
    command=command,
    read=read,
    settle=merge_chunks,
    program=("gemini",),
    known_version="0.61.0",
    get_it="npm install -g @google/gemini-cli",
    deliveries=("native", "none", "mcp", "mcp+native"),
    instructions_file="GEMINI.md",
    loads_by=("skill-tool", "mcp-tool", "mcp-resource"),
    lets_through=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    login=(".gemini/oauth_creds.json", ".gemini/google_accounts.json"),
    sign_in="run `gemini` once, or set GEMINI_API_KEY",
    wire="gemini",
    model="gemini-2.5-pro",
)
"""Gemini CLI by Google, its program `gemini`."""
