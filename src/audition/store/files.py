"""Files that are there whole or not at all, and words for what the disk refuses.

In: a path and bytes. Out: a durable file, or RunTrouble.
Must not know: what the bytes mean.
"""

import errno
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident
from typing import BinaryIO

from audition.errors import RunTrouble

HINTS = {
    errno.ENOSPC: "free some space, then go on with `--resume`; what is finished is kept",
    errno.EDQUOT: "your quota is used up; free some space, then go on with `--resume`",
    errno.EROFS: "the file system is read-only; choose another folder with `--out`",
    errno.EACCES: "may you write there? choose another folder with `--out`",
    errno.EPERM: "may you write there? choose another folder with `--out`",
    errno.EIO: "the disk reports a fault; what is finished is kept",
    errno.ENOTDIR: "a file is in the way; choose another folder with `--out`",
    errno.EMFILE: "too many open files; use a smaller `-j`",
}


KEPT_HINTS = HINTS | dict.fromkeys(
    (errno.EROFS, errno.EACCES, errno.EPERM),
    "a run is written where it stands: copy it to a folder that you may write, and name the copy",
)
"""For a run that is there already, to which another `--out` leads nobody."""


def trouble(
    error: OSError, doing: str, path: str | Path, hints: Mapping[int, str] = HINTS
) -> RunTrouble:
    """What the operating system refused, in words."""
    number = error.errno or 0
    return RunTrouble(f"cannot {doing} {path}: {error.strerror or error}", hints.get(number, ""))


@contextmanager
def in_words(doing: str, path: str | Path, hints: Mapping[int, str] = HINTS) -> Iterator[None]:
    """Turns an OSError into RunTrouble."""
    try:
        yield
    except OSError as error:
        raise trouble(error, doing, path, hints) from error


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte: on a full disk os.write is short before it fails."""
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, data[written:])


def write_whole(path: str, data: bytes, *, fsync: bool, staging: str = "") -> None:
    """Replace a file by rename, so that no reader ever sees half of it.

    `staging` is a folder to write it in, on the same disk, that somebody sweeps after a kill.
    """
    partial = f"{staging or path}{'/' if staging else '.'}{os.getpid()}-{get_ident()}.tmp"
    try:
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            write_all(descriptor, data)
            if fsync:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(partial, path)
        if fsync:
            sync(os.path.dirname(path))
    except OSError as error:
        Path(partial).unlink(missing_ok=True)
        raise trouble(error, "write", path) from error


def write_new(path: str, data: bytes) -> None:
    """Write a file in a folder that nobody knows of yet, so that half of it is never seen."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        try:
            write_all(descriptor, data)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise trouble(error, "write", path) from error


def write_derived(path: str, text: str) -> None:
    """Write what can be made anew at any time: in place, and not forced to disk.

    Where as many bytes are there already nothing is written, as a look costs a tenth.
    """
    data = text.encode("utf-8", "replace")
    with in_words("write", path):
        if _size(path) != len(data):
            with open(path, "wb", buffering=0) as file:
                file.write(data)


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except FileNotFoundError:
        return -1


def sync(path: str) -> None:
    """Make a file's bytes, or a folder's names, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: str) -> None:
    """Sync every file below a folder, and the folder itself last."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                sync_tree(entry.path)
            elif entry.is_file(follow_symlinks=False):
                sync(entry.path)
    sync(folder)


@contextmanager
def streamed(path: Path, *, fsync: bool) -> Iterator[BinaryIO]:
    """A file to write piece by piece; it appears under its name when it is whole."""
    partial = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    with in_words("write", path):
        try:
            with partial.open("wb", buffering=1 << 20) as file:
                yield file
                file.flush()
                if fsync:
                    os.fsync(file.fileno())
            partial.replace(path)
            if fsync:
                sync(str(path.parent))
        finally:
            partial.unlink(missing_ok=True)
