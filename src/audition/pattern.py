"""Patterns from case files, run on google-re2, and the excerpt around what they found.

In: a pattern and a text. Out: where it matches, or BadPattern that names what RE2 refuses.
Time is linear in the text, whatever the pattern: an agent's output cannot make it hang.
Must not know: checks, files, where the text came from.
"""

from functools import lru_cache
from typing import Protocol

from audition.errors import AuditionError

EXCERPT = 120
REFUSED = {
    "(?=": "lookahead",
    "(?!": "lookahead",
    "(?<=": "lookbehind",
    "(?<!": "lookbehind",
    "(?P=": "a backreference",
    "(?>": "an atomic group",
    "(?(": "a conditional group",
    "(?#": "a comment",
}
SYNTAX = "the syntax is at https://github.com/google/re2/wiki/Syntax"


class BadPattern(AuditionError):
    """RE2 does not take the pattern."""


class _Match(Protocol):
    def span(self) -> tuple[int, int]: ...


class Pattern(Protocol):
    """A pattern that RE2 has taken."""

    def search(self, text: str | bytes) -> _Match | None:
        """The first match in the text."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> Pattern:
    """The pattern, compiled; raises BadPattern."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        compiled: Pattern = re2.compile(pattern, options)
    except re2.error as error:
        said = error.args[0] if error.args else "refused"
        words = excerpt(said.decode(errors="replace") if isinstance(said, bytes) else str(said))
        raise BadPattern(
            f"patterns are RE2, which refuses `{excerpt(pattern)}`: {_name(pattern, words)}", SYNTAX
        ) from error
    except UnicodeEncodeError as error:
        raise BadPattern(f"the pattern `{excerpt(pattern)}` is not valid Unicode") from error
    return compiled


def _name(pattern: str, words: str) -> str:
    """What RE2 says, with the name that people know the construct by."""
    if words.startswith("invalid escape sequence: \\") and words[-1].isdigit():
        return f"a backreference ({words})"
    # RE2 stops at `(?P` for `(?P=name)` and at `(?` for `(?(1)…)`: look in the pattern itself.
    if words.startswith(("invalid perl operator", "invalid named capture")):
        for start in sorted(REFUSED, key=len, reverse=True):
            if start in words or (start in pattern and words.endswith((start[:3], start[:2]))):
                return f"{REFUSED[start]} ({words})"
    return words


def find_pattern(pattern: str, text: str) -> tuple[int, int] | None:
    """Where the pattern first matches in the text: start and end."""
    # Bytes, for RE2 counts in them; its own way back to characters takes three times as long.
    # A lone surrogate, which JSON can write and UTF-8 cannot, becomes one `?`.
    data = text.encode("utf-8", "replace")
    found = compile_pattern(pattern).search(data)
    if found is None:
        return None
    start, end = found.span()
    if len(data) == len(text):
        return start, end
    before = len(data[:start].decode(errors="replace"))
    return before, before + len(data[start:end].decode(errors="replace"))


def excerpt(text: str, start: int = 0, end: int = 0, limit: int = EXCERPT) -> str:
    """At most `limit` characters around a place, control characters made visible."""
    if len(text) > limit:
        begin = max(0, min(start - max(0, limit - (end - start)) // 2, len(text) - limit))
        text = text[begin : begin + limit]
    if text.isprintable():
        return text
    shown = "".join(each if each.isprintable() else _visible(each) for each in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def _visible(character: str) -> str:
    return ascii(character)[1:-1]
