"""The automata against temporal logic evaluated the slow way, over every order that may be."""

from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from audition.conduct import judge_conduct
from audition.model import Call, End, EventPattern, Message, Result, Rule, Trace

LETTERS = "ABC"
PATTERNS = {
    "A": EventPattern(command="x a"),
    "B": EventPattern(command="x b"),
    "C": EventPattern(command="x c"),
}
FAILING = {**PATTERNS, "A": EventPattern(command="x a", exit=0)}
PARTS = 6
"""So many commands a session, for every order of them is looked at."""


# The slow way. A world is one order of the events; each event is a set of letters.


def before(world):
    bs = [i for i, event in enumerate(world) if "B" in event]
    if not bs:
        return "vacuous"
    return "met" if all(any("A" in world[j] for j in range(i)) for i in bs) else "unmet"


def follows(world):
    ays = [i for i, event in enumerate(world) if "A" in event]
    if not ays:
        return "vacuous"
    end = len(world)
    return "met" if all(any("B" in world[j] for j in range(i + 1, end)) for i in ays) else "unmet"


def eventually(world):
    return "met" if any("A" in event for event in world) else "unmet"


def never(world):
    return "unmet" if any("A" in event for event in world) else "met"


def between(world):
    spans = [
        (i, j)
        for i, first in enumerate(world)
        for j, last in enumerate(world)
        if i < j
        and "A" in first
        and "B" in last
        # the next B, and no other
        and not any("B" in world[k] for k in range(i + 1, j))
    ]
    if not spans:
        return "vacuous"
    return "unmet" if any("C" in world[k] for i, j in spans for k in range(i + 1, j)) else "met"


def fresh(world):
    def is_fresh(at):
        return any(
            "A" in world[i]
            and not any("C" in world[k] and "A" not in world[k] for k in range(i + 1, at))
            for i in range(at)
        )

    bs = [i for i, event in enumerate(world) if "B" in event]
    if not bs:
        return "vacuous"
    return "met" if all(map(is_fresh, bs)) else "unmet"


def count(least, most):
    def judge(world):
        return "met" if least <= sum("A" in event for event in world) <= most else "unmet"

    return judge


def within(limit):
    def judge(world):
        calls = [i for i, event in enumerate(world) if "*" in event]
        ays = [i for i, event in enumerate(world) if "A" in event]
        return "met" if any(sum(j < i for j in calls) < limit for i in ays) else "unmet"

    return judge


def rule(form, roles="A", numbers=None, patterns=PATTERNS):
    names = {
        "before": ("first", "then"),
        "follows": ("after", "must"),
        "between": ("from", "to", "never"),
        "fresh": ("after", "do", "since"),  # A is `after`, B is `do`
    }.get(form, ("of",))
    return Rule(
        id="r",
        form=form,
        patterns=dict(zip(names, (patterns[each] for each in roles), strict=True)),
        numbers=numbers or {},
    )


SLOW = {
    "before": ("AB", before),
    "follows": ("AB", follows),
    "eventually": ("A", eventually),
    "never": ("A", never),
    "between": ("ABC", between),
    "fresh": ("ABC", fresh),
}


def orders(spans):
    """Every order in which what ended before another began stays before it, and lines stay so."""
    for order in permutations(range(len(spans))):
        place = {each: at for at, each in enumerate(order)}
        if all(
            place[i] < place[j]
            for i, (one, _, end) in enumerate(spans)
            for j, (other, begin, _) in enumerate(spans)
            if (i < j if one == other else end <= begin)
        ):
            yield order


def agree(found):
    return found.pop() if len(found) == 1 else "unknown"


def run(joins, codes):
    """A line run as a shell does, each command with its code: which of them ran, and its code."""
    ran, status = [], 0
    for place, code in enumerate(codes):
        join = joins[place - 1] if place else ";"
        runs = join == ";" or (join == "&&") == (status == 0)
        ran.append(runs)
        status = code if runs else status
    return ran, status


LETTER_SETS = ["A", "B", "C", "AB", "BC", "AC", "ABC", ""]


@st.composite
def sessions(draw, most=5, close_all=True):
    """Calls that overlap: (letters by command, begin, end, exit code, what joins the commands).

    And the events of them. Letters of one command are one event; those of the next command in
    the line come after it.
    """
    number, room = draw(st.integers(0, most)), PARTS
    events, open_calls, calls = [], [], []
    while len(calls) < number or (open_calls and close_all):
        begins = len(calls) < number and (not open_calls or draw(st.booleans()))
        if begins:
            longest = min(3, room - (number - len(calls) - 1))
            parts = draw(st.lists(st.sampled_from(LETTER_SETS), min_size=1, max_size=longest))
            room -= len(parts)
            code = draw(st.sampled_from([0, 0, 1, None]))
            line = len(events) + 1
            joins = [draw(st.sampled_from(["&&", "&&", ";", "||"])) for _ in parts[1:]]
            words = [" ".join(("x", *each.lower())) for each in parts]
            command = words[0] + "".join(f" {j} {w}" for j, w in zip(joins, words[1:], strict=True))
            calls.append([parts, line, 10**6, code, joins])
            open_calls.append(len(calls) - 1)
            events.append(
                Call(line=line, id=f"c{len(calls) - 1}", tool="Bash", does="shell", command=command)
            )
        else:
            which = open_calls.pop(draw(st.integers(0, len(open_calls) - 1)))
            events.append(
                Result(
                    line=len(events) + 1,
                    id=f"c{which}",
                    exit_code=calls[which][3],
                    failed=calls[which][3] != 0,
                )
            )
            calls[which][2] = len(events)
    # A result, so that the session tells of results at all.
    events.append(Message(line=len(events) + 1, text="done"))
    return calls, tuple(events)


