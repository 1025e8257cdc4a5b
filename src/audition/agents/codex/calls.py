"""Reads what Codex's model asked for, and what it was answered, as the rollout keeps both.

In: the payload of a line. Out: a call; the result of one. Must not know: lines, items.
"""

import re
from typing import Any

from audition.agents.codex.lines import Payload
from audition.agents.codex.script import commands_in
from audition.model import AnyEvent, Call, Does, Json, Result
from audition.tool_words import arguments_of, call_words, text_of

_OWN: dict[str, Does] = {
    "exec_command": "shell",
    "shell": "shell",
    "shell_command": "shell",
    "local_shell": "shell",
    "apply_patch": "write",
    "view_image": "read",
    "spawn_agent": "task",
}
_PATCHED = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_EXITED = re.compile(r"(?:Process exited with|Exit) code:? (-?\d{1,9})")
_RUNNING = re.compile(r"Process running with session ID \d")


def read_call(at: dict[str, Any], said: Payload) -> Call:
    """A call; of a script the commands are kept aside, for most are told as items too."""
    if said.name == "exec" and isinstance(said.input, str):
        given = {"script": said.input, "commands": commands_in(said.input)}
        return Call(**at, id=said.call_id, tool="exec", does="shell", input=given)
    if said.name == "apply_patch" and isinstance(said.input, str):
        paths = tuple(_PATCHED.findall(said.input))
        return Call(**at, id=said.call_id, tool="apply_patch", does="write", paths=paths)
    given = arguments_of(said.action if said.type == "local_shell_call" else said.arguments)
    tool = "local_shell" if said.type == "local_shell_call" else said.name
    # A classic model calls `skill` in the namespace `mcp__skills`.
    if isinstance(said.namespace, str) and said.namespace.startswith("mcp__"):
        tool = f"{said.namespace.rstrip('_')}__{tool}"
    return Call(**at, id=said.call_id, **call_words(tool, given, _OWN))


def read_answer(at: dict[str, Any], id_: str, output: Json) -> list[AnyEvent]:
    """What the model was told; nothing yet of a command that still runs."""
    text, code = text_of(output), None
    if isinstance(output, list):
        # A script's answer holds JSON with the command's own.
        inner = [arguments_of(each.get("text")) for each in output if isinstance(each, dict)]
        done = [each for each in inner if "exit_code" in each]
        if not done and any("session_id" in each for each in inner):
            return []
        if done:
            text = "\n".join(str(each.get("output", "")) for each in done)
            codes = [each["exit_code"] for each in done if type(each["exit_code"]) is int]
            code = next(filter(None, codes), 0) if codes else None
    elif found := _EXITED.search(text[:500]):
        code, text = int(found[1]), text.partition("Output:\n")[2] or text
    elif _RUNNING.search(text[:500]):
        return []
    refused = text.startswith(("unsupported call", "exec_command failed"))
    return [Result(**at, id=id_, output=text, failed=bool(code) or refused, exit_code=code)]
