"""What all importers share: checks that are tried before they are kept, ids, the suite.

In: a Ledger and the cases read from it. Out: a Suite with its losses.
Must not know: any one format.
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress

import msgspec

from audition.cases.fields import kind_of
from audition.cases.given import Given, Ledger
from audition.cases.mounted import meant_skill
from audition.check import bind
from audition.errors import AuditionError
from audition.model import Case, CheckSpec, Finding, Json, Skill, Suite
from audition.pattern import BadPattern, compile_pattern

NOBODY = {"", "none", "null", "~"}


SEARCH = """\
import os, re, sys
pattern, wanted, path = sys.argv[1:]
with open(path or os.environ["AUDITION_ANSWER"], encoding="utf-8", errors="replace") as file:
    found = re.search(pattern, file.read())
print(f"it says {found[0][:80]!r}" if found else f"no match of {pattern}")
sys.exit(bool(found) != (wanted == "found"))
"""
"""Looks for a pattern as Python does, for harnesses in whose words RE2 refuses some."""
PATTERNS = {
    **dict.fromkeys(("answer_matches", "file_matches"), "found"),
    **dict.fromkeys(("answer_lacks", "file_lacks"), "absent"),
}


def check_of(given: Given, name: str, **arguments: Json) -> tuple[CheckSpec, ...]:
    """One check, its arguments tried. A pattern that cannot be used stays: it is an error."""
    spec = CheckSpec(name=name, arguments=arguments)
    try:
        bind(spec)
    except (AuditionError, ValueError) as error:
        if program := _search_in_python(name, arguments):
            given.say(f"{error}: it is looked for by a program, with Python's `re`", "note")
            return (program,)
        words = f"{error}; the case will be in error"
        given.say(words, "error", getattr(error, "hint", ""))
    return (spec,)


def _search_in_python(name: str, arguments: dict[str, Json]) -> CheckSpec | None:
    """The program that looks for a pattern which RE2 refuses and Python takes."""
    pattern = arguments.get("pattern")
    if (
        name not in PATTERNS
        or not isinstance(pattern, str)
        or "\0" in pattern
        or len(pattern) > 10_000
    ):
        return None
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError):
        return None
    with suppress(BadPattern):
        compile_pattern(pattern)
        return None
    words = ["python3", "-c", SEARCH, pattern, PATTERNS[name], str(arguments.get("path") or "")]
    return CheckSpec(name="program", arguments={"command": words, "timeout_s": 10})


def contains(given: Given, text: str, *, ignore_case: bool = True) -> tuple[CheckSpec, ...]:
    """The answer holds a text; an empty one says nothing and is reported."""
    if not text:
        given.say("an empty text is in every answer; not used", "note")
        return ()
    if ignore_case:
        return check_of(given, "answer_contains", text=text, ignore_case=True)
    return check_of(given, "answer_contains", text=text)


def path_check(given: Given, path: str) -> tuple[CheckSpec, ...]:
    """A file that must be there."""
    return check_of(given, "file_exists", path=path) if path else ()


def make_suite(
    ledger: Ledger,
    *,
    format: str,  # noqa: A002 - the model's word
    cases: Iterable[Case],
    skills: Sequence[Skill],
    policy: str = "default",
) -> Suite:
    """The suite: names resolved, ids unique, everything unread reported."""
    found = [_named(case, skills, ledger) for case in cases]
    named = {name for case in found for name in (*case.any_of, case.skill) if name}
    missing = sorted(named - {each.name for each in skills})
    if missing:
        names = ", ".join(f"`{each}`" for each in missing[:8])
        why = "no skills were found near this file" if not skills else "not on offer"
        ledger.losses.append(_at(ledger, f"{names}: {why}", "name the folder of the skills"))
    if not found:
        ledger.losses.append(_at(ledger, "there are no cases in it"))
    return Suite(
        file=ledger.marked.path,
        format=format,
        policy=policy,
        skills=tuple(skills),
        cases=tuple(_unique(found, ledger)),
        losses=ledger.settle(),
    )


def _at(ledger: Ledger, message: str, hint: str = "", line: int = 1) -> Finding:
    return Finding(
        path=ledger.marked.path,
        line=line,
        message=message,
        hint=hint,
        rule="import",
        severity="warning",
    )


def _named(case: Case, skills: Sequence[Skill], ledger: Ledger) -> Case:
    """The case with the names that the skills have themselves."""
    skill = meant_skill(case.skill, skills) if case.skill else None
    any_of = tuple(meant_skill(each, skills) for each in case.any_of)
    if (skill, any_of) != (case.skill, case.any_of):
        old, new = case.skill or ", ".join(case.any_of), skill or ", ".join(any_of)
        words = f"case `{case.id}`: `{old}` is read as the skill `{new}`"
        ledger.losses.append(
            msgspec.structs.replace(_at(ledger, words, line=case.line), severity="note")
        )
    file = case.file or ledger.marked.path
    return msgspec.structs.replace(case, skill=skill, any_of=any_of, file=file)


def _unique(cases: Sequence[Case], ledger: Ledger) -> list[Case]:
    given = {each.id for each in cases}
    used: set[str] = set()
    numbers: dict[str, int] = {}
    found: list[Case] = []
    for case in cases:
        name, number = case.id, numbers.get(case.id, 2)
        while name in used or (name != case.id and name in given):
            name = f"{case.id}-{number}"
            number += 1
        numbers[case.id] = number
        if name != case.id:
            words = f"id `{case.id}` is taken; this case is called `{name}`"
            ledger.losses.append(_at(ledger, words, line=case.line))
        used.add(name)
        found.append(msgspec.structs.replace(case, id=name))
    return found


def ask(given: Given, *keys: str) -> str | None:
    """The prompt under the first of the keys that is there; None, and reported, without one."""
    key = next((each for each in keys if each in given), "")
    if not key:
        given.say("has no prompt: the case is dropped")
        return None
    child = given.at(key)
    if isinstance(child.value, list | dict):
        given.say(f"`{key}` is {kind_of(child.node)}, not text: the case is dropped")
        return None
    return given.text(key)


def any_skill(given: Given, skills: Sequence[Skill]) -> tuple[str, ...]:
    """The skills that a format means which names none: those on offer, of which one is enough."""
    names = tuple(each.name for each in skills)
    shown = " or ".join(f"`{each}`" for each in names[:8])
    said = f"read as: {shown} should be called" if names else "and there is none near this file"
    given.ledger.say(given.node, f"no case says which skill it expects; {said}")
    return names


def safe_path(text: str | None) -> bool:
    """Whether a text may be a path below a folder."""
    if not text or len(text) > 1000:
        return False
    return not text.startswith("/") and not {"..", "\0"} & {*text.split("/"), *text}


def no_skill(name: str) -> bool:
    """Whether a name says that no skill is expected."""
    return name.strip().lower() in NOBODY
