"""Rules and a session to rulings: one pass feeds all rules.

In: Rules and a Trace. Out: a Ruling for each rule.
Must not know: cases, checks, where rules come from.

Not everything is known of every session. Where it has no end, only what nothing later could
change is decided. Where a part was cut out of it, only what nothing more could change.
"""

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush

from audition.conduct.automata import EVERY_CALL, FORMS, State, result_of
from audition.conduct.order import Item, Order
from audition.conduct.session import NEVER, Mark, walk
from audition.conduct.sights import make_sight, say_pattern
from audition.counted import counted
from audition.model import EventPattern, Rule, Ruling, Trace

LINES = 20
"""So many lines are named as proof where more would do."""
CUT = "a part of the trace is missing or cannot be understood"
ENDLESS = "the session has no end"
OVERLAP = "calls ran side by side: in one order it is {one}, in another {other}"
UNTOLD = "the session does not tell what a command came back with: it may be {one} or {other}"
LOST = "too many calls ran side by side"


MOST_PARTS = 64
"""A line of more commands that matter is taken as one."""
Parts = tuple[tuple[int, ...], ...]
"""What an event may play in a rule, one after another: more than one only for a shell line."""


class _Count:
    """How often something was; its order is nothing."""

    def __init__(self, rule: Rule) -> None:
        self.rule = rule
        self.over = False
        self.sure = self.maybe = self.turn = 0
        self.lines: list[int] = []
        self.limit = rule.numbers.get("turns", NEVER)
        self.of_outcome = make_sight(rule.patterns["of"]).of_outcome

    def begin(self, mark: Mark, parts: Parts) -> None:
        """Count it; roles with and without mean that it is not known."""
        (roles,) = parts
        if mark.turn > self.limit or not any(roles):
            return
        self.maybe += 1
        self.sure += 0 not in roles
        if len(self.lines) < LINES:
            self.lines.extend(mark.lines if self.of_outcome else mark.lines[:1])

    def ends(self, mark: Mark) -> int:
        """What it counts takes no time."""
        return mark.key

    def end(self, key: int) -> None:
        """Never called."""

    def ruling(self, trace: Trace, turns: int) -> Ruling:
        """Whether all numbers that it may be are wanted ones, or none is."""
        form, numbers = self.rule.form, self.rule.numbers
        least = numbers.get("least", 0 if form in ("never", "count") else 1)
        most = 0 if form == "never" else numbers.get("most", NEVER)
        highest = self.maybe
        if trace.has_gaps or (trace.end.status == "interrupted" and turns <= self.limit):
            highest = NEVER
        if least <= self.sure and highest <= most:
            return _say(self.rule, "met", tuple(self.lines))
        if highest < least or self.sure > most:
            many = counted(self.sure, "time") if form == "count" else counted(self.limit, "turn")
            return _say(self.rule, "unmet", tuple(self.lines), many)
        why = "" if highest != NEVER else CUT if trace.has_gaps else ENDLESS
        return Ruling(
            id=self.rule.id,
            result="unknown",
            reason=why or "the session does not tell what a call came back with",
            lines=tuple(self.lines),
        )


class _Ordered:
    """A rule about what comes before what."""

    def __init__(self, rule: Rule) -> None:
        form = FORMS[rule.form]
        self.rule = rule
        self.limit = limit = rule.numbers.get("calls", 0)
        step = form.step
        known: dict[tuple[State, int], State] = {}

        def remembered(state: State, roles: int) -> State:
            after = known.get((state, roles))
            if after is None:
                after = known[state, roles] = step(state, roles, limit) if step else state
            return after

        self.order = Order(form.start, remembered)
        self.over = self.untold = False
        self.last: State = form.start
        """Nothing that comes can change it."""
        self.of_outcome = any(make_sight(each).of_outcome for each in rule.patterns.values())

    def begin(self, mark: Mark, parts: Parts) -> None:
        """It began; what takes no time is over as well."""
        if self.over:
            return
        ends = self.ends(mark)
        lines = mark.lines if self.of_outcome else mark.lines[:1]
        before: tuple[int, ...] = ()
        self.untold = self.untold or any(len(may) > 1 for may in parts)
        for number, may in enumerate(parts, 1 - len(parts)):
            # The last part has the key of the whole: with its end, all parts are over.
            key = number - mark.key * MOST_PARTS if number else mark.key
            self.order.begin(Item(key=key, ends=ends, may=may, lines=lines, before=before))
            before = (*before, key)
        if ends == mark.key:
            self.end(mark.key)

    def ends(self, mark: Mark) -> int:
        """A call that starts a sub-agent is over for who does not ask what became of it."""
        return mark.ends if self.of_outcome else mark.started

    def end(self, key: int) -> None:
        """It ended."""
        if self.over:
            return
        self.order.end(key)
        only = self.order.only()
        if only is not None and only != self.last:
            self.last = only
            self.over = result_of(self.rule.form, only, self.limit)[1]

    def ruling(self, trace: Trace, _turns: int) -> Ruling:
        """Decided where every state that may be comes to the same."""
        rule = self.rule
        found: dict[tuple[str, bool], tuple[int, ...]] = {}
        lost = self.order.lost
        for state, proof in self.order.finish().items():
            result, sure = result_of(rule.form, state, self.limit)
            found.setdefault((result, sure), tuple(line for lines in proof for line in lines))
        lines = tuple(sorted({line for each in found.values() for line in each}))
        if lost or self.order.lost:
            return Ruling(id=rule.id, result="unknown", reason=LOST, lines=lines)
        if trace.has_gaps:
            return Ruling(id=rule.id, result="unknown", reason=CUT, lines=lines)
        names = sorted({result for result, _ in found})
        if len(names) > 1:
            words = UNTOLD if self.untold else OVERLAP
            reason = words.format(one=names[0], other=names[1])
            return Ruling(id=rule.id, result="unknown", reason=reason, lines=lines)
        if trace.end.status == "interrupted" and not all(sure for _, sure in found):
            return Ruling(id=rule.id, result="unknown", reason=ENDLESS, lines=lines)
        return _say(rule, names[0], lines, f"the first {counted(self.limit, 'call')}")


