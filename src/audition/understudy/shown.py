"""The skills that a workspace holds, and which of them the understudy is shown.

In: a workspace folder. Out: skills by name, as an agent would find them.
Must not know: prompts, choices, YAML. (A full YAML reader costs half of a start; this
reads the few keys it needs, line by line, and takes whatever it cannot read as absent.)
"""

# `os` instead of pathlib, whose import would be a fifth of the start (5 of 25 ms).
import os
import re
from typing import NamedTuple

SKILLS_DIR = ".agents/skills"
INSTRUCTIONS = "AGENTS.md"
CAP = 256 * 1024
"""Characters of one file that are read: beyond this nobody meant it for a model."""

KEY = re.compile(r"([A-Za-z][\w-]*)[ \t]*:(?:[ \t]+(.*))?$")
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


def split_front(text: str) -> tuple[dict[str, str], str]:
    """The plain keys of the front matter, and the body behind it."""
    lines = text.removeprefix("\ufeff").splitlines(keepends=True)
    if not lines or lines[0].strip() != "---":
        return {}, "".join(lines)
    keys: dict[str, list[str]] = {}
    last: list[str] = []
    for number, line in enumerate(lines[1:], start=2):
        if line.strip() in ("---", "..."):
            return {key: _join(parts) for key, parts in keys.items()}, "".join(lines[number:])
        if key := KEY.match(line.rstrip()):
            last = keys.setdefault(key[1].lower(), [])
            last.append(key[2] or "")
        elif line[:1].isspace():
            last.append(line.strip())
    return {}, "".join(lines)


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
    keys, _ = split_front(text)
    return Shown(
        name=keys.get("name") or entry,
        description=keys.get("description", ""),
        folder=folder,
        model_invocable=keys.get("disable-model-invocation", "").lower() != "true",
        user_invocable=keys.get("user-invocable", "").lower() != "false",
    )


def _join(parts: list[str]) -> str:
    first = parts[0]
    if re.fullmatch(r"[|>][+-]?\d?", first):
        first = ""
    text = " ".join(part for part in (first, *parts[1:]) if part)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return text
