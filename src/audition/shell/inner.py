"""What stands inside the quotes and substitutions of a shell line.

In: a text and a place in it. Out: where something closes, what it says, the commands in it.
Must not know: words, commands.
"""

import re

_LIVE = re.compile(r"\\.|\$\(\(|\$\(|`", re.DOTALL)
_NESTED = re.compile(r"\\.|\$\{|\}|\$\(|`", re.DOTALL)
_UP_TO_QUOTE = re.compile(r"[^'\\]*(?:\\.[^'\\]*)*", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([abeEfnrtv\\'\"?]))"
)
_MEANS = dict(zip("abeEfnrtv", "\a\b\033\033\f\n\r\t\v", strict=True))


def closing(text: str, at: int) -> int:
    """Where the parenthesis closes that opened before `at`; the end where none does."""
    open_ones, quote = 1, ""
    while at < len(text):
        char = text[at]
        if char == "\\" and quote != "'":
            at += 1
        elif quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char in "()":
            open_ones += 1 if char == "(" else -1
            if not open_ones:
                return at
        at += 1
    return len(text)


def closing_brace(text: str, at: int) -> int:
    """Where the `${` closes that opened before `at`; -1 where it does not.

    Quotes do not count: within others they are letters, as in `"${x:-it's}"`.
    """
    open_ones = 1
    while match := _NESTED.search(text, at):
        at = match.end()
        if match[0] == "}":
            open_ones -= 1
            if not open_ones:
                return match.start()
        elif match[0] == "${":
            open_ones += 1
        elif match[0] == "$(":
            at = closing(text, at) + 1
        elif match[0] == "`":
            at = _closing_tick(text, at) + 1
    return -1


def is_arithmetic(text: str, at: int) -> bool:
    """Whether `$((` stands at a place, and no `$(` of a command in parentheses."""
    if not text.startswith("$((", at):
        return False
    outer = closing(text, at + 2)
    return outer == len(text) or closing(text, at + 3) == outer - 1


def substitutions(text: str) -> list[str]:
    """The commands in a text that the shell looks into: a here-document, `${x:-…}`, `$((…))`."""
    found: list[str] = []
    at = 0
    while match := _LIVE.search(text, at):
        at = match.end()
        if match[0] in ("$(", "`"):
            end = closing(text, at) if match[0] == "$(" else _closing_tick(text, at)
            found.append(text[at:end])
            at = end + 1
    return found


def unescape(text: str, at: int) -> tuple[str, int]:
    """What `$'…'` says, and the place behind it; `at` is behind its first quote."""
    match = _UP_TO_QUOTE.match(text, at)
    end = match.end() if match else at
    return _ESCAPE.sub(_character, text[at:end]), end + 1


def _character(match: re.Match[str]) -> str:
    *codes, octal, letter = match.groups()
    if letter:
        return _MEANS.get(letter, letter)
    number = int(octal, 8) if octal else int(next(filter(None, codes)), 16)
    # No command holds a NUL, and what is no character cannot be written down.
    if not number or number > 0x10FFFF or 0xD800 <= number < 0xE000:
        return ""
    return chr(number)


def _closing_tick(text: str, at: int) -> int:
    end = text.find("`", at)
    return len(text) if end < 0 else end
