"""Folders that a stranger wrote in: compared, packed, copied file by file, and removed whole.

In: paths. Out: snapshots, packed folders, copies of files; nothing, where something was
removed. No link is followed, and nothing but plain files is opened.
Must not know: skills, fixtures, trials, what a folder is for.
"""

import contextlib
import os
import re
import stat
from collections.abc import Collection, Iterable, Iterator

from audition.model import Value

NOT_OF_A_SKILL = frozenset((".git", "__pycache__", ".audition"))
CASE_FILE = re.compile(r"(.+\.)?cases\.ya?ml", re.IGNORECASE)
"""What a case file of our own is called."""
ENTRIES_CAP = 200_000
_DEPTH = 12
"""Folders below one another that surely make no path too long: 12 names of 255 bytes."""
_CHUNK = 1024 * 1024
READ_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW

Entry = tuple[int, int, int, int]
"""Size, time of the last change in ns, mode, inode."""


class Snapshot(Value, frozen=True, kw_only=True):
    """What stands in a folder, by relative path. Repositories' `.git` are left out."""

    entries: dict[str, Entry] = {}
    unread: tuple[str, ...] = ()
    """Folders that could not be looked into."""


class Packed(Value, frozen=True, kw_only=True):
    """A small folder in memory."""

    folders: tuple[str, ...]
    files: tuple[tuple[str, bytes, int, int], ...]
    """Relative path, bytes, mode, time of the last change in ns."""
    size: int


def is_no_part_of_a_skill(path: str, *, is_folder: bool) -> bool:
    """What may lie in a skill's folder and is neither digested nor delivered.

    A case file at its top holds what an agent is to find by itself.
    """
    if is_folder:
        return path.rpartition("/")[2] in NOT_OF_A_SKILL
    return "/" not in path and CASE_FILE.fullmatch(path) is not None


def is_run(names: Collection[str]) -> bool:
    """Whether a folder with these names in it is a run of ours."""
    return "run.lock" in names and ("run.json" in names or "inputs" in names)


def holds_runs(folder: str, names: Iterable[str], at: int | None = None) -> bool:
    """Whether runs of ours are kept in a folder; `names` are what is in it.

    Whoever runs the suite of a skill in the skill's own folder has them there: they are no part
    of the skill, hold the answers, and to copy them into themselves has no end.
    """
    return any(
        _is_there(f"{folder}{name}/run.lock", at)
        and (_is_there(f"{folder}{name}/run.json", at) or _is_there(f"{folder}{name}/inputs", at))
        for name in names
    )


def _is_there(path: str, at: int | None) -> bool:
    try:
        os.stat(path, dir_fd=at)
    except OSError:
        return False
    return True


def write_all(handle: int, data: bytes) -> None:
    """Write all of it; `os.write` may take less."""
    view = memoryview(data)
    while view:
        view = view[os.write(handle, view) :]


def pack_tree(root: str, cap: int) -> Packed | None:
    """A folder of plain files as one value; None where it holds more bytes than the cap."""
    folders: list[str] = []
    files: list[tuple[str, bytes, int, int]] = []
    size = 0
    for path, entry in sorted(snapshot(root, all_of_it=True).entries.items()):
        if stat.S_ISDIR(entry[2]):
            folders.append(path)
            continue
        size += entry[0] + 200
        if size > cap:
            return None
        with open(f"{root}/{path}", "rb") as file:
            files.append((path, file.read(), entry[2] & 0o777, entry[1]))
    return Packed(folders=tuple(folders), files=tuple(files), size=size)


def unpack_tree(packed: Packed, into: str) -> None:
    """Write a packed folder into one that exists and is ours."""
    for path in packed.folders:
        with contextlib.suppress(FileExistsError):
            os.mkdir(f"{into}/{path}")
    for path, data, mode, changed in packed.files:
        write_file(f"{into}/{path}", data, mode, changed)


def write_file(path: str, data: bytes, mode: int = 0o644, changed: int | None = None) -> None:
    """Write a new file. With a time of last change in the past, any later write shows in it."""
    handle = os.open(path, NEW_FILE, mode)
    try:
        write_all(handle, data)
        if changed is not None:
            os.utime(handle, ns=(changed, changed))
    finally:
        os.close(handle)


