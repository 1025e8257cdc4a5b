"""Whether an event is one that a pattern means.

In: an EventPattern. Out: a Sight: for which events it is asked, and a yes, a no, or None
where the session does not tell.
Must not know: rules, the order of events.

A line is taken apart only where all words of the pattern stand in it: a session may hold a
hundred thousand lines, and taking one apart costs more than all the rest.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from posixpath import basename
from typing import get_args

from audition.called import bare
from audition.conduct.commands import read_command, runs
from audition.globs import compile_glob
from audition.model import AnyEvent, Call, Does, EventPattern, Json, Message, Offer, Result, Value
from audition.shell import ALL, LAST, OWN, ZERO, Step, steps_of, touched_by

OF_CALLS = ("tool", "path", "skill", "failed", "subagent")
KINDS: Mapping[str, tuple[str, ...]] = {
    "call": (*OF_CALLS, "command", "exit"),
    "shell": (*OF_CALLS, "command", "exit"),
    **{does: OF_CALLS for does in get_args(Does) if does != "shell"},
    "message": ("skill", "subagent"),
    "result": ("exit", "failed", "subagent"),
    "denial": ("tool", "subagent"),
    "offer": ("skill", "subagent"),
    **dict.fromkeys(("usage", "fault", "end"), ("subagent",)),
}
"""What `kind` may be, and what else a pattern of that kind may ask for."""
Seen = Callable[[AnyEvent, Result | None], bool | None]
Places = Callable[[str, Result | None], Mapping[int, bool | None]]
_LAST_PART = re.compile(r"__|[./:]")
"""`mcp__server__tool`, `server.tool`, `server/tool`, `server:tool`."""
_UNQUOTE = str.maketrans("", "", "'\"\\\n")


class Sight(Value, frozen=True, kw_only=True):
    """A pattern, ready to be asked."""

    about: str
    """A kind of event, or `call`."""
    does: str
    """With calls: what they must be for; empty for any."""
    of_outcome: bool
    """What the call came back with decides."""
    seen: Seen
    places: Places | None = None
    """Where in a shell line it is seen, in the order in which the line runs; None: in all of it."""


@lru_cache(maxsize=1024)
def make_sight(pattern: EventPattern) -> Sight:
    """The pattern, compiled; the same pattern is the same Sight."""
    kind = pattern.kind or "call"
    calls = "path" in KINDS[kind]
    does = kind if calls and kind != "call" else "shell" if pattern.command else ""
    outcome = calls and (pattern.exit is not None or pattern.failed is not None)
    given = [name for name in _TESTS if getattr(pattern, name) not in ("", None)]
    return Sight(
        about="call" if calls else kind,
        does=does,
        of_outcome=outcome,
        seen=_all([_TESTS[name](pattern) for name in given]),
        places=_places(pattern),
    )


def _places(pattern: EventPattern) -> Places | None:
    """Where in a line the pattern's command stands, or the file that it is about."""
    is_here = _part(pattern)
    if is_here is None:
        return None

    def places(line: str, result: Result | None) -> dict[int, bool | None]:
        found: dict[int, bool | None] = {}
        for each in steps_of(line):
            sure = is_here(each) and _came_to(pattern, each.tells, result)
            if sure is not False:
                found[each.place] = found.get(each.place) or sure
        return found

    return places


def _part(pattern: EventPattern) -> Callable[[Step], bool] | None:
    """Which commands of a line are meant; None where the line as a whole is."""
    if pattern.command:
        words = read_command(pattern.command)
        return lambda step: runs(words, step)
    if pattern.path:
        fits = compile_glob(pattern.path, anywhere=True).fullmatch
        return lambda step: any(fits(each.removeprefix("./")) for each in touched_by(step))
    return None


def _all(tests: list[Seen]) -> Seen:
    if len(tests) == 1:
        return tests[0]

    def every(event: AnyEvent, result: Result | None) -> bool | None:
        found: bool | None = True
        for test in tests:
            one = test(event, result)
            if one is False:
                return False
            found = None if one is None else found
        return found

    return every


def _subagent(pattern: EventPattern) -> Seen:
    wanted = pattern.subagent
    if isinstance(wanted, bool):
        return lambda event, _: bool(event.sub) is wanted
    return lambda event, _: event.sub == wanted


def _tool(pattern: EventPattern) -> Seen:
    fits = re.compile(re.escape(pattern.tool).replace(r"\*", ".*"), re.DOTALL).fullmatch

    def test(event: AnyEvent, _: Result | None) -> bool:
        tool: str = event.tool  # type: ignore[union-attr]
        if fits(tool):
            return True
        carried = tool.startswith("mcp__") or (isinstance(event, Call) and event.does == "mcp")
        return carried and fits(_LAST_PART.split(tool)[-1]) is not None

    return test


def _skill(pattern: EventPattern) -> Seen:
    wanted, file = pattern.skill, f"{bare(pattern.skill)}/SKILL.md"

    def test(event: AnyEvent, _: Result | None) -> bool:
        if isinstance(event, Call):
            if not event.skill:
                near = file in event.command or any(file in path for path in event.paths)
                return near and any(f"/{path}".endswith(f"/{file}") for path in _touched(event))
            return wanted in (event.skill, bare(event.skill))
        if isinstance(event, Message | Offer):
            return bool(event.skill) and wanted in (event.skill, bare(event.skill))
        return False

    return test


