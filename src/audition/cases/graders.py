"""waza's graders: patterns, texts, files and tools as checks, prompts for the judge.

In: an evaluation or a task. Out: checks and criteria; what cannot be carried over is said.
Must not know: where the graders stand.
"""

import re

from audition.cases.given import Given
from audition.cases.imported import check_of, contains, path_check
from audition.model import CheckSpec, Criterion

CHECKED = ("regex", "text", "file", "behavior")
MUST = ("must_match", "regex_match")
MUST_NOT = ("must_not_match", "regex_not_match")


def read_graders(given: Given) -> tuple[tuple[CheckSpec, ...], tuple[Criterion, ...]]:
    """All graders of an evaluation or of a task."""
    checks: tuple[CheckSpec, ...] = ()
    rubric: tuple[Criterion, ...] = ()
    for number, each in enumerate(given.listed("graders"), 1):
        kind, config = each.text("type"), each.child("config")
        if "name" in each and kind in CHECKED:
            each.at("name").say("is for readers; not used", "note")
        if kind in ("regex", "text"):
            checks += _texts(config)
        elif kind == "file":
            checks += _files(config)
        elif kind == "behavior":
            checks += _behaviour(config)
        elif kind in ("prompt", "llm"):
            question = config.text("prompt") or config.text("rubric")
            name = each.text("name") or str(number)
            rubric += (Criterion(id=name, question=question),) if question.strip() else ()
        else:
            each.say(f"a grader of the type `{kind}` is not carried over")
    return checks, rubric


def _texts(config: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    for key in MUST:
        for each, text in config.texts(key):
            checks += check_of(each, "answer_matches", pattern=text)
    for key in MUST_NOT:
        for each, text in config.texts(key):
            checks += check_of(each, "answer_lacks", pattern=text)
    for each, text in config.texts("contains"):
        checks += contains(each, text)
    for each, text in config.texts("contains_cs"):
        checks += contains(each, text, ignore_case=False)
    for each, text in config.texts("not_contains"):
        checks += check_of(each, "answer_lacks", pattern=f"(?i){re.escape(text)}")
    for each, text in config.texts("not_contains_cs"):
        checks += check_of(each, "answer_lacks", text=text)
    return checks


def _files(config: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    for each, text in config.texts("must_exist"):
        checks += path_check(each, text)
    for each in config.listed("content_patterns"):
        path = each.text("path")
        for key, name in (("must_match", "file_matches"), ("must_not_match", "file_lacks")):
            for at, text in each.texts(key):
                checks += check_of(at, name, path=path, pattern=text)
    return checks


def _behaviour(config: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    if tokens := config.number("max_tokens"):
        checks += check_of(config.at("max_tokens"), "max_tokens", total=int(tokens))
    if milliseconds := config.number("max_duration_ms"):
        at = config.at("max_duration_ms")
        checks += check_of(at, "max_seconds", seconds=milliseconds / 1000)
    for key, name in (("required_tools", "tool_used"), ("forbidden_tools", "tool_unused")):
        for each, text in config.texts(key):
            checks += check_of(each, name, tool=text)
    return checks
