"""Named plug-ins: how agents, checks, case formats, sandboxes, wires and executors are found.

In: a kind and a name. Out: the object an entry point of the group `audition.<kind>` names,
imported when first asked for, so that one agent never imports the others. Built-ins use
the same door: ours are listed in pyproject.toml. A stranger that takes the name of one of
ours is not heard: what a name means must not depend on what else is installed.
Must not know: what the plug-ins are for.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property
from importlib import import_module
from operator import attrgetter
from types import FunctionType
from typing import Generic, TypeVar

from audition import __version__
from audition.errors import AuditionError, unknown

T = TypeVar("T")
OURS = f"audition-{__version__}.dist-info/entry_points.txt"
Points = dict[str, str]
"""`module:attribute` by name."""


class Registry(Mapping[str, T], Generic[T]):
    """The plug-ins of one kind, by name."""

    def __init__(self, kind: str, called: str = "") -> None:
        self.kind = kind
        self.called = called or kind
        self._loaded: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            if name not in self:
                raise unknown(self.called, name, self)
            self._loaded[name] = self._load(self._ours.get(name) or self._all[name], name)
        return self._loaded[name]

    def _load(self, value: str, name: str) -> T:
        module, _, attribute = value.partition(":")
        try:
            plugin: T = attrgetter(attribute)(import_module(module))
        except Exception as error:
            raise AuditionError(
                f"{self.called} `{name}` cannot be loaded: {type(error).__name__}: {error}",
                f"it is the entry point `{value}`",
            ) from error
        return plugin

    @cached_property
    def _ours(self) -> Points:
        return _own_points().get(f"audition.{self.kind}", {})

    @cached_property
    def _all(self) -> Points:
        return _all_points().get(f"audition.{self.kind}", {})

    def __contains__(self, name: object) -> bool:
        return name in self._ours or name in self._all

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._all))

    def __len__(self) -> int:
        return len(self._all)


def is_ours(found: object) -> bool:
    """Whether it is a plain function of this package, with nothing bound into it."""
    return (
        isinstance(found, FunctionType)
        and found.__closure__ is None
        and found.__module__.partition(".")[0] == __name__.partition(".")[0]
    )


@cache
def _own_points() -> dict[str, Points]:
    """What our own distribution lists; nothing where it is not found, and then all are asked."""
    return next((points for folder in sys.path if (points := _read(f"{folder or '.'}/{OURS}"))), {})


@cache
def _all_points() -> dict[str, Points]:
    """What every distribution on the path lists; ours first, then by the order of the path.

    Read here, because to import importlib.metadata and ask it takes 25 ms; `python` takes 9.
    """
    found = [_own_points()]
    for folder in [each or "." for each in sys.path]:
        with suppress(OSError):
            found += [
                _read(f"{folder}/{name}/entry_points.txt")
                for name in sorted(os.listdir(folder))
                if name.endswith((".dist-info", ".egg-info"))
            ]
    points: dict[str, Points] = {}
    for each in reversed(found):
        for group, names in each.items():
            points.setdefault(group, {}).update(names)
    return points


def _read(path: str) -> dict[str, Points]:
    """The lists of one file, as the packaging specification writes them."""
    points: dict[str, Points] = {}
    group: Points = {}
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return {}
    for line in map(str.strip, lines):
        if line.startswith("["):
            group = points.setdefault(line.strip("[]"), {})
        elif "=" in line and line[0] not in "#;":
            name, _, value = line.partition("=")
            group[name.strip()] = value.partition("[")[0].strip()
    return points
