"""What the exit code of a line tells of the commands in it.

In: the simple commands of a line as they stand, with the operators between them. Out: each is
marked. Must not know: what commands are for, wrappers.

A line has one exit code. Behind `pytest | tail` it is that of `tail`, behind `pytest; ls` that
of `ls`; that of `cd x && pytest` is 0 only if both were. What is not certain is not marked:
`a || b`, the body of an `if` or a loop, what runs in the background.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from audition.shell.words import Simple

ZERO, LAST, OWN = 1, 2, 4
"""Where the line ends with 0, so did the command. Where it does not, neither did the command,
or it never ran. Where it does not, its code is that of the command."""
ALL = ZERO | LAST | OWN
KEYWORDS = frozenset(
    ("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!", "coproc")
)
_OPENS = KEYWORDS | {"for", "case", "select", "function"}
_MILD = frozenset(
    "cd pushd popd export set shopt unset umask source . : true echo printf pwd".split()  # noqa: SIM905
)
"""Commands that as good as never fail."""


def mark_ends(found: Sequence[Simple], *, grouped: bool) -> None:
    """Mark each command of one level of a line; `grouped`: there are parentheses in it."""
    real = [each for each in found if not each.script]
    if any(each.words and each.words[0] in _OPENS for each in real):
        real = []
    alone = len(real) == 1 and real[0].then != "&"
    for each in found:
        each.tells = ALL if alone and each is real[0] else 0
    if len(real) > 1:
        _mark_lists(_lists(real), grouped=grouped)


def _lists(real: Sequence[Simple]) -> list[list[Simple]]:
    """The commands between one `;`, `&` or end of line and the next."""
    lists: list[list[Simple]] = [[]]
    for each in real:
        lists[-1].append(each)
        if each.then not in ("&&", "||", "|", "|&"):
            lists.append([])
    return [each for each in lists if each]


def _mark_lists(lists: list[list[Simple]], *, grouped: bool) -> None:
    strict = piped = risky = False
    for number, each in enumerate(lists, 1):
        body, guarded = _unguarded(each)
        chain = _pipelines(body)
        last = number == len(lists) and each[-1].then != "&"
        told = 0
        if any(one.then == "||" for one in body[:-1]) or each[-1].then == "&":
            chain = []
        elif last:
            told = ALL & ~(OWN if guarded or grouped or risky else 0)
        elif guarded or (strict and len(chain) == 1):
            told = ZERO
        for place, pipeline in enumerate(chain, 1):
            _mark_pipeline(pipeline, told if place == len(chain) else told & ZERO, piped)
            if not all(map(_is_mild, pipeline)):
                told &= ~OWN
        risky = risky or guarded or (strict and not all(map(_is_mild, each)))
        for one in each if not grouped else ():
            options = one.words[1:] if one.words[:1] == ("set",) else ()
            strict = strict or any(o[:1] == "-" and "e" in o for o in options[:1])
            strict, piped = strict or "errexit" in options, piped or "pipefail" in options


def _unguarded(chain: list[Simple]) -> tuple[list[Simple], bool]:
    """A list without the `|| exit 1` behind it, and whether there was one."""
    *body, end = chain
    if body and body[-1].then == "||" and end.words[:1] in (("exit",), ("return",)):
        return (body, True) if end.words[1:] != ("0",) else (chain, False)
    return chain, False


def _pipelines(body: Sequence[Simple]) -> list[list[Simple]]:
    found: list[list[Simple]] = [[]]
    for each in body:
        found[-1].append(each)
        if each.then not in ("|", "|&"):
            found.append([])
    return [each for each in found if each]


def _mark_pipeline(pipeline: list[Simple], told: int, piped: bool) -> None:
    """The last command of a pipeline has its code; with `pipefail` all have its 0."""
    whole = told & ZERO if piped and len(pipeline) > 1 else told
    for each in pipeline[:-1]:
        each.tells = whole if piped else 0
    pipeline[-1].tells = whole


def _is_mild(simple: Simple) -> bool:
    return not simple.words or simple.words[0] in _MILD or "=" in simple.words[0]
