"""A skill's folder as the linter sees it: bytes, text, places, files.

In: the path of a folder with a SKILL.md. Out: what it holds, each part read when a rule first
asks for it. All of it is other people's: nothing in it is run, followed or trusted.
Must not know: the rules.
"""

import os
import re
import stat
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property

from audition.front_matter import SIZE_CAP, FrontMatter, read_front_matter
from audition.lint.prose import Link, Spot, blank_code, find_links, spot_in
from audition.model import Finding, Value
from audition.yaml_file import Marked, Node, parse_yaml

FILE_CAP = 256 * 1024
"""Bytes of a bundled file that are looked at."""
FILES_CAP = 2000
DEPTH_CAP = 16
PASSED_BY = {"node_modules", "__pycache__"}
_TEXT = """
    .bash .bat .c .cfg .cjs .cmd .css .csv .env .go .h .html .ini .java .js .json .jsonc .md .mjs
    .php .pl .ps1 .py .rb .rs .sh .sql .svg .toml .ts .txt .xml .yaml .yml .zsh
"""
TEXT = frozenset(("", *_TEXT.split()))
APART = {"assets", "templates", "evals", "eval", "tests", "test", "examples"}
"""Folders whose documents are material, not instructions."""


class Entry(Value, frozen=True, kw_only=True):
    """One file or link of the folder."""

    name: str
    """Relative, with slashes."""
    link: bool = False
    executable: bool = False
    size: int = 0
    suffix: str = ""
    """As `.py`, in small letters."""

    @property
    def top(self) -> str:
        """The folder it is in, right below the skill's; empty for a file beside SKILL.md."""
        return self.name.rpartition("/")[0].partition("/")[0]


class SkillFolder:
    """One skill, read part by part."""

    def __init__(self, path: str, shown: str) -> None:
        self.path = path
        self.shown = shown
        """How the user would write the path."""

    def forget(self, *but: str) -> None:
        """Let go of what was read, but for some parts; it is read again when asked for."""
        for each in set(self.__dict__) - {"path", "shown", *but}:
            del self.__dict__[each]

    @cached_property
    def _read(self) -> tuple[bytes, str]:
        return read_capped(os.path.join(self.path, "SKILL.md"), SIZE_CAP)

    @property
    def raw(self) -> bytes:
        """The bytes of SKILL.md, at most 1 MiB."""
        return self._read[0]

    @property
    def trouble(self) -> str:
        """Why SKILL.md cannot be read; empty where it can."""
        return self._read[1]

    @cached_property
    def text(self) -> str:
        """SKILL.md with plain line ends; bytes that are not UTF-8 are replaced."""
        text = self.raw.decode("utf-8-sig", "replace")
        return text.replace("\r\n", "\n").replace("\r", "\n")

    @cached_property
    def lines(self) -> list[str]:
        """The lines of SKILL.md."""
        return self.text.split("\n")

    @cached_property
    def front_end(self) -> int | None:
        """The index of the line that ends the front matter; -1 without an end, None without any."""
        if self.lines[0].rstrip() != "---":
            return None
        for number, line in enumerate(self.lines[1:], 1):
            if line.rstrip() in {"---", "..."}:
                return number
        return -1

    @cached_property
    def marked(self) -> Marked:
        """The front matter as strict YAML; lines count from the line below the `---`."""
        end = self.front_end or 0
        front = "\n".join(self.lines[1:end]) if end > 0 else ""
        return parse_yaml(front.encode("utf-8", "replace"), self.file())

    @cached_property
    def fields(self) -> dict[str, Node]:
        """The keys of the front matter; none where it is not a mapping."""
        node = Node(self.marked)
        return node.children() if isinstance(node.value, dict) else {}

    @cached_property
    def said(self) -> FrontMatter:
        """The front matter as agents forgive it."""
        return read_front_matter(self.raw, self.file())

    @property
    def name(self) -> str:
        """Its `name`, as far as one can be made out."""
        return self.said.name

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return os.path.basename(self.path)

    @property
    def description(self) -> str:
        """Its `description`, as far as one can be made out."""
        return self.said.description

    def value(self, key: str) -> str:
        """A text of the front matter; empty where it is not there or no text."""
        node = self.fields.get(key)
        return (node.place.text or "").strip() if node else ""

    def where(self, key: str) -> Spot:
        """Where a key of the front matter stands; else the top."""
        if node := self.fields.get(key):
            return node.place.key_line + 1, node.place.key_column
        for number, line in enumerate(self.lines[1 : self.front_end], 2):
            if line.startswith(f"{key}:"):
                return number, 1
        return 1, 1

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for line in self.lines:
            starts.append(starts[-1] + len(line) + 1)
        return starts

    @cached_property
    def body_start(self) -> int:
        """Where in the text the body begins."""
        end = self.front_end or -1
        return self._starts[end + 1] if end > 0 else 0

    @property
    def body(self) -> str:
        """What stands below the front matter."""
        return self.text[self.body_start :]

    @cached_property
    def prose(self) -> str:
        """The text with front matter, code and comments blanked; every place stays."""
        front = re.sub(r"[^\n]", " ", self.text[: self.body_start])
        return front + blank_code(self.body)

    def spot(self, offset: int) -> Spot:
        """Line and column of an offset in the text."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """The files and links beside SKILL.md, at most 2000; not those of nested skills."""
        found: list[Entry] = []
        for each in _walk(self.path, "", 0):
            if len(found) >= FILES_CAP:
                break
            found.append(each)
        return tuple(sorted(found, key=lambda each: each.name))

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of the entries, and of the folders they are in."""
        names: set[str] = set()
        for each in self.entries:
            name = each.name
            while name:
                names.add(name)
                name = name.rpartition("/")[0]
        return frozenset(names)

    @cached_property
    def texts(self) -> dict[str, str]:
        """The bundled files that are text, by name; each as far as it is looked at."""
        found: dict[str, str] = {}
        for each in self.entries:
            if each.link or each.suffix not in TEXT:
                continue
            raw = read_capped(os.path.join(self.path, each.name), FILE_CAP)[0]
            if b"\0" not in raw:
                found[each.name] = raw.decode("utf-8-sig", "replace")
        return found

    @cached_property
    def links(self) -> tuple[tuple[str, Link, Spot], ...]:
        """The links of SKILL.md and of the Markdown beside it: document, link, place."""
        found = [("SKILL.md", each, self.spot(each.offset)) for each in find_links(self.prose)]
        for entry in self.entries:
            text = self.texts.get(entry.name, "") if entry.suffix == ".md" else ""
            if entry.top not in APART and ("](" in text or "]:" in text):
                prose = blank_code(text)
                found += [
                    (entry.name, each, spot_in(prose, each.offset)) for each in find_links(prose)
                ]
        return tuple(found)

    def bytes_of(self, name: str) -> bytes:
        """The bytes of a bundled file, as far as it is looked at."""
        return read_capped(os.path.join(self.path, name), FILE_CAP)[0]

    def file(self, name: str = "SKILL.md") -> str:
        """How a file of the skill is shown."""
        return f"{self.shown}/{name}" if self.shown != "." else name

    def say(
        self, message: str, hint: str = "", at: Spot = (1, 1), name: str = "SKILL.md"
    ) -> Finding:
        """A finding at a place of one of its files."""
        return Finding(path=self.file(name), line=at[0], column=at[1], message=message, hint=hint)


