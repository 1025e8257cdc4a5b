"""Named plug-ins: how agents, checks, case formats, sandboxes, wires and executors are found.

In: a kind and a name. Out: the object an entry point of the group `audition.<kind>` names,
imported when first asked for, so that one agent never imports the others. Built-ins use
the same door: ours are listed in pyproject.toml.
Must not know: what the plug-ins are for.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from audition.errors import AuditionError, unknown

T = TypeVar("T")


class Registry(Mapping[str, T], Generic[T]):
    """The plug-ins of one kind, by name."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._loaded: dict[str, T] = {}

    @cached_property
    def _points(self) -> dict[str, EntryPoint]:
        return {point.name: point for point in entry_points(group=f"audition.{self.kind}")}

    def __getitem__(self, name: str) -> T:
        if name not in self._loaded:
            if name not in self._points:
                raise unknown(self.kind, name, self)
            self._loaded[name] = self._load(name)
        return self._loaded[name]

    def _load(self, name: str) -> T:
        try:
            plugin: T = self._points[name].load()
        except Exception as error:
            raise AuditionError(
                f"{self.kind} `{name}` cannot be loaded: {type(error).__name__}: {error}",
                f"it is the entry point `{self._points[name].value}`",
            ) from error
        return plugin

    def __contains__(self, name: object) -> bool:
        return name in self._points

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._points))

    def __len__(self) -> int:
        return len(self._points)
