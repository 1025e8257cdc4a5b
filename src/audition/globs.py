"""Globs over paths with slashes: `*` stays inside a name, `**` crosses folders.

In: a glob. Out: a compiled pattern, or a list of what it matches.
Must not know: files, the machine's own path rules.
"""

import re
from collections.abc import Iterable
from functools import lru_cache

_PIECE = re.compile(
    r"(?P<deep>\*\*/)|(?P<all>\*\*)|(?P<star>\*)|(?P<one>\?)|(?P<set>\[!?\]?[^\]/]*\])"
)
_MEANS = {"deep": "(?:[^/]+/)*", "all": ".*", "star": "[^/]*", "one": "[^/]"}


@lru_cache(maxsize=512)
def compile_glob(glob: str, *, anywhere: bool = False) -> re.Pattern[str]:
    """The glob as a pattern for `fullmatch`; with `anywhere`, a relative one fits below any folder."""
    glob = glob.removeprefix("./")
    parts: list[str] = []
    at = 0
    for found in _PIECE.finditer(glob):
        parts.append(re.escape(glob[at : found.start()]))
        at = found.end()
        kind = found.lastgroup or ""
        parts.append(_MEANS[kind] if kind in _MEANS else _set(found[0]))
    parts.append(re.escape(glob[at:]))
    below = r"(?:.*/)?" if anywhere and not glob.startswith("/") else ""
    return re.compile(below + "".join(parts), re.DOTALL)


def _set(text: str) -> str:
    """`[a-c]` and `[!a-c]`; one that is no set stands for its own characters."""
    inside = text[1:-1]
    outside = inside.startswith("!")
    inside = inside.removeprefix("!").replace("\\", r"\\").replace("[", r"\[")
    inside = inside.replace("]", r"\]").replace("^", r"\^").replace("&&", r"&\&")
    try:
        re.compile(made := f"(?!/)[{'^' if outside else ''}{inside}]")
    except re.error:
        return re.escape(text)
    return made


def matching(glob: str, paths: Iterable[str]) -> list[str]:
    """Those of the paths, relative to one folder, that the glob fits whole."""
    fits = compile_glob(glob).fullmatch
    return [path for path in paths if fits(path.removeprefix("./"))]
