"""Tessl's scenarios: `criteria.json`, and the task in `task.md` beside it.

In: the path of the criteria. Out: a Suite of one case. Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import BadCases, CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import any_skill, make_suite
from audition.cases.marked_json import read_json
from audition.cases.mounted import own_skill
from audition.model import Case, Criterion, Finding, Suite

CONTENT = re.compile(rb'"checklist"\s*:\s*\[')
SIZE_CAP = 1 << 20


def claims(path: Path, head: bytes) -> bool:
    """JSON with a `checklist`, beside a `task.md`."""
    if path.suffix.lower() != ".json" or not CONTENT.search(head):
        return False
    return path.with_name("task.md").is_file()


def read(path: Path) -> Suite:
    """Read one scenario."""
    ledger = Ledger(read_json(path))
    root = ledger.root
    task = path.with_name("task.md")
    try:
        with task.open("rb") as file:
            prompt = file.read(SIZE_CAP).decode("utf-8-sig", "replace").strip("\n")
    except OSError as error:
        words = f"cannot be read: {error.strerror}"
        raise BadCases([Finding(path=str(task), message=words, rule="case")]) from None
    if "type" in root and root.text("type") != "weighted_checklist":
        root.at("type").say(f"`{root.value['type']}` is read as a weighted checklist")
    if "context" in root:
        root.at("context").say("is for the grader; not used", "note")
    skills = own_skill(path)
    expected = any_skill(root, skills)
    case = Case(
        id=path.absolute().parent.name,
        prompt=prompt,
        skill=expected[0] if len(expected) == 1 else None,
        any_of=expected if len(expected) > 1 else (),
        should_trigger=bool(expected),
        rubric=_criteria(root),
        line=1,
    )
    return make_suite(ledger, format="tessl", cases=[case], skills=skills)


def _criteria(root: Given) -> tuple[Criterion, ...]:
    found = []
    for number, each in enumerate(root.listed("checklist"), 1):
        name = each.text("name").strip() or str(number)
        question = each.text("description") or name
        for key in ("max_score", "weight"):
            if key in each:
                each.at(key).say("a weight has no place here: each question counts alike")
        found.append(Criterion(id=name, question=question))
    return tuple(found)


tessl = CaseFormat(name="tessl", claims=claims, read=read)
