"""Checks on waste: calls made again and again, dollars, what the way to the skill cost.

In: an Outcome. Out: a Verdict. What is not known is an error, never a pass.
Must not know: prices, files, case files.
"""

from collections import defaultdict
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from audition.check import Outcome, Verdict, failed, passed, undecided
from audition.checks.limits import Count
from audition.checks.looks import LINES_CAP, unless_cut
from audition.counted import counted
from audition.model import Call
from audition.pattern import excerpt

LONGEST = 8
"""Calls in a block that is looked for again: longer ones are hardly loops."""
Times = Annotated[int, Meta(ge=1)]


def _calls(outcome: Outcome) -> list[Call]:
    return [each for each in outcome.trace.events if isinstance(each, Call)]


def _key(call: Call) -> bytes:
    """What makes two calls the same: who called which tool with what."""
    given = call.input or {"command": call.command, "paths": call.paths, "skill": call.skill}
    return msgspec.json.encode([call.sub, call.tool, given], order="sorted")


def _show(calls: Sequence[Call]) -> str:
    return " → ".join(f"`{excerpt(each.command or each.tool, limit=40)}`" for each in calls)


def max_calls(outcome: Outcome, *, count: Count) -> Verdict:
    """The agent made at most so many calls of tools.

    Every tool counts, and so do the calls of sub-agents, those that failed and those that
    were refused. For the shell alone use `max_commands`.

    Example:
        checks:
          - max_calls: {count: 20}
    """
    calls = _calls(outcome)
    said = f"{counted(len(calls), 'call')}, at most {count} wanted"
    if len(calls) > count:
        return failed(said, *(each.line for each in calls[count : count + LINES_CAP]))
    return unless_cut(outcome, passed(said, *(each.line for each in calls[:LINES_CAP])))


def max_repeats(outcome: Outcome, *, count: Times) -> Verdict:
    """No call was made more than so many times.

    Two calls are the same where the tool and all that it was given are the same, letter for
    letter, in the same conversation. `count: 1` allows no call twice. It does not matter what
    came between: running the tests after each edit counts as well, so leave room for that.

    Example:
        checks:
          - max_repeats: {count: 3}
    """
    same: dict[bytes, list[Call]] = defaultdict(list)
    for each in _calls(outcome):
        same[_key(each)].append(each)
    most = max(same.values(), key=len, default=[])
    said = f"{_show(most[:1])} {len(most)}×" if most else "no call"
    lines = [each.line for each in most[:LINES_CAP]]
    if len(most) > count:
        return failed(f"{said}, at most {count}× wanted", *lines)
    return unless_cut(outcome, passed(f"most often: {said}", *lines))


def max_loops(outcome: Outcome, *, count: Times) -> Verdict:
    """The agent did not go round in circles: no block of calls came again at once too often.

    A block is one to eight calls. `A B A B A B` is the block `A B` three times in a row, and
    with `count: 2` it fails. Calls are the same as in `max_repeats`. Of conversations that
    ran side by side, each is looked at for itself.

    Example:
        checks:
          - max_loops: {count: 3}
    """
    lanes: dict[str, list[Call]] = defaultdict(list)
    for each in _calls(outcome):
        lanes[each.sub].append(each)
    found = [_longest_loop(lane) for lane in lanes.values()]
    times, block = max(found, key=lambda each: each[0], default=(0, []))
    said = f"{_show(block)} {times}× in a row" if block else "no call"
    lines = [each.line for each in block]
    if times > count:
        return failed(f"{said}, at most {count}× wanted", *lines)
    return unless_cut(outcome, passed(f"the longest loop: {said}", *lines))


def _longest_loop(lane: list[Call]) -> tuple[int, list[Call]]:
    """How often the most repeated block came in a row, and its first round."""
    keys = [_key(each) for each in lane]
    best, block = min(len(lane), 1), lane[:1]
    for size in range(1, LONGEST + 1):
        same = 0
        for at in range(size, len(keys)):
            same = same + 1 if keys[at] == keys[at - size] else 0
            times = same // size + 1
            if times > best:
                best, start = times, at - same - size + 1
                block = lane[start : start + size]
    return best, block


def max_dollars(outcome: Outcome, *, dollars: Annotated[float, Meta(ge=0, le=1e9)]) -> Verdict:
    """The session cost at most so many dollars.

    The number is the agent's own. An agent that reports no cost, as those that run on a
    subscription, makes the check an error: it never passes for want of evidence.

    Example:
        checks:
          - max_dollars: {dollars: 0.25}
    """
    usage = outcome.trace.usage
    if usage is None or usage.dollars is None:
        return undecided("the agent did not report what it cost")
    said = f"{usage.dollars:.4f} dollars, at most {dollars:g} wanted"
    if usage.dollars > dollars:
        return failed(said, usage.line)
    verdict = passed(said, usage.line)
    return verdict if usage.total else unless_cut(outcome, verdict)
