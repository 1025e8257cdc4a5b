"""The skills that a workspace holds, and which of them the understudy is shown.

In: a workspace folder. Out: skills by name, as an agent would find them.
Must not know: prompts, choices, YAML.
"""

# `os` instead of pathlib, whose import would be a fifth of the start (5 of 25 ms).
import os
import re
from typing import NamedTuple

from audition.understudy.front import read_plain, split_front

SKILLS_DIR = ".agents/skills"
INSTRUCTIONS = "AGENTS.md"
CAP = 256 * 1024
"""Characters of one file that are read: beyond this nobody meant it for a model."""

PLAIN_FLAGS = {"", "true", "false"}
ENTRY = re.compile(r"^[-*+ \t]*(.*?)[\s(:`'\"<\[—-]*((?:[\w.@+-]+/|/)[\w./@+ -]*?SKILL\.md)(.*)$")
NAMED = re.compile(r"[*_`\[]*([\w.:-]*\w)[*_`\]]*(?:\s*[:—–-]+)?\s*(.*)$", re.DOTALL)


class Shown(NamedTuple):
    """One skill as found; `native` where the skill tool knows it, else it is read as a file."""

    name: str
    description: str
    folder: str
    native: bool = True
    model_invocable: bool = True
    user_invocable: bool = True


def find_shown(workspace: str) -> dict[str, Shown]:
    """All skills of a workspace by name: its skills folder, then its instructions' index."""
    found: dict[str, Shown] = {}
    folder = os.path.join(workspace, SKILLS_DIR)
    for entry in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
        text = read_text(os.path.join(folder, entry, "SKILL.md"))
        if text is not None:
            skill = _describe(text, entry, f"{SKILLS_DIR}/{entry}")
            found.setdefault(skill.name, skill)
    for skill in read_index(read_text(os.path.join(workspace, INSTRUCTIONS)) or ""):
        found.setdefault(skill.name, skill)
    return found


def read_index(text: str) -> list[Shown]:
    """The skills that an instructions file lists: a line each, that ends in a SKILL.md path."""
    found = []
    for line in text.splitlines():
        entry = ENTRY.match(line)
        if not entry:
            continue
        folder = entry[2].rpartition("/")[0]
        named = NAMED.match(entry[1])
        name = named[1] if named else folder.rpartition("/")[2]
        before = named[2] if named else ""
        after = entry[3].lstrip("`'\")>] \t:—–-")
        description = re.sub(r"[\s(]*\b(?:file|path|location|in|at|see|read)\b[\s:]*$", "", before)
        described = f"{description} {after}".strip()
        found.append(Shown(name, described, folder.rstrip("/"), native=False))
    return found


def list_resources(folder: str) -> tuple[str, ...]:
    """The files beside SKILL.md, relative, sorted; links are not followed."""
    found = []
    for place, folders, files in os.walk(folder):
        folders.sort()
        for name in files:
            path = os.path.relpath(os.path.join(place, name), folder).replace(os.sep, "/")
            if path != "SKILL.md":
                found.append(path)
    return tuple(sorted(found))


def read_text(path: str) -> str | None:
    """A file's text up to the cap, with LF line ends; None where it cannot be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(CAP)
    except OSError:
        return None


def _describe(text: str, entry: str, folder: str) -> Shown:
    keys = read_plain(split_front(text)[0]) or {}
    name, description = keys.get("name", ""), (keys.get("description") or "").strip()
    disabled, invocable = (
        keys.get(key, keys.get(key.replace("-", "_"), ""))
        for key in ("disable-model-invocation", "user-invocable")
    )
    if name is None or not description or not {disabled, invocable} <= PLAIN_FLAGS:
        return _describe_at_length(text, entry, folder)
    return Shown(
        name=" ".join(name.split()) or entry,
        description=description,
        folder=folder,
        model_invocable=disabled != "true",
        user_invocable=invocable != "false",
    )


def _describe_at_length(text: str, entry: str, folder: str) -> Shown:
    # Imported here: see `front` for what it takes.
    from audition.front_matter import first_paragraph, read_front_matter

    read = read_front_matter(text.encode("utf-8", "replace"), entry)
    return Shown(
        name=read.name or entry,
        description=read.description or first_paragraph(read.body),
        folder=folder,
        model_invocable=read.model_invocable,
        user_invocable=read.user_invocable,
    )
