"""For skill-creator: its benchmark folder, a `grading.json` and a `timing.json` a run.

In: trials. Out: `iteration-1/eval-<name>/{with_skill,without_skill,old_skill}/run-K/…` and `benchmark.json`.
Must not know: where they go.
"""

from collections.abc import Collection, Sequence
from itertools import chain, count
from statistics import stdev

from audition.exports.told import Told, dump, mean, meant, total_tokens
from audition.model import Call, Case, Inputs, Json
from audition.plan import slug

TOP = "iteration-1"
SIDES = ("with_skill", "without_skill", "old_skill", "instructions")
FIGURES = ("pass_rate", "time_seconds", "tokens")


def write(told: Sequence[Told], inputs: Inputs) -> dict[str, str]:
    """The whole benchmark."""
    files: dict[str, str] = {}
    runs: list[dict[str, Json]] = []
    counts: dict[str, int] = {}
    ids: dict[str, int] = {}
    names: dict[tuple[str | None, str], str] = {}
    for each in told:
        name = names.setdefault((each.case.skill, each.case.node), _name(each.case, names.values()))
        number = ids.setdefault(name, _number(each.case.id, ids.values()))
        side = _side(each)
        folder = f"{TOP}/eval-{name}/{side}"
        counts[folder] = counts.get(folder, 0) + 1
        grading = _grading(each)
        at = f"{folder}/run-{counts[folder]}"
        files[f"{TOP}/eval-{name}/eval_metadata.json"] = dump(_metadata(each, number, name))
        files[f"{at}/grading.json"] = dump(grading)
        files[f"{at}/timing.json"] = dump(_timing(each))
        files[f"{at}/outputs/answer.md"] = each.trace.answer
        runs.append(_run(each, grading, (number, name, side, counts[folder])))
    files[f"{TOP}/benchmark.json"] = dump(_benchmark(runs, told, inputs))
    return files


def _name(case: Case, taken: Collection[str]) -> str:
    """The eval's name; another file may have a case of the same id."""
    name = slug(f"{case.skill}-{case.id}" if case.skill else case.id)
    later = (f"{name}-{number}" for number in count(2))
    return next(each for each in chain((name,), later) if each not in taken)


def _number(name: str, taken: Collection[int]) -> int:
    """The id that the eval has in its own file, where it is a number and free."""
    if name.isascii() and name.isdigit() and len(name) < 10 and int(name) not in taken:
        return int(name)
    return next(number for number in count(len(taken)) if number not in taken)


def _side(told: Told) -> str:
    """The configuration: with the skill, without it, or with what it was compared with."""
    if told.record.delivery == "none":
        return "without_skill"
    if not told.record.variant:
        return "with_skill"
    return "instructions" if told.record.delivery == "instructions" else "old_skill"


def _metadata(told: Told, number: int, name: str) -> dict[str, Json]:
    return {
        "eval_id": number,
        "eval_name": name,
        "prompt": told.case.prompt,
        "assertions": [each.question for each in told.case.rubric],
    }


def _grading(told: Told) -> dict[str, Json]:
    found: list[dict[str, Json]] = [
        {"text": words, "passed": grade.status == "pass", "evidence": grade.reason}
        for grade, words in meant(told)
    ]
    if not found:
        found = [{"text": "the trial", "passed": told.passed, "evidence": told.record.reason}]
    passed = sum(each["passed"] is True for each in found)
    calls = [each.tool for each in told.trace.events if isinstance(each, Call)]
    return {
        "expectations": found,
        "summary": {
            "passed": passed,
            "failed": len(found) - passed,
            "total": len(found),
            "pass_rate": passed / len(found),
        },
        "execution_metrics": {
            "tool_calls": {tool: calls.count(tool) for tool in dict.fromkeys(calls)},
            "total_tool_calls": len(calls),
            "total_steps": told.record.turns,
            "errors_encountered": int(told.record.status == "error"),
            "output_chars": len(told.trace.answer),
        },
        "timing": {"executor_duration_seconds": told.sealed.seconds},
    }


def _timing(told: Told) -> dict[str, Json]:
    return {
        "total_tokens": total_tokens(told),
        "duration_ms": round(told.sealed.seconds * 1000),
        "total_duration_seconds": told.sealed.seconds,
    }


def _run(told: Told, grading: dict[str, Json], place: tuple[int, str, str, int]) -> dict[str, Json]:
    number, name, side, run = place
    return {
        "eval_id": number,
        "eval_name": name,
        "configuration": side,
        "run_number": run,
        "result": {
            **grading["summary"],
            "time_seconds": told.sealed.seconds,
            "tokens": total_tokens(told),
            "tool_calls": grading["execution_metrics"]["total_tool_calls"],
            "errors": grading["execution_metrics"]["errors_encountered"],
        },
        "expectations": grading["expectations"],
        "notes": [told.record.reason] if told.record.reason else [],
    }


def _benchmark(
    runs: Sequence[dict[str, Json]], told: Sequence[Told], inputs: Inputs
) -> dict[str, Json]:
    skills = sorted({each.case.skill for each in told if each.case.skill})
    paths = {each.name: each.path for each in inputs.skills.values()}
    sides = {
        side: _figures([each for each in runs if each["configuration"] == side])
        for side in SIDES
        if any(each["configuration"] == side for each in runs)
    }
    other = next((side for side in SIDES[1:] if side in sides), "")
    return {
        "metadata": {
            "skill_name": ", ".join(skills),
            "skill_path": paths.get(skills[0], "") if skills else "",
            "executor_model": told[0].record.model or told[0].record.agent if told else "",
            "timestamp": inputs.began,
            "evals_run": sorted({each["eval_id"] for each in runs}),
            "runs_per_configuration": max((each["run_number"] for each in runs), default=0),
        },
        "runs": list(runs),
        "run_summary": {
            **sides,
            **({"delta": _delta(sides, other)} if other in sides and "with_skill" in sides else {}),
        },
        "notes": [],
    }


def _figures(runs: Sequence[dict[str, Json]]) -> dict[str, Json]:
    told: dict[str, Json] = {}
    for name in FIGURES:
        values = [each["result"][name] for each in runs if each["result"][name] is not None]
        told[name] = {
            "mean": mean(values),
            "stddev": stdev(values) if len(values) > 1 else 0.0,
            "min": min(values, default=0),
            "max": max(values, default=0),
        }
    return told


def _delta(sides: dict[str, dict[str, Json]], other: str) -> dict[str, str]:
    return {
        name: f"{sides['with_skill'][name]['mean'] - sides[other][name]['mean']:+.2f}"
        for name in FIGURES
    }
