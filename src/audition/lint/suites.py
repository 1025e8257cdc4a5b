"""Rules on suites as a whole: EV101 to EV109.

In: Evals, or one Suite. Out: findings. Must not know: what a check looks at.
"""

import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from audition.lint.evals import Evals, at_case, prompts_of, same, skill_named
from audition.lint.folder import SkillFolder
from audition.lint.rule import rule
from audition.model import Case, Finding, Suite
from audition.understudy.choice import find_explicit, terms

Findings = Iterator[Finding]
TAKEN = re.compile(r"^(case )?id `.*` (is taken|is given twice|stands twice)", re.IGNORECASE)
MANY = 3
"""The same negative in so many places tells nothing in most of them."""
NEAR = 0.9
"""Share of telling words that two prompts have in common, from which they are one."""
PAIRS_CAP = 300


@rule("EV101", "error", over="evals")
def unreadable(evals: Evals) -> Findings:
    """A case file cannot be understood.

    None of its cases is run until it is mended.

    Bad:
        cases:
          - id: reads
            promt: Read the tables of report.pdf.
            skill: pdf-tables
    Good:
        cases:
          - id: reads
            prompt: Read the tables of report.pdf.
            skill: pdf-tables
    """
    for each in evals.mistakes:
        if not TAKEN.match(each.message) and each.severity == "error":
            yield _again(each)


def _again(finding: Finding) -> Finding:
    field = f"{finding.field}: " if finding.field else ""
    return Finding(
        path=finding.path,
        line=finding.line,
        column=finding.column,
        message=f"{field}{finding.message}",
        hint=finding.hint,
    )


@rule("EV102", "error", over="evals")
def id_twice(evals: Evals) -> Findings:
    """Two cases of a file have the same id.

    Results are kept by id: one would hide the other.

    Bad:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
          - {id: reads, prompt: Read the tables of annual.pdf., skill: pdf-tables}
    Good:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
          - {id: reads-annual, prompt: Read the tables of annual.pdf., skill: pdf-tables}
    """
    for each in evals.mistakes:
        if TAKEN.match(each.message):
            yield _again(each)
    for suite in evals.suites:
        seen: dict[tuple[str | None, str], int] = {}
        for case in suite.cases:
            key = (case.skill, case.id)
            if key in seen:
                hint = f"it is the case's on line {seen[key]}"
                yield at_case(case, "the id is taken", hint)
            seen.setdefault(key, case.line)


@rule("EV103", "warning", over="evals")
def not_used(evals: Evals) -> Findings:
    """Something in a case file is not used.

    A mistyped key expects nothing, silently. `audition cases` lists these too.

    Bad:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables, owner: Ada}
    Good:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables, tags: [ada]}
    """
    for suite in evals.suites:
        for each in suite.losses:
            if each.severity != "note":
                yield _again(each)


@rule("EV104", "warning", over="evals")
def no_case(evals: Evals) -> Findings:
    """A skill has no case.

    Nothing says that it is called when it should be: neither the case files that are linted
    nor another that a run from here would find. `audition init SKILL` writes a first one.

    Bad:
        the skill pdf-tables, and no case that names it
    Good:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
    """
    left = _untried(evals.folders, evals.suites)
    for each in _untried(left, evals.around()) if left else ():
        hint = f"add one to a case file; `audition init {each.shown}` writes a first one"
        yield each.say("no case names this skill", hint)


def _untried(folders: Iterable[SkillFolder], suites: Iterable[Suite]) -> list[SkillFolder]:
    """The skills that no case is about."""
    tried: set[str] = set()
    for suite in suites:
        for case in suite.cases:
            for name in (case.skill, *case.any_of):
                if name:
                    skill = skill_named(suite, name)
                    tried |= {os.path.realpath(skill.path)} if skill else {name}
    return [
        each
        for each in folders
        if not {os.path.realpath(each.path), each.name, each.folder} & tried
    ]


def _named(evals: Evals) -> dict[str, list[tuple[Suite, Case]]]:
    """The cases by the skill that they name."""
    found: dict[str, list[tuple[Suite, Case]]] = defaultdict(list)
    for suite in evals.suites:
        for case in suite.cases:
            for name in {case.skill, *case.any_of} - {None}:
                found[str(name)].append((suite, case))
    return found


@rule("EV105", "warning", over="evals")
def no_positive(evals: Evals) -> Findings:
    """A skill has only negatives.

    A skill that is never called passes them all.

    Bad:
        cases:
          - id: quiet
            prompt: Write a table of the tides as a PDF.
            skill: pdf-tables
            should_trigger: false
    Good:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
    """
    for name, cases in _named(evals).items():
        if not any(name in case.expected for _, case in cases):
            hint = "add a case in which it should be called"
            yield at_case(cases[0][1], f"no case expects `{name}` to be called", hint)


