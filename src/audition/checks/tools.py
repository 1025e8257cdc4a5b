"""Checks on the tools the agent used and the skill's files it read.

In: an Outcome. Out: a Verdict with the lines of the calls.
Must not know: what any one agent calls its tools.
"""

import re
from functools import partial
from typing import Annotated

from msgspec import Meta

from audition.check import Outcome, Verdict, failed, fails_early, passed, undecided
from audition.checks.looks import end_lines, look_at_path, unless_cut
from audition.errors import did_you_mean
from audition.model import Call, Evidence
from audition.pattern import excerpt
from audition.settling import pair_results, refused_calls

Name = Annotated[str, Meta(min_length=1)]
KINDS = ("skill", "shell", "read", "write", "search", "task")
"""What a tool may be for, as a case file may name it for any agent."""
LAST_PART = re.compile(r"__|[./:]")
"""`mcp__server__tool` (Claude Code), `server.tool`, `server/tool`, `server:tool`."""


def _is(call: Call, tool: str) -> bool:
    if call.tool == tool or (tool in KINDS and call.does == tool):
        return True
    carried = call.does == "mcp" or call.tool.startswith("mcp__")
    return carried and LAST_PART.split(call.tool)[-1] == tool


def _uses(outcome: Outcome, tool: str) -> tuple[list[Call], list[Call]]:
    """The calls of a tool: those that went through, and those that were refused."""
    found = [
        event
        for event in outcome.trace.events
        if type(event) is Call and (event.tool == tool or _is(event, tool))
    ]
    denied = refused_calls(outcome.trace.events)
    used = [each for each in found if (each.line, each.id) not in denied]
    return used, [each for each in found if (each.line, each.id) in denied]


def tool_used(outcome: Outcome, *, tool: Name) -> Verdict:
    """The agent used a tool at least once.

    `tool` is the agent's own name for it (`Bash`, `exec_command`), letter for letter, or a
    word that fits every agent: `skill`, `shell`, `read`, `write`, `search`, `task`. A tool of
    an MCP server is also found by its last part: `search_docs` for `mcp__site__search_docs`.
    Sub-agents count. A call that failed counts; one that was refused for want of permission
    does not.

    Example:
        checks:
          - tool_used: {tool: shell}
          - tool_used: {tool: mcp__site__search_docs}
    """
    used, refused = _uses(outcome, tool)
    shown = excerpt(tool)
    if used:
        return passed(f"`{shown}` was used {len(used)}×", *(each.line for each in used))
    if refused:
        return failed(f"`{shown}` was refused", *(each.line for each in refused))
    tools = {each.tool for each in outcome.trace.events if isinstance(each, Call)}
    names = ", ".join(f"`{excerpt(each, limit=40)}`" for each in sorted(tools)[:8])
    said = f"`{shown}` was not used; used: {names or 'no tool'}"
    return unless_cut(outcome, failed(said, *end_lines(outcome)))


def tool_unused(outcome: Outcome, *, tool: Name) -> Verdict:
    """The agent never used a tool.

    `tool` is as in `tool_used`; a name is not checked against the tools that the agent has,
    so a misspelt one passes: try the name with `tool_used` first. A call that was refused
    for want of permission is no use. Where part of the trace was cut off, it is an error.

    Example:
        checks:
          - tool_unused: {tool: write}
    """
    used, refused = _uses(outcome, tool)
    shown = excerpt(tool)
    if used:
        return failed(f"`{shown}` was used {len(used)}×", *(each.line for each in used))
    asked = f"; {len(refused)}× refused" if refused else ""
    lines = [each.line for each in refused] or end_lines(outcome)
    return unless_cut(outcome, passed(f"`{shown}` was not used{asked}", *lines))


def _proof(outcome: Outcome, evidence: Evidence, path: str) -> list[int]:
    """The lines of the calls that name the file, with their results; else all of the evidence."""
    results = pair_results(outcome.trace.events)
    calls = [
        (event, results.get(place))
        for place, event in enumerate(outcome.trace.events)
        if type(event) is Call
    ]
    # By its whole name below the skill, if any does: `a.md` is not `references/a.md`.
    for name in (f"{evidence.skill}/{path}", path):
        end = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w-])")
        found = [each for each in calls if any(map(end.search, _typed(each[0])))]
        if found:
            return [event.line for pair in found for event in pair if event]
    return list(evidence.lines)


def _typed(call: Call) -> tuple[str, ...]:
    return (call.command, *call.paths)


@fails_early(partial(look_at_path, within="the skill", like="references/api.md"))
def resource_read(outcome: Outcome, *, path: Name | None = None, skill: str = "") -> Verdict:
    """The agent read a file that comes with the skill.

    `path` is relative to the skill's folder; without it, any file but SKILL.md counts. The
    skill is the one the case expects (with `any_of`, any of them); a case that expects none
    must name it with `skill`. However the file was read counts: by the skill tool, a file
    tool, the shell, or as an MCP resource. Of a command that failed, the output must show
    some of the file. A script that was run was not read.

    Example:
        checks:
          - resource_read: {path: references/template.md}
          - resource_read: {path: data/codes.csv, skill: shipping}
    """
    plain = (path or "").removeprefix("./")
    wanted = (skill,) if skill else outcome.sealed.trial.case.expected
    if not wanted:
        return undecided("the case expects no skill: name one with `skill`")
    known = {each.skill: each for each in outcome.skills}
    if skill and known and skill not in known:
        return undecided(
            f"no skill `{excerpt(skill)}` was on offer; {excerpt(did_you_mean(skill, known))}"
        )
    for name in wanted:
        evidence = known.get(name)
        if evidence and not plain and evidence.resources:
            read = excerpt(evidence.resources[0])
            lines = _proof(outcome, evidence, evidence.resources[0])
            return passed(f"`{read}` of `{excerpt(name)}` was read", *lines)
        if evidence and plain in evidence.resources:
            lines = _proof(outcome, evidence, plain)
            return passed(f"`{excerpt(plain)}` of `{excerpt(name)}` was read", *lines)
    seen = sorted({each for name in wanted if name in known for each in known[name].resources})
    names = ", ".join(f"`{excerpt(each, limit=40)}`" for each in seen[:8])
    what = f"`{excerpt(plain)}`" if plain else "a file of the skill"
    lines = sorted({line for name in wanted if name in known for line in known[name].lines})
    said = f"{what} was not read; read: {names or 'no file of the skill'}"
    return unless_cut(outcome, failed(said, *lines))
