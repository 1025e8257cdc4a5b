"""`--baseline`: what the skills are compared with: nothing, instructions, a commit, other skills.

In: the words of the option, the suites. Out: arms beside those on trial, and the skills of each.
Must not know: how a trial is run, how a lift is counted.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from audition.commands.finish import say
from audition.errors import RunTrouble, UsageError
from audition.model import Case, Skill, Suite
from audition.plan import Arm, Swap, slug
from audition.repository import find_commit, unpack_at
from audition.skills import find_skills, read_skill

DELIVERIES = ("none", "instructions")


def add_baselines(
    words: Sequence[str], arms: Sequence[Arm], suites: Sequence[Suite], held: Path
) -> tuple[list[Arm], dict[str, Swap]]:
    """Each arm with its baselines right behind it, so that they are asked in turn.

    Skills of a commit are unpacked below `held`, which must live until the run has them.
    """
    chosen = list(dict.fromkeys(words))
    swaps = {
        word: swap_skills(_find_skills(word, suites, held))
        for word in chosen
        if word not in DELIVERIES
    }
    found: list[Arm] = []
    for arm in arms:
        found.append(arm)
        for word in chosen:
            delivery = word if word in DELIVERIES else arm.delivery
            made = msgspec.structs.replace(arm, delivery=delivery, variant=word)
            if made not in found:
                found.append(made)
    return found, swaps


def _find_skills(word: str, suites: Sequence[Suite], held: Path) -> dict[str, Skill | None]:
    """What stands in for each skill on trial, by its path; None where there is nothing."""
    ours = {skill.path: skill for suite in suites for skill in suite.skills}
    if word.startswith("git:"):
        found = {path: _noted(skill, word[4:], held / slug(word)) for path, skill in ours.items()}
        if not any(found.values()):
            raise RunTrouble(f"no skill on trial existed at `{word[4:]}`")
        return found
    return _from_folder(word, ours)


def _noted(skill: Skill, ref: str, into: Path) -> Skill | None:
    found = skill_as_of(skill, ref, into)
    if found is None:
        say(f"note: {skill.name} did not exist at {ref}; this baseline is without it")
    return found


def skill_as_of(skill: Skill, ref: str, into: Path) -> Skill | None:
    """A skill as it was at a commit, unpacked below `into`; None where it was not there."""
    folder = Path(skill.path).absolute()
    find_commit(folder, ref)
    place = into / slug(skill.path) / skill.folder
    try:
        unpack_at(folder, ref, place)
    except RunTrouble:
        return None
    return read_skill(place) if (place / "SKILL.md").is_file() else None


def _from_folder(word: str, ours: dict[str, Skill]) -> dict[str, Skill | None]:
    if not Path(word).is_dir():
        raise UsageError(
            f"`{word}` is no baseline", "write none, instructions, git:REF or a folder of skills"
        )
    theirs = {skill.name: skill for skill in find_skills((Path(word),))}
    if not theirs:
        raise UsageError(f"there is no skill in `{word}`", "a skill is a folder with a SKILL.md")
    if len(theirs) == 1 and len(ours) == 1:
        return dict.fromkeys(ours, next(iter(theirs.values())))
    # Of several, those of the same name are swapped, and the rest stays as it is.
    shared = {path: theirs.get(skill.name, skill) for path, skill in ours.items()}
    if all(shared[path] is skill for path, skill in ours.items()):
        raise UsageError(
            f"no skill in `{word}` has the name of one on trial",
            f"it has {', '.join(sorted(theirs))}",
        )
    return dict(shared)


def swap_skills(stand_ins: Mapping[str, Skill | None]) -> Swap:
    """What puts other skills in place of those on trial, by their paths."""

    def swap(suite: Suite) -> Suite:
        pairs = [(skill, stand_ins.get(skill.path, skill)) for skill in suite.skills]
        names = {old.name: new.name for old, new in pairs if new and old.name != new.name}
        return msgspec.structs.replace(
            suite,
            skills=tuple(new for _, new in pairs if new),
            cases=tuple(_renamed(case, names) for case in suite.cases),
        )

    return swap


def _renamed(case: Case, names: dict[str, str]) -> Case:
    """The case with what it expects by the names of the baseline's skills."""
    if not any(name in names for name in case.expected):
        return case
    expected = tuple(names.get(name, name) for name in case.expected)
    return msgspec.structs.replace(case, any_of=expected)
