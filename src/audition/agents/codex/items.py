"""Reads the items of a rollout, and of the app-server: commands, patches and MCP calls as Codex carried them out.

In: an item, and where it was told. Out: the call and its result.
Must not know: lines.
"""

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote

from audition.model import AnyEvent, Call, Denial, Json, Result
from audition.tool_words import OUTPUT_CAP, call_words, join_words, text_of, unwrap

_SAID_ELSEWHERE = frozenset(
    ("AgentMessage", "UserMessage", "Reasoning", "Plan", "ContextCompaction", "HookPrompt")
) | {"FunctionCallOutput", "Sleep", "ImageGeneration", "EnteredReviewMode", "ExitedReviewMode"}


def read_item(at: dict[str, Any], item: dict[str, Json]) -> Sequence[AnyEvent] | None:
    """What one item tells, or None where its type is unknown."""
    id_ = str(item.get("id") or "")
    told: Json = None
    match item.get("type"):
        case "CommandExecution":
            words = item.get("command")
            line = (
                join_words(list(map(str, words))) if isinstance(words, list) else unwrap(str(words))
            )
            # The rollout has an address here, the app-server a path.
            folder = unquote(str(item.get("cwd") or "").removeprefix("file://"))
            given: dict[str, Json] = {"cwd": folder} if folder else {}
            call = Call(**at, id=id_, tool="shell", does="shell", command=line, input=given)
            told = item.get("aggregated_output")
        case "FileChange":
            paths = tuple(item.get("changes") or ())
            call = Call(**at, id=id_, tool="apply_patch", does="write", paths=paths)
            told = item.get("stdout") or item.get("stderr")
        case "McpToolCall":
            tool = f"mcp__{item.get('server')}__{item.get('tool')}"
            call = Call(**at, id=id_, **call_words(tool, item.get("arguments"), {}))
            told = item.get("error") or item.get("result")
        case "WebSearch":
            call = Call(**at, id=id_, tool="web_search")
        case "ImageView":
            call = Call(**at, id=id_, tool="view_image", does="read")
        case "CollabAgentToolCall" | "CollabToolCall" | "SubAgentActivity":
            call = Call(**at, id=id_, tool="agent", does="task")
        case kind:
            return () if kind in _SAID_ELSEWHERE else None
    return [call, *_outcome(at, id_, item, told)]


def _outcome(at: dict[str, Any], id_: str, item: dict[str, Json], output: Json) -> list[AnyEvent]:
    if isinstance(output, dict) and "message" in output:
        output = output["message"]
    text = text_of(output)[:OUTPUT_CAP]
    refused = item.get("status") == "declined" or "requires approval" in text[:500]
    events: list[AnyEvent] = [Denial(**at, id=id_, reason=text[:500])] if refused else []
    code = item.get("exit_code")
    failed = refused or item.get("status") == "failed"
    events.append(
        Result(
            **at,
            id=id_,
            output=text,
            failed=failed,
            exit_code=code if isinstance(code, int) else None,
        )
    )
    return events
