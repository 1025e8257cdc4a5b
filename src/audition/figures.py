"""The figures that an agent tells of a session: which of them are none, and their sum.

In: events as a reader made them of an agent's JSON. Out: the same, with null for what is no
figure. An agent may write `"tokens": "many"`; nobody after this needs to look again.
Must not know: any agent, where a line came from.
"""

import msgspec

from audition.model import AnyEvent, Json, Result, Usage

MOST = 2**53
"""Figures from here on are none: no session used so much, and JSON cannot carry their sum."""


def sound_all(events: list[AnyEvent]) -> list[AnyEvent]:
    """The events, with null for every figure that is none."""
    return [sound(each) if type(each) in (Usage, Result) else each for each in events]


def sound(event: AnyEvent) -> AnyEvent:
    """The event, with null for every figure that is none."""
    if isinstance(event, Result):
        if event.exit_code is None or type(event.exit_code) is int:
            return event
        return msgspec.structs.replace(event, exit_code=None)
    if not isinstance(event, Usage):
        return event
    counts = (event.input_tokens, event.cached_input_tokens, event.output_tokens)
    read, cached, wrote = (each if _is_figure(each, int) else None for each in counts)
    dollars = event.dollars if _is_figure(event.dollars, float) else None
    if (read, cached, wrote) == counts and dollars == event.dollars:
        return event
    return msgspec.structs.replace(
        event,
        input_tokens=read,
        cached_input_tokens=cached,
        output_tokens=wrote,
        dollars=dollars,
    )


def _is_figure(value: Json, kind: type[int] | type[float]) -> bool:
    # `type`, for True is an int.
    return type(value) in (int, kind) and 0 <= value < MOST


def add_usage(one: Usage, two: Usage) -> Usage:
    """The sum; unknown where either is, for half a sum would be taken for all of it."""

    def plus(a: Json, b: Json) -> Json:
        return None if a is None or b is None else a + b

    return Usage(
        line=two.line,
        input_tokens=plus(one.input_tokens, two.input_tokens),
        cached_input_tokens=plus(one.cached_input_tokens, two.cached_input_tokens),
        output_tokens=plus(one.output_tokens, two.output_tokens),
        dollars=plus(one.dollars, two.dollars),
    )
