"""What became of each skill's description on its way to the model.

In: the skills under test, and the skills that a request listed. Out: an Offer for each.
Must not know: wires, requests.
"""

import re
from collections.abc import Iterable, Sequence

from audition.model import Offer, Skill
from audition.provider.wire import Listed

# Claude Code 2.1.327 cuts an entry with `…` and a tool's description with `… [truncated]`. It
# counts as JavaScript does, and may leave half of an emoji, which arrives as U+FFFD.
CUT = re.compile("\ufffd?(?:…|\\.\\.\\.)(?: \\[truncated\\])?$")
ALIKE = 20
"""So many characters that agree at the start are the description, whatever follows them."""


def compare_listing(listed: Sequence[Listed], skills: Iterable[Skill]) -> tuple[Offer, ...]:
    """How each skill was shown: in full, cut after so many characters, by name only, or not."""
    return tuple(_compare(listed, skill) for skill in skills)


def _compare(listed: Sequence[Listed], skill: Skill) -> Offer:
    names = {skill.name, skill.folder}
    known = [each for each in listed if names & {each.name, each.aka, _bare(each.name)}]
    whole = len(_flat(skill.description))
    if not known:
        return Offer(skill=skill.name, offered="missing", shown_chars=0, of_chars=whole)
    measured = [_measure(_flat(each.description), skill) for each in known]
    shown, of = max(measured, key=lambda each: (each[0] == each[1], each[0]), default=(0, whole))
    return Offer(
        skill=skill.name,
        offered="full" if shown == of else "cut" if shown else "name",
        shown_chars=shown,
        of_chars=of,
    )


def _bare(name: str) -> str:
    """The name without the plug-in it came in."""
    return name.rpartition(":")[2]


def _flat(text: str) -> str:
    return " ".join(text.split())


def _measure(shown: str, skill: Skill) -> tuple[int, int]:
    """How many characters were shown, and of how many."""
    from html import unescape  # its table takes 1 ms to make

    own = _flat(skill.description)
    # Claude Code 2.1.327 writes `<` and `>` as entities, and nothing else.
    for text in dict.fromkeys((shown, unescape(shown))):
        for meant in _meant(skill):
            if meant in text:
                return len(meant), len(meant)
            cut = CUT.sub("", text)
            # Without a mark, what ends with the description has no when_to_use behind it.
            if meant.startswith(cut) and (cut != text or len(cut) > len(own) or meant == own):
                return len(cut), len(meant)
    first = _flat(skill.body.lstrip().partition("\n")[0].lstrip("# "))
    if shown and shown == first:
        # What Claude Code shows of a skill that has no description of its own.
        return len(first), len(first)
    both = zip(unescape(shown), own, strict=False)
    alike = next((n for n, (one, other) in enumerate(both) if one != other), 0)
    return (alike if alike >= ALIKE else 0), len(own)


def _meant(skill: Skill) -> tuple[str, ...]:
    """What may be shown of a skill in full, the longest first."""
    about = _flat(skill.description)
    both = f"{about} - {_flat(skill.when_to_use)}"
    return (both, about) if skill.when_to_use else (about,)
