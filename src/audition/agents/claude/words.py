"""What Claude Code's words mean: its tools, its troubles, its endings, its token counts.

In: names and fields out of its stream. Out: ours. Must not know: lines, events' order.
"""

import re
from typing import Any, Literal

from audition.model import Does, Json, Trouble

QUIET_TYPES = frozenset(
    (
        "stream_event",
        "conversation_reset",
        "tool_progress",
        "tool_use_summary",
        "auth_status",
        "keep_alive",
        "control_request",
        "control_response",
        "control_cancel_request",
        "prompt_suggestion",
        "summary",
    )
)
"""Kinds of lines that say nothing of ours; a `stream_event` is said again whole."""
QUIET_SUBTYPES = frozenset(
    (
        "api_error",
        "away_summary",
        "background_tasks_changed",
        "commands_changed",
        "compact_boundary",
        "elicitation_complete",
        "files_persisted",
        "hook_progress",
        "hook_response",
        "hook_started",
        "informational",
        "local_command",
        "local_command_output",
        "memory_recall",
        "memory_saved",
        "microcompact_boundary",
        "model_fallback",
        "model_refusal_fallback",
        "notification",
        "plugin_install",
        "post_turn_summary",
        "session_state_changed",
        "status",
        "stop_hook_summary",
        "task_notification",
        "task_progress",
        "task_started",
        "task_updated",
        "thinking_tokens",
        "turn_duration",
    )
)

TOO_LONG = re.compile(r"Error: result \([^)]*\) exceeds maximum allowed tokens")
"""What 2.1.327 hands to its model in the place of a long result over MCP; it marks no error."""

_DOES: dict[str, Does] = {
    "Skill": "skill",
    "Read": "read",
    "NotebookRead": "read",
    "Bash": "shell",
    "PowerShell": "shell",
    "Write": "write",
    "Edit": "write",
    "MultiEdit": "write",
    "NotebookEdit": "write",
    "Glob": "search",
    "Grep": "search",
    "LS": "search",
    "Task": "task",
    "Agent": "task",
}
_SKILL_TOOLS = frozenset(
    (
        "skill",
        "activate_skill",
        "get_skill",
        "invoke_skill",
        "load_skill",
        "read_skill",
        "run_skill",
        "use_skill",
    )
)
_PATHS = ("file_path", "notebook_path", "path", "pattern")
_SKILL_NAMES = ("skill", "skill_name", "name", "command")
# `command` was the name's field before 2.1.


def purpose(tool: str, given: dict[str, Any]) -> tuple[Does, str, str, tuple[str, ...]]:
    """What a tool call is for: (does, skill, command, paths)."""
    does: Does = _DOES.get(tool, "other")
    if does == "shell":
        return does, "", _text(given, "command"), ()
    if does == "skill":
        return does, _text(given, *_SKILL_NAMES).lstrip("/"), "", ()
    if tool.startswith("mcp__"):
        return _mcp_purpose(tool, given)
    if tool == "ReadMcpResourceTool":
        uri = _text(given, "uri")
        if uri.startswith("skill://"):
            name, _, path = uri[len("skill://") :].partition("/")
            whole = path in ("", "SKILL.md")
            return ("skill" if whole else "resource"), name, "", (path or "SKILL.md",)
        return "mcp", "", "", (uri,) if uri else ()
    named = [given.get(key) for key in _PATHS] if does != "other" else ()
    return does, "", "", tuple([each for each in named if each and isinstance(each, str)])


def _mcp_purpose(tool: str, given: dict[str, Any]) -> tuple[Does, str, str, tuple[str, ...]]:
    name = tool[len("mcp__") :].partition("__")[2].lower().replace("-", "_")
    if "skill" in name and "resource" in name:
        path = _text(given, "path", "resource", "file", "resource_path")
        return "resource", _text(given, *_SKILL_NAMES), "", (path,)
    if name in _SKILL_TOOLS:
        return "skill", _text(given, *_SKILL_NAMES), "", ()
    return "mcp", "", "", ()


def _text(given: dict[str, Any], *keys: str) -> str:
    for key in keys:
        value = given.get(key)
        if isinstance(value, str) and value:
            return value
    return ""


