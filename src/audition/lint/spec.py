"""Rules from the Agent Skills specification on names and values: SK105 to SK113.

In: a SkillFolder. Out: findings. Must not know: what any one agent makes of a skill.
"""

import re
from collections.abc import Iterator

from audition.errors import did_you_mean
from audition.lint.folder import SkillFolder
from audition.lint.front import (
    CLIENT_KEYS,
    SPEC_KEYS,
    mend_name,
)
from audition.lint.rule import rule
from audition.model import Finding

Findings = Iterator[Finding]
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
NAME_CAP = 64
DESCRIPTION_CAP = 1024
COMPATIBILITY_CAP = 500


@rule("SK105", "error")
def no_name(skill: SkillFolder) -> Findings:
    """There is no `name`, or it is not text.

    Claude Code takes the folder's name then; the specification wants one, and other
    clients drop the skill.

    Bad:
        ---
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    if (skill.front_end or -1) > 0 and not skill.name:
        yield skill.say("there is no `name`", f"add `name: {skill.folder}`", skill.where("name"))
    elif "name" in skill.fields and not skill.value("name"):
        yield skill.say("`name` is not text", "write one word", skill.where("name"))


@rule("SK106", "error")
def bad_name(skill: SkillFolder) -> Findings:
    """`name` is not 1 to 64 small letters, digits and single hyphens.

    The name is typed after `/` and `$` and becomes a folder's name.

    Bad:
        ---
        name: PDF_Tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    name = skill.name
    if not name:
        return
    if len(name) > NAME_CAP:
        words = f"`name` has {len(name)} characters; {NAME_CAP} are allowed"
        yield skill.say(words, "shorten it", skill.where("name"))
    if not NAME.fullmatch(name):
        better = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:NAME_CAP]
        hint = f"as in `{better}`" if better else "use a to z, 0 to 9 and single hyphens"
        words = f"`name` is `{name[:80]}`; small letters, digits and single hyphens are allowed"
        yield skill.say(words, hint, skill.where("name"))


@rule("SK107", "error", mend=mend_name)
def name_is_not_the_folder(skill: SkillFolder) -> Findings:
    """`name` and the folder's name differ.

    The specification wants them equal. Claude Code lists both, Codex goes by the name,
    and a case that names one of them may miss the other. `--fix` writes the folder's name
    into SKILL.md, where that is a good name.

    Bad:
        ---
        name: pdf-table
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    if skill.name and skill.name != skill.folder:
        words = f"`name` is `{skill.name[:80]}`, the folder is `{skill.folder}`"
        yield skill.say(words, "rename one of them", skill.where("name"))


@rule("SK108", "error")
def no_description(skill: SkillFolder) -> Findings:
    """There is no `description`, or it is not text.

    Agents choose by the description. Claude Code takes the first paragraph instead; Codex
    drops the skill and says nothing.

    Bad:
        ---
        name: pdf-tables
        ---
        # PDF tables
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        ---
    """
    if (skill.front_end or -1) < 0:
        return
    if not skill.description:
        hint = "say what the skill does and when to use it"
        yield skill.say("there is no `description`", hint, skill.where("description"))
    elif "description" in skill.fields and not skill.value("description"):
        yield skill.say("`description` is not text", "quote it", skill.where("description"))


@rule("SK109", "error")
def long_description(skill: SkillFolder) -> Findings:
    """`description` is longer than 1,024 characters.

    What is beyond may not be shown to the model at all.

    Bad:
        description: >-
          (1,200 characters)
    Good:
        description: Copies tables out of PDF files. Use when the user has a PDF.
    """
    length = len(skill.description)
    if length > DESCRIPTION_CAP:
        words = f"`description` has {length:,} characters; {DESCRIPTION_CAP:,} are allowed"
        yield skill.say(words, "move detail into the body", skill.where("description"))


@rule("SK110", "error")
def bad_compatibility(skill: SkillFolder) -> Findings:
    """`compatibility` is not a text of at most 500 characters.

    Bad:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        compatibility: [python]
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        compatibility: Needs Python 3.11 and pdfplumber.
        ---
    """
    if "compatibility" not in skill.fields:
        return
    text = skill.value("compatibility")
    if not text:
        yield skill.say(
            "`compatibility` is not text", "write a sentence", skill.where("compatibility")
        )
    elif len(text) > COMPATIBILITY_CAP:
        words = f"`compatibility` has {len(text)} characters; {COMPATIBILITY_CAP} are allowed"
        yield skill.say(words, "shorten it", skill.where("compatibility"))


@rule("SK111", "error")
def bad_metadata(skill: SkillFolder) -> Findings:
    """`metadata` is not a mapping of names to texts.

    Bad:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        metadata: [1.2]
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        metadata:
          version: "1.2"
        ---
    """
    node = skill.fields.get("metadata")
    if node is None:
        return
    if not isinstance(node.value, dict):
        yield skill.say(
            "`metadata` is not a mapping", "write `name: text` lines", skill.where("metadata")
        )
        return
    for key, each in node.children().items():
        if each.place.text is None:
            at = each.place.key_line + 1, each.place.key_column
            yield skill.say(f"`metadata.{key}` is not text", "quote it", at)


@rule("SK112", "error")
def bad_allowed_tools(skill: SkillFolder) -> Findings:
    """`allowed-tools` is not one text.

    The specification wants one text with blanks between the tools. Claude Code takes a
    list too; others ignore it or refuse the file.

    Bad:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        allowed-tools: [Read, Grep]
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        allowed-tools: Read Grep
        ---
    """
    node = skill.fields.get("allowed-tools")
    if node is not None and node.place.text is None:
        hint = "write one text: `allowed-tools: Read Grep`"
        yield skill.say("`allowed-tools` is not text", hint, skill.where("allowed-tools"))


@rule("SK113", "warning")
def unknown_key(skill: SkillFolder) -> Findings:
    """The front matter has a key that nobody reads.

    The specification has `name`, `description`, `license`, `compatibility`, `metadata` and
    `allowed-tools`; Claude Code reads some more. A mistyped key does nothing, silently.
    What is your own belongs below `metadata`.

    Bad:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        licence: MIT
        ---
    Good:
        ---
        name: pdf-tables
        description: Copies tables out of PDF files. Use when the user has a PDF.
        license: MIT
        ---
    """
    known = {*SPEC_KEYS, *CLIENT_KEYS}
    for key in skill.fields:
        if key not in known:
            near = did_you_mean(key, known)
            hint = near if near.startswith("did") else "put it below `metadata:`"
            yield skill.say(f"unknown key `{key[:80]}`", hint, skill.where(key))
