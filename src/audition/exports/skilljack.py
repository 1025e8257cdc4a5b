"""For skilljack: a result and a session log a trial.

In: trials. Out: `results/<session>.json`, `logs/<session>.json` and its twin in Markdown.
Must not know: where they go.
"""

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime

from audition.exports.told import Told, called, dump, grade_of, total_tokens
from audition.model import Call, Fault, Inputs, Json, Message, Result

APART = ("activation", "answer", "resource_read")
"""Grades that skilljack tells of beside what was followed."""
MODES = {"native": "cli-native", "mcp": "mcp", "mcp+native": "mcp+native"}


def write(told: Sequence[Told], inputs: Inputs) -> dict[str, str]:
    """Three files a trial; the log of one that failed begins with FAILED__."""
    files: dict[str, str] = {}
    for each in told:
        began = _began(each, inputs.began)
        session = _session(each, began, files)
        result = _result(each, session, began)
        log = _log(each, began, result)
        files[f"results/{session}.json"] = dump(result)
        name = f"logs/{'' if each.passed else 'FAILED__'}{session}"
        files |= {f"{name}.json": dump(log), f"{name}.md": _as_text(log, result)}
    return files


def _mode(told: Told) -> str:
    if told.record.agent == "claude-sdk" and told.record.delivery == "native":
        return "native"
    return MODES.get(told.record.delivery, told.record.delivery)


def _session(told: Told, began: str, taken: dict[str, str]) -> str:
    time = began.replace(":", "-").replace(".", "-")
    task = re.sub(r"[^A-Za-z0-9._-]", "-", told.case.id)
    session = name = f"{_mode(told)}-{task}-{time}"
    number = 1
    while f"results/{session}.json" in taken:
        number += 1
        session = f"{name}-{number}"
    return session


def _began(told: Told, run: str) -> str:
    """When it began; what was never asked has the time of its run."""
    try:
        time = datetime.fromisoformat(told.sealed.began or run)
    except ValueError:
        time = datetime.fromtimestamp(0, UTC)
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def _result(told: Told, session: str, began: str) -> dict[str, Json]:
    names = called(told, "skilljack")
    activation = grade_of(told, "activation")
    held = activation is not None and activation.status == "pass"
    activated = held if told.case.expected else any(names)
    failed = [
        f"{each.by}: {each.reason}"
        for each in told.record.grades
        if each.gates and each.status != "pass" and each.by not in APART
    ]
    texts = any(each.gates and each.by not in APART for each in told.record.grades)
    reason = "; ".join(failed) or ("all checks hold" if texts else "no output is expected")
    return {
        "timestamp": began,
        "task": told.case.id,
        "mode": _mode(told),
        "sessionId": session,
        "passed": told.passed,
        "results": {
            "discovered": bool(names),
            "activated": activated,
            **({"skillName": names[-1]} if names else {}),
            "resourceLoaded": _read_resource(told),
            "followed": not failed if texts else activated,
            "followedReason": told.trouble or reason,
        },
    }


def _read_resource(told: Told) -> bool:
    """By the check that was made; without one, by a tool with that name, as there."""
    if grade := grade_of(told, "resource_read"):
        return grade.status == "pass"
    calls = [each.tool for each in told.trace.events if isinstance(each, Call)]
    return any("skill-resource" in tool for tool in calls)


def _log(told: Told, began: str, result: dict[str, Json]) -> dict[str, Json]:
    return {
        "sessionId": result["sessionId"],
        "task": told.case.id,
        "startTime": began,
        "endTime": _later(began, told.sealed.seconds),
        "status": "error" if told.trouble else "success",
        **({"errorMessage": told.trouble} if told.trouble else {}),
        "entries": _entries(told, began),
        "metrics": _metrics(told, began),
        "evalResult": result["results"],
    }


def _as_text(log: dict[str, Json], result: dict[str, Json]) -> str:
    """The log as its twin in Markdown has it."""
    word = "passed" if result["passed"] else "failed"
    lines = [f"# {log['sessionId']}", "", f"Task {log['task']}, mode {result['mode']}: {word}."]
    lines += [f"\n{name}: {json.dumps(value)}" for name, value in result["results"].items()]
    for each in log["entries"]:
        data = each["data"].get("text") or json.dumps(each["data"], ensure_ascii=False)
        lines += ["", f"## {each['type']}", "", data]
    return "\n".join(lines) + "\n"


def _later(began: str, seconds: float) -> str:
    time = datetime.fromisoformat(began).timestamp() + seconds
    return (
        datetime.fromtimestamp(time, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    )


def _entries(told: Told, began: str) -> list[dict[str, Json]]:
    tools: dict[str, str] = {}
    found: list[dict[str, Json]] = []
    for event in told.trace.events:
        kind, data = "", dict[str, Json]()
        if isinstance(event, Message) and event.role == "assistant":
            kind, data = "text", {"text": event.text}
        elif isinstance(event, Call):
            tools[event.id] = event.tool
            kind, data = "tool_use", {"name": event.tool, "input": event.input}
        elif isinstance(event, Result):
            data = {"name": tools.get(event.id, ""), "success": not event.failed}
            kind = "tool_result"
        elif isinstance(event, Fault):
            kind, data = "error", {"message": event.text}
        if kind:
            time = began
            if event.time is not None:
                time = _later("1970-01-01T00:00:00.000Z", event.time)
            found.append({"timestamp": time, "type": kind, "data": data})
    return found


def _metrics(told: Told, began: str) -> dict[str, Json]:
    usage = told.record.usage
    dollars, model = usage.dollars, told.record.model
    each = {"inputTokens": usage.input_tokens, "outputTokens": usage.output_tokens}
    return {
        "timestamp": began,
        "task": told.case.id,
        "timing": {
            "totalElapsedMs": round(told.sealed.seconds * 1000),
            **dict.fromkeys(("sdkDurationMs", "apiDurationMs", "overheadMs")),
        },
        "tokens": {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cacheRead": usage.cached_input_tokens,
            "cacheCreation": None,
            "total": total_tokens(told),
        },
        "cost": dollars,
        "turns": told.record.turns,
        "modelUsage": {model: {**each, "costUSD": dollars}} if model else {},
    }
