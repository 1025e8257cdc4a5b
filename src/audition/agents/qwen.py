"""Qwen Code: how it is asked and how its stream-json is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 0.24.4 (tests/traces/qwen). The stream looks like Claude Code's, but its words are
its own. The usage of its result counts a hidden request too, which extracts memories.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Denial, Does, End, Fault, Json, Message, Result, Usage
from audition.settling import tell_failure, tell_fault
from audition.tool_words import call_words, code_in, dicts_of, text_of, usage_words

_OWN: dict[str, Does] = {
    "skill": "skill",
    "run_shell_command": "shell",
    **dict.fromkeys(("agent", "task"), "task"),
    **dict.fromkeys(("read_file", "read_many_files"), "read"),
    **dict.fromkeys(("write_file", "edit", "notebook_edit"), "write"),
    **dict.fromkeys(("glob", "grep_search", "list_directory"), "search"),
}
_EXITED = re.compile(r"^Exit Code: (\d{1,9})$", re.MULTILINE)
_FAILED, _FINE = "[API Error:", ("connected", "disabled")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream; which fields are set depends on its type."""

    type: str
    subtype: str = ""
    parent_tool_use_id: str | None = None
    message: Json = None
    is_error: Json = None
    result: Json = None
    error: Json = None
    usage: Json = None
    mcp_servers: Json = None
    permission_denials: Json = None


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    at: dict[str, Any] = {"line": number, "sub": said.parent_tool_use_id or ""}
    if said.type in ("assistant", "user"):
        content = said.message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        return [event for each in dicts_of(blocks) for event in _block(at, each, said.type)]
    if said.type == "result":
        return _ended(number, said)
    if said.type == "system":
        lost = (each for each in dicts_of(said.mcp_servers) if each.get("status") not in _FINE)
        words = [f"MCP server `{each.get('name')}` is not connected" for each in lost]
        return [Fault(line=number, what="mcp", text=each) for each in words]
    return () if said.type == "stream_event" else None


def _block(at: dict[str, Any], block: dict[str, Any], who: str) -> list[AnyEvent]:
    text, id_ = text_of(block.get("text")), str(block.get("id") or "")
    match block.get("type"):
        case "text" if text.startswith(_FAILED) and who == "assistant":
            return [tell_fault(at, text)]
        case "text" if text:
            return [Message(**at, role="assistant" if who == "assistant" else "user", text=text)]
        case "thinking":
            return [Message(**at, role="thought", text=text_of(block.get("thinking")))]
        case "tool_use":
            return [Call(**at, id=id_, **call_words(*_unwrap(block), _OWN))]
        case "tool_result":
            output = text_of(block.get("content"))
            id_, failed = str(block.get("tool_use_id") or ""), bool(block.get("is_error"))
            code = code_in(output, _EXITED)
            return [Result(**at, id=id_, output=output, failed=failed, exit_code=code)]
    return []


def _unwrap(block: dict[str, Any]) -> tuple[str, Json]:
    # A tool that it defers, as those over MCP, is called through another.
    name, given = block["name"], block.get("input")
    if name == "tool_call" and isinstance(given, dict):
        return str(given.get("name") or name), given.get("arguments")
    return name, given


def _ended(number: int, said: Line) -> list[AnyEvent]:
    events: list[AnyEvent] = [
        Denial(line=number, id=str(each.get("tool_use_id") or ""), tool=str(each.get("tool_name")))
        for each in dicts_of(said.permission_denials)
    ]
    used = said.usage if isinstance(said.usage, dict) else {}
    if used.get("input_tokens"):  # a session that failed says 0 of everything
        words = usage_words(used, "input_tokens", "cache_read_input_tokens", "output_tokens")
        events.append(Usage(line=number, **words, total=True))
    text = text_of(said.error.get("message") if isinstance(said.error, dict) else said.error)
    if not said.is_error:
        answer = said.result if isinstance(said.result, str) else None
        return [*events, End(line=number, status="completed", answer=answer)]
    if "max_turns" in said.subtype:
        return [*events, End(line=number, status="limited", reason="max turns")]
    return [*events, tell_failure({"line": number}, text or said.subtype.replace("_", " "))]


def command(ask: Ask) -> Command:
    """The command line, with settings of its own in the private home."""
    argv = [*ask.program, "-y", "-o", "stream-json", *(["-m", ask.model] if ask.model else [])]
    if turns := ask.case.settings.get("max_turns"):
        argv += ["--max-session-turns", str(turns)]
    settings: dict[str, Json] = {
        "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": "openai"}},
    }
    env = {"QWEN_CODE_SUPPRESS_YOLO_WARNING": "1", "NO_COLOR": "1"}
    if ask.endpoint:
        env |= {"OPENAI_BASE_URL": f"{ask.endpoint}/v1", "OPENAI_API_KEY": "loopback"}
    env |= {"OPENAI_MODEL": ask.model} if ask.model else {}
    if server := ask.over_mcp:
        how = {"httpUrl": server.url} if server.url else server.words
        settings["mcpServers"] = {server.name: {**how, "trust": True}}
    files = {f"{ask.home}/.qwen/settings.json": json.dumps(settings)}
    return Command(argv=(*argv, ask.case.prompt), env=env, files=files)


qwen = Agent(
    name="qwen",
    command=command,
    read=read,
    program=("qwen",),
    known_version="0.24.4",
    get_it="npm install -g @qwen-code/qwen-code",
    deliveries=("native", "none", "mcp", "mcp+native"),
    instructions_file="QWEN.md",
    loads_by=("skill-tool", "mcp-tool", "mcp-resource"),
    lets_through=("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"),
    login=(".qwen/oauth_creds.json",),
    sign_in="run `qwen` once, or set OPENAI_API_KEY",
    wire="chat",
    model="qwen3-coder-plus",
)
"""Qwen Code by Alibaba, its program `qwen`."""
