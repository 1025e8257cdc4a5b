"""An automaton over events of which some have no order.

In: a step function, and the beginning and the end of each event that plays a role. Out: the
states that some order of the events leads to.
Must not know: what the roles are, what a state means.

Two events have an order if one ended before the other began. An order of all events is one
that keeps these, so any open event may be taken next, and at its end it must have been.
Taking it as late as possible loses no order; among open events that play the same roles, the
one that ends first is taken first. What is kept grows with the events that are open at once,
never with the session.
"""

from collections.abc import Callable, Iterator

from audition.conduct.automata import State
from audition.model import Value

MOST = 2000
"""So many states at once are looked at; a session that needs more is not decided."""
KEPT = 3
"""Events that are named as proof: those by which the state changed last."""
_NONE: frozenset[int] = frozenset()


class Item(Value, frozen=True, kw_only=True):
    """One event that plays a role, or may play one."""

    key: int
    ends: int
    """Where it ends; the greatest for one that has no end."""
    may: tuple[int, ...]
    """The roles it plays, as bits; several where the session does not tell which."""
    lines: tuple[int, ...]
    before: tuple[int, ...] = ()
    """The keys of what is one thing with it, and comes before it: the commands of one line."""


Proof = tuple[tuple[int, ...], ...]
Place = tuple[State, frozenset[int]]
"""A state, and the open events that were taken on the way to it."""


class Order:
    """One automaton on its way through a session."""

    __slots__ = ("lost", "open", "places", "step")

    def __init__(self, start: State, step: Callable[[State, int], State]) -> None:
        self.step = step
        self.places: dict[Place, Proof] = {(start, _NONE): ()}
        self.open: dict[int, Item] = {}
        self.lost = False
        """Too much was open at once."""

    def begin(self, item: Item) -> None:
        """An event began."""
        self.open[item.key] = item

    def end(self, key: int) -> None:
        """An event ended: by now it has been taken."""
        if self.lost or key not in self.open:
            return
        gone = {key, *self.open[key].before}
        if len(self.open) == 1 and len(self.places) == 1 and len(self.open[key].may) == 1:
            self._take(self.open.pop(key))
            return
        found: dict[Place, Proof] = {}
        seen: set[Place] = set(self.places)
        todo = list(self.places.items())
        while todo:
            (state, taken), proof = todo.pop()
            if key in taken:
                found.setdefault((state, taken - gone), proof)
                continue
            for item in self._next(taken):
                now = taken | {item.key}
                for roles in item.may:
                    place = (after := self.step(state, roles), now)
                    if place not in seen:
                        seen.add(place)
                        more = proof if after == state else (*proof, item.lines)[-KEPT:]
                        todo.append((place, more))
            if len(seen) > MOST:
                self.lost = True
                return
        self.places = found
        for each in gone:
            self.open.pop(each, None)

    def _take(self, item: Item) -> None:
        """The one thing that is open, where there is one state: nearly always so."""
        ((state, taken), proof) = next(iter(self.places.items()))
        if item.key not in taken:
            after = self.step(state, item.may[0])
            if after == state:
                return
            state, proof = after, (*proof, item.lines)[-KEPT:]
        self.places = {(state, _NONE): proof}

    def _next(self, taken: frozenset[int]) -> Iterator[Item]:
        """Which open event may be taken next: of those with the same roles, the first to end."""
        if len(self.open) == 1:
            yield from self.open.values()
            return
        first: dict[tuple[int, ...], Item] = {}
        followed = {each for item in self.open.values() for each in item.before}
        for item in self.open.values():
            if item.key in taken or any(e in self.open and e not in taken for e in item.before):
                continue
            if item.key in followed:
                yield item  # what comes behind it may have to wait for it
                continue
            other = first.get(item.may)
            if other is None or item.ends < other.ends:
                first[item.may] = item
        yield from first.values()

    def only(self) -> State | None:
        """The state, where there is but one and nothing is open."""
        return next(iter(self.places))[0] if len(self.places) == 1 and not self.open else None

    def finish(self) -> dict[State, Proof]:
        """The states at the end, whatever is still open taken in every order."""
        for key in sorted(self.open, key=lambda each: self.open[each].ends):
            self.end(key)
        return {state: proof for (state, _), proof in self.places.items()}
