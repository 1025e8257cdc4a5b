"""Checks on the way to the skill: turns, tokens and seconds before it was loaded, and its bytes.

In: an Outcome. Out: a Verdict with the line of the call that loaded the skill.
Must not know: what a case expected of it beside that it is called.
"""

from typing import Annotated

from msgspec import Meta

from audition.check import Outcome, Verdict, failed, passed, undecided
from audition.checks.limits import Count, Seconds
from audition.checks.looks import unless_cut
from audition.counted import counted
from audition.errors import did_you_mean
from audition.latency import (
    BEFORE,
    find_call,
    seconds_until,
    tokens_at_most,
    tokens_until,
    turns_until,
)
from audition.model import RUNGS, Evidence, Message, Result, Value
from audition.pattern import excerpt

LOADED = RUNGS.index("loaded")
OUTPUT_CAP = 64 * 1024
"""As much of a result as a trace keeps, in characters."""


class _Moment(Value, frozen=True, kw_only=True):
    """When a skill was first loaded: its place among the events, -1 for before all of them."""

    skill: str
    place: int
    line: int


def _loaded(outcome: Outcome, skill: str) -> tuple[Evidence, ...] | Verdict:
    """The evidence of the wanted skills that were loaded, or why there is none."""
    wanted = (skill,) if skill else outcome.sealed.trial.case.expected
    if not wanted:
        return undecided("the case expects no skill: name one with `skill`")
    known = {each.skill: each for each in outcome.skills}
    if skill and known and skill not in known:
        hint = excerpt(did_you_mean(skill, known))
        return undecided(f"no skill `{excerpt(skill)}` was on offer; {hint}")
    found = [known[name] for name in wanted if name in known]
    loaded = tuple(each for each in found if RUNGS.index(each.rung) >= LOADED)
    names = " or ".join(f"`{excerpt(name, limit=60)}`" for name in wanted)
    return loaded or unless_cut(outcome, failed(f"{names} was not loaded"))


def _first(outcome: Outcome, skill: str) -> _Moment | Verdict:
    """The moment when the first of the wanted skills was loaded."""
    loaded = _loaded(outcome, skill)
    if isinstance(loaded, Verdict):
        return loaded
    return min((_moment(outcome, each) for each in loaded), key=lambda each: each.place)


def _moment(outcome: Outcome, evidence: Evidence) -> _Moment:
    events = outcome.trace.events
    place = find_call(events, evidence.lines)
    line = events[place].line if place > BEFORE else 0
    return _Moment(skill=evidence.skill, place=place, line=line)


def _say(outcome: Outcome, moment: _Moment, took: float, most: float, what: str) -> Verdict:
    name = excerpt(moment.skill, limit=60)
    said = f"`{name}` was loaded after {took:g} {what}, at most {most:g} wanted"
    lines = (moment.line,) if moment.line else ()
    if took > most:
        return failed(said, *lines)
    return unless_cut(outcome, passed(said, *lines))


def turns_to_activation(outcome: Outcome, *, most: Count, skill: str = "") -> Verdict:
    """The skill was loaded within so many turns.

    A turn is what the agent says and calls until a result or the user's words come back: a
    skill that is called at once is loaded in turn 1. A skill that the prompt itself puts in
    (`/name`, `$name`) takes 0. The skill is the one the case expects (with `any_of`, the
    first of them); a case that expects none must name it with `skill`. A skill that was not
    loaded fails the check.

    Example:
        checks:
          - turns_to_activation: {most: 2}
    """
    moment = _first(outcome, skill)
    if isinstance(moment, Verdict):
        return moment
    return _say(outcome, moment, turns_until(outcome.trace.events, moment.place), most, "turns")


def tokens_to_activation(outcome: Outcome, *, most: Count, skill: str = "") -> Verdict:
    """The skill was loaded before so many tokens were used.

    Input and output together, the turn that called for the skill included. It takes an agent
    that tells its tokens turn by turn; one that tells only their sum at the end makes the
    check an error. `skill` is as in `turns_to_activation`.

    Example:
        checks:
          - tokens_to_activation: {most: 30000}
    """
    moment = _first(outcome, skill)
    if isinstance(moment, Verdict):
        return moment
    used = tokens_until(outcome.trace.events, moment.place)
    if used is None:
        # What is told late is no less than what was used, so that it can still prove a pass.
        used = tokens_at_most(outcome.trace.events, moment.place)
        used = used if used is not None and used <= most else None
    if used is None:
        return undecided("the agent does not tell its tokens turn by turn")
    return _say(outcome, moment, used, most, "tokens")


def seconds_to_activation(outcome: Outcome, *, most: Seconds, skill: str = "") -> Verdict:
    """The skill was loaded within so many seconds.

    Measured from the start of the agent to the call, by the time that the agent writes down.
    An agent that writes no time makes the check an error. `skill` is as in
    `turns_to_activation`.

    Example:
        checks:
          - seconds_to_activation: {most: 20}
    """
    moment = _first(outcome, skill)
    if isinstance(moment, Verdict):
        return moment
    took = seconds_until(outcome.trace.events, moment.place, outcome.sealed.began)
    if took is None:
        return undecided("the agent does not tell when it did what")
    return _say(outcome, moment, took, most, "seconds")


def max_context_bytes(
    outcome: Outcome,
    *,
    bytes: Annotated[int, Meta(ge=0)],  # noqa: A002 - the word that case files use
    skill: str = "",
) -> Verdict:
    """What the skill put into the conversation was at most so many bytes.

    Counted are its body and what of its files was read, as the results of the calls that
    fetched them say, in UTF-8; a file that was read twice counts twice, and so does what a
    bundled script printed. Of one result a trace keeps 64 Ki characters: where one is longer and the rest
    fits, the check is an error. `skill` is as in `turns_to_activation`.

    Example:
        checks:
          - max_context_bytes: {bytes: 20000}
    """
    loaded = _loaded(outcome, skill)
    if isinstance(loaded, Verdict):
        return loaded
    lines = {line for each in loaded for line in each.lines}
    texts: dict[int, str] = {}
    for place, event in enumerate(outcome.trace.events):
        if event.line in lines and isinstance(event, Result):
            texts[place] = event.output
        elif event.line in lines and isinstance(event, Message) and event.skill:
            texts[place] = event.text
    took = sum(len(each.encode("utf-8", "replace")) for each in texts.values())
    proof = sorted({outcome.trace.events[place].line for place in texts})
    said = f"{counted(took, 'byte')}, at most {bytes} wanted"
    if took > bytes:
        return failed(said, *proof)
    if not took:
        return undecided("the session does not show what the skill put in")
    if any(len(each) >= OUTPUT_CAP for each in texts.values()):
        return undecided("a result is longer than a trace keeps")
    return unless_cut(outcome, passed(said, *proof))
