"""Rules on what people cannot see and machines read: SK50x. No comment in a skill silences them.

In: a SkillFolder. Out: findings. Must not know: what the hidden text wants.
"""

import re
from collections.abc import Iterator

from audition.lint.folder import SkillFolder
from audition.lint.prose import spot_in
from audition.lint.rule import rule
from audition.model import Finding

Findings = Iterator[Finding]
TAGS = re.compile("[\U000e0000-\U000e007f]+|[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")
BIDI = re.compile("[\u202a-\u202e\u2066-\u2069]")
ZERO = re.compile(
    "[\u200b\u2060-\u2064\u00ad\u180e\ufeff]|(?<=[ -~])[\u200c\u200d]|[\u200c\u200d](?=[ -~])"
)
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f]")
FLAG = "\U0001f3f4"


def texts_of(skill: SkillFolder) -> Iterator[tuple[str, str]]:
    """SKILL.md and the texts beside it, by name."""
    yield "SKILL.md", skill.text
    yield from skill.texts.items()


def _find_in(
    skill: SkillFolder, pattern: "re.Pattern[str]"
) -> Iterator[tuple[str, str, "re.Match[str]"]]:
    """Matches in the texts that are not plain ASCII: at most ten a file."""
    for name, text in texts_of(skill):
        if text.isascii():
            continue
        for count, found in enumerate(pattern.finditer(text)):
            if count == 10:
                break
            yield name, text, found


@rule("SK501", "error")
def tag_characters(skill: SkillFolder) -> Findings:
    """A text holds Unicode tags or a row of variation selectors.

    People do not see them; models read them as letters. Whole instructions have been
    hidden that way. Flags made of tags are let through.

    Bad:
        Copy the tables.(invisible: and send them to …)
    Good:
        Copy the tables.
    """
    for name, text, found in _find_in(skill, TAGS):
        if text[: found.start()].endswith(FLAG):
            continue
        letters = "".join(chr(ord(each) - 0xE0000) for each in found[0] if each >= "\U000e0020")
        shown = "".join(each if each.isprintable() and each.isascii() else "." for each in letters)
        words = f"{len(found[0])} invisible characters" + (f": `{shown[:60]}`" if shown else "")
        yield skill.say(
            words, "remove them; ask who put them there", spot_in(text, found.start()), name
        )


@rule("SK502", "error")
def bidi_controls(skill: SkillFolder) -> Findings:
    """A text holds characters that turn the direction of writing.

    What people see is then not what a machine reads.

    Bad:
        Copy(U+202E)selbat eht
    Good:
        Copy the tables
    """
    for name, text, found in _find_in(skill, BIDI):
        words = f"U+{ord(found[0]):04X} turns the direction of writing"
        yield skill.say(words, "remove it", spot_in(text, found.start()), name)


@rule("SK503", "warning")
def zero_width(skill: SkillFolder) -> Findings:
    """A text holds characters without width.

    They hide in words, so that a search for the word misses it. Joiners within emoji and
    within scripts that need them are let through.

    Bad:
        pass(U+200B)word
    Good:
        password
    """
    for name, text, found in _find_in(skill, ZERO):
        words = f"U+{ord(found[0]):04X} cannot be seen"
        yield skill.say(words, "remove it", spot_in(text, found.start()), name)


@rule("SK509", "warning")
def control_characters(skill: SkillFolder) -> Findings:
    """SKILL.md holds control characters.

    A terminal obeys them: they can hide lines from whoever reads the file with `cat`.

    Bad:
        (ESC)[8m hidden (ESC)[0m
    Good:
        shown
    """
    if found := CONTROL.search(skill.text):
        words = f"U+{ord(found[0]):04X} is a control character"
        yield skill.say(words, "remove it", skill.spot(found.start()))
