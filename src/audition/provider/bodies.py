"""The body of a skill, taken out of what an agent's tool came back with.

In: the text of a result. Out: the body, and where its files are as far as that is said.
Must not know: wires, choices.
"""

import re
from html import unescape
from typing import NamedTuple

import msgspec

from audition.understudy.act import BLOCK
from audition.understudy.shown import split_front

BASE = re.compile(
    r"(?:Base directory for this skill|Skill directory|Directory): `?(?P<folder>[^\n`]+)"
)
FILES = re.compile(r"<file>([^<]+)</file>")
NUMBERED = re.compile(r"^ *(\d+)(?:\t|→|\||: ?)(.*)$")
LINK = re.compile(r"\]\(([^)\s#]+)\)")
INSERT = re.compile(r"\$\{resource:([^}\s]+)\}")
PATH = re.compile(r"(?<![\w./:-])(?:\./)?[\w-]+(?:/[\w.-]+)*/[\w-][\w.-]*\.\w{1,8}(?![\w/])")
EXEC = re.compile(r"\A(?:[^\n]*\n){0,8}?Output:\n", re.MULTILINE)


class Body(NamedTuple):
    """What a skill says, and where it lies."""

    text: str
    folder: str = ""
    files: tuple[str, ...] = ()
    """Its files as the tool told them; empty where it did not."""


def unwrap(text: str) -> Body:
    """The body within the text of a result."""
    plain = unwrap_output(text)
    folder = ""
    if base := BASE.search(plain):
        folder = base["folder"].strip().removeprefix("file://").rstrip("/")
        if plain.startswith(base[0]):
            plain = plain[base.end() :].lstrip("\n")
    files = tuple(unescape(each.strip()) for each in FILES.findall(plain))
    body = split_front(plain.lstrip())[1].strip()
    if folder:
        files = tuple(each.removeprefix(f"{folder}/") for each in files)
    return Body(body, folder, files)


def unwrap_output(text: str) -> str:
    """What a file or a command holds, without what the agent's tool put around it."""
    text = _from_json(EXEC.sub("", text, count=1))
    lines = text.splitlines(keepends=True)
    numbered = [NUMBERED.match(line.rstrip("\n")) for line in lines]
    if lines and all(each and int(each[1]) == n for n, each in enumerate(numbered, start=1)):
        return "".join(
            each[2] + ("\n" if line.endswith("\n") else "")
            for each, line in zip(numbered, lines, strict=True)
            if each
        )
    return text


def _from_json(text: str) -> str:
    """The text in `{"output": …}` or `{"result": …}`, as code mode and MCP wrap it."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        found = msgspec.json.decode(text)
    except (msgspec.MsgspecError, RecursionError):
        return text
    if not isinstance(found, dict):
        return text
    inner = found.get("output", found.get("result"))
    return inner if isinstance(inner, str) else text


def exit_code(text: str) -> int | None:
    """The exit code that the text of a result tells."""
    match = re.search(
        r'(?:Process exited with code |"exit_code":|Exit code:? |exit code )(-?\d+)', text
    )
    return int(match[1]) if match else None


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
    linked = [
        each for each in LINK.findall(prose) if re.fullmatch(r"(?:\./)?[\w./-]*\w\.\w+", each)
    ]
    named = [*inserted, *linked, *(match[0] for match in PATH.finditer(prose))]
    found = dict.fromkeys(each.removeprefix("./") for each in named)
    return tuple(each for each in found if each not in written and ".." not in each.split("/"))
