"""Checks on how much the agent took: commands, tokens, seconds, turns; and its exit code.

In: an Outcome. Out: a Verdict. What is not known is an error, never a pass.
Must not know: prices, files, case files.
"""

from typing import Annotated, Literal

from msgspec import Meta

from audition.check import BadArguments, Outcome, Verdict, failed, fails_early, passed, undecided
from audition.checks.looks import LINES_CAP, end_lines, unless_cut
from audition.counted import counted
from audition.model import Call, Json
from audition.settling import number_turns

Count = Annotated[int, Meta(ge=0)]
Seconds = Annotated[float, Meta(gt=0, le=1e9)]


def max_commands(
    outcome: Outcome, *, count: Count, counting: Literal["effective", "total"] = "effective"
) -> Verdict:
    """The agent ran at most so many shell commands.

    By default only effective commands count: bare look-arounds (`ls`, `pwd`, `cat` …) and
    reading the SKILL.md on offer do not, under whatever shell wrapper they stand. With
    `counting: total` every shell call counts. One call counts once, however many commands
    its line holds. Calls of tools other than the shell never count.

    Example:
        checks:
          - max_commands: {count: 5}
          - max_commands: {count: 12, counting: total}
    """
    ran = outcome.commands.total if counting == "total" else outcome.commands.effective
    if ran is None:
        return undecided("how many commands ran is not known")
    said = f"{counted(ran, f'{counting} command')}, at most {count} wanted"
    shell = (each for each in outcome.trace.events if type(each) is Call and each.does == "shell")
    lines = [each.line for each in shell if counting == "total" or outcome.is_effective(each)]
    lines = lines[:LINES_CAP]
    return unless_cut(outcome, passed(said, *lines)) if ran <= count else failed(said, *lines)


def _some_limit(arguments: dict[str, Json]) -> None:
    if all(limit is None for limit in arguments.values()):
        raise BadArguments(
            "check `max_tokens` needs a limit", "give `input`, `output` or `total`", "total"
        )


@fails_early(_some_limit)
def max_tokens(
    outcome: Outcome,
    *,
    input: Count | None = None,  # noqa: A002 - the word that case files use
    output: Count | None = None,
    total: Count | None = None,
) -> Verdict:
    """The agent used at most so many tokens.

    Give at least one of `input`, `output` and `total`; each is checked. The numbers are those
    that the agent reports for the whole session; `input` holds what came from a cache too,
    and `total` is input and output together. An agent that does not report a number makes
    the check an error: it never passes for want of evidence.

    Example:
        checks:
          - max_tokens: {total: 60000}
          - max_tokens: {input: 50000, output: 4000}
    """
    usage = outcome.trace.usage
    if usage is None:
        return undecided("the agent did not report its usage")
    took, gave = usage.input_tokens, usage.output_tokens
    both = None if took is None or gave is None else took + gave
    limits = (("input", input, took), ("output", output, gave), ("total", total, both))
    asked = [(name, limit, used) for name, limit, used in limits if limit is not None]
    over = [
        f"{used} {name} tokens, at most {limit} wanted"
        for name, limit, used in asked
        if used is not None and used > limit
    ]
    if over:
        return failed("; ".join(over), usage.line)
    if unknown := [name for name, _, used in asked if used is None]:
        return undecided(f"the agent did not report its {' and '.join(unknown)} tokens")
    said = "; ".join(f"{used} {name} tokens, at most {limit}" for name, limit, used in asked)
    verdict = passed(said, usage.line)
    return verdict if usage.total else unless_cut(outcome, verdict)


def max_seconds(outcome: Outcome, *, seconds: Seconds) -> Verdict:
    """The agent took at most so many seconds.

    Measured from its start to its end, on the machine that ran it, start-up and waiting for
    the model included. An agent that was stopped before the limit is an error: nobody knows
    how long it would have taken. To stop an agent, use the case's `timeout_s`.

    Example:
        checks:
          - max_seconds: {seconds: 90}
    """
    sealed = outcome.sealed
    if sealed.problem:
        return undecided(f"the agent did not run: {sealed.problem}")
    said = f"{sealed.seconds:.1f} s, at most {seconds:g} s wanted"
    if sealed.seconds > seconds:
        return failed(said, *end_lines(outcome))
    if sealed.stopped:
        return undecided(f"stopped after {sealed.seconds:.1f} s ({sealed.stopped})")
    return passed(said, *end_lines(outcome))


def max_turns(outcome: Outcome, *, turns: Count) -> Verdict:
    """The agent took at most so many turns.

    A turn is one answer of the model in the main conversation: what it says and calls until a
    result or the user's words come back. Parallel calls are of one turn where the agent tells
    to which answer a call belongs. A session without any answer makes the check an error.

    Example:
        checks:
          - max_turns: {turns: 8}
    """
    took = outcome.trace.turns
    if took is None:
        return undecided("the agent's turns are not known")
    said = f"{counted(took, 'turn')}, at most {turns} wanted"
    end = outcome.trace.end
    lines = [end.line] if end.turns is not None else _starts(outcome)[:LINES_CAP]
    if took > turns:
        return failed(said, *lines)
    told = passed(said, *lines)
    return told if end.turns is not None else unless_cut(outcome, told)


def _starts(outcome: Outcome) -> list[int]:
    """The lines at which the turns of a session begin."""
    events = outcome.trace.events
    lines: dict[int, int] = {}
    for event, turn in zip(events, number_turns(events), strict=True):
        if turn:
            lines.setdefault(turn, event.line)
    return [*lines.values()]


def exit_code(outcome: Outcome, *, code: int) -> Verdict:
    """The agent's program ended with that exit code.

    A program that a signal ended has the signal's number, negative: `-9` for SIGKILL. Where
    the program was stopped from outside or never ran, there is no exit code of its own: an
    error.

    Example:
        checks:
          - exit_code: {code: 0}
    """
    sealed = outcome.sealed
    if sealed.stopped:
        return undecided(f"it was stopped ({sealed.stopped}): the exit code is not its own")
    if sealed.exit_code is None:
        return undecided(f"there is no exit code{': ' if sealed.problem else ''}{sealed.problem}")
    said = f"exit code {sealed.exit_code}"
    if sealed.exit_code == code:
        return passed(said, *end_lines(outcome))
    return failed(f"{said}, {code} wanted", *end_lines(outcome))
