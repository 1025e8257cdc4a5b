"""A value of somebody else's file whose reading is accounted for: what nobody takes is a loss.

In: a Marked. Out: plain values, and at the end a Finding for every field that was dropped,
defaulted or read differently than it was written.
Must not know: any one format.
"""

from collections.abc import Iterator
from typing import Literal

from audition.case_file import BadCases
from audition.cases.fields import kind_of
from audition.model import Finding, Json
from audition.yaml_file import Field, Marked, Node, field_name

FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
Severity = Literal["error", "warning", "note"]


class Ledger:
    """What of one file was taken, and what is to be said of it."""

    def __init__(self, marked: Marked) -> None:
        self.marked = marked
        self.losses: list[Finding] = list(marked.findings)
        self._taken: set[Field] = set()
        self._touched: set[Field] = set()
        self._named: list[tuple[Node, str, bool]] = []
        if marked.value is None:
            empty = Finding(path=marked.path, message="there is nothing in it", rule="case")
            raise BadCases(self.losses or [empty])

    @property
    def root(self) -> "Given":
        """The whole file."""
        return Given(Node(self.marked), self)

    def take(self, field: Field) -> None:
        """Note that a field was made use of, with all below it."""
        self._taken.add(field)
        self._touched.update(field[:length] for length in range(len(field)))

    def say(self, node: Node, message: str, severity: Severity = "warning", hint: str = "") -> None:
        """Note a loss at a node; at its key, if it has one."""
        self.losses.append(
            Finding(
                path=self.marked.path,
                line=node.place.key_line,
                column=node.place.key_column,
                message=message,
                hint=hint,
                field=field_name(node.field),
                rule="import",
                severity=severity,
            )
        )

    def name(self, node: Node, name: str, *, given: bool) -> None:
        """Note what a case is called, and whether the file says so."""
        self._named.append((node, name, given))

    def _say_names(self) -> None:
        """Which cases are called by their place: each of them, or all at once."""
        unnamed = [(node, name) for node, name, given in self._named if not given]
        if len(unnamed) > 1 and len(unnamed) == len(self._named):
            (node, name), words = unnamed[0], "no case has an id: they are called"
            self.say(node, f"{words} `{name}` and so on, by their place", "note")
            return
        for node, name in unnamed:
            self.say(node, f"has no id: it is called `{name}`", "note")

    def settle(self) -> tuple[Finding, ...]:
        """All losses, those included that nobody has spoken of."""
        self._say_names()
        for node in self._left(Node(self.marked)):
            self.say(node, f"{_called(node)} not used")
        order = sorted(
            self.losses,
            key=lambda each: (each.path != self.marked.path, each.path, each.line, each.column),
        )
        return tuple(dict.fromkeys(order))

    def _left(self, node: Node) -> Iterator[Node]:
        if node.field in self._taken:
            return
        if node.field and node.field not in self._touched:
            yield node
        elif isinstance(node.value, dict):
            for each in node.children().values():
                yield from self._left(each)
        elif isinstance(node.value, list):
            for each in node.items():
                yield from self._left(each)


def _called(node: Node) -> str:
    """What nobody took, by its key; an item of a list by the keys in it."""
    name = node.field[-1] if node.field else "it"
    if not isinstance(name, int):
        return f"`{name}` is"
    if isinstance(node.value, dict) and node.value:
        names = [f"`{key}`" for key in node.value]
        return f"{', '.join(names[:8])} {'is' if len(names) == 1 else 'are'}"
    return f"`{node.place.text[:60]}` is" if node.place.text else "this is"


class Given:
    """One value of the file."""

    def __init__(self, node: Node, ledger: Ledger) -> None:
        self.node = node
        self.ledger = ledger

    @property
    def value(self) -> Json:
        """The plain value."""
        return self.node.value

    @property
    def line(self) -> int:
        """The line it stands on."""
        return self.node.place.line

    def __contains__(self, key: str) -> bool:
        return isinstance(self.value, dict) and self.value.get(key) is not None

    def at(self, key: str | int) -> "Given":
        """The child of that name, which must be there."""
        return Given(self.node.at(key), self.ledger)

    def keys(self) -> list[str]:
        """The keys of a mapping; none where it is none."""
        return list(self.value) if isinstance(self.value, dict) else []

    def items(self) -> list["Given"]:
        """The children of a list; none where it is none."""
        return [self.at(number) for number in range(len(self.value))] if self.is_list() else []

    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.value, list)

    def take(self) -> Json:
        """The value, made use of whole."""
        self.ledger.take(self.node.field)
        return self.value

    def say(self, message: str, severity: Severity = "warning", hint: str = "") -> None:
        """Note a loss here; it is accounted for."""
        self.ledger.take(self.node.field)
        self.ledger.say(self.node, message, severity, hint)

    def wrong(self, wanted: str) -> None:
        """Note that the value is of the wrong kind, and not used."""
        self.say(f"expected {wanted}, found {kind_of(self.node)}; not used")

    def written(self) -> str | None:
        """A scalar as it is written; None, with a loss, where it is none."""
        text = self.node.place.text
        if text is None or isinstance(self.value, list | dict):
            self.wrong("text")
            return None
        self.take()
        return text

    def text(self, key: str, default: str = "") -> str:
        """The text under a key; a number is text as well."""
        if key not in self:
            if isinstance(self.value, dict) and key in self.value:
                self.at(key).take()
            return default
        found = self.at(key).written()
        return default if found is None else found

    def name(self, default: str, *keys: str) -> str:
        """What the case is called: the first of the keys with a text, or by its place."""
        found = next((text for key in keys or ("id",) if (text := self.text(key).strip())), "")
        self.ledger.name(self.node, found or default, given=bool(found))
        return found or default

    def flag(self, key: str) -> bool | None:
        """True or false under a key; None where there is neither."""
        if key not in self:
            return None
        child = self.at(key)
        if isinstance(child.value, bool):
            return bool(child.take())
        word = str(child.value).strip().lower()
        if word in FLAGS and not isinstance(child.value, list | dict):
            child.say(f"`{word}` is read as {str(FLAGS[word]).lower()}", "note")
            return FLAGS[word]
        child.wrong("true or false")
        return None

    def number(self, key: str) -> float | None:
        """A number above 0 under a key."""
        if key not in self:
            return None
        child = self.at(key)
        value = child.value
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e12:
            child.take()
            return float(value)
        child.wrong("a number above 0")
        return None

    def listed(self, key: str) -> list["Given"]:
        """The values under a key; one that is no list stands for a list of one."""
        if key not in self:
            if isinstance(self.value, dict) and key in self.value:
                self.at(key).take()
            return []
        child = self.at(key)
        if child.is_list():
            if not child.value:
                child.take()
            return child.items()
        return [child]

    def texts(self, key: str) -> list[tuple["Given", str]]:
        """The texts under a key, each with its place."""
        found = [(each, each.written()) for each in self.listed(key)]
        return [(each, text) for each, text in found if text is not None]

    def child(self, key: str) -> "Given":
        """The mapping under a key; an empty one where there is none."""
        if key in self and isinstance(self.value[key], dict):
            if not self.value[key]:
                self.at(key).take()
            return self.at(key)
        if key in self:
            self.at(key).wrong("a mapping")
        return Given(Node(Marked(path=self.node.marked.path, value={})), self.ledger)
