"""The body of a skill, taken out of what an agent's tool came back with.

In: the text of a result. Out: the body, and where its files are as far as that is said.
Must not know: wires, choices.
"""

import re
from html import unescape
from typing import NamedTuple

import msgspec

from audition.model import Json
from audition.understudy.act import BLOCK
from audition.understudy.front import split_front

TAG = re.compile(
    r"<(?P<tag>skill_content|activated_skill|skill-context|skill-loaded|command-instructions)\b"
    r"[^>]*>(?P<body>.*)</(?P=tag)>",
    re.DOTALL,
)
INNER = (
    re.compile(r"<instructions>(.*)</instructions>", re.DOTALL),  # Gemini
    re.compile(
        r"^### Content\n+(.*?)\n(?:## Supporting Files\n|---\nThis know)", re.MULTILINE | re.DOTALL
    ),  # goose
)
# The line that says where a skill lies, and what the agent adds to it in the same paragraph.
BASE = re.compile(
    r"^(?:Base directory for this skill|Skill directory|Directory): `?(?P<folder>[^\n`]+)`?"
    r"(?P<more>(?:\n[^\n]+)*)\n*",
    re.MULTILINE,
)
RELATED = re.compile(r"^Related files[^\n]*:\n(?P<files>(?: +- [^\n]+\n)+)\n*", re.MULTILINE)
FILES = re.compile(r"<file>([^<]+)</file>")
ABOUT = re.compile(r"\A\s*Description: [^\n]+\n+")
NUMBERED = re.compile(r"^ *(\d+)(?:\t|→| ?\| ?)(.*)$", re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)\)")
INSERT = re.compile(r"\$\{resource:([^}\s]+)\}")
PATH = re.compile(r"(?<![\w./:-])(?:\./)?[\w-]+(?:/[\w.-]+)*/[\w-][\w.-]*\.\w{1,8}(?![\w/])")
EXEC = re.compile(r"\A(?:[^\n]*\n){1,8}?Output:\n")
# Copilot and Kimi add a line behind what a command or a file holds.
ADDED = re.compile(
    r"\n?(?:<shellId: \d+ completed with exit code \d+>|<system>[^\n]*</system>)\s*\Z"
)
FAILED = re.compile(
    r"(?i)[^\n]{0,120}\b(?:error|failed|unknown|not found|denied|disabled)\b[^\n]*\s*"
)
EXIT = re.compile(
    r'(?:Process exited with code |"exit_code":|Exit code:? |exit code )(?P<code>-?\d+)'
)


class Body(NamedTuple):
    """What a skill says, and where it lies."""

    text: str
    folder: str = ""
    files: tuple[str, ...] = ()
    """Its files as the tool told them; empty where it did not."""


def unwrap(text: str) -> Body:
    """The body within the text of a result."""
    plain = unwrap_output(text)
    tag = TAG.search(plain)
    plain = tag["body"] if tag else plain
    folder = ""
    if base := BASE.search(plain):
        folder = base["folder"].strip().removeprefix("file://").rstrip("/")
        plain = plain[: base.start()] + plain[base.end() :]
    files = FILES.findall(plain)
    if related := RELATED.search(plain):
        files += [line.strip(" -") for line in related["files"].splitlines()]
        plain = plain[: related.start()] + plain[related.end() :]
    for pattern in INNER:
        if inner := pattern.search(plain):
            plain = inner[1]
    plain = re.sub(r"<(skill_files|available_resources)>.*?</\1>", "", plain, flags=re.DOTALL)
    body = split_front(ABOUT.sub("", plain).lstrip())[1].strip()
    paths = (unescape(each.strip()).removeprefix("file://") for each in files)
    return Body(body, folder, tuple(path.removeprefix(f"{folder}/") for path in paths))


def unwrap_output(text: str) -> str:
    """What a file or a command holds, without what the agent's tool put around it."""
    text = _from_json(EXEC.sub("", text, count=1))
    text = ADDED.sub("\n", text)
    lines = text.splitlines(keepends=True)
    numbered = [NUMBERED.match(line) for line in lines]
    if lines and all(each and int(each[1]) == n for n, each in enumerate(numbered, start=1)):
        return "".join(each[2] for each in numbered if each)
    return text


def _from_json(text: str) -> str:
    """The text in `{"output": …}`, as code mode, MCP and Cline wrap it."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        found: Json = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return text
    if isinstance(found, list) and len(found) == 1:
        found = found[0]
    if not isinstance(found, dict):
        return text
    inner = next((found[key] for key in ("output", "result", "content") if key in found), None)
    if isinstance(inner, list):
        inner = "\n".join(str(each.get("text", "")) for each in inner if isinstance(each, dict))
    return inner if isinstance(inner, str) else text


def looks_failed(text: str) -> bool:
    """Whether a result tells of a failure in words, where the protocol has no sign for it."""
    return exit_code(text) not in (None, 0) or FAILED.fullmatch(text) is not None


def exit_code(text: str) -> int | None:
    """The exit code that the text of a result tells."""
    match = EXIT.search(text[:2000]) or EXIT.search(text[-200:])
    return int(match["code"]) if match else None


def name_files(body: Body) -> tuple[str, ...]:
    """The files beside SKILL.md that its body may mean.

    Only the folder could tell which of them exist. A file that the body says to write is
    none; a bare name is one only where the body links to it or inserts it.
    """
    if body.files:
        return body.files
    written = {block["path"] for block in BLOCK.finditer(body.text) if block["path"]}
    inserted = INSERT.findall(body.text)
    prose = BLOCK.sub("", body.text)
    linked = [each for each in LINK.findall(prose) if re.fullmatch(r"[\w./-]*\w\.\w+", each)]
    named = [*inserted, *linked, *(match[0] for match in PATH.finditer(prose))]
    found = dict.fromkeys(each.removeprefix("./") for each in named)
    return tuple(each for each in found if each not in written and ".." not in each.split("/"))
