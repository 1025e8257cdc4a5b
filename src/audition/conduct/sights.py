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
from audition.globs import compile_glob
from audition.model import AnyEvent, Call, Does, EventPattern, Json, Message, Offer, Result, Value
from audition.shell import reads_in, runs_in, split_commands, writes_in

OF_CALLS = ("tool", "path", "skill", "exit", "failed", "subagent")
KINDS: Mapping[str, tuple[str, ...]] = {
    "call": (*OF_CALLS, "command"),
    "shell": (*OF_CALLS, "command"),
    **{does: OF_CALLS for does in get_args(Does) if does != "shell"},
    "message": ("skill", "subagent"),
    "result": ("exit", "failed", "subagent"),
    "denial": ("tool", "subagent"),
    "offer": ("skill", "subagent"),
    **dict.fromkeys(("usage", "fault", "end"), ("subagent",)),
}
"""What `kind` may be, and what else a pattern of that kind may ask for."""
Seen = Callable[[AnyEvent, Result | None], bool | None]
_LAST_PART = re.compile(r"__|[./:]")
"""`mcp__server__tool`, `server.tool`, `server/tool`, `server:tool`."""
_QUOTES = re.compile(r"['\"\\]")
_UNQUOTE = str.maketrans("", "", "'\"\\\n")
_VALUED: Mapping[str, frozenset[str]] = {
    "git": frozenset(("-C", "-c", "--git-dir", "--work-tree", "--namespace", "--config-env")),
    "docker": frozenset(("-H", "--host", "-c", "--context", "--config", "-l", "--log-level")),
    "kubectl": frozenset(("-n", "--namespace", "--context", "--kubeconfig", "-s", "--server")),
    "npm": frozenset(("--prefix", "-w", "--workspace")),
    "pnpm": frozenset(("-C", "--dir", "--filter", "-F")),
    "yarn": frozenset(("--cwd",)),
    "cargo": frozenset(("--manifest-path", "-C", "--config", "--color")),
    "gh": frozenset(("-R", "--repo")),
    "helm": frozenset(("-n", "--namespace", "--kube-context")),
    **dict.fromkeys(("pip", "pip3", "uv", "poetry", "go", "brew", "apt", "apt-get"), frozenset()),
}
"""Programs whose second word says what they do, and their options before it with a value."""


class Sight(Value, frozen=True, kw_only=True):
    """A pattern, ready to be asked."""

    about: str
    """A kind of event, or `call`."""
    does: str
    """With calls: what they must be for; empty for any."""
    of_outcome: bool
    """What the call came back with decides."""
    seen: Seen


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
    )


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
    wanted = pattern.tool

    def test(event: AnyEvent, _: Result | None) -> bool:
        tool: str = event.tool  # type: ignore[union-attr]
        if tool == wanted:
            return True
        carried = tool.startswith("mcp__") or (isinstance(event, Call) and event.does == "mcp")
        return carried and _LAST_PART.split(tool)[-1] == wanted

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
    wanted = pattern.failed

    def test(event: AnyEvent, result: Result | None) -> bool | None:
        result = event if isinstance(event, Result) else result
        return None if result is None else result.failed is wanted

    return test


def _exit(pattern: EventPattern) -> Seen:
    wanted = pattern.exit

    def test(event: AnyEvent, result: Result | None) -> bool | None:
        if isinstance(event, Call) and event.does != "shell":
            return False
        result = event if isinstance(event, Result) else result
        if result is None:
            return None
        if result.exit_code is not None:
            return result.exit_code == wanted
        # Claude Code tells the code only of a command that failed.
        if not result.failed:
            return wanted == 0
        return False if wanted == 0 else None

    return test


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
    return (*reads_in(line), *runs_in(line), *writes_in(line))


def _command(pattern: EventPattern) -> Seen:
    words = split_commands(pattern.command)[0]
    signs = [word.translate(_UNQUOTE) for word in words]

    def in_line(line: str) -> bool:
        return any(runs(words, each) for each in _split(line))

    def test(event: AnyEvent, _: Result | None) -> bool:
        line: str = event.command  # type: ignore[union-attr]
        for sign in signs:
            if sign not in line and not _quoted_in(sign, line):
                return False
        return in_line(line)

    return test


@lru_cache(maxsize=1024)
def _split(line: str) -> tuple[tuple[str, ...], ...]:
    return split_commands(line)


def _quoted_in(sign: str, line: str) -> bool:
    """Whether a word stands in a line with quotes inside it."""
    return _QUOTES.search(line) is not None and sign in line.translate(_UNQUOTE)


def runs(wanted: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a simple command is the wanted one, perhaps with more words between and behind.

    The program is the first word, with or without its folder; the other words must come in
    this order, before any `--`. For a program with sub-commands (`git`, `npm` …) the second
    word must be the sub-command: `git log commit` is no `git commit`.
    """
    if not words or wanted[0] not in (words[0], basename(words[0])):
        return False
    before = words[1 : words.index("--")] if "--" in words and "--" not in wanted else words[1:]
    rest, left = list(wanted[1:]), list(before)
    name = basename(wanted[0])
    if rest and rest[0][:1] != "-" and name in _VALUED:
        left = _from_subcommand(left, _VALUED[name])
        if left[:1] != rest[:1]:
            return False
    found = iter(left)
    return all(word in found for word in rest)


def _from_subcommand(words: list[str], valued: frozenset[str]) -> list[str]:
    place = 0
    while place < len(words) and words[place][:1] in ("-", "+"):
        place += 2 if words[place] in valued else 1
    return words[place:]


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