@rule("EV106", "warning", over="evals")
def no_negative(evals: Evals) -> Findings:
    """A skill has no negative.

    A skill that is called every time passes all its cases. A negative names the skill and
    says `should_trigger: false`, or says `skill: none` in a suite that offers it.

    Bad:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
    Good:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
          - {id: quiet, prompt: Make a PDF of this letter., skill: none}
    """
    quiet: set[str] = set()
    for suite in evals.suites:
        if any(not case.should_trigger and not case.skill for case in suite.cases):
            quiet |= {each.name for each in suite.skills} | {each.folder for each in suite.skills}
    for name, cases in _named(evals).items():
        if name not in quiet and all(case.should_trigger for _, case in cases):
            hint = "add a near miss, with `should_trigger: false`"
            yield at_case(cases[0][1], f"no case expects `{name}` to stay quiet", hint)


@rule("EV107", "warning", over="evals")
def same_negative(evals: Evals) -> Findings:
    """All negatives are the same prompt, or one stands in many places.

    One question about binary search tells nothing about fifty skills. A negative is worth
    something where it is near its skill.

    Bad:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
          - {id: n1, prompt: Explain PDF., skill: pdf-tables, should_trigger: false}
          - {id: n2, prompt: Explain pdf!, skill: pdf-tables, should_trigger: false}
    Good:
        cases:
          - {id: reads, prompt: Read the tables of report.pdf., skill: pdf-tables}
          - {id: n1, prompt: Explain PDF., skill: pdf-tables, should_trigger: false}
          - {id: n2, prompt: Which wood suits tables?, skill: pdf-tables, should_trigger: false}
    """
    groups: dict[str, list[Case]] = defaultdict(list)
    for suite in evals.suites:
        for case in suite.cases:
            if not case.should_trigger:
                groups[same(prompts_of(case))].append(case)
    for cases in groups.values():
        if len(cases) >= MANY or (len(groups) == 1 and len(cases) > 1):
            words = f"the same negative stands in {len(cases)} cases"
            yield at_case(cases[0], words, "write near misses, one a skill")


@rule("EV108", "error", over="suite")
def not_invocable(suite: Suite) -> Findings:
    """A case expects a skill that the model may not call.

    With `disable-model-invocation: true` the agent does not offer it: the case can never
    pass. Ask for it by name, as `/pdf-tables`, or expect it to stay quiet.

    Bad:
        cases:
          - {id: deploys, prompt: Deploy this to production., skill: by-hand}
    Good:
        cases:
          - {id: deploys, prompt: /by-hand, skill: by-hand}
    """
    for case in suite.cases:
        found = [skill_named(suite, name) for name in case.expected]
        skills = [each for each in found if each]
        if not skills or any(each.model_invocable for each in skills):
            continue
        names = {name for each in skills for name in (each.name, each.folder)}
        if find_explicit(case.prompt, names) is None:
            words = f"the model may not call `{skills[0].name}`: `disable-model-invocation`"
            yield at_case(case, words, f"begin the prompt with `/{skills[0].name}`")


@rule("EV109", "warning", over="suite")
def prompt_twice(suite: Suite) -> Findings:
    """Two cases of a suite ask nearly the same.

    The second costs as much as the first and tells little more; ask for more trials of
    one instead. Prompts that name different skills are left alone.

    Bad:
        cases:
          - {id: a, prompt: Read the tables of report.pdf., skill: pdf-tables}
          - {id: b, prompt: Read the tables of report.pdf!, skill: pdf-tables}
    Good:
        cases:
          - {id: a, prompt: Read the tables of report.pdf., skill: pdf-tables}
          - {id: b, prompt: What do the figures in annual.pdf add up to?, skill: pdf-tables}
    """
    seen: dict[tuple[str, ...], list[tuple[Case, frozenset[str]]]] = defaultdict(list)
    for case in suite.cases:
        key = (str(case.should_trigger), case.skill or "", *case.any_of)
        said = frozenset(terms(prompts_of(case))) or frozenset({same(prompts_of(case))})
        before = seen[key][:PAIRS_CAP]
        twin = next((one for one, words in before if _near(words, said)), None)
        if twin and not ({*case.tags} ^ {*twin.tags}):
            yield at_case(case, f"asks nearly what `{twin.id}` asks", "keep one of them")
        seen[key].append((case, said))


def _near(one: frozenset[str], two: frozenset[str]) -> bool:
    return len(one & two) >= NEAR * len(one | two)
