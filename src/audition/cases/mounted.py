"""Where the harness of an imported suite would find its skills.

In: the path of a case file, the places its harness mounts. Out: Skills, and which of them a
name in the file means.
Must not know: any one format.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from audition.errors import AuditionError
from audition.model import Skill
from audition.skills import find_skills, read_skill

USUAL = ("skills", ".claude/skills", ".agents/skills", "plugin/skills", "plugins")
CLIMB = 6
WORKSPACE = "-workspace"


def mounted_skills(path: Path, places: Sequence[str]) -> tuple[Skill, ...]:
    """The skills of the first place with any; places are relative to the file's folder."""
    folder = Path(os.path.abspath(path)).parent
    for place in places:
        if found := skills_at(Path(os.path.normpath(folder / place))):
            return found
    return ()


def skills_at(folder: Path) -> tuple[Skill, ...]:
    """The skill in a folder, or those below a folder of skills."""
    try:
        if (folder / "SKILL.md").is_file():
            return (read_skill(folder),)
        return find_skills([folder]) if folder.is_dir() else ()
    except AuditionError:
        return ()


def own_skill(path: Path) -> tuple[Skill, ...]:
    """The skill that a file lies in: beside SKILL.md, in a folder beside it, or in its workspace.

    skill-creator works on the skill `bill` in a folder `bill-workspace` beside it.
    """
    here = Path(os.path.abspath(path)).parent
    near = [here, here.parent]
    near += [
        each.with_name(each.name.removesuffix(WORKSPACE))
        for each in [here, *here.parents][:CLIMB]
        if each.name.endswith(WORKSPACE)
    ]
    found = next((each for each in near if (each / "SKILL.md").is_file()), None)
    return (read_skill(found),) if found else skills_above(path)


def skills_above(path: Path) -> tuple[Skill, ...]:
    """The skills in a usual place beside the file or above it, up to the repository's root."""
    folder = Path(os.path.abspath(path)).parent
    for each in [folder, *folder.parents][:CLIMB]:
        if (each / "SKILL.md").is_file():
            return (read_skill(each),)
        for place in USUAL:
            if found := skills_at(each / place):
                return found
        if (each / ".git").exists():
            break
    return ()


def repository_of(path: Path) -> Path | None:
    """The folder with `.git` at or above a file; None where there is none."""
    folder = Path(os.path.abspath(path)).parent
    return next((each for each in [folder, *folder.parents] if (each / ".git").exists()), None)


def meant_skill(name: str, skills: Iterable[Skill]) -> str:
    """The offered skill that a name means: its name, its folder, or either behind a prefix."""
    offered = list(skills)
    bare = name.rpartition(":")[2].rpartition("__")[2]
    for wanted in dict.fromkeys((name, bare)):
        for skill in offered:
            if skill.name == wanted:
                return skill.name
        for skill in offered:
            if skill.folder == wanted:
                return skill.name
    return name
