"""The forms a rule may have: each a small automaton over what its patterns see.

In: nothing. Out: a table of forms. A step takes a state and the roles (as bits) that one
event plays, and gives the next state; an event is never before or after itself.
Must not know: events, patterns, traces.
"""

from collections.abc import Callable, Mapping
from typing import Literal

from audition.model import RuleForm, Value

Result = Literal["met", "unmet", "vacuous"]
State = tuple[bool, ...] | int
FIRST, SECOND, THIRD = 1, 2, 4
"""The bits of a form's roles, in the order of its table."""
EVERY_CALL = 8
"""Beside the roles: the event is a call, whatever it is."""

# before and follows: (armed, arose, broken). between: (open, bad, arose, broken).
# fresh: (fresh, arose, broken).
NOTHING_YET: State = (False, False, False)
BROKEN: State = (False, True, True)


class Form(Value, frozen=True, kw_only=True):
    """One form of rule."""

    roles: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    """Numbers of which some may be left out."""
    start: State = 0
    step: Callable[[State, int, int], State] | None = None
    """(state, roles of an event, the limit) → state; None where the order is nothing."""
    unmet: str = ""
    vacuous: str = ""


def step_before(state: State, roles: int, _limit: int) -> State:
    """Every `then` has a `first` before it."""
    armed, arose, broken = state  # type: ignore[misc]
    if broken or (armed and arose):
        return state
    if roles & SECOND:
        return (True, True, False) if armed else BROKEN
    return (True, arose, False) if roles & FIRST else state


def step_follows(state: State, roles: int, _limit: int) -> State:
    """Every `after` has a `must` after it; armed is one that still waits."""
    armed, arose, _ = state  # type: ignore[misc]
    if armed and roles & SECOND:
        armed = False
    if roles & FIRST:
        armed = arose = True
    return (armed, arose, False)


def step_between(state: State, roles: int, _limit: int) -> State:
    """Between a `from` and the next `to`, no `never`."""
    opened, bad, arose, broken = state  # type: ignore[misc]
    if broken:
        return state
    if opened and roles & SECOND:
        opened, arose, broken, bad = False, True, bad, False
    elif opened and roles & THIRD:
        bad = True
    if roles & FIRST and not broken:
        opened = True
    return (opened, bad, arose, broken)


def step_fresh(state: State, roles: int, _limit: int) -> State:
    """Every `do` has an `after` before it, with no `since` in between."""
    fresh, arose, broken = state  # type: ignore[misc]
    if broken:
        return state
    if roles & FIRST:
        if not fresh:
            return BROKEN
        arose = True
    if roles & SECOND:
        fresh = True
    elif roles & THIRD:
        fresh = False
    return (fresh, arose, False)


def step_within(state: State, roles: int, limit: int) -> State:
    """`of` is among the first calls: the state counts them, -1 is met, the limit is too late."""
    if not isinstance(state, int) or state in (-1, limit):
        return state
    if roles & FIRST:
        return -1
    return state + 1 if roles & EVERY_CALL else state


def result_of(form: RuleForm, state: State, limit: int) -> tuple[Result, bool]:
    """What a state comes to, and whether nothing that happens later can change it."""
    if isinstance(state, int):
        return ("met", True) if state == -1 else ("unmet", state >= limit)
    arose, broken = state[-2:]
    if broken:
        return "unmet", True
    if not arose:
        return "vacuous", False
    if form == "follows":
        return ("unmet" if state[0] else "met"), False
    return "met", form == "before"


FORMS: Mapping[RuleForm, Form] = {
    "before": Form(
        roles=("first", "then"),
        start=NOTHING_YET,
        step=step_before,
        unmet="there was no {first} before {then}",
        vacuous="there was no {then}",
    ),
    "follows": Form(
        roles=("after", "must"),
        start=NOTHING_YET,
        step=step_follows,
        unmet="there was no {must} after {after}",
        vacuous="there was no {after}",
    ),
    "eventually": Form(roles=("of",), unmet="there was no {of}"),
    "never": Form(roles=("of",), unmet="there was {of}"),
    "count": Form(
        roles=("of",), numbers=("least", "most"), optional=("least", "most"), unmet="{of}: {many}"
    ),
    "within": Form(
        roles=("of",),
        numbers=("calls", "turns"),
        optional=("calls", "turns"),
        start=0,
        step=step_within,
        unmet="there was no {of} within {many}",
    ),
    "between": Form(
        roles=("from", "to", "never"),
        start=(False, False, False, False),
        step=step_between,
        unmet="there was {never} between {from} and {to}",
        vacuous="there was no {from} with {to} after it",
    ),
    "fresh": Form(
        roles=("do", "after", "since"),
        start=NOTHING_YET,
        step=step_fresh,
        unmet="{do} came without {after} after the last {since}",
        vacuous="there was no {do}",
    ),
}
