"""By which names a skill is called.

In: skills, and a name as somebody typed it. Out: the skill's own name.
Must not know: calls, sessions.
"""

from collections.abc import Iterable, Mapping

from audition.model import Skill


def names_of(skills: Iterable[Skill]) -> dict[str, str]:
    """Every name that means one of the skills: its own first, its folder's, then in any case."""
    names: dict[str, str] = {}
    skills = tuple(skills)
    for called in ([each.name for each in skills], [each.folder for each in skills]):
        for key, skill in zip(called, skills, strict=True):
            names.setdefault(key, skill.name)
    for key, skill_name in tuple(names.items()):
        names.setdefault(key.casefold(), skill_name)
    return names


def bare(name: str) -> str:
    """A name without the prefix of its plug-in or server."""
    return name.rpartition("__")[2].rpartition(":")[2]


def match_name(name: str, names: Mapping[str, str]) -> str | None:
    """The skill that is called `name`; as written first, then without its prefix, then in any case."""
    short = bare(name)
    for each in (name, short, name.casefold(), short.casefold()):
        if each in names:
            return names[each]
    return None
