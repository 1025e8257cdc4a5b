"""Kimi Code: how it is asked and how its stream-json is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 2.1.0 (tests/traces/kimi). The stream tells no tokens, and of a failure nothing:
it just has no end. What went wrong is on stderr.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Denial, Does, End, Json, Message, Result
from audition.settling import tell_fault
from audition.tool_words import call_words, code_in, dicts_of, text_of

_OWN: dict[str, Does] = {
    "Skill": "skill",
    "Read": "read",
    "ReadFile": "read",
    "ReadMediaFile": "read",
    "Bash": "shell",
    "Shell": "shell",
    "Write": "write",
    "WriteFile": "write",
    "Edit": "write",
    "StrReplaceFile": "write",
    "Glob": "search",
    "Grep": "search",
    "Agent": "task",
    "Task": "task",
}
_EXITED = re.compile(r"(?:exited with code|exit code:?) (\d{1,9})")
# There is no flag: of a skill that was not loaded it says `Skill "x" not found in …`.
_FAILED = re.compile(r'Error|<system>ERROR|Tool execution failed|Skill "[^"]*" (?!loaded)')
_QUIET = ("system.", "session.", "turn.", "goal.", "context.")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream: a message as chat models have them, or a word about the session."""

    role: str
    type: str = ""
    content: Json = None
    reasoning_content: Json = None
    tool_calls: Json = None
    tool_call_id: str = ""
    error_message: str = ""
    status_code: int | None = None


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    text = text_of(said.content)
    events: list[AnyEvent] = []
    match said.role:
        case "assistant":
            if thought := text_of(said.reasoning_content):
                events.append(Message(line=number, role="thought", text=thought))
            events += [Message(line=number, text=text)] if text else []
            events += [_call(number, each) for each in dicts_of(said.tool_calls)]
        case "tool":
            events = _outcome(number, said.tool_call_id, text)
        case "user" | "system":
            events = [Message(line=number, role=said.role, text=text)]
        case "meta":
            return _about(number, said)
        case _:
            return None
    return events


def _about(number: int, said: Line) -> Sequence[AnyEvent] | None:
    if said.type == "session.resume_hint":  # printed last, and only when all went well
        return [End(line=number, status="completed")]
    if said.error_message:
        again = said.type.endswith("retrying")
        at = {"line": number}
        return [tell_fault(at, said.error_message, said.status_code, retrying=again)]
    return () if said.type.startswith(_QUIET) else None


def _call(number: int, call: dict[str, Any]) -> Call:
    function = call.get("function") or {}
    words = call_words(str(function.get("name") or ""), function.get("arguments"), _OWN)
    return Call(line=number, id=str(call.get("id") or ""), **words)


def _outcome(number: int, id_: str, text: str) -> list[AnyEvent]:
    code = code_in(text, _EXITED)
    failed = bool(code) or _FAILED.match(text) is not None
    result = Result(line=number, id=id_, output=text, failed=failed, exit_code=code)
    refused = "rejected by the user" in text[:300] or "denied by" in text[:300]
    return [Denial(line=number, id=id_, reason=text[:500]), result] if refused else [result]


def command(ask: Ask) -> Command:
    """The command line, with a home of its own for all that it keeps."""
    argv = [*ask.program, "--output-format", "stream-json"]
    home = f"{ask.home}/.kimi-code"
    env = {"KIMI_CODE_HOME": home, "KIMI_CODE_NO_AUTO_UPDATE": "1"}
    files: dict[str, str] = {}
    if ask.endpoint:
        env |= {"KIMI_MODEL_NAME": ask.model or "kimi-k2", "KIMI_MODEL_API_KEY": "loopback"}
        env |= {"KIMI_MODEL_PROVIDER_TYPE": "openai", "KIMI_MODEL_BASE_URL": f"{ask.endpoint}/v1"}
        files[f"{home}/config.toml"] = "telemetry = false\n"
    elif ask.model:
        argv += ["-m", ask.model]
    if server := ask.over_mcp:
        how = {"url": server.url} if server.url else server.words
        files[f"{home}/mcp.json"] = json.dumps({"mcpServers": {server.name: how}})
    return Command(argv=(*argv, "-p", ask.case.prompt), env=env, files=files)


kimi = Agent(
    name="kimi",
    command=command,
    read=read,
    program=("kimi",),
    known_version="2.1.0",
    get_it="npm install -g @moonshot-ai/kimi-code",
    deliveries=("native", "none", "instructions"),
    loads_by=("skill-tool",),
    lets_through=("KIMI_API_KEY", "KIMI_MODEL_NAME", "KIMI_MODEL_API_KEY", "KIMI_MODEL_BASE_URL"),
    login=(".kimi-code/config.toml", ".kimi-code/credentials.json"),
    sign_in="run `kimi login`",
    wire="chat",
    reports_usage=False,
)
"""Kimi Code by Moonshot AI, its program `kimi`."""