def _say(rule: Rule, result: str, lines: tuple[int, ...], many: str = "") -> Ruling:
    form = FORMS[rule.form]
    words = {role: say_pattern(each) for role, each in rule.patterns.items()}
    told = {"met": "", "unmet": form.unmet, "vacuous": form.vacuous}[result]
    return Ruling(
        id=rule.id,
        result=result,  # type: ignore[arg-type]
        reason=told.format(**words, many=many),
        lines=tuple(sorted(set(lines))),
    )


def judge_conduct(rules: Sequence[Rule], trace: Trace) -> tuple[Ruling, ...]:
    """What a session shows about each rule, in the order of the rules."""
    if not rules:
        return ()
    patterns: dict[EventPattern, int] = {}
    wanted: dict[int, list[tuple[int, int]]] = {}
    watchers: list[_Count | _Ordered] = []
    counting: list[int] = []
    for number, rule in enumerate(rules):
        ordered = FORMS[rule.form].step is not None and "turns" not in rule.numbers
        watchers.append(_Ordered(rule) if ordered else _Count(rule))
        counting += [number] if ordered and rule.form == "within" else []
        for bit, role in enumerate(FORMS[rule.form].roles):
            pattern = patterns.setdefault(rule.patterns[role], len(patterns))
            wanted.setdefault(pattern, []).append((number, 1 << bit))
    marks = walk(trace, [make_sight(each) for each in patterns], every_call=bool(counting))
    turns = _feed(watchers, marks, wanted, counting)
    return tuple(each.ruling(trace, turns) for each in watchers)


def _feed(
    watchers: list[_Count | _Ordered],
    marks: Iterator[Mark],
    wanted: dict[int, list[tuple[int, int]]],
    counting: list[int],
) -> int:
    """Hand every mark to the rules it is something to, and its end when it comes."""
    ends: list[tuple[int, int, int]] = []
    known: dict[tuple[bool, tuple[tuple[int, bool | None], ...]], dict[int, Parts]] = {}
    several = (number for number, each in enumerate(watchers) if len(each.rule.patterns) > 1)
    ordered = frozenset(several)
    turn = 0
    for mark in marks:
        while ends and ends[0][0] <= mark.key:
            _, key, number = heappop(ends)
            watchers[number].end(key)
        turn = mark.turn
        seen = (mark.is_call, mark.sights)
        roles = None if mark.places else known.get(seen)
        if roles is None:
            roles = _roles(mark, wanted, counting, ordered)
            if not mark.places:
                known[seen] = roles
        for number, parts in roles.items():
            watcher = watchers[number]
            if watcher.over:
                continue
            watcher.begin(mark, parts)
            if mark.key < (over := watcher.ends(mark)) < NEVER:
                heappush(ends, (over, mark.key, number))
    while ends:
        _, key, number = heappop(ends)
        watchers[number].end(key)
    return turn


def _roles(
    mark: Mark,
    wanted: dict[int, list[tuple[int, int]]],
    counting: list[int],
    ordered: frozenset[int],
) -> dict[int, Parts]:
    """For each rule, the roles that the event plays in it, or may play.

    In a rule of several roles each part of a line is an event by itself, also where all play
    one role: what runs beside the line may come between them.
    """
    found: dict[int, tuple[int, ...]] = {}
    if mark.is_call:
        found = dict.fromkeys(counting, (EVERY_CALL,))
    for pattern, sure in mark.sights:
        for number, bit in wanted[pattern]:
            found[number] = _with(found.get(number, (0,)), bit, sure)
    if not mark.places:
        return {number: (may,) for number, may in found.items()}
    return {
        number: (number in ordered and _parts(mark, wanted, number)) or (may,)
        for number, may in found.items()
    }


def _with(before: tuple[int, ...], bit: int, sure: bool | None) -> tuple[int, ...]:
    with_it = tuple(roles | bit for roles in before)
    return with_it if sure else (*before, *with_it)


def _parts(mark: Mark, wanted: dict[int, list[tuple[int, int]]], rule: int) -> Parts:
    """The roles of each part of a line; none where the parts make no difference to the rule."""
    mine = [
        (bit, sure, mark.places.get(pattern))
        for pattern, sure in mark.sights
        for number, bit in wanted[pattern]
        if number == rule
    ]
    places = sorted(frozenset[int]().union(*(places for _, _, places in mine if places)))
    if not 1 < len(places) <= MOST_PARTS:
        return ()
    parts: list[tuple[int, ...]] = []
    for place in places:
        may: tuple[int, ...] = (0,)
        for bit, sure, seen in mine:
            if not seen or place in seen:
                may = _with(may, bit, seen[place] if seen else sure)
        parts.append(may)
    return tuple(parts)
