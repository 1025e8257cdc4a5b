"""Which cases the command line means: names, node ids, `-k` expressions.

In: the words. Out: the suites that remain, or an error that names the nearest.
Must not know: agents, trials, files.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence

import msgspec

from audition.counted import counted
from audition.eligible import is_explicit
from audition.errors import UsageError, unknown
from audition.model import Case, Suite, Value
from audition.plan import select

# A word ends at a space or a bracket only: `not-triggered` is an id, and no `not`.
_TOKEN = re.compile(r"[()]|[^\s()]+")
_WORDS_CAP = 200
"""A longer `-k` is refused: each word may nest, and what nests too deep cannot be read."""


class Wanted(Value, frozen=True, kw_only=True):
    """What the command line asks for; empty means all."""

    suite: str = "all"
    """A kind of cases, see SUITES."""
    skills: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    nodes: tuple[tuple[Collection[str], str], ...] = ()
    """(the files that are meant, case id) of each `path::case`."""
    whole: Collection[str] = ()
    """The files that are named without a case, too."""
    expression: str = ""
    max_cases: int | None = None
    """Per skill."""
    max_skills: int | None = None
    only: tuple[tuple[str, str], ...] | None = None
    """(file, case id) that `--lf` names."""


SUITES = ("all", "smoke", "explicit", "positive", "negative")


def is_named(case: Case) -> bool:
    """Whether a positive says itself that it is explicit: by its tags, its id or its prompt."""
    words = {*case.tags, *re.split(r"[^a-z]+", case.id.lower())}
    prompt = case.prompt.casefold()
    return bool(case.expected) and (
        "explicit" in words
        or is_explicit(case)
        or ("implicit" not in words and any(each.casefold() in prompt for each in case.expected))
    )


def representatives(cases: Iterable[Case]) -> list[Case]:
    """Of each file the first explicit, the first implicit and the first negative case.

    Files of one case each, as skilljack has them, count by the folder they lie in.
    """
    cases = tuple(cases)
    counts = Counter(case.file for case in cases)
    first: dict[tuple[str, str], Case] = {}
    for case in cases:
        kind = "negative" if not case.expected else "explicit" if is_named(case) else "implicit"
        alone = counts[case.file] == 1
        first.setdefault((_shelf(case.file) if alone else case.file, kind), case)
    return list(first.values())


def _shelf(file: str) -> str:
    """The folder of a file with one case; of a folder with one, the folder above."""
    folder, name = os.path.split(file)
    return os.path.dirname(folder) if name in ("task.md", "criteria.json") else folder


def keep_kind(suites: Iterable[Suite], kind: str) -> tuple[Suite, ...]:
    """The suites with the cases of one kind; pkbllm has its own idea of `explicit`."""
    suites = tuple(suites)
    if kind == "all":
        return suites
    if kind == "smoke":
        cases = [case for suite in suites for case in suite.cases]
        kept = {case.node for case in representatives(cases)}
    else:
        kept = {case.node for suite in suites for case in _of_kind(suite, kind)}
    return select(suites, lambda case: case.node in kept)


def _of_kind(suite: Suite, kind: str) -> Iterable[Case]:
    if kind == "positive":
        return [case for case in suite.cases if case.expected]
    if kind == "negative":
        return [case for case in suite.cases if not case.expected]
    if suite.format != "pkbllm":
        return [case for case in suite.cases if is_named(case)]
    ids = [case for case in suite.cases if re.match(r"explicit|.*explicit\Z", case.id)]
    return ids or suite.cases[:1]


def choose(suites: Sequence[Suite], wanted: Wanted) -> tuple[Suite, ...]:
    """The suites with the cases that are wanted; nothing left is an error."""
    every = [case for suite in suites for case in suite.cases]
    _must_exist("case", wanted.cases, {case.id for case in every})
    _must_exist("skill", wanted.skills, _skill_names(suites))
    for files, name in wanted.nodes:
        _must_exist("case", [name], {case.id for case in every if case.file in files})
    match = parse_expression(wanted.expression)

    def keep(case: Case) -> bool:
        return (
            (not wanted.cases or case.id in wanted.cases)
            and (not wanted.skills or bool({case.skill, *case.any_of} & set(wanted.skills)))
            and (not wanted.nodes or _among(case, wanted))
            and (wanted.only is None or (case.file, case.id) in wanted.only)
            and match(haystack(case))
        )

    chosen = _cap(keep_kind(select(suites, keep), wanted.suite), wanted)
    if chosen:
        return chosen
    if wanted.only is None:
        words = f"the selection matches none of {counted(len(every), 'case')}"
        raise UsageError(words, "`audition cases` lists what there is")
    failed = [each for _, each in wanted.only]
    shown = ", ".join(f"`{each}`" for each in failed[:8]) + " …" * (len(failed) > 8)
    count = counted(len(failed), "case that failed", "cases that failed")
    raise UsageError(
        f"the selection matches none of the {count} in the last run",
        f"failed: {shown}; run without `--lf`, or choose among these",
    )


def _among(case: Case, wanted: Wanted) -> bool:
    names = [name for files, name in wanted.nodes if case.file in files]
    return not names or case.file in wanted.whole or case.id in names


def _skill_names(suites: Iterable[Suite]) -> set[str]:
    names = {skill.name for suite in suites for skill in suite.skills}
    for suite in suites:
        for case in suite.cases:
            names |= {*case.any_of, *([case.skill] if case.skill else [])}
    return names


def _must_exist(kind: str, names: Iterable[str], known: Collection[str]) -> None:
    for name in names:
        if name not in known:
            raise unknown(kind, name, known)


def _cap(suites: tuple[Suite, ...], wanted: Wanted) -> tuple[Suite, ...]:
    if wanted.max_cases is None and wanted.max_skills is None:
        return suites
    seen: dict[str, int] = {}
    capped = []
    for suite in suites:
        cases = []
        for case in suite.cases:
            skill = case.skill or (case.any_of[0] if case.any_of else "none")
            skills = len(seen.keys() - {"none", skill})
            if wanted.max_skills is not None and skill != "none" and skills >= wanted.max_skills:
                continue
            if wanted.max_cases is not None and seen.get(skill, 0) >= wanted.max_cases:
                continue
            seen[skill] = seen.get(skill, 0) + 1
            cases.append(case)
        if cases:
            capped.append(msgspec.structs.replace(suite, cases=tuple(cases)))
    return tuple(capped)


def haystack(case: Case) -> str:
    """What `-k` looks in: file, id, skills, tags."""
    names = [case.file, case.id, case.skill or "none", *case.any_of, *case.tags]
    return "\n".join(names).casefold()


def parse_expression(text: str) -> Callable[[str], bool]:
    """`-k`: words that must occur, joined by `and`, `or`, `not` and brackets."""
    words = _TOKEN.findall(text)
    if not words:
        return lambda _: True
    if len(words) > _WORDS_CAP:
        raise _bad(f"{text[:40]}…", f"{len(words)} words, and {_WORDS_CAP} are the most")
    found, rest = _either(words, text)
    if rest:
        raise _bad(text, f"`{rest[0]}` is out of place")
    return found


Match = Callable[[str], bool]


def _bad(text: str, why: str) -> UsageError:
    return UsageError(f"-k `{text}`: {why}", "for example `-k 'greeting and not negative'`")


def _either(words: list[str], text: str) -> tuple[Match, list[str]]:
    left, rest = _both(words, text)
    while rest and rest[0].lower() == "or":
        right, rest = _both(rest[1:], text)
        left = _or(left, right)
    return left, rest


def _both(words: list[str], text: str) -> tuple[Match, list[str]]:
    left, rest = _one(words, text)
    while rest and rest[0].lower() == "and":
        right, rest = _one(rest[1:], text)
        left = _and(left, right)
    return left, rest


def _or(a: Match, b: Match) -> Match:
    return lambda hay: a(hay) or b(hay)


def _and(a: Match, b: Match) -> Match:
    return lambda hay: a(hay) and b(hay)


def _one(words: list[str], text: str) -> tuple[Match, list[str]]:
    if not words:
        raise _bad(text, "something is missing at its end")
    first, rest = words[0], words[1:]
    if first.lower() == "not":
        inner, rest = _one(rest, text)
        return (lambda hay: not inner(hay)), rest
    if first == "(":
        inner, rest = _either(rest, text)
        if not rest or rest[0] != ")":
            raise _bad(text, "a bracket is not closed")
        return inner, rest[1:]
    if first == ")" or first.lower() in ("and", "or"):
        raise _bad(text, f"`{first}` is out of place")
    needle = first.casefold()
    return (lambda hay: needle in hay), rest
