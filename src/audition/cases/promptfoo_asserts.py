"""promptfoo's assertions: texts and patterns as checks, rubrics for the judge, skills used.

In: a test, and the values of its variables. Out: what it asserts; code and kinds that have
no like here are reported. Must not know: prompts.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from audition.cases.given import Given
from audition.cases.imported import check_of, contains
from audition.cases.promptfoo_tests import file_named
from audition.cases.templates import fill, leftover
from audition.model import CheckSpec, Criterion, Value

RUBRICS = ("llm-rubric", "g-eval", "model-graded-closedqa", "agent-rubric")
TEXTS = (
    *("contains", "icontains", "contains-any", "icontains-any", "contains-all"),
    *("icontains-all", "regex", "starts-with", "equals"),
)
CODE = ("javascript", "python", "ruby", "webhook")


class Asserted(Value, frozen=True, kw_only=True):
    """What the assertions of one test come to."""

    checks: tuple[CheckSpec, ...] = ()
    rubric: tuple[Criterion, ...] = ()
    skills: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()


class _At(Value, frozen=True, kw_only=True):
    """One assertion, and what its templates are filled with."""

    given: Given
    values: Mapping[str, str]
    base: Path

    def texts(self) -> list[str]:
        """The texts under `value`, filled in."""
        found = [fill(text, self.values) for _, text in self.given.texts("value") if text]
        for each in found:
            if self.values and (missing := leftover(each)):
                self.given.ledger.say(self.given.node, f"no value for {missing}")
        return found


def read_asserts(given: Given, values: Mapping[str, str], base: Path) -> Asserted:
    """All assertions of a test; those of a set count one by one."""
    found = Asserted()
    for each in given.listed("assert"):
        if not isinstance(each.value, dict):
            each.wrong("an assertion")
            continue
        if each.text("type") == "assert-set":
            words = "of a set, each assertion must hold here"
            each.ledger.say(each.node, words, "warning" if "threshold" in each else "note")
            found = _both(found, read_asserts(each, values, base))
        else:
            found = _both(found, _read(_At(given=each, values=values, base=base)))
    if len(found.skills) > 1:
        words = "several `skill-used`: it is enough here that one of the skills is called"
        given.ledger.say(given.node, words)
    return found


def _both(one: Asserted, two: Asserted) -> Asserted:
    return Asserted(
        checks=one.checks + two.checks,
        rubric=one.rubric + two.rubric,
        skills=one.skills + two.skills,
        quiet=one.quiet + two.quiet,
    )


def _read(at: _At) -> Asserted:
    """One assertion."""
    given = at.given
    kind = given.text("type")
    plain = kind.removeprefix("not-")
    negated = kind != plain
    if plain == "skill-used":
        return _skill_used(given, negated=negated)
    if plain in RUBRICS:
        return Asserted(rubric=_rubric(at, negated=negated))
    checks = _text(at, plain, negated=negated) if plain in TEXTS else _other(at, kind)
    if not checks:
        code = ": it is code" if plain in CODE else ""
        given.say(f"an assertion of the type `{kind}` is not carried over{code}")
    return Asserted(checks=checks)


def _skill_used(given: Given, *, negated: bool) -> Asserted:
    """A name, or a mapping with a name and how often; 0 times is as good as not at all."""
    if "value" in given and isinstance(given.value["value"], dict):
        value = given.child("value")
        names = tuple(text for _, text in value.texts("name") if text)
        counts = [value.value.get(key) for key in ("max", "count")]
        if 0 in counts:
            value.take()
            negated = not negated
    else:
        names = tuple(text for _, text in given.texts("value") if text)
    if not names:
        given.say("a `skill-used` without a plain name is not carried over")
    return Asserted(quiet=names) if negated else Asserted(skills=names)


def _rubric(at: _At, *, negated: bool) -> tuple[Criterion, ...]:
    questions = [text for text in at.texts() if text.strip()]
    if negated and questions:
        at.given.at("type").say("is asked as: it is not so that …", "note")
    before = "It is not so that this holds: " if negated else ""
    return tuple(Criterion(id="", question=before + text) for text in questions)


def _other(at: _At, kind: str) -> tuple[CheckSpec, ...]:
    """JSON, time, money and tools."""
    given = at.given
    if kind in ("is-json", "contains-json"):
        return _json(at, kind)
    if kind in ("latency", "cost") and (limit := given.number("threshold")):
        threshold = given.at("threshold")
        if kind == "latency":
            return check_of(threshold, "max_seconds", seconds=limit / 1000)
        return check_of(threshold, "max_dollars", dollars=limit)
    plain = kind.removeprefix("not-")
    if plain == "trajectory:tool-used" and not isinstance(given.value.get("value"), dict):
        name = "tool_unused" if kind != plain else "tool_used"
        return tuple(
            check for tool in at.texts() for check in check_of(given.at("value"), name, tool=tool)
        )
    return ()


def _json(at: _At, kind: str) -> tuple[CheckSpec, ...]:
    given = at.given
    if kind == "contains-json":
        given.at("type").say("is read as: the answer, or a ```json block in it, is JSON")
    if "value" not in given:
        return check_of(given, "json_valid")
    schema = given.value["value"]
    files = file_named(schema, at.base, {".json"}) if isinstance(schema, str) else []
    if files or isinstance(schema, dict):
        given.at("value").take()
        schema = str(files[0].absolute()) if files else schema
        return check_of(given.at("value"), "json_valid", schema=schema)
    given.at("value").say("no schema that can be read; that it is JSON is checked")
    return check_of(given.at("type"), "json_valid")


def _text(at: _At, kind: str, *, negated: bool) -> tuple[CheckSpec, ...]:
    """One assertion on the answer's text."""
    if isinstance(at.given.value.get("value"), dict):
        return ()
    values = at.texts()
    if kind.endswith(("-any", "-all")) and not at.given.at("value").is_list():
        # One text stands for several, with commas between them.
        values = [part.strip() for text in values for part in text.split(",") if part.strip()]
    if not values:
        return ()
    given = at.given.at("value")
    if kind in ("contains", "icontains") and not negated:
        return contains(given, values[0], ignore_case=kind == "icontains")
    if kind.endswith("-all"):
        if negated:
            return ()
        ignore = kind.startswith("i")
        return tuple(c for text in values for c in contains(given, text, ignore_case=ignore))
    pattern = _pattern(kind, values)
    return check_of(given, "answer_lacks" if negated else "answer_matches", pattern=pattern)


def _pattern(kind: str, values: list[str]) -> str:
    if kind == "regex":
        return values[0]
    escaped = "|".join(re.escape(each) for each in values)
    if kind == "starts-with":
        return rf"\A(?:{escaped})"
    if kind == "equals":
        return rf"\A(?:{escaped})\z"
    return f"(?i)(?:{escaped})" if kind.startswith("i") else f"(?:{escaped})"
