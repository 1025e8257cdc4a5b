"""A YAML file as plain values that know where they stand.

In: the path of a YAML file. Out: a Marked: values, the line and column of each, and what is
wrong with the file. Anchors, aliases and tags are refused, size and depth are capped, so a
hostile file costs nothing. Scalars keep their text, so that an id `no` or `2024-01-01` can
be taken as written.
Must not know: what the file is for.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from audition.model import Finding, Json, Value

SIZE_CAP = 1024 * 1024
DEPTH_CAP = 50
FINDINGS_CAP = 100
Field = tuple[str | int, ...]

USE_SPACES = "indent by spaces, not by tabs"
QUOTE_IT = "quote a value that holds `: ` or begins with one of `@ ` % & * ! | > { [`"
NULLS = {"", "~", "null", "Null", "NULL"}
BOOLS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
# 010 is 8 to YAML 1.1 and 10 to YAML 1.2, 1:30 is 90 to the former: neither is a number here.
WHOLE = re.compile(r"[-+]?(0|[1-9][0-9]{0,17})")
DECIMAL = re.compile(r"[-+]?([0-9]{1,18}\.[0-9]{0,40}|\.[0-9]{1,40}|[0-9]{1,18}(?=e))(e[-+]?\d+)?")


class Place(Value, frozen=True, kw_only=True):
    """Where a value stands, and its text if it is a scalar."""

    line: int
    column: int
    key_line: int
    key_column: int
    text: str | None = None
    plain: bool = False
    """Written without quotes: its type was guessed from its text."""


class Marked(Value, frozen=True, kw_only=True):
    """What a file says, where it says it, and what is wrong with it."""

    path: str
    value: Json = None
    places: Mapping[Field, Place] = {}
    findings: tuple[Finding, ...] = ()


class _Stop(Exception):
    """The rest of the file is not worth reading."""


def field_name(field: Field) -> str:
    """How a field is shown: `cases[2].checks[0]`."""
    shown = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in field)
    return shown.removeprefix(".")


def guess(text: str) -> Json:
    """What an unquoted scalar is: null, true, a number, or its text."""
    if text in NULLS:
        return None
    if (low := text.lower()) in BOOLS and text in {low, low.title(), low.upper()}:
        return BOOLS[low]
    if WHOLE.fullmatch(text):
        return int(text)
    if DECIMAL.fullmatch(low) and math.isfinite(number := float(text)):
        return number
    return text


def read_yaml(path: Path, parse: Callable[[bytes, str], Marked] | None = None) -> Marked:
    """Read a YAML file; whatever is wrong with it is in `findings`."""
    try:
        with path.open("rb") as file:
            raw = file.read(SIZE_CAP + 1)
    except OSError as error:
        problem = Finding(path=str(path), message=f"cannot be read: {error.strerror}", rule="yaml")
        return Marked(path=str(path), findings=(problem,))
    return (parse or parse_yaml)(raw, str(path))


def parse_yaml(raw: bytes, path: str) -> Marked:
    """Read YAML that is already in memory; `path` is what findings call it."""
    return _Composer(raw, path).compose()


class _Composer:
    """Walks the parser's events once; collects values, places and findings."""

    def __init__(self, raw: bytes, path: str) -> None:
        self.raw = raw
        self.path = path
        self.places: dict[Field, Place] = {}
        self.findings: list[Finding] = []

    def compose(self) -> Marked:
        import yaml  # late, and once: it takes 8 ms, and looking it up for every value adds up

        self.yaml: Any = yaml
        value: Json = None
        try:
            with suppress(_Stop):
                value = self.document(self.text())
        except yaml.YAMLError as error:
            self.syntax(error)
        return Marked(
            path=self.path, value=value, places=self.places, findings=tuple(self.findings)
        )

    def text(self) -> str:
        if len(self.raw) > SIZE_CAP:
            self.say(1, 1, f"the file is larger than {SIZE_CAP // 1024} KiB", "split it")
            raise _Stop
        try:
            return self.raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            before = self.raw[: error.start]
            line, column = before.count(b"\n") + 1, error.start - (before.rfind(b"\n") + 1) + 1
            self.say(line, column, "the file is not UTF-8", "save it as UTF-8")
            raise _Stop from None

    def document(self, text: str) -> Json:
        loader: Any = getattr(self.yaml, "CSafeLoader", self.yaml.SafeLoader)
        self.events: Iterator[Any] = iter(loader(text).get_event, None)  # `parse` asks twice
        next(self.events)  # the stream begins
        if isinstance(next(self.events), self.yaml.StreamEndEvent):
            return None
        event = next(self.events)
        value = self.node(event, (), event.start_mark)
        next(self.events)  # the document ends
        if not isinstance(more := next(self.events), self.yaml.StreamEndEvent):
            self.at(more.start_mark, "a second document begins here", "keep one in each file")
        return value

    def node(self, event: Any, field: Field, key: Any) -> Json:
        if len(self.findings) >= FINDINGS_CAP:
            self.at(event.start_mark, "more is wrong from here on", "mend the above first")
            raise _Stop
        if len(field) > DEPTH_CAP:
            self.at(event.start_mark, f"nested deeper than {DEPTH_CAP} levels")
            raise _Stop
        if isinstance(event, self.yaml.AliasEvent):
            self.at(event.start_mark, "aliases (`*name`) are refused", "write it out", field)
            self.mark(event, field, key)
            return None
        self.refuse(event, field)
        if isinstance(event, self.yaml.ScalarEvent):
            if event.tag:
                self.mark(event, field, key)
                return None
            plain = event.style in {None, ""}
            self.mark(event, field, key, event.value, plain=plain)
            return guess(event.value) if plain else event.value
        self.mark(event, field, key)
        is_list = isinstance(event, self.yaml.SequenceStartEvent)
        return self.sequence(field) if is_list else self.mapping(field)

    def sequence(self, field: Field) -> list[Json]:
        items: list[Json] = []
        for event in self.events:
            if isinstance(event, self.yaml.SequenceEndEvent):
                break
            items.append(self.node(event, (*field, len(items)), event.start_mark))
        return items

    def mapping(self, field: Field) -> dict[str, Json]:
        found: dict[str, Json] = {}
        for key in self.events:
            if isinstance(key, self.yaml.MappingEndEvent):
                break
            if not isinstance(key, self.yaml.ScalarEvent):
                self.at(key.start_mark, "a key must be plain text", "", field)
                self.node(key, (*field, ""), key.start_mark)
                self.node(next(self.events), (*field, ""), key.start_mark)
                continue
            self.refuse(key, field)
            name = key.value
            if name in found:
                first = self.places[*field, name].key_line
                hint = f"the first is on line {first}; it counts"
                self.at(key.start_mark, f"key `{name}` is given twice", hint, (*field, name))
            self.entry(found, key, field)
        return found

    def entry(self, found: dict[str, Json], key: Any, field: Field) -> None:
        if key.value in found:
            self.node(next(self.events), (*field, ""), key.start_mark)
        else:
            found[key.value] = self.node(next(self.events), (*field, key.value), key.start_mark)

    def refuse(self, event: Any, field: Field) -> None:
        if event.anchor:
            self.at(event.start_mark, "anchors (`&name`) are refused", "write it out", field)
        if event.tag:
            hint = "remove it; quote a value that shall be text"
            self.at(event.start_mark, f"tags (`{event.tag}`) are refused", hint, field)

    def mark(
        self, event: Any, field: Field, key: Any, text: str | None = None, *, plain: bool = False
    ) -> None:
        at = event.start_mark
        self.places[field] = Place(
            line=at.line + 1,
            column=at.column + 1,
            key_line=key.line + 1,
            key_column=key.column + 1,
            text=text,
            plain=plain,
        )

    def syntax(self, error: Any) -> None:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        position = getattr(error, "position", None)
        words = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        if mark is not None:
            tab = b"\t" in b"".join(self.raw.splitlines()[mark.line : mark.line + 1])
            self.at(mark, f"not YAML: {words}", USE_SPACES if tab else QUOTE_IT)
        elif isinstance(position, int):
            before = self.raw.decode("utf-8-sig", "replace")[:position]
            line, column = before.count("\n") + 1, position - before.rfind("\n")
            self.say(line, column, f"not YAML: {words}", "remove the control character")
        else:
            self.say(1, 1, f"not YAML: {words}")

    def at(self, mark: Any, message: str, hint: str = "", field: Field = ()) -> None:
        self.say(mark.line + 1, mark.column + 1, message, hint, field)

    def say(self, line: int, column: int, message: str, hint: str = "", field: Field = ()) -> None:
        self.findings.append(
            Finding(
                path=self.path,
                line=line,
                column=column,
                message=message,
                hint=hint,
                field=field_name(field),
                rule="yaml",
            )
        )


