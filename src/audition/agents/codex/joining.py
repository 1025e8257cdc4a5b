"""Makes one session of what Codex prints and of the rollout it keeps, each deed told once.

In: events of the stream, events of the rollout. Out: events.
Must not know: lines, files.

The rollout is the authority: it has the commands that `--json` hides (those that end in a
denial, by which a skill's body may have been read), skills put in by `$name`, and the list
that the model was shown. The stream alone says that a session was cut short, what went
wrong on the way, and how it ended.
"""

import msgspec

from audition.agents.codex.script import folder_in
from audition.model import AnyEvent, Call, Denial, End, Fault, Message, Offer, Result, Usage


def join(stream: list[AnyEvent], rollout: list[AnyEvent]) -> list[AnyEvent]:
    """The rollout's events, with the faults and the end that the stream tells."""
    rollout = _threads(rollout)
    if not any(isinstance(each, (Call, Result)) or _said(each) for each in rollout):
        return [*(each for each in rollout if not isinstance(each, End)), *stream]
    ends = [each for each in stream if isinstance(each, End)]
    kept = [each for each in rollout if not isinstance(each, End)]
    if not any(isinstance(each, Usage) for each in kept):
        kept += [each for each in stream if isinstance(each, Usage)]
    last = [each for each in rollout if isinstance(each, End) and not each.sub][-1:]
    # Killed between turns, the rollout's last task is complete and the stream's is not.
    end = ends[-1:] or ([] if stream else last)
    if end and last and end[0].status == "completed":
        end = [msgspec.structs.replace(end[0], answer=last[0].answer)]
    return [*kept, *(each for each in stream if isinstance(each, Fault)), *end]


def _threads(rollout: list[AnyEvent]) -> list[AnyEvent]:
    """Each sub-agent has a file of its own: what is in it is marked, its list is its own."""
    kept: list[AnyEvent] = []
    sub = ""
    for event in rollout:
        if isinstance(event, Message) and not (event.text or event.skill):
            sub = event.sub
        elif not sub:
            kept.append(event)
        elif not isinstance(event, Offer):
            kept.append(msgspec.structs.replace(event, sub=sub))
    return kept


def _said(event: AnyEvent) -> bool:
    return getattr(event, "role", "") == "assistant"


def settle(events: list[AnyEvent]) -> list[AnyEvent]:
    """Each call and each result once, ids unique; of a script only what nothing else tells."""
    return _without_told_scripts(_once(_threads(events)))


def _once(events: list[AnyEvent]) -> list[AnyEvent]:
    """A resumed thread begins again at `item_0`; a rollout tells a call up to three times."""
    kept: list[AnyEvent] = []
    opened: dict[str, str] = {}
    uses: dict[str, int] = {}
    for event in events:
        if isinstance(event, Call):
            if event.id in opened:
                continue
            uses[event.id] = uses.get(event.id, 0) + 1
            again = f"#{uses[event.id]}" if uses[event.id] > 1 else ""
            opened[event.id] = event.id + again
            kept.append(msgspec.structs.replace(event, id=event.id + again) if again else event)
        elif isinstance(event, (Result, Denial)) and event.id:
            if event.id not in opened:
                continue
            kept.append(msgspec.structs.replace(event, id=opened[event.id]))
            if isinstance(event, Result):
                del opened[event.id]
        else:
            kept.append(event)
    return kept


def _without_told_scripts(events: list[AnyEvent]) -> list[AnyEvent]:
    """A script's commands are items of their own, but for those that Codex hides."""
    ends = {event.id: place for place, event in enumerate(events) if isinstance(event, Result)}
    dropped: set[str] = set()
    mended: dict[str, Call] = {}
    for place, event in enumerate(events):
        if not isinstance(event, Call) or event.tool != "exec":
            continue
        inside = events[place + 1 : ends.get(event.id, len(events))]
        told = [each.command for each in inside if isinstance(each, Call) and each.tool == "shell"]
        hidden = [line for line in event.input.get("commands", []) if line not in told]
        if hidden and not (told and hidden == [event.input.get("script")]):
            line = "\n".join(hidden)
            folder = folder_in(str(event.input.get("script")))
            given = {"workdir": folder} if folder else {}
            mended[event.id] = msgspec.structs.replace(event, command=line, input=given)
        else:
            dropped.add(event.id)
    kept = [
        each for each in events if not (isinstance(each, (Call, Result)) and each.id in dropped)
    ]
    return [mended.get(each.id, each) if isinstance(each, Call) else each for each in kept]
