"""goose: how it is asked and how its stream-json is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 1.34.0 (tests/traces/goose). A 401 ends it with code 0, as an answer that says
"Ran into this error": such an answer is a failure. A banner comes before the JSON.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Denial, Does, End, Json, Message, Result, Usage
from audition.settling import end_by_last_fault, merge_chunks, tell_failure, tell_fault
from audition.tool_words import call_words, dicts_of, name_over_mcp, text_of

_OWN: dict[str, Does] = {
    "load_skill": "skill",
    "shell": "shell",
    **dict.fromkeys(("read", "view"), "read"),
    **dict.fromkeys(("write", "edit", "text_editor"), "write"),
    **dict.fromkeys(("tree", "analyze"), "search"),
    **dict.fromkeys(("delegate", "subagent"), "task"),
}
_FAILED = "Ran into this error:"
_LIMITED = "I've reached the maximum number of actions"  # as if the model said it (1.34.0)
_DECLINED = "The user has declined to run this tool"
_BANNER = (b"__( O)>", b"\\____)", b"L L ", b"( O)>")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream."""

    type: str
    message: dict[str, Any] = {}
    error: Json = None
    input_tokens: int | None = None
    output_tokens: int | None = None


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    if raw.strip().startswith(_BANNER):
        return ()
    said = _line.decode(raw)
    match said.type:
        case "message":
            content = dicts_of(said.message.get("content"))
            created = said.message.get("created")  # True is an int, and no time
            at = {"line": number, "time": created if type(created) in (int, float) else None}
            role = said.message.get("role")
            return [event for each in content for event in _block(at, each, str(role))]
        case "complete":
            got, made = said.input_tokens, said.output_tokens
            used = Usage(line=number, input_tokens=got, output_tokens=made)
            counted = [] if got is None and made is None else [used]
            return [*counted, End(line=number, status="completed")]
        case "error":
            return [tell_failure({"line": number}, text_of(said.error))]
        case kind:
            return () if kind in ("notification", "model_change") else None


def _block(at: dict[str, Any], block: dict[str, Any], role: str) -> list[AnyEvent]:
    id_ = str(block.get("id") or "")
    match block.get("type"):
        case "text":
            text = text_of(block.get("text"))
            if role == "assistant" and text.startswith(_FAILED):
                return [tell_fault(at, text)]
            return [Message(**at, role="assistant" if role == "assistant" else "user", text=text)]
        case "thinking" | "reasoning":
            return [Message(**at, role="thought", text=text_of(block))]
        case "toolRequest":
            told = (block.get("toolCall") or {}).get("value") or {}
            tool = name_over_mcp(str(told.get("name") or ""), _OWN, "__")
            tool = tool.removeprefix("mcp__developer__") or tool
            return [Call(**at, id=id_, **call_words(tool, told.get("arguments"), _OWN))]
        case "toolResponse":
            return _outcome(at, id_, block.get("toolResult") or {})
    return []


def _outcome(at: dict[str, Any], id_: str, result: dict[str, Any]) -> list[AnyEvent]:
    value = result.get("value") if isinstance(result.get("value"), dict) else {}
    text = text_of((value or {}).get("content") or result.get("error"))
    structured = (value or {}).get("structuredContent")
    code = structured.get("exit_code") if isinstance(structured, dict) else None
    code = code if isinstance(code, int) else None
    refused = text.startswith(_DECLINED)
    failed = refused or result.get("status") != "success" or bool((value or {}).get("isError"))
    answer = Result(**at, id=id_, output=text, failed=failed, exit_code=code)
    return [Denial(**at, id=id_, reason=text[:500]), answer] if refused else [answer]


def settle(events: list[AnyEvent]) -> list[AnyEvent]:
    """Whole messages; and no session completed whose last word is a failure or a limit."""
    events = end_by_last_fault(merge_chunks(events))
    said = next((each.text for each in reversed(events) if isinstance(each, Message)), "")
    if said.startswith(_LIMITED) and isinstance(events[-1], End):
        events[-1] = msgspec.structs.replace(events[-1], status="limited", reason="max turns")
    return events


def command(ask: Ask) -> Command:
    """The command line, with a configuration of its own in the private home."""
    argv = [*ask.program, "run", "--no-session", "--output-format", "stream-json"]
    env = {"GOOSE_MODE": "auto", "GOOSE_DISABLE_KEYRING": "1", "GOOSE_TELEMETRY_ENABLED": "false"}
    if ask.endpoint:
        env |= {"GOOSE_PROVIDER": "openai", "OPENAI_API_KEY": "loopback"}
        env["OPENAI_HOST"] = ask.endpoint
    env |= {"GOOSE_MODEL": ask.model} if ask.model else {}
    if turns := ask.case.settings.get("max_turns"):
        argv += ["--max-turns", str(turns)]
    own: dict[str, Json] = {"type": "platform", "enabled": True, "bundled": True}
    extensions: dict[str, Json] = {name: {**own, "name": name} for name in ("developer", "skills")}
    if server := ask.over_mcp:
        how: dict[str, Json] = {"type": "streamable_http", "uri": server.url}
        if not server.url:
            how = {"type": "stdio", "cmd": server.command[0], "args": [*server.command[1:]]}
        # Its own skills are an extension `skills`: ours must be called otherwise.
        name = f"{server.name}_served"
        extensions[name] = {**how, "name": name, "enabled": True, "timeout": 30, "envs": {}}
    files = {f"{ask.home}/.config/goose/config.yaml": json.dumps({"extensions": extensions})}
    return Command(argv=(*argv, "-t", ask.case.prompt), env=env, files=files)


goose = Agent(
    name="goose",
    command=command,
    read=read,
    settle=settle,
    program=("goose",),
    known_version="1.34.0",
    get_it="npm install -g @aaif/goose",
    deliveries=("native", "none", "instructions", "mcp", "mcp+native"),
    loads_by=("skill-tool", "mcp-tool", "mcp-resource"),
    lets_through=("GOOSE_PROVIDER", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"),
    login=(".config/goose/secrets.yaml",),
    sign_in="run `goose configure`, or set GOOSE_PROVIDER and its key",
    wire="chat",
    model="gpt-4.1",
)
"""goose by the Agentic AI Foundation, its program `goose`."""
