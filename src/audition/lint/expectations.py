"""Rules on the checks of a case: EV12x.

In: one Suite. Out: findings. Must not know: how a check is carried out.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from audition.errors import AuditionError
from audition.lint.evals import at_case, expected_skills, prompts_of
from audition.lint.folder import read_capped
from audition.lint.rule import rule
from audition.model import Case, CheckSpec, Finding, Suite
from audition.pattern import find_pattern

Findings = Iterator[Finding]
SHORTEST = 3
"""Shorter texts occur anywhere; that one does tells nothing."""
PROBES = ("a", "Z", "0", "-", "é", "漢", "\n")
ABSURD = {
    "max_commands": (("count", 10_000),),
    "max_seconds": (("seconds", 86_400),),
    "max_tokens": (("total", 10_000_000), ("input", 10_000_000), ("output", 10_000_000)),
    "max_turns": (("turns", 10_000),),
}
"""By check: an argument, and the figure from which nobody ever reaches it."""
FILES_CAP = 50
FILE_CAP = 64 * 1024


def _checks(case: Case, *names: str) -> Iterator[CheckSpec]:
    return (each for each in case.checks if each.name in names)


def _text(check: CheckSpec, key: str = "text") -> str:
    value = check.arguments.get(key)
    return value if isinstance(value, str) else ""


def _holds(text: str, wanted: str, check: CheckSpec) -> bool:
    if check.arguments.get("ignore_case"):
        text, wanted = text.casefold(), wanted.casefold()
    return len(wanted.strip()) >= SHORTEST and wanted in text


def _matches(pattern: str, text: str) -> bool:
    """Whether it does; a pattern that cannot be compiled is another rule's business."""
    try:
        return find_pattern(pattern, text) is not None
    except AuditionError:
        return False


@rule("EV120", "warning", over="suite")
def marker_in_description(suite: Suite) -> Findings:
    """An expected text stands in the description of the skill.

    The agent is shown the description before it loads anything, so the text does not
    prove that the skill was followed. Put the marker into the body.

    Bad:
        cases:
          - id: reads
            prompt: Read report.pdf.
            skill: pdf-tables
            checks: [{answer_contains: {text: out of PDF files}}]
    Good:
        cases:
          - id: reads
            prompt: Read report.pdf.
            skill: pdf-tables
            checks: [{answer_contains: {text: TABLE-7Q}}]
    """
    for case in suite.cases:
        for skill in expected_skills(suite, case):
            for check in _checks(case, "answer_contains"):
                if _holds(skill.description, _text(check), check):
                    words = f"`{_text(check)[:60]}` stands in the description of `{skill.name}`"
                    yield at_case(case, words, "expect a text that only the body has")


@rule("EV121", "warning", over="suite")
def answer_in_prompt(suite: Suite) -> Findings:
    """An expected text stands in the prompt or in the fixture.

    An agent that repeats what it was told, or leaves the files alone, passes.

    Bad:
        cases:
          - id: reads
            prompt: Read report.pdf and say TABLE-7Q.
            skill: pdf-tables
            checks: [{answer_contains: {text: TABLE-7Q}}]
    Good:
        cases:
          - id: reads
            prompt: Read report.pdf.
            skill: pdf-tables
            checks: [{answer_contains: {text: TABLE-7Q}}]
    """
    for case in suite.cases:
        if not case.checks or not case.should_trigger:
            continue
        said = prompts_of(case)
        for check in _checks(case, "answer_contains"):
            if _holds(said, _text(check), check):
                words = f"the expected text `{_text(check)[:60]}` is in the prompt"
                yield at_case(case, words, "expect what only the skill can know")
        for check in _checks(case, "answer_matches"):
            pattern = _text(check, "pattern")
            if _matches(pattern, said) and not _why_it_holds(case, check):
                words = f"the prompt matches the expected `{pattern[:60]}`"
                yield at_case(case, words, "expect what only the skill can know")
        yield from _in_fixture(case)


def _in_fixture(case: Case) -> Findings:
    if not case.fixture:
        return
    files = _fixture(case.fixture)
    hint = "expect what only the skill can bring about"
    for check in case.checks:
        path = os.path.normpath(_text(check, "path"))
        text = _text(check)
        if check.name == "file_exists" and path in files:
            yield at_case(case, f"`{path}` is in the fixture already", hint)
        elif check.name == "file_matches" and _matches(
            _text(check, "pattern"), files.get(path, "")
        ):
            if path in files:
                yield at_case(case, f"`{path}` of the fixture matches already", hint)
        elif check.name == "answer_contains":
            where = next((name for name, held in files.items() if _holds(held, text, check)), None)
            if where:
                yield at_case(case, f"the expected text `{text[:60]}` is in `{where}`", hint)


