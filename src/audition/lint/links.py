"""Rules on links and bundled files: SK3xx.

In: a SkillFolder. Out: findings. Nothing outside the folder is opened.
Must not know: what is in the files that are linked to.
"""

import os
import re
from collections.abc import Iterator
from posixpath import basename, dirname, join, normpath

from audition.lint.folder import FILES_CAP, Entry, SkillFolder
from audition.lint.prose import Link, Spot
from audition.lint.rule import rule
from audition.model import Finding

Findings = Iterator[Finding]
MENTION = re.compile(
    r"(?<![\w/\\.$}-])(?:\./)?((scripts|references|reference|assets|templates|resources)/[\w./-]*\w\.\w{1,8})\b"
)
NEVER_ORPHANS = re.compile(
    r"(^|/)(LICENSE|LICENCE|NOTICE|README|CHANGELOG|AUTHORS|SKILL|VERSION|AGENTS|CLAUDE)[^/]*$|(^|/)\.[^/]+$"
    r"|(^|/)(__init__\.py|package(-lock)?\.json|requirements[^/]*\.txt|pyproject\.toml|uv\.lock)$"
    r"|^(agents/openai\.yaml|evals?/.*|tests?/.*)$|(^|\.)cases\.ya?ml$",
    re.IGNORECASE,
)


def _links(skill: SkillFolder) -> Iterator[tuple[str, Link, str, Spot]]:
    """Every link: the document, the link, its target from the skill's folder, its place."""
    for name, link, at in skill.links:
        yield name, link, normpath(join(dirname(name), link.target.replace("\\", "/"))), at


def is_there(skill: SkillFolder, target: str) -> bool:
    """Whether the skill has a file or folder of that name, letter for letter."""
    if target in skill.names or target in {".", "SKILL.md"}:
        return True
    if "\0" in target:
        return False
    full = len(skill.entries) >= FILES_CAP or target.startswith((".", "node_modules/"))
    try:
        return (full or _nested(skill, target)) and os.path.lexists(
            os.path.join(skill.path, target)
        )
    except (OSError, ValueError):
        return False


def _nested(skill: SkillFolder, target: str) -> bool:
    """Whether a target is in another skill below this one, whose files are not listed."""
    parts = target.split("/")
    folders = ["/".join(parts[:number]) for number in range(1, len(parts))]
    return any(os.path.isfile(os.path.join(skill.path, each, "SKILL.md")) for each in folders)


def _inside(target: str) -> bool:
    return not target.startswith(("/", "../", "~")) and target != ".." and target[1:2] != ":"


def _by_case(skill: SkillFolder, target: str) -> str:
    """The name that differs from the target in case only."""
    return next((each for each in skill.names if each.lower() == target.lower()), "")


def _from_the_top(skill: SkillFolder, name: str, link: Link) -> bool:
    """Whether a link of a bundled document means the skill's folder: many authors do."""
    target = normpath(link.target.replace("\\", "/"))
    return name != "SKILL.md" and _inside(target) and is_there(skill, target)


@rule("SK301", "error")
def broken_link(skill: SkillFolder) -> Findings:
    """A link of SKILL.md leads to a file that is not there.

    The agent will look for it, and spend a turn. Links in code are not looked at.

    Bad:
        See [the options](references/options.md).
    Good:
        Show the CSV.
    """
    for name, link, target, at in _links(skill):
        if name == "SKILL.md" and _inside(target) and not _is_near(skill, target):
            yield skill.say(f"`{link.target}` is not there", _look(skill, target), at, name)


@rule("SK310", "warning")
def broken_document(skill: SkillFolder) -> Findings:
    """A link of a bundled document leads to a file that is not there.

    Documents that were copied from a site keep the site's links: paths from its top, and
    names without `.md`, which are let through where the file is there.

    Bad:
        references/options.md links to [more](more.md), and there is none
    Good:
        references/options.md links to [more](more.md), which is there
    """
    for name, link, target, at in _links(skill):
        if name == "SKILL.md" or target.startswith("/") or _from_the_top(skill, name, link):
            continue
        if not (_inside(target) and _is_near(skill, target)):
            yield skill.say(f"`{link.target}` is not there", _look(skill, target), at, name)


def _is_near(skill: SkillFolder, target: str) -> bool:
    """Whether it is there, but for the case of letters and an ending."""
    return is_there(skill, target) or f"{target}.md" in skill.names or bool(_by_case(skill, target))


def _look(skill: SkillFolder, target: str) -> str:
    near = [each for each in skill.names if basename(each) == basename(target)]
    return f"there is `{min(near)}`" if near else "add the file, or take the link out"