def looks_like_skill(folder: str, names: set[str]) -> bool:
    """Whether a folder is a skill, or was meant for one: `skill.md` with a name and a description.

    No agent finds that one on Linux; without the two keys it is a page about something else.
    """
    if "SKILL.md" in names:
        return True
    for name in names:
        if name.lower() == "skill.md":
            head = read_capped(os.path.join(folder, name), 4096)[0]
            return all(sign in head for sign in (b"---", b"name:", b"description:"))
    return False


def read_capped(path: str, cap: int) -> tuple[bytes, str]:
    """The first bytes of a file, and why there are none."""
    try:
        # A pipe would wait for its writer; opening one that way returns at once.
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                return b"", "it is not a file"
            return opened.read(cap), ""
    except OSError as error:
        return b"", f"{error.strerror or error}"


def _walk(folder: str, prefix: str, depth: int) -> Iterator[Entry]:
    try:
        with os.scandir(os.path.join(folder, prefix)) as scan:
            entries = sorted(scan, key=lambda each: each.name)
    except OSError:
        return
    if prefix and any(each.name == "SKILL.md" for each in entries):
        return
    for each in entries:
        name = prefix + each.name.encode("utf-8", "replace").decode()
        if each.is_dir(follow_symlinks=False):
            hidden = each.name.startswith(".") or each.name in PASSED_BY
            if not hidden and depth < DEPTH_CAP:
                yield from _walk(folder, f"{prefix}{each.name}/", depth + 1)
        elif name != "SKILL.md" or prefix:
            yield _entry(each, name)


def _entry(each: "os.DirEntry[str]", name: str) -> Entry:
    suffix = os.path.splitext(name)[1].lower()
    try:
        state = each.stat(follow_symlinks=False)
    except OSError:
        return Entry(name=name, link=each.is_symlink(), suffix=suffix)
    executable = bool(state.st_mode & stat.S_IXUSR)
    return Entry(
        name=name, link=each.is_symlink(), executable=executable, size=state.st_size, suffix=suffix
    )