_BY_STATUS: dict[int, Trouble] = {
    400: "invalid",
    401: "auth",
    402: "billing",
    403: "auth",
    404: "model",
    413: "context",
    429: "rate_limit",
    529: "overloaded",
}
_STATUS = re.compile(r"API Error: ([45]\d\d)\b")
_BY_ERROR: dict[str, Trouble] = {
    "authentication_failed": "auth",
    "oauth_org_not_allowed": "auth",
    "billing_error": "billing",
    "rate_limit": "rate_limit",
    "overloaded": "overloaded",
    "model_not_found": "model",
    "invalid_request": "invalid",
}
_BY_TEXT: tuple[tuple[str, Trouble], ...] = (
    (r"credit balance|billing", "billing"),
    (r"not logged in|please run /login|invalid api key|oauth token|authenticat", "auth"),
    (r"hit your .{0,20}limit|usage limit|rate.?limit", "rate_limit"),
    (r"overloaded", "overloaded"),
    (r"prompt is too long|context window", "context"),
    (r"safeguards flagged|usage policy", "refusal"),
    (r"connection|ECONN|ENOTFOUND|timed? ?out|socket|network|fetch failed", "network"),
    (r"issue with the selected model|model.{0,40}not (exist|found)", "model"),
)


def trouble(status: int | None, error: Json, text: str) -> Trouble:
    """The kind of a failed request. A 400 for want of credit is billing."""
    word = error if isinstance(error, str) else ""
    if status is None and (found := _STATUS.match(text)):
        status = int(found[1])
    said = next((what for mark, what in _BY_TEXT if re.search(mark, text, re.IGNORECASE)), None)
    if status is not None:
        if status == 400 and said in ("billing", "context"):
            return said
        return _BY_STATUS.get(status, "server" if status >= 500 else "unknown")
    if word in _BY_ERROR:
        return _BY_ERROR[word]
    if said:
        return said
    # Without an HTTP status nobody answered: seen with refused and reset connections.
    return "network" if word in ("server_error", "unknown") else "unknown"


TROUBLE_WORDS: dict[Trouble, str] = {
    "auth": "not signed in",
    "billing": "billing",
    "rate_limit": "rate limited",
    "overloaded": "overloaded",
    "server": "server error",
    "network": "network",
    "model": "unknown model",
    "invalid": "invalid request",
    "refusal": "refused",
    "context": "the context is too long",
}
Status = Literal["completed", "limited", "failed", "interrupted"]
_LIMITS = (
    ("max_turns", "max turns"),
    ("max_budget", "budget"),
    ("budget_exhausted", "budget"),
    ("max_structured_output_retries", "structured output retries"),
    ("max_tokens", "max tokens"),
    ("context_window_exceeded", "context window"),
)


def ending(
    subtype: str,
    terminal: str,
    stop: str,
    said: str,
    *,
    is_error: bool,
    status: int | None,
) -> tuple[Status, str]:
    """How a session ended. Never by subtype alone: an API error's is "success"."""
    told = f"{subtype} {terminal} {stop}"
    for mark, word in _LIMITS:
        if mark in told:
            return "limited", f"{word}: {said}" if is_error and said else word
    if terminal.startswith("aborted"):
        # What it says then is a diagnosis for its makers.
        word = terminal.replace("_", " ")
        return "interrupted", f"{word}: {said}" if said else word
    if not is_error and subtype in ("success", ""):
        return "completed", ""
    if stop == "refusal":
        return "failed", f"refused: {said}"
    what = trouble(status, None, said)
    if what == "unknown":
        api = terminal == "api_error" or subtype in ("success", "")
        word = "API error" if api else subtype.replace("_", " ")
    else:
        word = TROUBLE_WORDS[what]
    return "failed", f"{word}: {said}" if said else word


def explanation(result: Json, errors: Json) -> str:
    """What a result event says went wrong, on one line."""
    parts = [result] if isinstance(result, str) else []
    if isinstance(errors, list):
        parts += [each if isinstance(each, str) else str(each) for each in errors]
    return " ".join(" ".join(parts).split())[:500]


def dicts(value: Json) -> list[dict[str, Any]]:
    """The mappings of a list; nothing of anything else."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def tokens(usage: Json) -> tuple[int | None, int | None, int | None] | None:
    """(input with what was cached, cached, output), summed over models; None where not said."""
    if not isinstance(usage, dict):
        return None
    models = [each for each in usage.values() if isinstance(each, dict)]
    got = [_number(each, "inputTokens", "input_tokens") for each in models]
    made = [_number(each, "outputTokens", "output_tokens") for each in models]
    if not any(each is not None for each in (*got, *made)):
        return None
    read = [_number(each, "cacheReadInputTokens", "cache_read_input_tokens") for each in models]
    wrote = [
        _number(each, "cacheCreationInputTokens", "cache_creation_input_tokens") for each in models
    ]
    # Anthropic's input tokens leave the cached ones out, OpenAI's hold them: ours hold them.
    # Where one model does not tell, the sum is not known: a part of it would pass a cap.
    put_in = None if None in got else _sum(got + read + wrote)
    return put_in, _sum(read), None if None in made else _sum(made)


def _number(usage: dict[str, Any], *keys: str) -> int | None:
    for key in keys:
        value = usage.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def _sum(values: list[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
