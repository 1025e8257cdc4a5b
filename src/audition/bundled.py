"""Which skill a path in a session leads into, and whose SKILL.md a text shows.

In: skills; paths and output as a session has them. Out: names and relative paths.
Must not know: files, events.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import basename, normpath

from audition.model import Skill

_FOLDER_SIGNS = ("$SKILL_DIR/", "${SKILL_DIR}/", "${CLAUDE_SKILL_DIR}/", "$CLAUDE_SKILL_DIR/")
_SHORTEST_MARK = 24


class Bundled:
    """The files of the skills on offer, found by the tail of a path."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = skills
        self._marks: dict[str, str] | None = None
        self._tails: dict[str, list[tuple[str, str, str]]] | None = None

    def find(self, path: str) -> Iterator[tuple[str, str]]:
        """(skill, path inside it) for all that a path, as typed, may mean."""
        path = path.strip("'\"").replace("\\", "/")
        for sign in _FOLDER_SIGNS:
            if path.startswith(sign):
                yield from self._anywhere(normpath(path[len(sign) :]))
                return
        if "*" in path or "?" in path or "[" in path:
            yield from self._globbed(path)
            return
        last = path.rpartition("/")[2]
        if last not in ("", ".", "..") and last not in self._by_basename():
            return  # most paths: their last name stays what it is, and is none of ours
        path = normpath(path) if path else ""
        for tail, name, inside in self._by_basename().get(basename(path), ()):
            if path == tail or path.endswith("/" + tail):
                yield name, inside

    def shows(self, name: str, output: str) -> bool:
        """Whether a text holds the most telling line of a skill's body, or all of it."""
        mark = self._telling().get(name)
        if mark is not None:
            return mark in output
        bodies = (each.body.strip() for each in self._skills if each.name == name)
        return any(body and body in output for body in bodies)

    def shown_in(self, output: str) -> list[str]:
        """The skills whose bodies a text shows."""
        if len(output) < _SHORTEST_MARK:
            return []
        found = [name for name, mark in self._telling().items() if mark in output]
        # A body of a few words says little alone; with its description it is the file.
        plain = (each for each in self._skills if each.name not in self._telling())
        return found + [
            each.name
            for each in plain
            if each.description and each.description in output and self.shows(each.name, output)
        ]

    def _anywhere(self, inside: str) -> Iterator[tuple[str, str]]:
        for entries in self._by_basename().values():
            yield from ((name, path) for _, name, path in entries if path == inside)

    def _globbed(self, path: str) -> Iterator[tuple[str, str]]:
        path = path.removeprefix("./")
        for entries in self._by_basename().values():
            for tail, name, inside in entries:
                # As many parts of the pattern as the tail has: `*` never crosses a slash.
                parts = path.split("/")[-len(tail.split("/")) :]
                whole = tail.split("/")
                if len(parts) == len(whole) and all(map(fnmatchcase, whole, parts)):
                    yield name, inside

    def _by_basename(self) -> dict[str, list[tuple[str, str, str]]]:
        if self._tails is None:
            tails: dict[str, list[tuple[str, str, str]]] = {}
            for skill in self._skills:
                for inside in ("SKILL.md", *skill.resources):
                    entry = (f"{skill.folder}/{inside}", skill.name, inside)
                    tails.setdefault(basename(inside), []).append(entry)
            self._tails = tails
        return self._tails

    def _telling(self) -> dict[str, str]:
        """For each skill the longest line of its body that no other skill's body has."""
        if self._marks is None:
            marks: dict[str, str] = {}
            for skill in self._skills:
                lines = {line.strip() for line in skill.body.splitlines()}
                others = [each.body for each in self._skills if each.name != skill.name]
                for line in sorted(lines, key=len, reverse=True)[:8]:
                    if len(line) < _SHORTEST_MARK:
                        break
                    if not any(line in body for body in others):
                        marks[skill.name] = line
                        break
            self._marks = marks
        return self._marks
