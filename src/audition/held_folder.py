"""A folder among the temporary ones that is this process's own, and an end to those of the dead.

In: a temporary folder. Out: a folder in it, made once, held by a lock and removed at the end.
Must not know: what is put there.

A harness that is killed cannot remove what it made. The kernel gives its lock back, though,
however it ended, so whoever gets the lock of such a folder knows that nobody uses it any more;
a process id would say nothing across containers. The lock is on the folder itself: no file is
made for it. Where a file system knows no locks, nobody gets one, and nothing is swept. Some
that are shared between machines have locks that the others do not see, so only folders that
were made on a machine of this name are looked at.
"""

import atexit
import fcntl
import os
import time
import zlib
from contextlib import suppress
from functools import cache
from threading import Lock

from audition.tree import remove_tree

OLD_SECONDS = 3600
"""What is younger stays: it may be so new that its lock was not taken yet."""
NAMES = f"audition-trials-{zlib.crc32(os.uname().nodename.encode()):08x}-"
_making = Lock()


def own_folder(temporary: str) -> str:
    """The folder of this process below a temporary one."""
    with _making:
        return _make(temporary, os.getpid())


@cache
def _make(temporary: str, pid: int) -> str:
    path = f"{temporary}/{NAMES}{os.urandom(4).hex()}"
    os.mkdir(path, 0o700)
    # Kept open till the end of the process; no program that it starts inherits it.
    held = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    with suppress(OSError):
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    atexit.register(_leave, temporary, path, pid)
    return path


def _leave(temporary: str, path: str, pid: int) -> None:
    # A fork that ends in order is not the one whose folder it is.
    if os.getpid() == pid:
        remove_tree(path)
        sweep(temporary)


def sweep(temporary: str) -> None:
    """Remove what harnesses left that were killed; at our end, when no agent waits for us."""
    with suppress(OSError):
        for name in os.listdir(temporary):
            if name.startswith(NAMES):
                _remove_abandoned(f"{temporary}/{name}")


def _remove_abandoned(path: str) -> None:
    with suppress(OSError):
        folder = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            about = os.fstat(folder)
            if about.st_uid == os.geteuid() and time.time() - about.st_mtime > OLD_SECONDS:
                fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(path)
        finally:
            os.close(folder)
