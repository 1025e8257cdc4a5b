"""Rules from the Agent Skills specification on the file itself: SK101 to SK104, SK114 to SK116.

In: a SkillFolder. Out: findings. Must not know: what the keys of the front matter mean.
"""

from collections.abc import Iterator

from audition.lint.folder import SkillFolder
from audition.lint.front import MARK, without_carriage_returns, without_mark
from audition.lint.rule import rule
from audition.model import Finding

Findings = Iterator[Finding]


@rule("SK101", "error")
def unreadable(skill: SkillFolder) -> Findings:
    """SKILL.md cannot be read.

    It is a folder, a pipe, or nobody may read it, or it is called `skill.md`: no agent can
    offer the skill.

    Bad:
        SKILL.md is a link that leads nowhere
    Good:
        SKILL.md is a file
    """
    if not skill.trouble:
        return
    if other := next((each for each in skill.names if each.lower() == "skill.md"), ""):
        words = f"the file is called `{other}`; agents look for `SKILL.md`"
        yield skill.say(words, f"rename it: `git mv {other} SKILL.md`", name=other)
    else:
        yield skill.say(f"SKILL.md cannot be read: {skill.trouble}", "make it a file")


@rule("SK102", "error")
def no_front_matter(skill: SkillFolder) -> Findings:
    """There is no front matter, or it has no end.

    The name and the description stand between two lines `---` at the very top. Without
    them an agent has nothing to choose the skill by: Codex drops it and says nothing.

    Bad:
        # PDF tables

        Copy the tables out of a PDF.
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
        # PDF tables
    """
    if skill.trouble:
        return
    if skill.front_end is None:
        yield skill.say("there is no front matter", "begin SKILL.md with a line `---`")
    elif skill.front_end < 0:
        yield skill.say("the front matter has no end", "end it with a line `---`")


@rule("SK103", "error")
def not_yaml(skill: SkillFolder) -> Findings:
    """The front matter is not plain YAML with keys and values.

    Claude Code forgives `description: Use when: x`; Codex drops what it cannot parse and
    says nothing. Quote a value that holds `: `, or write it below `>-`. Anchors, aliases
    and tags are refused too: readers differ over them.

    Bad:
        ---
        name: pdf-tables
        description: "Copies tables. Use when the user has a PDF.
        ---
    Good:
        ---
        name: pdf-tables
        description: "Copies tables. Use when: the user has a PDF."
        ---
    """
    if skill.front_end is None or skill.front_end < 0:
        return
    for each in skill.marked.findings:
        if "is given twice" not in each.message:
            yield skill.say(each.message, each.hint, (each.line + 1, each.column))
    value = skill.marked.value
    if not isinstance(value, dict) and not skill.marked.findings:
        yield skill.say("the front matter has no `key: value`", "", (2, 1))


@rule("SK104", "error")
def key_twice(skill: SkillFolder) -> Findings:
    """A key stands twice in the front matter.

    Some readers take the first, some the last, some refuse the file.

    Bad:
        ---
        name: pdf-tables
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    for each in skill.marked.findings:
        if "is given twice" in each.message:
            yield skill.say(each.message, "keep one of them", (each.line + 1, each.column))


@rule("SK114", "error")
def not_utf8(skill: SkillFolder) -> Findings:
    """SKILL.md is not UTF-8.

    Bad:
        SKILL.md saved as Latin-1
    Good:
        SKILL.md saved as UTF-8
    """
    try:
        skill.raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(skill.raw) - 3 and len(skill.raw) >= 1024 * 1024:
            return
        before = skill.raw[: error.start]
        at = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        yield skill.say(f"not UTF-8: byte 0x{skill.raw[error.start]:02x}", "save it as UTF-8", at)


@rule("SK115", "warning", mend=without_mark)
def byte_order_mark(skill: SkillFolder) -> Findings:
    """SKILL.md begins with a byte order mark.

    A reader that looks for `---` as the first bytes finds no front matter.

    Bad:
        EF BB BF 2D 2D 2D
    Good:
        2D 2D 2D
    """
    if skill.raw.startswith(MARK):
        yield skill.say("a byte order mark stands before the front matter", "save without it")


@rule("SK116", "warning", mend=without_carriage_returns)
def carriage_returns(skill: SkillFolder) -> Findings:
    """SKILL.md has Windows line ends.

    A reader that looks for a line `---` may find `---\\r` and no front matter. `--fix`
    makes all line ends plain.

    Bad:
        name: pdf-tables<CR><LF>
    Good:
        name: pdf-tables<LF>
    """
    place = skill.raw.find(b"\r\n")
    if place >= 0:
        at = skill.raw.count(b"\n", 0, place) + 1, place - skill.raw.rfind(b"\n", 0, place)
        yield skill.say("Windows line ends", "save with plain line ends", at)
