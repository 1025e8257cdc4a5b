"""OpenCode: how it is asked and how its JSON is read.

In: an Ask; a numbered raw line. Out: a Command; events. Must not know: processes, files.

Read from 1.18.33 (tests/traces/opencode). A call is told once, when it is over. Tokens are
told by the step: what was read from the cache is beside the input, thought beside the output.
"""

import json
from collections.abc import Sequence
from typing import Any

import msgspec

from audition.agent import Agent, Ask, Command
from audition.model import AnyEvent, Call, Denial, Does, End, Json, Message, Result, Usage
from audition.settling import tell_failure, tell_fault
from audition.tool_words import add_up, call_words, name_over_mcp, text_of

_OWN: dict[str, Does] = {
    "skill": "skill",
    "read": "read",
    "bash": "shell",
    "task": "task",
    **dict.fromkeys(("write", "edit", "multiedit", "patch", "apply_patch"), "write"),
    **dict.fromkeys(("glob", "grep", "list"), "search"),
}
_REFUSED = ("rejected permission", "permission requested", "user rejected")


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the stream; a part's fields depend on its type."""

    type: str
    timestamp: float | None = None
    part: dict[str, Any] = {}
    error: Json = None


_line = msgspec.json.Decoder(Line)


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """The events of one line, or None where it is not understood."""
    said = _line.decode(raw)
    part, stamp = said.part, said.timestamp
    at: dict[str, Any] = {"line": number, "time": stamp / 1000 if stamp else None}
    events: list[AnyEvent] = []
    match said.type:
        case "text" | "reasoning":
            role: Any = "assistant" if said.type == "text" else "thought"
            events = [Message(**at, role=role, text=text_of(part.get("text")), reply=_reply(part))]
        case "tool_use":
            events = _called(at, part)
        case "step_finish":
            events = _step(at, part)
        case "error":
            events = _failed(at, said.error)
        case kind if kind != "step_start":
            return None
    return events


def _reply(part: dict[str, Any]) -> str:
    return str(part.get("messageID") or "")


def _called(at: dict[str, Any], part: dict[str, Any]) -> list[AnyEvent]:
    state, id_ = part.get("state") or {}, str(part.get("callID") or "")
    tool = name_over_mcp(str(part.get("tool") or ""), _OWN, "_")
    call = Call(**at, id=id_, reply=_reply(part), **call_words(tool, state.get("input"), _OWN))
    text = text_of(state.get("output") or state.get("error"))
    code = (state.get("metadata") or {}).get("exit")
    failed = state.get("status") == "error" or bool(code)
    result = Result(**at, id=id_, output=text, failed=failed, exit_code=code)
    if state.get("status") == "error" and any(each in text.lower() for each in _REFUSED):
        return [call, Denial(**at, id=id_, reason=text[:500]), result]
    return [call, result]


def _step(at: dict[str, Any], part: dict[str, Any]) -> list[AnyEvent]:
    tokens = part.get("tokens") or {}
    cache = tokens.get("cache") or {}
    got = add_up(tokens.get("input"), cache.get("read"), cache.get("write"))
    made = add_up(tokens.get("output"), tokens.get("reasoning"))
    words: Any = {"input_tokens": got, "output_tokens": made, "dollars": part.get("cost") or None}
    events: list[AnyEvent] = [Usage(**at, **words, cached_input_tokens=cache.get("read"))]
    match part.get("reason"):
        case "tool-calls":
            pass  # another step follows
        case "stop":
            events.append(End(**at, status="completed"))
        case "length":
            events.append(End(**at, status="limited", reason="max tokens"))
        case why:
            events.append(End(**at, status="failed", reason=f"the step ended: {why}"))
    return events


def _failed(at: dict[str, Any], error: Json) -> list[AnyEvent]:
    told = error if isinstance(error, dict) else {}
    data = told.get("data") or {}
    text = str(data.get("message") or told.get("name") or error)
    status = data.get("statusCode")
    return [tell_fault(at, text, status), tell_failure(at, text, status)]


def command(ask: Ask) -> Command:
    """The command line, with a configuration of its own in the private home."""
    configuration: dict[str, Json] = {"permission": {"*": "allow"}, "autoupdate": False}
    model = ask.model
    if ask.endpoint:
        name = (model or "stand-in").rpartition("/")[2]
        model = f"loopback/{name}"
        configuration["provider"] = {
            "loopback": {
                "npm": "@ai-sdk/openai-compatible",
                "options": {"baseURL": f"{ask.endpoint}/v1", "apiKey": "loopback"},
                "models": {name: {"name": name}},
            }
        }
    if server := ask.over_mcp:
        how: Json = {"type": "local", "command": [*server.command]}
        how = {"type": "remote", "url": server.url} if server.url else how
        configuration["mcp"] = {server.name: how}
    if model:
        configuration["model"] = model  # for `opencode acp`, which takes no `-m`
    argv = [*ask.program, "run", "--format", "json"]
    names = ("AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS")
    env = {f"OPENCODE_DISABLE_{name}": "true" for name in names}
    env["XDG_CONFIG_HOME"] = f"{ask.home}/.config"
    files = {f"{ask.home}/.config/opencode/opencode.json": json.dumps(configuration)}
    return Command(argv=(*argv, "--", ask.case.prompt), env=env, files=files)


opencode = Agent(
    name="opencode",
    command=command,
    read=read,
    program=("opencode",),
    known_version="1.18.33",
    get_it="npm install -g opencode-ai",
    deliveries=("native", "none", "instructions", "mcp", "mcp+native"),
    loads_by=("skill-tool", "mcp-tool", "mcp-resource"),
    lets_through=("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"),
    login=(".local/share/opencode/auth.json",),
    sign_in="run `opencode auth login`, or set its provider's key",
    wire="chat",
)
"""OpenCode by Anomaly, its program `opencode`."""
