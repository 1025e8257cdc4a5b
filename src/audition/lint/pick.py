"""Which rules are asked for, and which a file silences.

In: ids or the beginnings of ids; a file's text. Out: rules. Must not know: findings.
"""

import re
from collections.abc import Iterable

from audition.errors import unknown
from audition.lint.rule import Rule
from audition.lint.shelf import RULES

IGNORE = re.compile(r"(?:<!--|#)[ \t]{0,9}audition:[ \t]{0,9}ignore[ \t]+([A-Za-z0-9, \t]{1,400})")
ALWAYS = "SK5"
"""A stranger's skill must not be able to silence what is said about its safety."""


def choose_rules(select: Iterable[str] = (), ignore: Iterable[str] = ()) -> tuple[Rule, ...]:
    """The rules that are selected, all by default, without those that are ignored."""
    wanted, unwanted = _prefixes(select), _prefixes(ignore)
    return tuple(
        rule
        for name, rule in RULES.items()
        if (not wanted or name.startswith(wanted)) and not (unwanted and name.startswith(unwanted))
    )


def _prefixes(words: Iterable[str]) -> tuple[str, ...]:
    names = [name.strip().upper() for word in words for name in word.split(",") if name.strip()]
    for name in names:
        if not any(each.startswith(name) for each in RULES):
            raise unknown("lint rule", name, RULES)
    return tuple(names)


def silenced(text: str) -> tuple[str, ...]:
    """The ids, or beginnings of ids, that comments of a file name; never those on safety."""
    if "audition:" not in text:
        return ()
    words = [word for found in IGNORE.findall(text) for word in re.split(r"[\s,]+", found)]
    names = (word.upper() for word in words)
    return tuple(each for each in names if len(each) >= 3 and not each.startswith(ALWAYS))
