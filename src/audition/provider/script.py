"""A script for the model: turns that are written down beforehand.

In: a YAML or JSON file. Out: a Script, or every mistake with its file and line.
Must not know: wires, sockets, how a deed becomes a call of one agent's tools.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from audition.counted import counted
from audition.errors import BadFile, did_you_mean
from audition.model import Finding, Json, Spent, Value
from audition.provider.wire import Reply
from audition.yaml_file import Marked, Node, field_name, read_yaml

Then = Literal["repeat", "last", "error"]
THEN: tuple[Then, ...] = ("error", "last", "repeat")
TOP = ("turns", "by_case", "then")
DEEDS = ("skill", "read", "shell", "write", "tool")


class Deed(Value, frozen=True, kw_only=True, omit_defaults=True):
    """A call as a script asks for it: a tool by name, or something that any agent can do."""

    does: Literal["skill", "read", "shell", "write", "tool"]
    word: str
    """The skill, the path, the command or the tool."""
    text: str = ""
    """What to write."""
    input: Json = None


class Turn(Value, frozen=True, kw_only=True, omit_defaults=True):
    """One scripted turn."""

    reply: Reply
    deeds: tuple[Deed, ...] = ()
    times: int = 1


class Script(Value, frozen=True, kw_only=True):
    """All turns of a file."""

    turns: tuple[Turn, ...] = ()
    by_case: dict[str, tuple[Turn, ...]] = {}
    then: Then = "error"

    def for_case(self, case: str) -> tuple[Turn, ...]:
        """The turns of one case, repeats written out."""
        turns = self.by_case.get(case, self.turns)
        return tuple(turn for turn in turns for _ in range(turn.times))


class BadScript(BadFile):
    """A script with mistakes; `findings` holds all of them."""

    def __init__(self, findings: tuple[Finding, ...]) -> None:
        count = f"{counted(len(findings), 'mistake')} in a provider's script"
        shown = "\n".join([count, *map(str, findings)])
        super().__init__(_harmless(shown), "see docs/provider.md for what a turn may hold")
        self.findings = findings


def _harmless(text: str) -> str:
    # A message quotes the file, which may hold what a terminal obeys.
    return "".join(
        each if each.isprintable() or each == "\n" else ascii(each)[1:-1] for each in text
    )


def read_script(path: Path) -> Script:
    """Read a script; raises BadScript with every mistake in it."""
    return make_script(read_yaml(path))


def make_script(marked: Marked) -> Script:
    """The script that a file says."""
    reading = _Reading(marked)
    script = Script() if marked.findings else reading.script(Node(marked))
    if found := (*marked.findings, *reading.findings):
        raise BadScript(found)
    return script


class _Reading:
    """Takes a file apart and collects what is wrong with it."""

    def __init__(self, marked: Marked) -> None:
        self.path = marked.path
        self.findings: list[Finding] = []

    def script(self, node: Node) -> Script:
        if isinstance(node.value, list):
            return Script(turns=self.turns(node))
        if not isinstance(node.value, dict):
            self.say(node, "a script is a list of turns, or a mapping with `turns`")
            return Script()
        keys = self.keys(node, TOP)
        cases = keys.get("by_case")
        by_case = self.mapping(cases, "by_case") if cases else {}
        if not {"turns", "by_case"} & keys.keys():
            self.say(node, "there are no `turns`", "give `turns`, `by_case` or both")
        then: Then = self.word(keys["then"], THEN) if "then" in keys else "error"
        return Script(
            turns=self.turns(keys["turns"]) if "turns" in keys else (),
            by_case={name: self.turns(each) for name, each in by_case.items()},
            then=then,
        )

    def turns(self, node: Node) -> tuple[Turn, ...]:
        if not isinstance(node.value, list) or not node.value:
            self.say(node, "this must be a list of turns, with one at least")
            return ()
        return tuple(self.turn(each) for each in node.items())

    def turn(self, node: Node) -> Turn:
        if isinstance(node.value, str):
            return Turn(reply=Reply(text=node.value))
        if not isinstance(node.value, dict):
            self.say(node, "a turn is a text, or a mapping such as `{text: Hello}`")
            return Turn(reply=Reply())
        keys = self.keys(node, (*FIELDS, "calls", "times"))
        fields: dict[str, Any] = {}
        for name, read in FIELDS.items():
            if name in keys:
                fields[name] = read(self, keys[name])
        if "message" in keys and "status" not in keys:
            self.say(keys["message"], "a `message` goes with a `status` of 400 or more")
        calls = keys.get("calls")
        if calls and not isinstance(calls.value, list):
            self.say(calls, "`calls` must be a list")
            calls = None
        deeds = tuple(filter(None, map(self.deed, calls.items()))) if calls else ()
        times = self.whole(keys["times"], 1, 10_000) if "times" in keys else 1
        return Turn(reply=Reply(**fields), deeds=deeds, times=times)

    def deed(self, node: Node) -> Deed | None:
        value = node.value if isinstance(node.value, dict) else {}
        named = [each for each in DEEDS if each in value]
        if len(named) != 1:
            known = ", ".join(f"`{each}`" for each in DEEDS)
            near = next((did_you_mean(key, DEEDS) for key in value if key not in DEEDS), "")
            self.say(node, f"a call needs exactly one of {known}", near)
            return None
        does: Any = named[0]
        keys = self.keys(
            node, {"tool": ("tool", "input"), "write": ("write", "text")}.get(does, (does,))
        )
        given = keys["input"].value if "input" in keys else {}
        if not isinstance(given, dict | str):
            self.say(
                keys["input"], "`input` must be a mapping, or a text for a tool that takes one"
            )
        text = self.text(keys["text"]) if "text" in keys else ""
        return Deed(does=does, word=self.text(keys[does]), text=text, input=given)

    def keys(self, node: Node, known: tuple[str, ...]) -> dict[str, Node]:
        children = node.children()
        for name, child in children.items():
            if name not in known:
                self.say(child, f"unknown key `{name}`", did_you_mean(name, known))
        return {name: child for name, child in children.items() if name in known}

    def mapping(self, node: Node, name: str) -> dict[str, Node]:
        if isinstance(node.value, dict):
            return node.children()
        self.say(node, f"`{name}` must be a mapping")
        return {}

    def text(self, node: Node) -> str:
        written = node.written()
        if not isinstance(written, str):
            self.say(node, "this must be a text")
            return ""
        return written

    def word(self, node: Node, known: tuple[str, ...]) -> Any:
        if node.value not in known:
            self.say(
                node,
                f"this must be one of {', '.join(known)}",
                did_you_mean(str(node.value), known),
            )
            return known[0]
        return node.value

    def flag(self, node: Node) -> bool:
        if not isinstance(node.value, bool):
            self.say(node, "this must be true or false")
        return node.value is True

    def whole(self, node: Node, least: int, most: int) -> int:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            self.say(node, f"this must be a whole number from {least} to {most}")
            return least
        return value

    def seconds(self, node: Node) -> float:
        value = node.value
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 3600:
            self.say(node, "this must be a number of seconds from 0 to 3600")
            return 0.0
        return float(value)

    def usage(self, node: Node) -> Spent:
        names = ("input_tokens", "cached_input_tokens", "output_tokens")
        keys = self.keys(node, names) if isinstance(node.value, dict) else {}
        if not isinstance(node.value, dict):
            self.say(node, "`usage` must be a mapping")
        return Spent(**{name: self.whole(each, 0, 10**12) for name, each in keys.items()})

    def retry_after(self, node: Node) -> str:
        text = self.text(node)
        if not re.fullmatch(r"[\w ,:.+-]{1,64}", text):
            self.say(node, "this must be a number of seconds, or an HTTP date")
            return ""
        return text

    def say(self, node: Node, message: str, hint: str = "") -> None:
        place = node.place
        self.findings.append(
            Finding(
                path=self.path,
                line=place.key_line,
                column=place.key_column,
                message=message,
                hint=hint,
                field=field_name(node.field),
                rule="script",
            )
        )


FIELDS: dict[str, Callable[[_Reading, Node], Any]] = {
    "text": _Reading.text,
    "usage": _Reading.usage,
    "stop_reason": lambda self, node: self.word(node, ("refusal", "max_tokens")),
    "delay_s": _Reading.seconds,
    "status": lambda self, node: self.whole(node, 400, 599),
    "message": _Reading.text,
    "retry_after": _Reading.retry_after,
    "malformed": _Reading.flag,
    "truncated": _Reading.flag,
    "hang": _Reading.flag,
}


def take_turn(script: Script, case: str, number: int) -> Turn | None:
    """The turn of that number, from 0; None where the script has no more."""
    turns = script.for_case(case)
    if number < len(turns):
        return turns[number]
    if not turns or script.then == "error":
        return None
    return turns[-1] if script.then == "last" else turns[number % len(turns)]
