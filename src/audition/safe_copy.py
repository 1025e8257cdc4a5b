"""A folder of the user's, copied without being led astray by what is in it.

In: a folder. Out: a copy made of plain files and folders only, and the digest of its names
and bytes; or BadTree, which names what stands in the way.
Must not know: skills, fixtures, trials.

A link in the folder may point at anything. Every name is opened relative to the folder that
holds it and never through a link, so that swapping a link in while we copy changes nothing.
Links that stay inside are resolved by us, word by word, and copied as what they lead to.
"""

import errno
import hashlib
import os
import stat

from audition.errors import AuditionError
from audition.tree import NEW_FILE, READ_FILE, holds_runs, is_no_part_of_a_skill, is_run, write_all

FILES_CAP = 20_000
BYTES_CAP = 500 * 1024 * 1024
_CHUNK = 1024 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW


class BadTree(AuditionError):
    """A folder cannot be copied safely; the message names what stands in the way."""


def copy_tree(source: str, into: str, *, of_skill: bool = False) -> str:
    """Copy a folder to a place that does not exist yet; the sha256 of names and bytes.

    Left out are runs of ours; of a skill also what is no part of it.
    """
    try:
        root = os.open(os.path.realpath(source), _FOLDER)
    except OSError as error:
        raise BadTree(f"{source}: {os.strerror(error.errno or 0)}") from error
    try:
        return _Copying(source, root, of_skill=of_skill).run(into)
    except OSError as error:
        raise BadTree(f"{error.filename or source}: {error.strerror}") from error
    finally:
        os.close(root)


class _Copying:
    """One copy under way: what was counted and hashed so far."""

    def __init__(self, source: str, root: int, *, of_skill: bool) -> None:
        self.source, self.root, self.of_skill = source, root, of_skill
        self.files = self.bytes = 0
        self.digest = hashlib.sha256()

    def run(self, into: str) -> str:
        self._folder((), (), into, ())
        return self.digest.hexdigest()

    def _folder(
        self, at: tuple[str, ...], shown: tuple[str, ...], into: str, above: tuple[int, ...]
    ) -> None:
        """Copy the folder `at` below the root, called `shown` in the copy."""
        handle = self._open(at, _FOLDER, shown)
        try:
            inode = os.fstat(handle).st_ino
            if inode in above:
                raise self._bad(shown, "is a link that leads round in a loop")
            with os.scandir(handle) as found:
                names = sorted(entry.name for entry in found)
            if above and (is_run(names) or (self.of_skill and holds_runs("", names, handle))):
                return
            os.mkdir(into)
            self._count(shown, 0)
        finally:
            os.close(handle)
        for name in names:
            self._entry((*at, name), (*shown, name), f"{into}/{name}", (*above, inode))

    def _entry(
        self, at: tuple[str, ...], shown: tuple[str, ...], into: str, above: tuple[int, ...]
    ) -> None:
        mode = os.lstat("/".join(at), dir_fd=self.root).st_mode
        if stat.S_ISLNK(mode):
            at = self._resolve(at, shown)
            mode = os.lstat("/".join(at) or ".", dir_fd=self.root).st_mode
        is_folder = stat.S_ISDIR(mode)
        if self.of_skill and is_no_part_of_a_skill("/".join(shown), is_folder=is_folder):
            return
        if is_folder:
            self._folder(at, shown, into, above)
        elif stat.S_ISREG(mode):
            self._file(at, shown, into)
        else:
            raise self._bad(shown, "is a device, a pipe or a socket")

    def _file(self, at: tuple[str, ...], shown: tuple[str, ...], into: str) -> None:
        handle = self._open(at, READ_FILE, shown)
        try:
            info = os.fstat(handle)
            if not stat.S_ISREG(info.st_mode):
                raise self._bad(shown, "is a device, a pipe or a socket")
            self._count(shown, 0)
            name = os.fsencode("/".join(shown))
            self.digest.update(b"%d %s %o\0" % (len(name), name, info.st_mode & 0o111))
            inner = hashlib.sha256()
            new = os.open(into, NEW_FILE, info.st_mode & 0o777 | 0o600)
            try:
                while data := os.read(handle, _CHUNK):
                    self._count(shown, len(data))
                    inner.update(data)
                    write_all(new, data)
                os.utime(new, ns=(info.st_mtime_ns, info.st_mtime_ns))
            finally:
                os.close(new)
            self.digest.update(inner.digest())
        finally:
            os.close(handle)

    def _open(self, at: tuple[str, ...], flags: int, shown: tuple[str, ...]) -> int:
        handle = os.dup(self.root)
        try:
            for number, name in enumerate(at, 1):
                inner = os.open(name, flags if number == len(at) else _FOLDER, dir_fd=handle)
                os.close(handle)
                handle = inner
            if not at:
                inner = os.open(".", _FOLDER, dir_fd=handle)
                os.close(handle)
                return inner
            return handle
        except OSError as error:
            os.close(handle)
            raise self._bad(shown, f"cannot be read: {error.strerror}") from error

    def _resolve(self, link: tuple[str, ...], shown: tuple[str, ...]) -> tuple[str, ...]:
        """Where a link leads, below the root and free of links."""
        at: list[str] = []
        todo = list(reversed(link))
        hops = 0
        while todo:
            word = todo.pop()
            if word == ".." and not at:
                raise self._bad(shown, "is a link that leaves the folder")
            if word == "..":
                at.pop()
            elif word not in {"", "."}:
                target = self._target("/".join([*at, word]), shown)
                if target is None:
                    at.append(word)
                    continue
                hops += 1
                if hops > 40:
                    raise self._bad(shown, "is a link that leads round in a loop")
                if target.startswith("/"):
                    raise self._bad(shown, f"is a link to an absolute path, {target}")
                todo.extend(reversed(target.split("/")))
        return tuple(at)

    def _target(self, path: str, shown: tuple[str, ...]) -> str | None:
        try:
            return os.readlink(path, dir_fd=self.root)
        except OSError as error:
            if error.errno == errno.EINVAL:
                return None
            raise self._bad(shown, "is a link to nothing") from error

    def _count(self, shown: tuple[str, ...], size: int) -> None:
        self.files += not size
        self.bytes += size
        if self.files > FILES_CAP or self.bytes > BYTES_CAP:
            raise self._bad(shown, f"is past the cap of {FILES_CAP} files or {BYTES_CAP >> 20} MiB")

    def _bad(self, shown: tuple[str, ...], words: str) -> BadTree:
        path = "/".join((self.source, *shown))
        return BadTree(f"{path} {words}", "a copy holds plain files and folders only")
