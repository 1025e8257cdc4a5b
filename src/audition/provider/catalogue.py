"""What became of each skill's description on its way to the model.

In: the skills under test, and the skills that a request listed. Out: an Offer for each.
Must not know: wires, requests.
"""

from collections.abc import Iterable, Sequence

from audition.model import Offer, Skill
from audition.provider.wire import Listed


def compare_listing(listed: Sequence[Listed], skills: Iterable[Skill]) -> tuple[Offer, ...]:
    """How each skill was shown: in full, cut after so many characters, by name only, or not."""
    return tuple(_compare(listed, skill) for skill in skills)


def _compare(listed: Sequence[Listed], skill: Skill) -> Offer:
    names = {skill.name, skill.folder}
    known = [each for each in listed if names & {each.name, each.aka, _bare(each.name)}]
    meant = " ".join(skill.description.split())
    if not known:
        return Offer(skill=skill.name, offered="missing", shown_chars=0, of_chars=len(meant))
    shown = [" ".join(each.description.split()) for each in known]
    most = max((_same(text, meant) for text in shown), default=0)
    whole = most == len(meant)
    return Offer(
        skill=skill.name,
        offered="full" if whole else "cut" if most else "name",
        shown_chars=most,
        of_chars=len(meant),
    )


def _bare(name: str) -> str:
    """The name without the plug-in it came in."""
    return name.rpartition(":")[2]


def _same(shown: str, meant: str) -> int:
    """How many characters of the description were shown."""
    if meant in shown:
        return len(meant)
    text = shown.removesuffix("...").removesuffix("…").rstrip()
    return len(text) if text and meant.startswith(text) else 0
