"""The sealed workspace: what checks look at, live and years later.

In: a trial's sealed folder, the run's kept fixture, the changes. Out: Files, laid over one
another; a real copy of them for programs.
Must not know: the live workspace, agents, checks.
"""

import os
import stat
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path

from audition.kept import fixture_folder
from audition.model import Changes, Sealed
from audition.tree import copy_file, snapshot

FILE_CAP = 16 * 1024 * 1024


def sealed_files(trial_dir: Path, run: Path, sealed: Sealed) -> "SealedFiles":
    """The workspace as the agent left it: what is sealed, laid over the fixture."""
    fixture = fixture_folder(run, sealed.trial.case.begins_with)
    return SealedFiles(f"{trial_dir}/files", str(fixture) if fixture else None, sealed.changes)


@lru_cache(maxsize=64)  # the trials of a suite share it: 20 us each
def case_folder(file: str, stood: str) -> Path:
    """The folder of a case file that was named while the harness stood elsewhere."""
    there, here = Path(stood, file).absolute(), Path(file).absolute()
    return (here if here.exists() and not there.exists() else there).parent


class SealedFiles:
    """A sealed workspace; see `check.Files`."""

    def __init__(self, own: str, fixture: str | None, changes: Changes) -> None:
        self._own, self._fixture = own, fixture
        self._removed = frozenset(changes.removed)
        self._refused = frozenset(changes.refused)

    def find(self, path: str) -> str | None:
        """The absolute path of a sealed file or folder; None where there is none."""
        words = _words(path)
        name = "/".join(words)
        for end in range(1, len(words) + 1):
            if (above := "/".join(words[:end])) in self._refused:
                raise ValueError(
                    f"`{above}` was not kept: it is a link or a device, could not be read, "
                    "or is past the cap on size or number"
                )
        if _stands(self._own, words):
            return f"{self._own}/{name}" if words else self._own
        if self._fixture is None or name in self._removed or not _stands(self._fixture, words):
            return None if words else self._own
        found = f"{self._fixture}/{name}" if words else self._fixture
        if os.path.isdir(found) and not self._keeps_any(name, found):
            return None
        return found

    def read(self, path: str) -> bytes | None:
        """A file's bytes, at most 16 MiB; None where there is none."""
        found = self.find(path)
        if found is None or not os.path.isfile(found):
            return None
        with open(found, "rb") as file:
            return file.read(FILE_CAP)

    def names(self) -> Iterator[str]:
        """Every file that was there, relative, sorted."""
        return iter(self._names)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        own = _file_names(self._own)
        below = _file_names(self._fixture) if self._fixture else set[str]()
        return tuple(sorted(own | (below - self._removed)))

    def _keeps_any(self, name: str, found: str) -> bool:
        inner = _file_names(found)
        return not inner or any(f"{name}/{each}".lstrip("/") not in self._removed for each in inner)


def _words(path: str) -> list[str]:
    if "\0" in path:
        raise ValueError(f"{path!r} holds a NUL; no file can be called so")
    if path.startswith("/"):
        raise ValueError(f"`{path}` is absolute; name files relative to the workspace")
    words = [word for word in path.split("/") if word not in {"", "."}]
    if ".." in words:
        raise ValueError(f"`{path}` leaves the workspace; name files without `..`")
    return words


def _stands(root: str, words: list[str]) -> bool:
    """Whether a path is there, and no link on the way: what is sealed holds none."""
    at = root
    for word in words:
        at = f"{at}/{word}"
        try:
            mode = os.lstat(at).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return False
        if stat.S_ISLNK(mode):
            raise ValueError(f"`{'/'.join(words)}` goes through a link; links are not followed")
    return bool(words) or os.path.lexists(at)


def _file_names(root: str) -> set[str]:
    entries = snapshot(root).entries
    return {path for path, entry in entries.items() if stat.S_ISREG(entry[2])}


def materialise(files: SealedFiles, into: Path) -> None:
    """A real copy of a sealed workspace, for programs that look at it."""
    into.mkdir(parents=True, exist_ok=True)
    for name in files.names():
        found = files.find(name)
        if found is None:
            continue
        info = os.lstat(found)
        target = into / name
        target.parent.mkdir(parents=True, exist_ok=True)
        entry = (info.st_size, info.st_mtime_ns, info.st_mode, info.st_ino)
        copy_file(found, entry, str(target))
