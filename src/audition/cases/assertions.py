"""Assertions and expectations of `evals.json`: sentences for the judge, typed ones for checks.

In: one eval. Out: checks and criteria. Must not know: which tool wrote the file.
"""

from audition.cases.given import Given
from audition.cases.imported import check_of, contains, path_check
from audition.model import CheckSpec, Criterion

LISTS = ("assertions", "expectations", "expected_behavior", "expected_behaviors", "checks")
TEXTS = ("text", "description", "assertion", "expectation", "name", "value")
TYPES = {
    "file-exists": "file_exists",
    "regex-match": "matches",
    "regex": "matches",
    "json-valid": "json_valid",
    "is-json": "json_valid",
    "contains": "contains",
    "not-contains": "lacks",
}
Read = tuple[tuple[CheckSpec, ...], tuple[Criterion, ...]]


def read_assertions(given: Given) -> Read:
    """All lists of assertions that an eval has; two at once are reported."""
    there = [key for key in LISTS if key in given]
    if len(there) > 1:
        words = f"`{'`, `'.join(there)}` stand side by side; all count"
        given.ledger.say(given.node, words)
    checks: tuple[CheckSpec, ...] = ()
    rubric: tuple[Criterion, ...] = ()
    for key in there:
        for each in given.listed(key):
            found, asked = _assertion(each, len(rubric) + 1)
            checks += found
            rubric += asked
    return checks, rubric


def _assertion(given: Given, number: int) -> Read:
    if not isinstance(given.value, dict):
        text = given.written() or ""
        return (), (Criterion(id=str(number), question=text),) if text.strip() else ()
    kind = given.text("type").replace("_", "-").lower()
    name = given.text("id").strip()
    if kind in TYPES and (checks := _typed(given, TYPES[kind])):
        return checks, ()
    question = next((text for key in TEXTS if (text := given.text(key)).strip()), "")
    if kind:
        given.at("type").say(f"`{kind}` is not carried over: a question for the judge instead")
    if not question:
        given.say("says nothing that could be checked; dropped")
        return (), ()
    return (), (Criterion(id=name or str(number), question=question),)


def _typed(given: Given, kind: str) -> tuple[CheckSpec, ...]:
    path = given.text("path") or given.text("file")
    pattern = given.text("pattern") or given.text("regex")
    text = next((found for key in ("value", "text") if (found := given.text(key))), "")
    at = next(
        (given.at(key) for key in ("pattern", "path", "value", "text") if key in given), given
    )
    if kind == "json_valid":
        return check_of(at, "json_valid", **({"path": path} if path else {}))
    if kind == "file_exists":
        return path_check(at, path or text)
    if kind == "matches" and (pattern or text):
        target = {"path": path} if path else {}
        name = "file_matches" if path else "answer_matches"
        return check_of(at, name, pattern=pattern or text, **target)
    if kind == "lacks" and text:
        return check_of(at, "answer_lacks", text=text)
    return contains(at, text, ignore_case=False) if kind == "contains" and text else ()
