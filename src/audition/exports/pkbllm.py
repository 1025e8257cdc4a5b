"""For pkbllm: `summary.json`, `summary.md`, the rows of its progress, grades and meta a case.

In: trials. Out: the files as they lie in its run folder. Must not know: where they go.
"""

import re
from collections.abc import Sequence

from audition.exports.told import Told, dump, total_tokens
from audition.model import Inputs, Json

CHECKS = {
    "activation": "invoked_skills",
    "json_valid": "final_json",
    "max_commands": "max_commands",
    "max_tokens": "max_total_tokens",
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
        "judge": None,
        "case_dir": told.record.dir,
        "notes": told.record.reason,
    }


def _deterministic(told: Told) -> dict[str, Json]:
    usage = told.record.usage
    return {
        "exit_code": 124 if told.sealed.stopped == "timeout" else told.sealed.exit_code,
        "duration_s": told.sealed.seconds,
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
        "pass": told.passed,
    }


def _grade(told: Told) -> dict[str, Json]:
    checks = [
        {
            "id": CHECKS.get(each.by, each.by),
            "pass": each.status == "pass",
            "notes": each.reason,
        }
        for each in told.record.grades
    ]
    return {"deterministic": _deterministic(told), "case_checks": checks}


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
    text = dump({"ts": told.sealed.began, **kept}, sort=True)
    return " ".join(part.strip() for part in text.splitlines()) + "\n"


def _table(rows: Sequence[dict[str, Json]]) -> str:
    lines = ["| Skill | Case | Pass | Notes |", "|---|---|---|---|"]
    for row in rows:
        cells = (row["skill"], row["case_id"], "yes" if row["pass"] else "no", row["notes"])
        lines.append("| " + " | ".join(_cell(each) for each in cells) + " |")
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
