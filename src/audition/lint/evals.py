"""What the rules on suites are shown, and how they say where.

In: suites, mistakes, skills. Out: values and small questions about them.
Must not know: any rule.
"""

import re
from collections.abc import Callable, Iterator

from audition.lint.folder import SkillFolder
from audition.model import Case, Finding, Skill, Suite
from audition.understudy.choice import find_explicit

WORD = re.compile(r"[^\W_]+")


class Evals:
    """All suites, the mistakes in those that cannot be read, and the skills that are linted."""

    def __init__(
        self,
        suites: tuple[Suite, ...],
        mistakes: tuple[Finding, ...] = (),
        folders: tuple[SkillFolder, ...] = (),
        around: Callable[[], tuple[Suite, ...]] = tuple,
    ) -> None:
        self.suites = suites
        self.mistakes = mistakes
        self.folders = folders
        self.around = around
        """Reads all suites that a run from here would find; they are not linted."""


def at_case(case: Case, message: str, hint: str = "") -> Finding:
    """A finding at a case."""
    return Finding(path=case.file, line=case.line, message=f"`{case.id}`: {message}", hint=hint)


def prompts_of(case: Case) -> str:
    """All that the user says."""
    return "\n".join(case.prompts)


def words_of(text: str) -> list[str]:
    """The words, in small letters."""
    return WORD.findall(text.lower())


def same(text: str) -> str:
    """A text with case, blanks and signs taken out: equal for prompts that say the same."""
    return " ".join(words_of(text))


def skill_named(suite: Suite, name: str) -> Skill | None:
    """The skill on offer of that name, or in a folder of that name."""
    by_name = (each for each in suite.skills if each.name == name)
    by_folder = (each for each in suite.skills if each.folder == name)
    return next(by_name, None) or next(by_folder, None)


def expected_skills(suite: Suite, case: Case) -> Iterator[Skill]:
    """The skills that the case expects, as far as they are on offer."""
    for name in case.expected:
        if skill := skill_named(suite, name):
            yield skill


def is_explicit(suite: Suite, case: Case) -> bool:
    """Whether the case is meant to ask for the skill by name."""
    marks = {*case.tags, *re.split(r"[^a-z]+", case.id.lower())}
    names = {each.name for each in suite.skills} | {each.folder for each in suite.skills}
    return "explicit" in marks or find_explicit(case.prompt, names) is not None


def is_implicit(case: Case) -> bool:
    """Whether the case is said not to name the skill."""
    return "implicit" in {*case.tags, *re.split(r"[^a-z]+", case.id.lower())}
