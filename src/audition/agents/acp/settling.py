"""Puts the pieces of an ACP session together: messages, and calls told bit by bit.

In: events. Out: events. Must not know: lines.
"""

import msgspec

from audition.model import AnyEvent, Call, End, Result
from audition.settling import end_by_last_fault, merge_chunks


def settle(events: list[AnyEvent]) -> list[AnyEvent]:
    """One Call where it is first told, with all that is said of it later."""
    places: dict[str, int] = {}
    done: set[str] = set()
    kept: list[AnyEvent] = []
    for event in merge_chunks(events):
        if isinstance(event, Call) and event.id in places:
            place = places[event.id]
            kept[place] = _more(kept[place], event)
            continue
        if isinstance(event, Call):
            places[event.id] = len(kept)
        elif isinstance(event, Result):
            if event.id in done:
                continue
            done.add(event.id)
        kept.append(event)
    # A piece of the answer may overtake the word that the turn is over.
    ends = [each for each in kept if isinstance(each, End)]
    return end_by_last_fault([*(each for each in kept if not isinstance(each, End)), *ends])


def _more(known: AnyEvent, told: Call) -> AnyEvent:
    """The first call with what a later piece adds; a skill is never taken back."""
    if not isinstance(known, Call) or known.skill:
        return known
    better = told.does == "skill" or (known.does == "other" and told.does != "other")
    if better:
        return msgspec.structs.replace(told, line=known.line)
    return msgspec.structs.replace(
        known,
        input=known.input or told.input,
        skill=_skill_in(told) if known.does == "skill" else "",
        command=(told.input and told.command) or known.command,
        paths=known.paths or told.paths if known.does not in ("shell", "skill") else known.paths,
    )


def _skill_in(told: Call) -> str:
    """Kimi's second piece has the name under a title of prose."""
    name = told.skill or told.input.get("skill") or told.input.get("name")
    return name if isinstance(name, str) else ""
