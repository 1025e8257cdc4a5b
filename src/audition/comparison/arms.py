"""Arms of two runs that are meant to be compared, though they are not called the same.

In: the outcomes of both runs. Out: those of A under the arms of B, and what differs in these.
Must not know: records, what the outcomes are worth.

Another agent, another model or another delivery is an input that changed, as a skill is. So an
arm that only A has is set beside one that only B has, where it is clear which: the one that
shares the most, and only where there is one on each side.
"""

from collections.abc import Iterable, Sequence

from audition.comparison.pairing import Arm, Trials
from audition.drift import Drift

SHARED: tuple[Sequence[int], ...] = ((0, 1), (0, 2), (1, 2), (0,), (1,), ())
"""What two arms must share, the likest first: agent, delivery and model, by their places."""
VARIANT = 3


def align(before: Trials, after: Trials) -> tuple[Trials, tuple[Drift, ...]]:
    """A's outcomes under the arms of B, and a Drift for each word in which such arms differ."""
    pairs = _match({key[2] for key in before}, {key[2] for key in after})
    renamed = {
        (skill, case, pairs.get(arm, arm), file): found
        for (skill, case, arm, file), found in before.items()
    }
    drifts = dict.fromkeys(
        each for a, b in sorted(pairs.items(), key=str) for each in _drifts(a, b)
    )
    return renamed, tuple(drifts)


def _match(ours: set[Arm], theirs: set[Arm]) -> dict[Arm, Arm]:
    left, right = ours - theirs, theirs - ours
    found: dict[Arm, Arm] = {}
    for places in SHARED:
        for arm in sorted(left - found.keys(), key=str):
            free = right - set(found.values())
            alike = [each for each in free if _shares(arm, each, places)]
            rivals = [each for each in left - found.keys() if _shares(arm, each, places)]
            if len(alike) == len(rivals) == 1:
                found[arm] = alike[0]
    return found


def _shares(one: Arm, two: Arm, places: Iterable[int]) -> bool:
    # A baseline is set beside no other one, nor beside the skills on trial.
    return one[VARIANT] == two[VARIANT] and all(one[place] == two[place] for place in places)


def _drifts(a: Arm, b: Arm) -> Iterable[Drift]:
    (agent, delivery, model, _), (other_agent, other_delivery, other_model, _) = a, b
    if agent != other_agent:
        yield Drift(what="agent", name="", a=agent, b=other_agent)
    if delivery != other_delivery:
        yield Drift(what="delivery", name="", a=delivery, b=other_delivery)
    if model != other_model:
        one, two = model or "its default", other_model or "its default"
        yield Drift(what="model", name=other_agent, a=one, b=two)