def snapshot(root: str, *, all_of_it: bool = False) -> Snapshot:
    """What stands in a folder, no link followed. A folder that is gone is empty."""
    entries: dict[str, Entry] = {}
    unread: list[str] = []
    todo = [] if os.path.islink(root) else [""]
    while todo:
        prefix = todo.pop()
        try:
            for entry in _scan(f"{root}/{prefix}" if prefix else root):
                if entry.name == ".git" and not all_of_it:
                    continue
                path = f"{prefix}{entry.name}"
                info = entry.stat(follow_symlinks=False)
                entries[path] = (info.st_size, info.st_mtime_ns, info.st_mode, info.st_ino)
                if stat.S_ISDIR(info.st_mode):
                    todo.append(f"{path}/")
        except FileNotFoundError:
            continue
        except OSError:
            unread.append(prefix.rstrip("/"))
        if len(entries) > ENTRIES_CAP:
            unread.extend(each.rstrip("/") for each in todo)
            break
    return Snapshot(entries=entries, unread=tuple(sorted(unread)))


def _scan(path: str) -> Iterator[os.DirEntry[str]]:
    try:
        return os.scandir(path)
    except PermissionError:
        os.chmod(path, 0o700)
        return os.scandir(path)


def copy_file(path: str, entry: Entry, into: str) -> bool:
    """Copy a file that a snapshot saw; False where something else stands there by now."""
    try:
        handle = os.open(path, READ_FILE)
    except PermissionError:
        os.chmod(path, 0o600)
        handle = os.open(path, READ_FILE)
    try:
        info = os.fstat(handle)
        # The same inode: no folder on the way was swapped for a link either.
        if not stat.S_ISREG(info.st_mode) or info.st_ino != entry[3]:
            return False
        new = os.open(into, NEW_FILE, entry[2] & 0o777 | 0o600)
        try:
            left = entry[0]
            while left > 0 and (data := os.read(handle, min(left, _CHUNK))):
                left -= len(data)
                write_all(new, data)
        finally:
            os.close(new)
        return True
    finally:
        os.close(handle)


def remove_tree(root: str) -> None:
    """Remove a folder and all below it, as far as we may; links are removed, not followed.

    What lies too deep is moved up and removed in another round, so that no depth, not even
    one beyond the longest path, is too deep. What cannot be removed stays and is no error.
    """
    if os.path.islink(root):
        return
    number = 0
    while deep := _remove(root, 0):
        moved = 0
        for folder in deep:
            number += 1
            moved += _move(folder, f"{root}/.{os.getpid()}-{number}")
        if not moved:
            return


def _remove(folder: str, depth: int) -> list[str]:
    """Remove a folder; the folders below it that lie too deep."""
    if depth == _DEPTH:
        return [folder]
    deep = [each for inner in _empty(folder) for each in _remove(inner, depth + 1)]
    try:
        os.rmdir(folder)
    except PermissionError:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(folder), 0o700)
            os.rmdir(folder)
    except OSError:
        pass
    return deep


def _empty(folder: str) -> list[str]:
    """Remove all files of a folder; the folders that it holds."""
    inner = []
    try:
        for entry in list(_scan(folder)):
            if entry.is_dir(follow_symlinks=False):
                inner.append(entry.path)
            else:
                _unlink(entry.path)
    except OSError:
        pass
    return inner


def _unlink(path: str) -> None:
    try:
        os.unlink(path)
    except PermissionError:
        with contextlib.suppress(OSError):
            os.chmod(os.path.dirname(path), 0o700)
            os.unlink(path)
    except OSError:
        pass


def _move(folder: str, into: str) -> bool:
    try:
        os.rename(folder, into)
    except PermissionError:
        try:
            os.chmod(os.path.dirname(folder), 0o700)
            os.chmod(folder, 0o700)
            os.rename(folder, into)
        except OSError:
            return False
    except OSError:
        return False
    return True
