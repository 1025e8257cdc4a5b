"""Which turn of the main conversation each event belongs to.

In: events. Out: a number for each, from 1. Must not know: what an agent calls a turn.
"""

from collections.abc import Iterable, Iterator

from audition.model import AnyEvent, Call, Message, Result


def number_turns(events: Iterable[AnyEvent]) -> Iterator[int]:
    """The turn of each event: one ends when a result or the user's words come back.

    What sub-agents do belongs to the turn of the main conversation in which they do it.
    """
    turn, over = 0, True
    for event in events:
        if not event.sub:
            if isinstance(event, Result) or (isinstance(event, Message) and event.role == "user"):
                over = True
            elif over and isinstance(event, Call | Message):
                turn, over = turn + 1, False
        yield max(turn, 1)