def _failed(pattern: EventPattern) -> Seen:
    wanted, came_to = pattern.failed, _of_line(EventPattern(failed=pattern.failed), pattern)

    def test(event: AnyEvent, result: Result | None) -> bool | None:
        if isinstance(event, Call) and event.does == "shell":
            return came_to(event.command, result)
        result = event if isinstance(event, Result) else result
        return None if result is None else result.failed is wanted

    return test


def _exit(pattern: EventPattern) -> Seen:
    wanted, came_to = pattern.exit, _of_line(EventPattern(exit=pattern.exit), pattern)

    def test(event: AnyEvent, result: Result | None) -> bool | None:
        if isinstance(event, Call):
            return came_to(event.command, result) if event.does == "shell" else False
        return _is_code(ALL, _code(event), wanted or 0) if isinstance(event, Result) else False

    return test


def _of_line(outcome: EventPattern, pattern: EventPattern) -> Callable[..., bool | None]:
    """Whether one of the commands that the pattern means came to this, or else the whole line."""
    is_here = _part(pattern)

    def came_to(line: str, result: Result | None) -> bool | None:
        parts = [each.tells for each in steps_of(line) if is_here(each)] if is_here else []
        found = [_came_to(outcome, tells, result) for tells in parts or (ALL,)]
        return True if True in found else None if None in found else False

    return came_to


def _came_to(pattern: EventPattern, tells: int, result: Result | None) -> bool | None:
    """Whether a command ended as the pattern has it, as far as the result of its line tells."""
    if pattern.exit is None and pattern.failed is None:
        return True
    if result is None:
        return None
    code = _code(result)
    found = [] if pattern.exit is None else [_is_code(tells, code, pattern.exit)]
    if pattern.failed is not None:
        zero = _is_code(tells, code, 0)
        found.append(None if zero is None else zero is not pattern.failed)
    return False if False in found else None if None in found else True


def _code(result: Result) -> int | None:
    """How a line ended: None where it failed, and the code is not told."""
    if result.exit_code is not None:
        return result.exit_code
    # Claude Code tells the code only of a command that failed.
    return None if result.failed else 0


def _is_code(tells: int, code: int | None, wanted: int) -> bool | None:
    """Whether a command ended with a code, given that of its line and what this tells of it."""
    if code == 0:
        return wanted == 0 if tells & ZERO else None
    if wanted == 0:
        return False if tells & LAST else None
    return code == wanted if code is not None and tells & OWN else None


def _path(pattern: EventPattern) -> Seen:
    fits = compile_glob(pattern.path, anywhere=True).fullmatch
    # The last name of a path always stands in the line; what of it is no glob is looked for.
    sure = max(re.split(r"[*?\[\]]", pattern.path.rpartition("/")[2]), key=len)
    sure = "" if "[" in pattern.path else sure

    def test(event: AnyEvent, _: Result | None) -> bool:
        if not isinstance(event, Call):
            return False
        line = event.command
        if event.does == "shell" and sure not in line and not _quoted_in(sure, line):
            return False
        return any(fits(path.removeprefix("./")) is not None for path in _touched(event))

    return test


def _touched(call: Call) -> tuple[str, ...]:
    """The files that a call names."""
    return call.paths if call.does != "shell" else (*call.paths, *_in_line(call.command))


@lru_cache(maxsize=4096)
def _in_line(line: str) -> tuple[str, ...]:
    return tuple(path for step in steps_of(line) for path in touched_by(step))


def _command(pattern: EventPattern) -> Seen:
    words = read_command(pattern.command)
    # Of a path, only its last name must stand in the line: `cd a && ./b` runs `a/b`.
    signs = [word.translate(_UNQUOTE) for word in (basename(words[0]), *words[1:])]

    def test(event: AnyEvent, _: Result | None) -> bool:
        line: str = event.command  # type: ignore[union-attr]
        for sign in signs:
            if sign not in line and not _quoted_in(sign, line):
                return False
        return any(runs(words, step) for step in steps_of(line))

    return test


def _quoted_in(sign: str, line: str) -> bool:
    """Whether a word stands in a line with quotes inside it."""
    quoted = "'" in line or '"' in line or "\\" in line
    return quoted and sign in line.translate(_UNQUOTE)


_TESTS: Mapping[str, Callable[[EventPattern], Seen]] = {
    "subagent": _subagent,
    "tool": _tool,
    "command": _command,
    "path": _path,
    "skill": _skill,
    "failed": _failed,
    "exit": _exit,
}
"""From the cheapest to the dearest; those of the outcome last, for they may not know."""


def say_pattern(pattern: EventPattern) -> str:
    """A pattern in words: `git commit`; write, path `*.py`."""
    given: list[str] = [pattern.kind] if pattern.kind else []
    for name in ("tool", "command", "path", "skill", "exit", "failed", "subagent"):
        value: Json = getattr(pattern, name)
        if value not in ("", None):
            shown = str(value).lower() if isinstance(value, bool) else value
            given.append(f"`{shown}`" if name == "command" else f"{name} `{shown}`")
    return " ".join(given)
