"""Rules on skills that cannot be told apart: SK211 and SK212.

In: all skills that are linted. Out: findings. Must not know: what is in them.
"""

from collections.abc import Iterator

from audition.lint.folder import SkillFolder
from audition.lint.rule import rule
from audition.model import Finding

Findings = Iterator[Finding]


@rule("SK211", "warning", over="skills")
def same_name(skills: tuple[SkillFolder, ...]) -> Findings:
    """Two skills have the same name.

    Where both are installed, one hides the other, and a case cannot tell them apart.

    Bad:
        a/pdf-tables/SKILL.md and b/pdf-tables/SKILL.md
    Good:
        a/pdf-tables/SKILL.md and b/pdf-forms/SKILL.md
    """
    first: dict[str, SkillFolder] = {}
    for each in skills:
        name = each.name or each.folder
        if name in first:
            words = f"`{name[:80]}` is also the name of {first[name].file()}"
            yield each.say(words, "rename one of them", each.where("name"))
        first.setdefault(name, each)


@rule("SK212", "warning", over="skills")
def same_description(skills: tuple[SkillFolder, ...]) -> Findings:
    """Two skills have the same description.

    Nothing but chance decides between them.

    Bad:
        pdf-tables and pdf-forms: `Works with PDF files when asked.`
    Good:
        pdf-tables: `Copies tables …`, pdf-forms: `Fills in forms …`
    """
    first: dict[str, SkillFolder] = {}
    for each in skills:
        text = " ".join(each.description.lower().split())
        if text and text in first and first[text].name != each.name:
            words = f"the description is that of {first[text].file()}"
            yield each.say(words, "say what tells them apart", each.where("description"))
        if text:
            first.setdefault(text, each)
