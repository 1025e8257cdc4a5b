"""A YAML file of somebody else's, whose reader took more than ours: aliases and `<<` are written out.

In: the path of the file, or its bytes. Out: a Marked. What an alias stands for lies where the
alias does; its parts keep the lines they are written on. How much aliases may come to is capped.
Must not know: what the file is for.
"""

from pathlib import Path
from typing import Any

import msgspec

from audition import yaml_file
from audition.model import Json
from audition.yaml_file import Field, Marked, Place, _Composer, _Stop

MOST = 50_000
"""So many values aliases may stand for in one file: nested ones multiply."""
Part = tuple[Field, Place]


def read_yaml(path: Path) -> Marked:
    """Read a YAML file; whatever is wrong with it is in `findings`."""
    return yaml_file.read_yaml(path, parse_yaml)


def parse_yaml(raw: bytes, path: str) -> Marked:
    """Read YAML that is already in memory; `path` is what findings call it."""
    return _Lenient(raw, path).compose()


class _Lenient(_Composer):
    """Keeps what has an anchor, with its places."""

    def __init__(self, raw: bytes, path: str) -> None:
        super().__init__(raw, path)
        self.order: list[Field] = []
        self.kept: dict[str, tuple[Json, list[Part]]] = {}
        self.left = MOST

    def text(self) -> str:
        text = self.raw.decode("utf-8-sig", "replace")
        if "\ufffd" in text and "\ufffd".encode() not in self.raw:
            self.say(1, 1, "not UTF-8; the odd bytes are replaced")
            self.findings[-1] = msgspec.structs.replace(self.findings[-1], severity="warning")
            self.raw = text.encode()
        return super().text()

    def node(self, event: Any, field: Field, key: Any) -> Json:
        if isinstance(event, self.yaml.AliasEvent) and event.anchor in self.kept:
            return self.alias(event, field, key)
        begins = len(self.order)
        value = super().node(event, field, key)
        name = getattr(event, "anchor", None)
        if name and not isinstance(event, self.yaml.AliasEvent):
            parts = [(each[len(field) :], self.places[each]) for each in self.order[begins:]]
            self.kept[name] = (value, parts)
        return value

    def alias(self, event: Any, field: Field, key: Any) -> Json:
        value, parts = self.kept[event.anchor]
        self.left -= len(parts)
        if self.left < 0:
            self.at(event.start_mark, f"aliases stand for more than {MOST} values", "write it out")
            raise _Stop
        for rest, place in parts:
            self.places[*field, *rest] = place
            self.order.append((*field, *rest))
        whole = self.places[field]
        self.mark(event, field, key, whole.text, plain=whole.plain)
        return value

    def mapping(self, field: Field) -> dict[str, Json]:
        begins = len(self.order)
        found = super().mapping(field)
        merged = found.get("<<")
        sources = merged if isinstance(merged, list) else [merged]
        if "<<" not in found or not all(isinstance(each, dict) for each in sources):
            return found
        del found["<<"]
        names: dict[Field, str] = {}
        for number, source in enumerate(sources):
            below: Field = ("<<", number) if isinstance(merged, list) else ("<<",)
            names |= {(*field, *below, key): key for key in source if key not in found}
            found = {**source, **found}
        for each in self.order[begins:]:
            for depth in (len(field) + 2, len(field) + 3):
                if name := names.get(each[:depth]):
                    self.places[*field, name, *each[depth:]] = self.places[each]
        return found

    def mark(
        self, event: Any, field: Field, key: Any, text: str | None = None, *, plain: bool = False
    ) -> None:
        super().mark(event, field, key, text, plain=plain)
        self.order.append(field)

    def refuse(self, event: Any, field: Field) -> None:
        if getattr(event, "tag", None):
            super().refuse(event, field)