@rule("SK302", "warning")
def missing_mention(skill: SkillFolder) -> Findings:
    """A bundled file that the body names is not there.

    Looked for are paths below `scripts/`, `references/`, `assets/` and the like, in text
    and in code, where the skill has such a folder.

    Bad:
        Run `references/none.md`.
    Good:
        Show the CSV.
    """
    seen: set[str] = set()
    for found in MENTION.finditer(skill.text, skill.body_start):
        name = normpath(found[1])
        has = found[2] in skill.names or found[2] == "references"
        linked = skill.text[: found.start()].endswith("](")
        if has and not linked and name not in seen and not is_there(skill, name):
            seen.add(name)
            hint = "add the file, or mend the path"
            yield skill.say(f"`{name}` is not there", hint, skill.spot(found.start(1)))


@rule("SK303", "error")
def link_outside(skill: SkillFolder) -> Findings:
    """A link of SKILL.md leads out of the skill's folder.

    A skill is delivered as its folder: what is outside does not come along.

    Bad:
        See [the style guide](../../docs/style.md).
    Good:
        Show the CSV.
    """
    for name, link, target, at in _links(skill):
        if name == "SKILL.md" and not _inside(target):
            hint = "copy the file into the skill's folder"
            yield skill.say(f"`{link.target}` is outside of the skill", hint, at, name)


@rule("SK304", "error")
def wrong_case(skill: SkillFolder) -> Findings:
    """A link differs from the file's name in case.

    It works on macOS and Windows, and fails on Linux, in CI and in containers.

    Bad:
        See [options](REFERENCES/options.md), where the file is references/options.md
    Good:
        See [options](references/options.md)
    """
    for name, link, target, at in _links(skill):
        if _inside(target) and not is_there(skill, target) and (real := _by_case(skill, target)):
            yield skill.say(f"`{link.target}` differs in case", f"the file is `{real}`", at, name)


@rule("SK305", "warning")
def deep_link(skill: SkillFolder) -> Findings:
    """A document is reached only through another document.

    Agents tend to read the first lines of what a linked file links to. Link every
    document from SKILL.md.

    Bad:
        SKILL.md links to a.md, a.md links to b.md
    Good:
        SKILL.md links to a.md and b.md
    """
    for name, _, target, at in _links(skill):
        deep = name != "SKILL.md" and target.endswith(".md") and target in skill.names
        if (
            deep
            and target != name
            and target not in skill.text
            and basename(target) not in skill.text
        ):
            words = f"`{target}` is linked from here only"
            yield skill.say(words, "link it from SKILL.md too", at, name)


@rule("SK306", "note")
def orphans(skill: SkillFolder) -> Findings:
    """A bundled file is mentioned nowhere.

    The agent does not learn that it is there. A file counts as mentioned where SKILL.md
    or another text of the skill has its name, or the path of its folder.

    Bad:
        references/options.md is there, and no text names it
    Good:
        See [options](references/options.md)
    """
    if not skill.entries or len(skill.entries) >= FILES_CAP:
        return
    lost = [each.name for each in skill.entries if _is_orphan(skill, each)]
    if lost:
        shown = ", ".join(f"`{name}`" for name in lost[:5])
        more = f" and {len(lost) - 5} more" if len(lost) > 5 else ""
        yield skill.say(f"mentioned nowhere: {shown}{more}", "say when to read it, or remove it")


def _is_orphan(skill: SkillFolder, entry: Entry) -> bool:
    name = entry.name
    if NEVER_ORPHANS.search(name):
        return False
    tokens = [basename(name), os.path.splitext(basename(name))[0]]
    folder = dirname(name)
    while folder:
        tokens.append(f"{folder}/")
        folder = dirname(folder)
    if any(token in skill.text for token in tokens):
        return False
    # Another text may name it; SKILL.md does in most skills, so those are asked last.
    others = (text for other, text in skill.texts.items() if other != name)
    return not any(token in text for text in others for token in tokens[:2])


@rule("SK307", "error")
def link_escapes(skill: SkillFolder) -> Findings:
    """A symbolic link of the folder leads out of it.

    Whoever gets the skill gets a link to a file of their own, or to nothing. Claude Code
    refuses to read through it; a checker that follows it reads what it should not.

    Bad:
        references/keys -> /etc/passwd
    Good:
        references/keys.md is a file
    """
    root = os.path.realpath(skill.path)
    for each in skill.entries:
        if not each.link:
            continue
        real = os.path.realpath(os.path.join(skill.path, each.name))
        if real != root and not real.startswith(root + os.sep):
            words = f"`{each.name}` is a link out of the skill's folder"
            yield skill.say(words, "put a copy of the file in its place", name=each.name)
