"""Finds the skills in what a model is shown: one small reader for each way to list them.

In: a text of a request (a system prompt, a message, a tool's description). Out: skills.
Must not know: protocols. Each reader looks for a marker of its own and says nothing where
that is missing, so that a request may be read by all of them.
"""

import re
from collections.abc import Callable, Iterable
from html import unescape

from audition.provider.wire import Listed, Tool
from audition.understudy.shown import read_index

Read = Callable[[str], list[Listed]]

ENTRY = re.compile(r"^[-*] +(?P<rest>\S.*)$")
NAMED = re.compile(r"(?P<name>[^\s(][^\s]*?) \((?P<aka>[^()]+)\)$")
FILE = re.compile(r"\s*\((?:file|path|location): (?P<path>[^()]+)\)\s*$")
ROOT = re.compile(r"^- `(?P<alias>\w+)` = `(?P<path>[^`]+)`", re.MULTILINE)


def read_claude(text: str) -> list[Listed]:
    """Claude Code: a list behind one sentence, in a system message or a reminder."""
    _, found, rest = text.partition("skills are available for use with the Skill tool:")
    # It names no paths: what looks like one is of the description.
    return [_entry(each, with_path=False) for each in _split_entries(rest)] if found else []


def read_codex(text: str) -> list[Listed]:
    """Codex: a list with short paths below a table of their roots."""
    block = _between(text, "<skills_instructions>", "</skills_instructions>")
    roots = {each["alias"]: each["path"] for each in ROOT.finditer(block)}
    _, _, rest = block.partition("### Available skills")
    found = []
    for listed in _entries(rest):
        alias, slash, below = listed.path.partition("/")
        path = f"{roots[alias]}/{below}" if slash and alias in roots else listed.path
        found.append(_listed(listed.name, listed.description, path))
    return found


def read_tags(text: str) -> list[Listed]:
    """Gemini, OpenCode, pi and others: `<skill>` elements with a name each."""
    found = []
    for block in re.findall(r"<available_skills>(.*?)</available_skills>", text, re.DOTALL):
        for skill in re.findall(r"<skill>(.*?)</skill>", block, re.DOTALL):
            where = _element(skill, "location").removeprefix("file://")
            # Qwen puts the scope behind the description, Copilot in the place of the path.
            description = _element(skill, "description").removesuffix(f" ({where})")
            path = where if where.endswith("SKILL.md") else ""
            found.append(_listed(_element(skill, "name"), description, path))
        if "<skill>" not in block:
            found += _entries(block)
    return found


def read_names(text: str) -> list[Listed]:
    """Cline and our own MCP server: `Available skills:` and then names or a list."""
    match = re.search(r"Available skills:[ \t]*(?P<same>[^\n]*)\n?", text)
    if not match:
        return []
    if match["same"]:
        names = match["same"].rstrip(". ").split(", ")
        return [_listed(name) for name in names if re.fullmatch(r"[\w.:-]+", name)]
    return [_entry(each, with_path=False) for each in _split_entries(text[match.end() :])]


def read_kimi(text: str) -> list[Listed]:
    """Kimi: a list below a heading for each scope, each with its path on a line of its own."""
    _, found, rest = text.partition("Current available skills:\n")
    skills = []
    for line in re.sub(r"\n +Path: (\S+)", r" (file: \1)", rest).splitlines() if found else ():
        if entry := ENTRY.match(line):
            skills.append(_entry(entry["rest"]))
        elif line.strip() and not line.startswith("### "):
            break
    return skills


def read_bullets(text: str) -> list[Listed]:
    """goose: a list of `• name - description` behind a sentence that tells to load them."""
    return [
        _listed(name, description)
        for name, description in re.findall(r"^\s*• (\S+) - (.+)$", text, re.MULTILINE)
    ]


READERS: tuple[Read, ...] = (
    read_claude,
    read_codex,
    read_tags,
    read_kimi,
    read_names,
    read_bullets,
)


def find_listed(texts: Iterable[str], tools: Iterable[Tool]) -> tuple[Listed, ...]:
    """Every skill that these texts or these tools' descriptions list, the first of a name."""
    found: dict[tuple[str, str], Listed] = {}
    for text in texts:
        for each in (listed for read in READERS for listed in read(text)):
            found.setdefault((each.name, ""), each)
    for tool in tools:
        if "skill" not in tool.name.lower():
            continue
        for each in (listed for read in READERS for listed in read(tool.description)):
            if "__" in tool.name or (each.name, "") not in found:
                key = (each.name, tool.name)
                found.setdefault(key, _listed(each.name, each.description, each.path, tool.name))
    return tuple(found.values())


def find_indexed(text: str) -> list[Listed]:
    """The index of a delivery `instructions`: lines with the path of a SKILL.md."""
    return [
        _listed(each.name, each.description, f"{each.folder}/SKILL.md") for each in read_index(text)
    ]


def _entries(text: str) -> list[Listed]:
    """A list of `- name: description (file: path)`."""
    return [_entry(each) for each in _split_entries(text)]


def _split_entries(text: str) -> list[str]:
    """The entries of a list, which ends where a paragraph is none."""
    entries: list[str] = []
    blank = False
    for line in text.strip("\n").splitlines():
        entry = ENTRY.match(line)
        if entry:
            entries.append(entry["rest"])
        elif not line.strip():
            blank = True
            continue
        elif blank or line.startswith(("#", "<")) or not entries:
            break
        else:
            entries[-1] += "\n" + line
        blank = False
    return entries


def _entry(text: str, *, with_path: bool = True) -> Listed:
    path = ""
    if with_path and (match := FILE.search(text)):
        text, path = text[: match.start()], match["path"]
    name, _, description = text.partition(": ")
    name = name.strip().rstrip(":").strip("*`")
    if named := NAMED.match(name):
        return Listed(
            name=named["name"], description=description.strip(), path=path, aka=named["aka"]
        )
    return _listed(name, description, path)


def _listed(name: str, description: str = "", path: str = "", tool: str = "") -> Listed:
    return Listed(name=name.strip(), description=description.strip(), path=path, tool=tool)


def _element(text: str, name: str) -> str:
    return unescape(_between(text, f"<{name}>", f"</{name}>")).strip()


def _between(text: str, start: str, end: str) -> str:
    _, found, rest = text.partition(start)
    return rest.partition(end)[0] if found else ""
