"""Rules on what the user says in a case: EV11x.

In: one Suite. Out: findings. Must not know: checks.
"""

from collections.abc import Iterator

from audition.lint.evals import (
    at_case,
    expected_skills,
    is_explicit,
    is_implicit,
    prompts_of,
    same,
    skill_named,
    words_of,
)
from audition.lint.rule import rule
from audition.model import Case, Finding, Suite
from audition.understudy.choice import terms

Findings = Iterator[Finding]
RUN = 8
"""So many words in a row are not chance."""
SHARE = 0.6
LEAST = 4


@rule("EV110", "warning", over="suite")
def names_the_skill(suite: Suite) -> Findings:
    """A case that is said to be implicit names the skill.

    `implicit` among its tags or in its id says that the agent must find the skill by
    itself. A name of one plain word counts only beside the word `skill`.

    Bad:
        cases:
          - {id: implicit, prompt: Use pdf-tables on report.pdf., skill: pdf-tables}
    Good:
        cases:
          - {id: implicit, prompt: What does the table in report.pdf say?, skill: pdf-tables}
    """
    for case in suite.cases:
        if not is_implicit(case):
            continue
        words = f" {same(prompts_of(case))} "
        raw = prompts_of(case).lower()
        for name in case.expected:
            plain = same(name)
            typed = name.lower() in raw if "-" in name else f"/{name}" in raw or f"${name}" in raw
            if typed or f" {plain} skill " in words or f" skill {plain} " in words:
                yield at_case(case, f"is implicit, and names `{name}`", "ask without the name")


@rule("EV111", "warning", over="suite")
def pastes_the_description(suite: Suite) -> Findings:
    """A prompt repeats the description of the skill.

    That the skill is found then proves nothing: no user speaks like that. Eight words in
    a row, or more than 60 % of the description, are too much. Cases that ask for the skill
    by name may.

    Bad:
        cases:
          - id: reads
            prompt: Copies tables out of PDF files into CSV. Use when report.pdf comes.
            skill: pdf-tables
    Good:
        cases:
          - {id: reads, prompt: I need the figures of report.pdf in Excel., skill: pdf-tables}
    """
    for case in suite.cases:
        if not case.expected or is_explicit(suite, case):
            continue
        for skill in expected_skills(suite, case):
            words = words_of(skill.description)
            run = _longest_run(words, words_of(prompts_of(case)))
            if run >= RUN or (run >= LEAST and run > SHARE * len(words)):
                found = f"repeats {run} words of the description of `{skill.name}`"
                yield at_case(case, found, "write what a user would say")


def _longest_run(one: list[str], two: list[str]) -> int:
    """The length of the longest row of words that both have."""
    best = 0
    before: dict[int, int] = {}
    places: dict[str, list[int]] = {}
    for place, word in enumerate(two[:2000]):
        places.setdefault(word, []).append(place)
    for word in one[:2000]:
        now = {place: before.get(place - 1, 0) + 1 for place in places.get(word, ())}
        best = max(best, *now.values()) if now else best
        before = now
    return best


@rule("EV112", "warning", over="suite")
def far_negative(suite: Suite) -> Findings:
    """A negative shares no word with the skill that must stay quiet.

    It is too easy: nobody would call the skill for it. A near miss uses the skill's own
    words and means something else.

    Bad:
        cases:
          - id: quiet
            prompt: Explain binary search.
            skill: pdf-tables
            should_trigger: false
    Good:
        cases:
          - id: quiet
            prompt: Which wood suits kitchen tables?
            skill: pdf-tables
            should_trigger: false
    """
    for case in suite.cases:
        skill = skill_named(suite, case.skill) if case.skill and not case.should_trigger else None
        asked = set(terms(prompts_of(case)))
        if skill is None or not asked or not prompts_of(case).isascii():
            continue
        if not asked & set(terms(f"{skill.name} {skill.description}")):
            words = f"shares no word with the description of `{skill.name}`"
            yield at_case(case, words, "write a near miss: its words, another meaning")


@rule("EV113", "warning", over="suite")
def nothing_asked(suite: Suite) -> Findings:
    """A prompt is empty.

    Some agents refuse to start without one; the trial is then in error, not passed.

    Bad:
        cases:
          - {id: silence, prompt: "", skill: pdf-tables}
    Good:
        cases:
          - {id: reads, prompt: Read report.pdf., skill: pdf-tables}
    """
    for case in suite.cases:
        if not prompts_of(case).strip():
            yield at_case(case, "the prompt is empty", "say what the user says")


@rule("EV114", "error", over="suite")
def both_ways(suite: Suite) -> Findings:
    """The same prompt must and must not call the same skill.

    Bad:
        cases:
          - {id: a, prompt: Read report.pdf., skill: pdf-tables}
          - {id: b, prompt: Read report.pdf., skill: pdf-tables, should_trigger: false}
    Good:
        cases:
          - {id: a, prompt: Read report.pdf., skill: pdf-tables}
          - {id: b, prompt: Print report.pdf., skill: pdf-tables, should_trigger: false}
    """
    wanted: dict[tuple[str, str], Case] = {}
    for case in suite.cases:
        for name in case.expected:
            wanted.setdefault((prompts_of(case).strip(), name), case)
    for case in suite.cases:
        if case.should_trigger:
            continue
        asked = prompts_of(case).strip()
        twins = [
            one
            for (said, name), one in wanted.items()
            if said == asked and case.skill in {None, name}
        ]
        if twins:
            words = f"`{twins[0].id}` asks the same and expects the opposite"
            yield at_case(case, words, "keep one of them")