class Node:
    """One value of a Marked file, with its way to its children."""

    __slots__ = ("field", "marked", "value")

    def __init__(self, marked: Marked, field: Field = (), value: Json = None) -> None:
        """The root, or the part of it at a field that holds the value."""
        self.marked = marked
        self.field = field
        self.value = value if field else marked.value

    @property
    def place(self) -> Place:
        """Where it stands."""
        places = self.marked.places
        return places.get(self.field) or places.get(()) or NOWHERE

    def at(self, key: str | int) -> "Node":
        """The child of that name or number."""
        return Node(self.marked, (*self.field, key), self.value[key])

    def children(self) -> dict[str, "Node"]:
        """The children of a mapping by key."""
        marked, field = self.marked, self.field
        return {key: Node(marked, (*field, key), value) for key, value in self.value.items()}

    def items(self) -> list["Node"]:
        """The children of a list."""
        marked, field = self.marked, self.field
        return [Node(marked, (*field, number), value) for number, value in enumerate(self.value)]

    def written(self) -> Json:
        """The value with every scalar as it is written: all text."""
        if isinstance(self.value, list):
            return [each.written() for each in self.items()]
        if isinstance(self.value, dict):
            return {key: each.written() for key, each in self.children().items()}
        return self.place.text if self.place.text is not None else self.value


NOWHERE = Place(line=1, column=1, key_line=1, key_column=1)
