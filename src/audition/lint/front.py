"""What is known of front matter: its keys, by who reads them, and how it is mended.

In: a SkillFolder. Out: Repairs of its SKILL.md, in which nothing is lost.
Must not know: which rule asks.
"""

import re
from collections.abc import Iterator

from audition.lint.folder import SkillFolder
from audition.lint.rule import Repair

SPEC_KEYS = ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
"""Those of agentskills.io."""
CLIENT_KEYS = (
    *("when_to_use", "argument-hint", "arguments", "disable-model-invocation", "user-invocable"),
    *("model", "effort", "context", "agent", "hooks", "paths", "shell", "disallowed-tools"),
)
"""Those that Claude Code reads besides."""
NAME_LINE = re.compile(rb"^(name[ \t]*:)([^\r\n]*)", re.MULTILINE)
PLAIN = re.compile(rb"[ \t]+(?:[\w .-]+|\"[^\"\\]*\"|'[^']*')[ \t]*")
GOOD_NAME = re.compile(r"(?=.{1,64}\Z)[a-z0-9]+(-[a-z0-9]+)*\Z")
MARK = b"\xef\xbb\xbf"


def mend_name(skill: SkillFolder) -> Iterator[Repair]:
    """Write the folder's name into `name`, where that is a good name."""
    end = skill.front_end or -1
    if end < 0 or not GOOD_NAME.match(skill.folder) or "name" not in skill.fields:
        return
    found = NAME_LINE.search(skill.raw)
    inside = found and skill.raw.count(b"\n", 0, found.start()) < end
    # Anything but a plain value on one line is left to its author.
    if found and inside and PLAIN.fullmatch(found[2]):
        name = skill.folder.encode()
        data = skill.raw[: found.end(1)] + b" " + name + skill.raw[found.end() :]
        what = f"`name` is now the folder's: `{skill.folder}`"
        yield Repair(file="SKILL.md", what=what, data=data)


def without_mark(skill: SkillFolder) -> Iterator[Repair]:
    """Take the byte order mark off."""
    data = skill.raw
    while data.startswith(MARK):
        data = data.removeprefix(MARK)
    yield Repair(file="SKILL.md", what="removed the byte order mark", data=data)


def without_carriage_returns(skill: SkillFolder) -> Iterator[Repair]:
    """Make the line ends plain."""
    data = skill.raw.replace(b"\r\n", b"\n")
    yield Repair(file="SKILL.md", what="made the line ends plain", data=data)
