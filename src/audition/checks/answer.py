"""Checks on what the agent said.

In: an Outcome. Out: a Verdict with the lines of the messages that prove it.
Must not know: files, tools, case files.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from audition.check import (
    BadArguments,
    Outcome,
    Verdict,
    failed,
    fails_early,
    passed,
)
from audition.checks.looks import LINES_CAP, look_at_pattern, unless_cut
from audition.counted import counted
from audition.model import Json, Message, Trace
from audition.pattern import excerpt, find_pattern

Text = Annotated[str, Meta(min_length=1)]
Where = Literal["last", "all"]
Place = tuple[int, int, str]
"""The line of a message, where in it, and an excerpt."""


def texts(trace: Trace, where: Where) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What the agent said, with the lines it stands in."""
    if where == "last":
        if trace.answer.strip():
            yield trace.answer, answer_lines(trace)
        return
    for event in trace.events:
        if type(event) is Message and event.role == "assistant" and event.text.strip():
            yield event.text, (event.line,)
    # Some agents say the answer only in their last line, and never as a message.
    if trace.end.answer and trace.end.answer.strip():
        yield trace.end.answer, answer_lines(trace)


def lines_said(trace: Trace, where: Where) -> list[int]:
    """The lines of all that was looked through; the end's where nothing was said."""
    lines = dict.fromkeys(line for _, lines in texts(trace, where) for line in lines)
    return [*lines][:LINES_CAP] or [*filter(None, [trace.end.line])]


def answer_lines(trace: Trace) -> tuple[int, ...]:
    """The line of the last message, or of the end where only that tells the answer."""
    for event in reversed(trace.events):
        if type(event) is not Message or event.role != "assistant" or event.sub:
            continue
        if event.text.strip() == trace.answer.strip():
            return (event.line,)
    return (trace.end.line,) if trace.end.answer is not None and trace.end.line else ()


def _spot(text: str, wanted: str, *, ignore_case: bool = False) -> str | None:
    """An excerpt around the wanted text, or None."""
    if ignore_case:
        text, wanted = text.casefold(), wanted.casefold()
    start = text.find(wanted)
    return None if start < 0 else excerpt(text, start, start + len(wanted))


def _match(text: str, pattern: str) -> str | None:
    """An excerpt around the first match, or None."""
    found = find_pattern(pattern, text)
    return None if found is None else excerpt(text, *found)


def _missing(outcome: Outcome, where: Where, what: str) -> Verdict:
    """The verdict where the wanted was not found."""
    said = [text for text, _ in texts(outcome.trace, where)]
    lines = lines_said(outcome.trace, where)
    if not said:
        verdict = failed("the agent said nothing", *lines)
    elif where == "last":
        verdict = failed(f"no {what} in the answer: `{excerpt(said[0])}`", *lines)
    else:
        verdict = failed(f"no {what} in any of {counted(len(said), 'message')}", *lines)
    if where == "last" and outcome.trace.end.answer is not None:
        return verdict
    return unless_cut(outcome, verdict)


def answer_contains(
    outcome: Outcome, *, text: Text, where: Where = "last", ignore_case: bool = False
) -> Verdict:
    """The agent's answer contains a text.

    The answer is the last message of the main conversation. With `where: all`, any message
    of the agent counts, those of its sub-agents too; its thoughts and what its tools print
    do not. The characters must be the same, blanks and line ends included; with
    `ignore_case: true`, `Ä` and `ä` are the same. Where the agent said nothing, it fails.
    For a word's bounds or for alternatives use `answer_matches`.

    Example:
        checks:
          - answer_contains: {text: "GREETING-7f3a"}
          - answer_contains: {text: done, where: all, ignore_case: true}
    """
    for said, lines in texts(outcome.trace, where):
        if (found := _spot(said, text, ignore_case=ignore_case)) is not None:
            return passed(f"it says `{found}`", *lines)
    return _missing(outcome, where, f"`{excerpt(text, limit=60)}`")


@fails_early(look_at_pattern)
def answer_matches(outcome: Outcome, *, pattern: Text, where: Where = "last") -> Verdict:
    r"""The agent's answer matches a regular expression.

    The pattern may match anywhere in the answer. It is RE2: no lookahead, no lookbehind, no
    backreferences. `^` and `$` are the ends of the whole text; start the pattern with `(?m)`
    to make them the ends of a line, with `(?i)` to ignore case, with `(?s)` to let `.` match
    line ends. `where` is as in `answer_contains`. In YAML, write patterns in single quotes.

    Example:
        checks:
          - answer_matches: {pattern: '(?i)\bversion \d+\.\d+'}
    """
    for said, lines in texts(outcome.trace, where):
        if (found := _match(said, pattern)) is not None:
            return passed(f"it says `{found}`", *lines)
    return _missing(outcome, where, f"match of `{excerpt(pattern, limit=60)}`")


def _one_of_two(arguments: dict[str, Json]) -> None:
    if (arguments["text"] is None) == (arguments["pattern"] is None):
        raise BadArguments(
            "check `answer_lacks` takes either `text` or `pattern`",
            "give one of the two; for both, write the check twice",
            "text",
        )
    look_at_pattern(arguments)


@fails_early(_one_of_two)
def answer_lacks(
    outcome: Outcome,
    *,
    text: Text | None = None,
    pattern: Text | None = None,
    where: Where = "last",
) -> Verdict:
    """The agent's answer contains neither a text nor a match of a pattern.

    Give `text` or `pattern`, not both. `text` and `where` are as in `answer_contains`,
    `pattern` as in `answer_matches`. Silence proves nothing: where the agent said nothing,
    it fails. Where part of the trace was cut off, it is an error, since the text may have
    been there.

    Example:
        checks:
          - answer_lacks: {text: "I cannot"}
          - answer_lacks: {pattern: '(?i)as an ai', where: all}
    """
    count = 0
    for said, lines in texts(outcome.trace, where):
        found = _spot(said, text) if text is not None else _match(said, pattern or "")
        if found is not None:
            return failed(f"it says `{found}`", *lines)
        count += 1
    if not count:
        said_nothing = failed("the agent said nothing", *lines_said(outcome.trace, where))
        return unless_cut(outcome, said_nothing)
    shown = excerpt(text or pattern or "", limit=60)
    verdict = passed(f"`{shown}` is not there", *lines_said(outcome.trace, where))
    whole = where == "last" and outcome.trace.end.answer is not None
    return verdict if whole else unless_cut(outcome, verdict)
