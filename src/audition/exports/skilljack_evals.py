"""For skilljack-evals, first version: a report a suite.

In: trials. Out: `<skill>-<run>.json` for each case file. Without a judge, its own rule holds:
a task that passes has 5 for adherence and output, one that fails has 1.
Must not know: where the files go.
"""

from collections import Counter
from collections.abc import Sequence
from statistics import mode

from audition.exports.told import Told, called, dump, expected_skill, graded, mean
from audition.model import Call, Inputs, Json
from audition.plan import slug

RATE, SCORE = 0.8, 4.0
WEIGHTS = (0.3, 0.4, 0.3)
"""Of discovery, adherence, output."""


def write(told: Sequence[Told], inputs: Inputs) -> dict[str, str]:
    """One report for each case file."""
    suites: dict[str, list[Told]] = {}
    for each in told:
        suites.setdefault(each.record.file, []).append(each)
    files: dict[str, str] = {}
    for trials in suites.values():
        names = Counter(name for each in trials if (name := each.record.skill))
        skill = names.most_common(1)[0][0] if names else "none"
        name, number = f"{slug(skill)}-{inputs.run_id}", 2
        while f"{name}.json" in files:
            name, number = f"{slug(skill)}-{inputs.run_id}-{number}", number + 1
        files[f"{name}.json"] = dump(_report(skill, trials, inputs))
    return files


def _report(skill: str, trials: Sequence[Told], inputs: Inputs) -> dict[str, Json]:
    tasks: dict[tuple[str, str], list[Told]] = {}
    for each in trials:
        tasks.setdefault((each.case.id, each.sealed.trial.place.rpartition("/")[0]), []).append(
            each
        )
    scores = [_score(each) for each in trials]
    summary = {
        "totalTasks": len(tasks),
        "numRuns": max(map(len, tasks.values())),
        "discoveryAccuracy": mean(each["discovery"] for each in scores),
        "avgAdherence": mean(each["adherence"] for each in scores),
        "avgOutputQuality": mean(each["outputQuality"] for each in scores),
        "avgWeightedScore": mean(each["weightedScore"] for each in scores),
        "totalDurationMs": round(sum(each.sealed.seconds for each in trials) * 1000),
        "totalCostUsd": sum(each.record.usage.dollars or 0 for each in trials),
    }
    reasons = _why_failed(summary)
    paths = {each.name: each.path for each in inputs.skills.values()}
    return {
        "skillName": skill,
        "timestamp": inputs.began,
        "passed": not reasons,
        "failureReasons": reasons,
        "metadata": {
            "skillPath": paths.get(skill, ""),
            "runnerType": trials[0].record.agent,
            "agentModel": trials[0].record.model or "",
            "judgeModel": "",
        },
        "summary": summary,
        "failureBreakdown": _breakdown(scores),
        "tasks": [_task(group) for group in tasks.values()],
    }


def _why_failed(summary: dict[str, Json]) -> list[str]:
    limits = (("discoveryAccuracy", RATE), ("avgAdherence", SCORE), ("avgOutputQuality", SCORE))
    return [
        f"{name} {summary[name]:.2f} is below {limit:g}"
        for name, limit in limits
        if summary[name] < limit
    ]


def _breakdown(scores: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    counts = Counter(each["failureCategory"] for each in scores)
    counts.pop("none", None)
    return [
        {"category": name, "count": count, "percentage": count / len(scores) * 100}
        for name, count in counts.most_common()
    ]


def _task(group: Sequence[Told]) -> dict[str, Json]:
    case = group[0].case
    runs = [{"result": _result(each), "score": _score(each)} for each in group]
    told = {
        "id": case.id,
        "prompt": case.prompt,
        "expected_skill_load": expected_skill(group[0]) or "none",
        "golden_checklist": [
            each.question for each in case.rubric if each.id not in ("adherence", "output")
        ],
    }
    if len(runs) == 1:
        return {"task": told, **runs[0]}
    score = _mean_score([each["score"] for each in runs])
    near = min(runs, key=lambda run: abs(run["score"]["weightedScore"] - score["weightedScore"]))
    return {
        "task": told,
        "result": near["result"],
        "score": {**near["score"], **score},
        "runDetails": runs,
    }


def _mean_score(scores: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """Of several tries the means, and the commonest category."""
    figures = ("discovery", "adherence", "outputQuality", "weightedScore")
    told = {name: round(mean(each[name] for each in scores), 4) for name in figures}
    return {**told, "failureCategory": mode(each["failureCategory"] for each in scores)}


def _result(told: Told) -> dict[str, Json]:
    calls = [each for each in told.trace.events if isinstance(each, Call)]
    return {
        "taskId": told.case.id,
        "prompt": told.case.prompt,
        "output": told.trace.answer,
        "durationMs": round(told.sealed.seconds * 1000),
        "numTurns": told.record.turns,
        "costUsd": told.record.usage.dollars,
        "skillLoads": _loads(told),
        "toolCalls": [
            {"tool": each.tool, "toolUseId": each.id, "timestamp": each.time, "input": each.input}
            for each in calls
        ],
        "isError": bool(told.trouble),
        "errorMessage": told.trouble or None,
    }


def _loads(told: Told) -> list[str]:
    """The skills that were called by name, in order."""
    return [name for name in called(told, "skilljack-evals") if name]


def _score(told: Told) -> dict[str, Json]:
    grades = {each.by: each for each in told.record.grades}
    activation = grades.get("activation")
    discovery = float(activation is not None and activation.status == "pass")
    level = 5 if told.passed else 1
    scaled = (level - 1) / 4
    weighted = WEIGHTS[0] * discovery + (WEIGHTS[1] + WEIGHTS[2]) * scaled
    category = _category(told, bool(discovery))
    return {
        "taskId": told.case.id,
        "deterministic": _deterministic(told),
        "judge": None,
        "discovery": discovery,
        "adherence": level,
        "outputQuality": level,
        "weightedScore": round(weighted, 4),
        "failureCategory": category,
        "reasoning": told.record.reason,
    }


def _category(told: Told, discovered: bool) -> str:
    if told.passed:
        return "none"
    if told.record.status != "fail":
        return "agent_error"
    if discovered:
        return "missing_guidance"
    return "discovery_failure" if told.case.expected else "false_positive"


def _deterministic(told: Told) -> dict[str, Json]:
    names = _loads(told)

    def held(name: str) -> bool | None:
        found = [each.status == "pass" for each in told.record.grades if each.by == name]
        return all(found) if found else None

    return {
        "skillActivated": bool(names),
        "skillName": names[0] if names else None,
        "markerFound": held("answer_contains"),
        "expectedToolsCalled": held("tool_used"),
        "unexpectedToolsCalled": None if (kept := held("tool_unused")) is None else not kept,
        "passed": told.passed,
        "details": [f"{each.by}: {each.reason}" for each in graded(told) if each.reason],
    }
