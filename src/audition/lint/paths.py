"""Rules on how paths are written: SK308 and SK309.

In: a SkillFolder. Out: findings, and links written anew. Must not know: where links lead.
"""

import re
from collections.abc import Iterator
from posixpath import normpath

from audition.lint.folder import SkillFolder
from audition.lint.links import is_there
from audition.lint.prose import find_links
from audition.lint.rule import Repair, rule
from audition.model import Finding

Findings = Iterator[Finding]
ABSOLUTE = re.compile(
    r"(?<![\w/.:-])(/(?:home|Users)/[\w.-]+/[\w./-]*|[A-Za-z]:\\(?:Users|Dev|Projects)\\[\w.\\-]+)"
)
SOMEBODY = re.compile(
    r"^/(?:home|Users)/(?:user|username|you|me|name|your\w*|example|runner|node)/", re.IGNORECASE
)
BACKSLASH = re.compile(r"`((?:[\w.-]+\\)+[\w-]+\.\w{1,8})`")
WINDOWS_LINK = re.compile(rb"(\]\()([^)\s<>\r\n]*\\[^)\s<>\r\n]*)(\))")


@rule("SK308", "warning")
def absolute_path(skill: SkillFolder) -> Findings:
    """The body names a path of somebody's own machine.

    Nobody else has it.

    Bad:
        Run /home/ada/work/tables.py.
    Good:
        Run scripts/tables.py.
    """
    if not any(each in skill.text for each in ("/home/", "/Users/", ":\\")):
        return
    for found in ABSOLUTE.finditer(skill.text, skill.body_start):
        if not SOMEBODY.match(found[1]):
            hint = "put the file into the skill, and name it from there"
            yield skill.say(
                f"`{found[1]}` is a path of one machine", hint, skill.spot(found.start())
            )


def mend_backslashes(skill: SkillFolder) -> Iterator[Repair]:
    """Turn the strokes of links around where the file is there that way."""

    def turn(found: "re.Match[bytes]") -> bytes:
        target = found[2].replace(b"\\", b"/")
        there = is_there(skill, normpath(target.decode("utf-8", "replace")))
        return found[1] + target + found[3] if there else found[0]

    data = WINDOWS_LINK.sub(turn, skill.raw)
    if data != skill.raw:
        yield Repair(file="SKILL.md", what="wrote links with `/`", data=data)


@rule("SK309", "warning", mend=mend_backslashes)
def backslashes(skill: SkillFolder) -> Findings:
    r"""A path is written with backslashes.

    Only Windows understands it; `/` works everywhere. `--fix` mends links to files that
    are there.

    Bad:
        Run `scripts\tables.py FILE`, then `scripts\check.py`.
    Good:
        Run `tables.py FILE`.
    """
    places = [(each.offset, each.target) for each in find_links(skill.prose) if "\\" in each.target]
    body = BACKSLASH.finditer(skill.text, skill.body_start)
    places += [(found.start(1), found[1]) for found in body]
    for offset, target in sorted(places):
        yield skill.say(f"`{target}` has backslashes", "write `/`", skill.spot(offset))
