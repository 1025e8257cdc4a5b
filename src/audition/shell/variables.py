"""What the variables of a line hold, as far as the line itself says so.

In: words as typed. Out: names and values; the words that a word stands for.
Must not know: the environment, what commands are for.
"""

import re

from audition.shell.ends import KEYWORDS
from audition.shell.words import Known

_ASSIGNED = re.compile(r"([A-Za-z_]\w*)(\+?=)(.*)", re.DOTALL)
_NAMED = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
_BRACES = re.compile(r"\{([^{}\s]*,[^{}\s]*)\}")
_TELLERS = frozenset(("export", "declare", "local", "readonly", "typeset"))
BEGINS = KEYWORDS | _TELLERS | {"for"}
"""How a command begins, beside `A=b`, that may give a variable a value."""
_MOST = 64
"""A word stands for so many at most, and so many variables are known."""
_LONGEST = 1024
"""No path is longer; what is longer stays as it was typed."""


def learn(words: tuple[str, ...], known: Known) -> Known:
    """What is known behind a simple command: `A=b`, `export A=b`, `for a in b c`."""
    while words and words[0] in KEYWORDS:
        words = words[1:]
    if words[:1] == ("for",) and words[2:3] == ("in",):
        return _with(known, words[1], [each for word in words[3:] for each in spelled(word, known)])
    if words[:1] and words[0] in _TELLERS:
        words = words[1:]
    elif not all(map(_ASSIGNED.fullmatch, words)):
        return known  # `A=b command`: it is for that command alone
    for match in filter(None, map(_ASSIGNED.fullmatch, words)):
        name, how, value = match.groups()
        known = _with(known, name, spelled(value, known) if value and how == "=" else [])
    return known


def _with(known: Known, name: str, values: list[str]) -> Known:
    """A variable with new values; one whose values cannot be told is known no longer."""
    rest = {key: value for key, value in known.items() if key != name}
    short = len(values) <= _MOST and sum(map(len, values)) <= _LONGEST
    return {**rest, name: tuple(values)} if values and short and len(rest) < _MOST else rest


def spelled(word: str, known: Known) -> list[str]:
    """The words that one stands for, by the variables and the braces in it: `$A/{b,c}`."""
    found = [word]
    if len(word) > _LONGEST:
        return found
    if known and "$" in word:
        for sign, values in _held(word, known).items():
            if len(found) * len(values) <= _MOST:
                found = [each.replace(sign, value) for each in found for value in values]
    while len(found) < _MOST and len(found[0]) <= _LONGEST and (braces := _BRACES.search(found[0])):
        begin, end = braces.span()
        found = [
            each[:begin] + part + each[end:] for each in found for part in braces[1].split(",")
        ]
    return found


def _held(word: str, known: Known) -> dict[str, tuple[str, ...]]:
    """By the sign in a word, as `${A}`: what it stands for."""
    named = {match[0]: match[1] or match[2] for match in _NAMED.finditer(word)}
    # `$AB` before `$A`, which is a part of it.
    signs = sorted(named, key=len, reverse=True)
    return {sign: known[named[sign]] for sign in signs if named[sign] in known}