def slowly(calls, judge, *, needs_exit=False, whole=False):
    """The verdicts over all orders, and over all that is not known; `whole`: calls, not commands."""
    worlds = set()
    told = [each for each in calls if each[2] < 10**6]
    spans, choices = [], []
    for number, (parts, begin, end, code, joins) in enumerate(calls):
        letters = ["".join(parts)] if whole else parts
        spans += [(number, begin, end if told else begin) for _ in letters]
        events = [frozenset(each) | {"*"} for each in letters]
        choices.append(
            ended(events, joins, code if end < 10**6 else "?") if needs_exit else [events]
        )
    for order in orders(spans):
        for each in product(*choices):
            events = [event for line in each for event in line]
            worlds.add(judge([events[i] for i in order]))
    return agree(worlds)


def ended(events, joins, code):
    """What the commands of a line may have been, where an A is one that ended with 0."""
    found = []
    for codes in product((0, 1), repeat=len(events)):
        ran, status = run(joins, codes)
        if code == "?" or (status == 0) == (code == 0):
            pairs = zip(events, zip(ran, codes, strict=True), strict=True)
            found.append([event if good == (True, 0) else event - {"A"} for event, good in pairs])
    return found


def quickly(made, events, **more):
    trace = Trace(agent="x", events=events, end=End(status="completed"), **more)
    (found,) = judge_conduct([made], trace)
    return found.result


@settings(max_examples=400, deadline=None)
@given(sessions(), st.sampled_from(sorted(SLOW)))
def test_every_form_agrees_with_the_slow_way_over_all_orders(session, form):
    calls, events = session
    roles, judge = SLOW[form]
    assert quickly(rule(form, roles), events) == slowly(calls, judge)


@settings(max_examples=300, deadline=None)
@given(sessions(close_all=False), st.sampled_from(sorted(SLOW)))
def test_calls_without_a_result_and_unknown_exit_codes_leave_open_what_they_may_change(
    session, form
):
    calls, events = session
    roles, judge = SLOW[form]
    found = quickly(rule(form, roles, patterns=FAILING), events)
    slow = slowly(calls, judge, needs_exit=True)
    # Several commands under one exit code: what one was may hang on what another was.
    several = any(
        len(parts) > 1 and (code or set(joins) - {"&&"}) for parts, _, _, code, joins in calls
    )
    assert found in ((slow, "unknown") if several else (slow,))


@settings(max_examples=200, deadline=None)
@given(sessions(), st.integers(0, 4), st.integers(0, 4))
def test_counts_agree_with_the_slow_way(session, least, most):
    calls, events = session
    made = rule("count", "A", {"least": least, "most": most})
    assert quickly(made, events) == slowly(calls, count(least, most), whole=True)


@settings(max_examples=300, deadline=None)
@given(sessions(), st.integers(1, 5))
def test_within_agrees_with_the_slow_way(session, limit):
    calls, events = session
    made = rule("within", "A", {"calls": limit})
    assert quickly(made, events) == slowly(calls, within(limit), whole=True)


@settings(max_examples=200, deadline=None)
@given(sessions(), st.sampled_from(sorted(SLOW)), st.integers(0, 12))
def test_what_is_decided_of_a_session_without_an_end_stays_so_whatever_comes(session, form, cut):
    _, events = session
    roles, _ = SLOW[form]
    made = rule(form, roles)
    part = Trace(agent="x", events=events[:cut], end=End(status="interrupted"))
    (early,) = judge_conduct([made], part)
    if early.result != "unknown" and any(isinstance(each, Result) for each in events[:cut]):
        assert early.result == quickly(made, events)


@settings(max_examples=200, deadline=None)
@given(sessions(), st.lists(st.sampled_from(sorted(SLOW)), min_size=1, max_size=6))
def test_a_rule_says_the_same_alone_and_among_others(session, forms):
    _, events = session
    rules = [rule(form, SLOW[form][0]) for form in forms]
    trace = Trace(agent="x", events=events, end=End(status="completed"))
    assert judge_conduct(rules, trace) == tuple(judge_conduct([each], trace)[0] for each in rules)
