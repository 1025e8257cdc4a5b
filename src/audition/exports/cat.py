"""For CAT: `results.json`, `summary.json`, and the inventory of skills.

In: trials. Out: the two files. Must not know: where they go.
"""

from collections.abc import Iterable, Sequence

from audition.exports.told import Told, called, dump, expected_skill
from audition.model import Inputs, Json, Skill

RAW_CHARS = 1000


def write(told: Sequence[Told], _inputs: Inputs) -> dict[str, str]:
    """One entry a trial, and the rates over all and a skill."""
    results = [_entry(each) for each in told]
    return {"results.json": dump(results), "summary.json": dump(_summary(results))}


def _entry(told: Told) -> dict[str, Json]:
    # Its runner gives up a session that takes too long, with what was called in it.
    timed_out = told.sealed.stopped == "timeout"
    names = [] if timed_out else called(told, "cat")
    raw = told.stdout
    kinds = [tag for tag in told.case.tags if tag in ("explicit", "implicit", "negative")]
    return {
        "test_id": told.case.id,
        "expected_skill": expected_skill(told),
        "actual_skill": names[0] or None if names else None,
        "passed": told.passed,
        "prompt": told.case.prompt,
        "category": kinds[0] if kinds else "implicit" if told.case.expected else "negative",
        "raw_output": raw if len(raw) <= RAW_CHARS else raw[:RAW_CHARS] + "... [truncated]",
        "is_timeout": timed_out,
        "stderr": told.stderr,
    }


def _summary(results: Sequence[dict[str, Json]]) -> dict[str, Json]:
    passed = sum(each["passed"] for each in results)
    skills: dict[str, dict[str, Json]] = {}
    for each in results:
        if each["expected_skill"] is None:
            continue
        count = skills.setdefault(each["expected_skill"], {"total": 0, "passed": 0, "failed": 0})
        count["total"] += 1
        count["passed" if each["passed"] else "failed"] += 1
    for count in skills.values():
        count["activation_rate"] = count["passed"] / count["total"] * 100
    return {
        "total_tests": len(results),
        "passed": passed,
        "failed": len(results) - passed,
        "timeout_count": sum(each["is_timeout"] for each in results),
        "pass_rate": passed / len(results) * 100 if results else 0,
        "skill_stats": skills,
    }


def write_inventory(skills: Iterable[Skill]) -> str:
    """`skill_inventory.json`: the skills that a user may call, by their folders' names."""
    listed = [
        {
            "name": each.folder,
            "description": each.description,
            "argument_hint": each.argument_hint,
            "path": each.path,
        }
        for each in skills
        if each.user_invocable
    ]
    return dump({"total_skills": len(listed), "skills": listed})
