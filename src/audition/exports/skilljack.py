"""For skilljack: a result and a session log a trial.

In: trials. Out: `results/<session>.json` and `logs/<session>.json`.
Must not know: where they go.
"""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from audition.exports.told import Told, asked_for, beyond, dump
from audition.model import Call, Fault, Inputs, Json, Message, Result

MODES = {"native": "cli-native", "mcp": "mcp", "mcp+native": "mcp+native"}


def write(told: Sequence[Told], _inputs: Inputs) -> dict[str, str]:
    """Two files a trial; the log of one that failed begins with FAILED__."""
    files: dict[str, str] = {}
    for each in told:
        session = _session(each, files)
        result = _result(each, session)
        files[f"results/{session}.json"] = dump(result)
        prefix = "" if each.passed else "FAILED__"
        files[f"logs/{prefix}{session}.json"] = dump(_log(each, session, result))
    return files


def _mode(told: Told) -> str:
    return MODES.get(told.record.delivery, told.record.delivery)


def _session(told: Told, taken: dict[str, str]) -> str:
    time = _began(told).replace(":", "-").replace(".", "-")
    task = re.sub(r"[^A-Za-z0-9._-]", "-", told.case.id)
    session = name = f"{_mode(told)}-{task}-{time}"
    number = 1
    while f"results/{session}.json" in taken:
        number += 1
        session = f"{name}-{number}"
    return session


def _began(told: Told) -> str:
    try:
        time = datetime.fromisoformat(told.sealed.began)
    except ValueError:
        time = datetime.fromtimestamp(0, UTC)
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{time.microsecond // 1000:03}Z"


def _result(told: Told, session: str) -> dict[str, Json]:
    asked = asked_for(told)
    activation = [each for each in told.record.grades if each.by == "activation"]
    activated = bool(told.case.expected) and any(each.status == "pass" for each in activation)
    checked = beyond(told)
    failed = [reason or name for name, held, reason in checked if not held]
    reason = "; ".join(failed) if failed else "all checks hold" if checked else "nothing to check"
    return {
        "timestamp": _began(told),
        "task": told.case.id,
        "mode": _mode(told),
        "sessionId": session,
        "passed": told.passed,
        "results": {
            "discovered": bool(asked),
            "activated": activated,
            **({"skillName": asked[-1].skill} if asked else {}),
            "resourceLoaded": any(each.resources for each in told.record.skills),
            "followed": not failed if checked else activated,
            "followedReason": reason,
        },
    }


def _log(told: Told, session: str, result: dict[str, Json]) -> dict[str, Json]:
    bad = told.record.status == "error"
    began = _began(told)
    return {
        "sessionId": session,
        "task": told.case.id,
        "startTime": began,
        "endTime": _later(began, told.sealed.seconds),
        "status": "error" if bad else "success",
        **({"errorMessage": told.record.reason} if bad else {}),
        "entries": _entries(told, began),
        "metrics": _metrics(told, began),
        "evalResult": result["results"],
    }


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
    known = [each for each in (usage.input_tokens, usage.output_tokens) if each is not None]
    return {
        "timestamp": began,
        "task": told.case.id,
        "timing": {"totalElapsedMs": round(told.sealed.seconds * 1000)},
        "tokens": {
            "input": usage.input_tokens,
            "output": usage.output_tokens,
            "cacheRead": usage.cached_input_tokens,
            "total": sum(known) if len(known) == 2 else None,
        },
        "cost": usage.dollars,
        "turns": told.record.turns,
    }
