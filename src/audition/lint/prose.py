"""Markdown as far as the rules need it: what is prose, what is code, where links lead.

In: text. Out: the same text with code blanked, or its links; every offset stays what it was.
Must not know: skills, files.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from audition.model import Value

FENCE = re.compile(r"\s{0,9}(`{3,}|~{3,})")
INLINE = re.compile(r"(`+)[^`\n]+\1")
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
LINK = re.compile(r"\]\(\s{0,9}<?([^)\s<>]+)>?[^)\n]{0,200}\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]{1,200}\]:[ \t]{1,9}<?([^\s<>]+)", re.MULTILINE)
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]+:|//|#")
PLACEHOLDER = re.compile(r"[{}$*…|]|path/to|\.\.\.|^(url|link)$", re.IGNORECASE)


Spot = tuple[int, int]
"""Line and column, both from 1."""


class Link(Value, frozen=True, kw_only=True):
    """A link to a file."""

    target: str
    """As written, without `#…` and `?…`."""
    offset: int
    """Where the target begins in the text."""


def spot_in(text: str, offset: int) -> Spot:
    """Line and column of an offset."""
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def blank_code(text: str) -> str:
    """The text with fenced code, code spans and comments turned into blanks."""
    lines = text.split("\n")
    fence = ""
    for number, line in enumerate(lines):
        mark = FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            lines[number] = " " * len(line)
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence = mark[1]
            lines[number] = " " * len(line)
    text = "\n".join(lines)
    if "`" in text:
        text = INLINE.sub(lambda found: " " * len(found[0]), text)
    if "<!--" in text:
        text = COMMENT.sub(_blanks, text)
    return text


def _blanks(found: "re.Match[str]") -> str:
    return re.sub(r"[^\n]", " ", found[0])


def find_links(prose: str) -> Iterator[Link]:
    """The links that lead to files, in order."""
    if "](" not in prose and "]:" not in prose:
        return
    for pattern in (LINK, DEFINITION):
        for found in pattern.finditer(prose):
            target = unquote(re.split(r"[#?]", found[1], maxsplit=1)[0])
            told = "/" in target or "\\" in target or "." in target
            if told and not SCHEME.match(found[1]) and not PLACEHOLDER.search(target):
                yield Link(target=target, offset=found.start(1))
