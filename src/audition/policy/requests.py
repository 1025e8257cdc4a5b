"""The skill requests of a session in order, as policies look at them.

In: a trace and its evidence. Out: requests; the skills that an answer reports itself.
Must not know: policies, cases.
"""

from collections.abc import Sequence

import msgspec

from audition.model import Call, Evidence, How, Json, Trace, Value
from audition.settling import pair_results, refused_calls


class Request(Value, frozen=True, kw_only=True):
    """A skill was asked for."""

    skill: str
    """Its name; empty where the call gave none."""
    how: How | None = None
    """The way it was loaded; None where it was not."""
    noodled: bool = False
    """No request: its SKILL.md was read past the skill tool."""
    lines: tuple[int, ...] = ()
    sub: str = ""


def requests_of(
    trace: Trace,
    evidence: Sequence[Evidence],
    *,
    by_evidence: bool,
    prefixes: tuple[str, ...] | None,
    any_skill_tool: str,
    nameless: bool,
) -> list[Request]:
    """By evidence: one a skill. Else one a call, its name as it was typed, in their order.

    Agents without a skill tool have no calls: then evidence is all there is.
    """
    calls = [] if by_evidence else _calls(trace, evidence, prefixes, any_skill_tool=any_skill_tool)
    if found := [each for each in calls if nameless or each.skill]:
        return found
    asked = sorted(
        (each for each in evidence if each.order is not None), key=lambda each: each.order or 0
    )
    noodled = [each for each in evidence if each.noodled and each not in asked]
    return [_request(each) for each in asked] + [
        msgspec.structs.replace(_request(each), how=None, noodled=True) for each in noodled
    ]


def _request(each: Evidence) -> Request:
    how = each.routes[0] if each.routes else None
    return Request(skill=each.skill, how=how, lines=each.lines, sub=each.sub)


def _calls(
    trace: Trace,
    evidence: Sequence[Evidence],
    prefixes: tuple[str, ...] | None,
    *,
    any_skill_tool: str,
) -> list[Request]:
    known = {each.skill for each in evidence}
    results = pair_results(trace.events)
    denied = refused_calls(trace.events)
    found: list[Request] = []
    for place, call in enumerate(trace.events):
        if type(call) is not Call or not _is_request(call, any_skill_tool=any_skill_tool):
            continue
        name = _stripped(_name(call), prefixes, known)
        result = results.get(place)
        good = result is not None and not result.failed and (call.line, call.id) not in denied
        mcp = call.tool.startswith("mcp_")
        how: How | None = None if not good else "mcp-tool" if mcp else "skill-tool"
        lines = (call.line, result.line) if result else (call.line,)
        found.append(Request(skill=name, how=how, lines=lines, sub=call.sub))
    return found


def _is_request(call: Call, *, any_skill_tool: str) -> bool:
    if any_skill_tool:
        tool = call.tool if any_skill_tool == "lower" else call.tool.lower()
        # The server's name matches too, so that any tool of a server `skilljack` counts.
        return "skill" in tool and "skill-resource" not in tool
    return call.does == "skill"


def _name(call: Call) -> str:
    if call.skill:
        return call.skill
    given = (call.input.get(key) for key in ("skill", "skill_name", "name"))
    return next((each for each in given if isinstance(each, str) and each), "")


def _stripped(name: str, prefixes: tuple[str, ...] | None, known: set[str]) -> str:
    if prefixes is None:
        return name if name in known else name.rpartition("__")[2].rpartition(":")[2]
    for prefix in prefixes:
        name = name.removeprefix(prefix)
    return name


def self_report(answer: str) -> list[str] | None:
    """The `invoked_skills` of an answer that is a JSON object; None where it is none."""
    names = (reported(answer) or {}).get("invoked_skills")
    return [each for each in names if isinstance(each, str)] if isinstance(names, list) else None


def reported(answer: str) -> dict[str, Json] | None:
    """An answer that is a JSON object; None where it is none."""
    try:
        found = msgspec.json.decode(answer.encode())
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None
    return found if isinstance(found, dict) else None
