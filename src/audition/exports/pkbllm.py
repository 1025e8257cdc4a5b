"""For pkbllm: `summary.json`, `summary.md`, the rows of its progress, grades and meta a case.

In: trials. Out: the files as they lie in its run folder. Must not know: where they go.
"""

import json
import re
from collections.abc import Sequence

from audition.exports.told import Told, dump, graded, total_tokens
from audition.model import Grade, Inputs, Json
from audition.policy import reported, wants_report

CHECKS = {
    "activation": "invoked_skills",
    "json_valid": "final_json",
    "output_schema": "final_json",
    "max_commands": "max_commands",
    "file_exists": "require_files",
    "answer_matches": "must_include",
    "answer_lacks": "must_not_include",
}
"""Our checks by its names."""


def write(told: Sequence[Told], inputs: Inputs) -> dict[str, str]:
    """Its run folder, but for the raw sessions."""
    rows = [_row(each) for each in told]
    suite = str(inputs.settings.get("suite") or "all")
    files = {
        "summary.json": dump(_summary(rows, suite, inputs), sort=True),
        "summary.md": _table(rows),
        "progress.jsonl": "".join(_line(row, each) for row, each in zip(rows, told, strict=True)),
    }
    for row, each in zip(rows, told, strict=True):
        files[f"{row['case_dir']}/meta.json"] = dump(_meta(each, row, suite), sort=True)
        files[f"{row['case_dir']}/grade.json"] = dump(_grade(each), sort=True)
        if row["judge"]:
            files[f"{row['case_dir']}/judge.normalized.json"] = dump(row["judge"], sort=True)
    return files


def slug_of(text: str) -> str:
    """A name as pkbllm makes a folder of it."""
    text = re.sub(r"\s", "-", text.lower())
    return re.sub(r"[^a-z0-9._-]", "-", re.sub(r"[/\\:]", "", text)).strip("-")


def _summary(rows: Sequence[dict[str, Json]], suite: str, inputs: Inputs) -> dict[str, Json]:
    passed = sum(row["pass"] for row in rows)
    return {
        "run_id": inputs.run_id,
        "suite": suite,
        "judge": any((inputs.settings.get("judge") or {}).get(key) for key in ("judging", "judge")),
        "skills": len({row["skill"] for row in rows}),
        "cases": len(rows),
        "pass_count": passed,
        "fail_count": len(rows) - passed,
        "rows": list(rows),
    }


def _row(told: Told) -> dict[str, Json]:
    skill = told.case.skill or "none"
    return {
        "skill": skill,
        "skill_slug": slug_of(skill),
        "case_id": told.case.id,
        "should_trigger": told.record.should_trigger,
        "pass": told.passed,
        "deterministic": _deterministic(told),
        "judge": _judged(told),
        "case_dir": told.record.dir,
        "notes": told.record.reason,
    }


def _deterministic(told: Told) -> dict[str, Json]:
    usage = told.record.usage
    return {
        "exit_code": 124 if told.sealed.stopped == "timeout" else told.sealed.exit_code,
        "duration_s": told.record.seconds,
        "command_count_total": told.record.commands.total,
        "command_count_effective": told.record.commands.effective,
        "usage": {
            "turns": told.record.turns,
            "input_tokens": usage.input_tokens,
            "cached_input_tokens": usage.cached_input_tokens,
            "output_tokens": usage.output_tokens,
            "total_tokens": total_tokens(told),
        },
        "has_final_message": bool(told.trace.answer.strip()),
        "pass": not told.trouble and all(_holds(each) for each in told.record.grades),
    }


def _holds(grade: Grade) -> bool:
    """Whether a grade lets its trial pass, as far as no judge is asked."""
    return grade.by.startswith("judge") or not grade.gates or grade.status == "pass"


def _grade(told: Told) -> dict[str, Json]:
    checks: dict[str, dict[str, Json]] = {}
    reports = wants_report(told.case)
    if reports:
        is_object = reported(told.trace.answer) is not None
        notes = "" if is_object else "the answer is no JSON object"
        checks["final_json"] = {"id": "final_json", "pass": is_object, "notes": notes}
    for grade, name in _named(told):
        if grade.by == "activation" and not reports and told.record.policy == "pkbllm":
            continue
        there = checks.get(name)
        if there is None or (there["pass"] and grade.status != "pass"):
            told_of = {"id": name, "pass": grade.status == "pass", "notes": grade.reason}
            checks[name] = told_of
    return {"deterministic": _deterministic(told), "case_checks": list(checks.values())}


def _named(told: Told) -> list[tuple[Grade, str]]:
    """The grades but those of a judge, by its names; a cap of tokens by what it caps."""
    caps = [each for each in told.case.checks if each.name == "max_tokens"]
    programs = [each for each in told.case.checks if each.name == "program"]
    found = []
    for grade in graded(told):
        if grade.by == "max_tokens" and caps:
            side = next((each for each in caps.pop(0).arguments), "total")
            found.append((grade, f"max_{side}_tokens"))
        elif grade.by == "program" and programs:
            # A pattern that RE2 refuses is looked for by a program, which is told what to expect.
            words = programs.pop(0).arguments["command"]
            found.append((grade, "must_not_include" if "absent" in words else "must_include"))
        elif not grade.by.startswith("judge"):
            found.append((grade, CHECKS.get(grade.by, grade.by)))
    return found


def _judged(told: Told) -> dict[str, Json] | None:
    """What a judge said, in the shape of its rubric; None where none was asked."""
    judgement = told.judgement
    if judgement is None:
        return None
    if judgement.overall:
        said = judgement.overall
        checks = [{"id": e.id, "pass": e.passed, "notes": e.notes} for e in said.checks]
        return {"overall_pass": said.overall_pass, "score": said.score, "checks": checks}
    grades = [each for each in told.record.grades if each.by.startswith("judge:")]
    parts = [
        {
            "id": each.by.removeprefix("judge:"),
            "pass": each.status == "pass",
            "notes": each.reason,
        }
        for each in grades
    ]
    good = sum(each["pass"] is True for each in parts)
    return {
        "overall_pass": bool(grades) and all(e.status == "pass" for e in grades if e.gates),
        "score": round(100 * good / len(parts)) if parts else 0,
        "checks": parts,
    }


def _meta(told: Told, row: dict[str, Json], suite: str) -> dict[str, Json]:
    return {
        "skill": {"name": row["skill"], "slug": row["skill_slug"]},
        "case": {
            "id": told.case.id,
            "should_trigger": told.record.should_trigger,
            "prompt": told.case.prompt,
        },
        "suite": suite,
    }


def _line(row: dict[str, Json], told: Told) -> str:
    kept = {key: row[key] for key in ("skill", "skill_slug", "case_id", "pass", "case_dir")}
    line = json.dumps({"ts": told.sealed.began, **kept}, sort_keys=True, ensure_ascii=False)
    return f"{line}\n"


def _table(rows: Sequence[dict[str, Json]]) -> str:
    lines = ["| Skill | Case | Pass | Notes |", "|---|---|---|---|"]
    for row in rows:
        cells = (row["skill"], row["case_id"], "yes" if row["pass"] else "no", row["notes"])
        lines.append("| " + " | ".join(_cell(each) for each in cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
