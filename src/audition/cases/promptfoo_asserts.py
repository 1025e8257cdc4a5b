"""promptfoo's assertions: texts and patterns as checks, rubrics for the judge, skills used.

In: a test. Out: what it asserts; code and model-graded kinds are reported.
Must not know: prompts, variables.
"""

import re

from audition.cases.given import Given
from audition.cases.imported import check_of, contains
from audition.model import CheckSpec, Criterion, Value

RUBRICS = ("llm-rubric", "g-eval", "model-graded-closedqa", "agent-rubric")
TEXTS = (
    *("contains", "icontains", "contains-any", "icontains-any", "contains-all"),
    *("icontains-all", "regex", "starts-with", "equals"),
)


class Asserted(Value, frozen=True, kw_only=True):
    """What the assertions of one test come to."""

    checks: tuple[CheckSpec, ...] = ()
    rubric: tuple[Criterion, ...] = ()
    skills: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()


def read_asserts(given: Given) -> Asserted:
    """All assertions of a test."""
    checks: tuple[CheckSpec, ...] = ()
    rubric: tuple[Criterion, ...] = ()
    skills: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()
    for number, each in enumerate(given.listed("assert"), 1):
        kind = each.text("type") if each.keys() else ""
        plain = kind.removeprefix("not-")
        if plain == "skill-used":
            names = _names(each)
            skills, quiet = (skills, quiet + names) if kind != plain else (skills + names, quiet)
        elif kind in RUBRICS:
            question = each.text("value")
            rubric += (Criterion(id=str(number), question=question),) if question.strip() else ()
        elif plain in TEXTS and (found := _text(each, plain, negated=kind != plain)):
            checks += found
        elif kind in ("is-json", "contains-json") and "value" not in each:
            checks += check_of(each, "json_valid")
        elif kind == "latency" and (limit := each.number("threshold")):
            checks += check_of(each.at("threshold"), "max_seconds", seconds=limit / 1000)
        else:
            each.say(f"an assertion of the type `{kind}` is not carried over")
    return Asserted(checks=checks, rubric=rubric, skills=skills, quiet=quiet)


def _names(given: Given) -> tuple[str, ...]:
    if "value" in given and isinstance(given.value["value"], dict):
        name = given.at("value").text("name")
        return (name,) if name else ()
    return tuple(text for _, text in given.texts("value") if text)


def _text(given: Given, kind: str, *, negated: bool) -> tuple[CheckSpec, ...]:
    """One assertion on the answer's text."""
    values = [text for _, text in given.texts("value") if text]
    if not values:
        return ()
    at = given.at("value")
    if kind in ("contains", "icontains") and not negated:
        return contains(at, values[0], ignore_case=kind == "icontains")
    if kind in ("contains-all", "icontains-all") and not negated:
        ignore = kind.startswith("i")
        return tuple(each for text in values for each in contains(at, text, ignore_case=ignore))
    pattern = _pattern(kind, values)
    if kind.endswith("-all"):
        return ()
    return check_of(at, "answer_lacks" if negated else "answer_matches", pattern=pattern)


def _pattern(kind: str, values: list[str]) -> str:
    if kind == "regex":
        return values[0]
    escaped = "|".join(re.escape(each) for each in values)
    if kind == "starts-with":
        return rf"\A(?:{escaped})"
    if kind == "equals":
        return rf"\A(?:{escaped})\z"
    return f"(?i)(?:{escaped})" if kind.startswith("i") else f"(?:{escaped})"
