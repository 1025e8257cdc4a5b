"""Rules on which description a prompt is nearest to, by words alone: CO1xx.

In: one Suite. Out: findings. The scores are the understudy's: TF-IDF over names and
descriptions, no model. Where they name a thief, an agent may or may not follow.
Must not know: agents.
"""

from collections.abc import Iterator
from functools import lru_cache

from audition.lint.evals import at_case, is_explicit, prompts_of, skill_named
from audition.lint.rule import rule
from audition.model import Case, Finding, Suite
from audition.understudy.choice import THRESHOLD, Weighed, score, terms, weigh

Findings = Iterator[Finding]
NARROW = 0.05


@lru_cache(maxsize=8)
def _weighed(offered: tuple[tuple[str, str], ...]) -> Weighed:
    return weigh(dict(offered))


def _scores(suite: Suite, case: Case) -> dict[str, float]:
    """How near the prompt is to each skill on offer that the model may call."""
    offered = tuple((each.name, each.description) for each in suite.skills if each.model_invocable)
    return score(prompts_of(case), _weighed(offered)) if offered else {}


def _nearest(scores: dict[str, float]) -> str:
    return min(scores, key=lambda name: (-scores[name], name))


def _shared(suite: Suite, case: Case, name: str) -> str:
    skill = skill_named(suite, name)
    words = set(terms(f"{skill.name} {skill.description}")) if skill else set()
    return ", ".join(sorted(words & set(terms(prompts_of(case))))[:8])


def _split(suite: Suite, case: Case) -> tuple[str, str, float, float] | None:
    """The nearest expected skill and the nearest other one, with their scores."""
    if not case.expected or is_explicit(suite, case):
        return None
    scores = _scores(suite, case)
    skills = [skill_named(suite, each) for each in case.expected]
    wanted = {each.name: scores[each.name] for each in skills if each and each.name in scores}
    others = {name: value for name, value in scores.items() if name not in wanted}
    if not wanted or not others:
        return None
    mine, thief = _nearest(wanted), _nearest(others)
    return mine, thief, wanted[mine], others[thief]


@rule("CO101", "warning", over="suite")
def stolen(suite: Suite) -> Findings:
    """A prompt is nearer to another skill's description than to that of its own.

    Say in both descriptions what tells them apart, or accept both with `any_of`. Cases
    that ask for the skill by name are left alone.

    Bad:
        cases:
          - {id: fills, prompt: Fill in the form of this PDF., skill: pdf-tables}
    Good:
        cases:
          - {id: reads, prompt: Copy the tables of report.pdf to CSV., skill: pdf-tables}
    """
    for case in suite.cases:
        if not (found := _split(suite, case)):
            continue
        mine, thief, near, nearer = found
        if nearer > near and nearer >= THRESHOLD:
            words = (
                f"nearest is `{thief}` ({nearer:.2f}), not `{mine}` ({near:.2f}); "
                f"margin {near - nearer:.2f}; shared words: {_shared(suite, case, thief)}"
            )
            hint = "say in both descriptions what tells them apart"
            yield at_case(case, words, hint)


@rule("CO102", "note", over="suite")
def close(suite: Suite) -> Findings:
    """A prompt is nearly as near to another skill's description.

    The margin is below 0.05: a word more or less, and the other one is called.

    Bad:
        cases:
          - {id: prints, prompt: Print the figures of this PDF for my boss., skill: pdf-forms}
    Good:
        cases:
          - {id: reads, prompt: Copy the tables of report.pdf to CSV., skill: pdf-tables}
    """
    for case in suite.cases:
        if not (found := _split(suite, case)):
            continue
        mine, thief, first, second = found
        if first >= second >= THRESHOLD and first - second < NARROW:
            words = (
                f"`{mine}` ({first:.2f}) is hardly nearer than `{thief}` ({second:.2f}); "
                f"shared words: {_shared(suite, case, thief)}"
            )
            yield at_case(case, words, "say in both descriptions what tells them apart")


@rule("CO103", "note", over="suite")
def calls_by_words(suite: Suite) -> Findings:
    """A negative is nearest to the very skill that must stay quiet.

    By words alone it would be called. That makes it a hard near miss, which is good; it
    may also be a case that should be positive. Look at it once.

    Bad:
        cases:
          - id: quiet
            prompt: Who reads the tables in PDF files?
            skill: pdf-tables
            should_trigger: false
    Good:
        cases:
          - id: quiet
            prompt: Fill in the form of this PDF.
            skill: pdf-tables
            should_trigger: false
    """
    for case in suite.cases:
        if case.should_trigger:
            continue
        scores = _scores(suite, case)
        best = _nearest(scores) if scores else ""
        quiet = skill_named(suite, case.skill) if case.skill else None
        if (
            best
            and scores[best] >= THRESHOLD
            and (not case.skill or (quiet and quiet.name == best))
        ):
            shared = _shared(suite, case, best)
            words = f"by words it is for `{best}` ({scores[best]:.2f}); shared words: {shared}"
            yield at_case(case, words, "make sure that it must stay quiet")