@lru_cache(maxsize=16)
def _fixture(folder: str) -> dict[str, str]:
    """The files of a fixture by name, as far as they are looked at."""
    paths = (os.path.join(top, name) for top, _, names in os.walk(folder) for name in sorted(names))
    return {
        os.path.relpath(path, folder): read_capped(path, FILE_CAP)[0].decode("utf-8", "replace")
        for path in islice(paths, FILES_CAP)
        if not os.path.islink(path)
    }


@rule("EV122", "error", over="suite")
def cannot_fail(suite: Suite) -> Findings:
    """A check cannot fail.

    A pattern that matches everything, a limit that nobody reaches, a limit of seconds
    above the timeout of the case: it is there, it is green, and it says nothing.

    Bad:
        cases:
          - id: reads
            prompt: Read report.pdf.
            skill: pdf-tables
            checks: [{answer_matches: {pattern: ".*"}}]
    Good:
        cases:
          - id: reads
            prompt: Read report.pdf.
            skill: pdf-tables
            checks: [{answer_matches: {pattern: "(?i)total: \\\\d+"}}]
    """
    for case in suite.cases:
        for check in case.checks:
            if why := _why_it_holds(case, check):
                yield at_case(case, f"`{check.name}` cannot fail: {why}", "expect something")


def _why_it_holds(case: Case, check: CheckSpec) -> str:
    if check.name in {"answer_matches", "file_matches"}:
        pattern = _text(check, "pattern")
        if pattern and all(_matches(pattern, each) for each in PROBES[:-1]):
            return f"`{pattern[:60]}` matches everything"
    if check.name == "answer_contains" and "text" in check.arguments and not _text(check).strip():
        return "the text is blank"
    for key, most in ABSURD.get(check.name, ()):
        value = check.arguments.get(key)
        if isinstance(value, int | float) and value >= most:
            return f"nobody reaches {key} {value:,}"
    seconds = check.arguments.get("seconds")
    timed = check.name == "max_seconds" and isinstance(seconds, int | float)
    if timed and case.timeout_s and (seconds or 0) >= case.timeout_s:
        return f"the timeout of {case.timeout_s:g} s comes first"
    return ""


@rule("EV123", "error", over="suite")
def contradiction(suite: Suite) -> Findings:
    """Two checks of a case cannot hold together.

    Bad:
        cases:
          - id: reads
            prompt: Read report.pdf.
            skill: pdf-tables
            checks:
              - answer_contains: {text: TABLE-7Q}
              - answer_lacks: {text: TABLE}
    Good:
        cases:
          - id: reads
            prompt: Read report.pdf.
            skill: pdf-tables
            checks:
              - answer_contains: {text: TABLE-7Q}
              - answer_lacks: {text: I cannot}
    """
    for case in suite.cases:
        for number, one in enumerate(case.checks):
            for two in case.checks[:number]:
                if why := _contradict(one, two) or _contradict(two, one):
                    yield at_case(case, why, "keep one of them")


def _contradict(one: CheckSpec, two: CheckSpec) -> str:
    """Why the two cannot both hold; empty where they may."""
    pair = (one.name, two.name)
    if pair == ("answer_contains", "answer_lacks"):
        text = _text(one)
        if one.arguments.get("where") == "all" and two.arguments.get("where") != "all":
            return ""
        pattern = _text(two, "pattern")
        anchored = pattern.startswith(("^", "(?")) or pattern.endswith("$") or "\\b" in pattern
        lacks = _text(two)
        exact = not one.arguments.get("ignore_case")
        if exact and (
            (lacks and lacks in text) or (pattern and not anchored and _matches(pattern, text))
        ):
            return f"the answer must contain `{text[:60]}` and lack `{(lacks or pattern)[:60]}`"
    same_file = _text(one, "path") == _text(two, "path")
    same_pattern = _text(one, "pattern") == _text(two, "pattern")
    if pair == ("file_matches", "file_lacks") and same_file and same_pattern:
        return f"`{_text(one, 'path')}` must match and lack the same pattern"
    if pair == ("tool_used", "tool_unused") and _text(one, "tool") == _text(two, "tool"):
        return f"the tool `{_text(one, 'tool')}` must be used and not used"
    if pair == ("exit_code", "exit_code") and one.arguments != two.arguments:
        return "two exit codes are expected"
    return ""
