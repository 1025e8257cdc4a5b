"""Which skill a path in a session leads into, and whose SKILL.md a text shows.

In: skills; paths and output as a session has them. Out: names and relative paths.
Must not know: files, events.

A line that a skill shares with a README proves nothing. So a text that was printed shows a
file by one telling line only where the command had to do with the skill's folder; where it
had not, several must stand there, in their order.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from fnmatch import fnmatchcase
from posixpath import basename, normpath

from audition.model import Skill
from audition.telling import SHORTEST, stand_in_order, stands_in

_FOLDER_SIGNS = ("$SKILL_DIR/", "${SKILL_DIR}/", "${CLAUDE_SKILL_DIR}/", "$CLAUDE_SKILL_DIR/")
BODY_FILE = "SKILL.md"
_ENOUGH, _MOST = 3, 5
"""So many of the longest lines show a body wherever they are printed."""


class Bundled:
    """The files of the skills on offer, found by the tail of a path."""

    def __init__(self, skills: Sequence[Skill]) -> None:
        self._skills = skills
        self._marks: dict[str, str] | None = None
        self._tails: dict[str, list[tuple[str, str, str]]] | None = None
        self._lines: dict[str, tuple[str, ...]] = {}
        self._pieces: dict[str, dict[str, tuple[str, ...]]] = {}

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

    def shows(self, name: str, inside: str, output: str) -> bool:
        """Whether a text holds a telling piece of a file that was named, or all of a short body."""
        if inside != BODY_FILE:
            pieces = self._pieces_of(name).get(inside, ())
            return any(stands_in(piece, output) for piece in pieces)
        if lines := self._lines_of(name):
            return any(line in output for line in lines)
        bodies = (each.body.strip() for each in self._skills if each.name == name)
        return any(body and body in output for body in bodies)

    def shown_in(self, output: str, is_near: Callable[[Skill], bool]) -> list[str]:
        """The skills whose bodies a text shows, of which a command printed it that may be near."""
        if len(output) < SHORTEST:
            return []
        found: list[str] = []
        for each in self._skills:
            mark = self._telling().get(each.name)
            if mark is None:
                # A body of a few words says little alone; with its description it is the file.
                told = bool(each.description) and each.description in output
                shown = told and self.shows(each.name, BODY_FILE, output) and is_near(each)
            else:
                shown = mark in output and (is_near(each) or self._is_whole(each.name, output))
            if shown and each.name not in found:
                found.append(each.name)
        return found

    def printed_in(
        self, output: str, is_near: Callable[[Skill], bool], without: Collection[str]
    ) -> Iterator[tuple[str, str]]:
        """(skill, path inside it) of the files beside SKILL.md that a text shows whole."""
        for each in self._skills if len(output) >= SHORTEST else ():
            if each.marks and each.name not in without and is_near(each):
                for inside, pieces in self._pieces_of(each.name).items():
                    if len(pieces[0]) >= SHORTEST and stand_in_order(pieces, output):
                        yield each.name, inside

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
                for inside in (BODY_FILE, *skill.resources):
                    entry = (f"{skill.folder}/{inside}", skill.name, inside)
                    tails.setdefault(basename(inside), []).append(entry)
            self._tails = tails
        return self._tails

    def _telling(self) -> dict[str, str]:
        """For each skill the longest line of its body that no other skill's body has."""
        if self._marks is None:
            found = ((each.name, self._own_lines(each, 1)) for each in self._skills)
            self._marks = {name: lines[0] for name, lines in found if lines}
        return self._marks

    def _is_whole(self, name: str, output: str) -> bool:
        lines = self._lines_of(name)
        return len(lines) >= _ENOUGH and stand_in_order(lines, output)

    def _lines_of(self, name: str) -> tuple[str, ...]:
        """The longest lines of a body that no other has, in their order."""
        if name not in self._lines:
            skill = next((each for each in self._skills if each.name == name), None)
            lines = self._own_lines(skill, _MOST) if skill else []
            body = skill.body if skill else ""
            self._lines[name] = tuple(sorted(lines, key=body.find))
        return self._lines[name]

    def _own_lines(self, skill: Skill, most: int) -> list[str]:
        """The longest lines of a body that no other skill's body has, the longest first."""
        # No set: which of two lines of one length is the longest must not change from run to run.
        lines = dict.fromkeys(line.strip() for line in skill.body.splitlines())
        others = [each.body for each in self._skills if each.name != skill.name]
        found: list[str] = []
        for line in sorted(lines, key=len, reverse=True)[: 8 * most]:
            if len(line) < SHORTEST or len(found) == most:
                break
            if not any(line in body for body in others):
                found.append(line)
        return found

    def _pieces_of(self, name: str) -> dict[str, tuple[str, ...]]:
        """By path, the pieces that tell a file beside SKILL.md from all bodies."""
        if name not in self._pieces:
            marks = {
                inside: pieces
                for each in self._skills
                if each.name == name
                for inside, pieces in zip(each.resources, each.marks, strict=False)
            }
            own = {
                inside: tuple(p for p in pieces if not any(p in each.body for each in self._skills))
                for inside, pieces in marks.items()
            }
            self._pieces[name] = {inside: pieces for inside, pieces in own.items() if pieces}
        return self._pieces[name]
