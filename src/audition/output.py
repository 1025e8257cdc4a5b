"""The files that a running program prints into: opened, looked at while it runs, cut to size.

In: two paths and a cap. Out: handles; new bytes handed over; whether there was too much.
Must not know: processes, what the output means.
"""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Self

_CHUNK = 1024 * 1024


class Output:
    """Stdout and stderr of one program, as files. Closed by leaving `with`."""

    def __init__(self, stdout: Path | str, stderr: Path | str, cap: int) -> None:
        self.path, self.cap = stdout, cap
        self.out = _append_to(stdout)
        try:
            self.err = _append_to(stderr)
        except OSError:
            os.close(self.out)
            raise
        self._told = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.out)
        os.close(self.err)

    def is_too_long(self) -> bool:
        """Whether both together passed the cap."""
        return os.fstat(self.out).st_size + os.fstat(self.err).st_size > self.cap

    def tell(self, watch: Callable[[bytes], str] | None) -> str:
        """Hand over what was printed since the last time; what `watch` says to it."""
        size = min(os.fstat(self.out).st_size, self.cap)
        if watch is None or size <= self._told:
            return ""
        file = os.open(self.path, os.O_RDONLY)
        try:
            while data := os.pread(file, min(_CHUNK, size - self._told), self._told):
                self._told += len(data)
                if said := watch(data):
                    return said
        finally:
            os.close(file)
        return ""

    def cut(self) -> bool:
        """Cut to the cap, a quarter of it kept for stderr; whether stdout lost any of it."""
        out, err = os.fstat(self.out).st_size, os.fstat(self.err).st_size
        if out + err <= self.cap:
            return False
        kept = min(err, max(self.cap - out, self.cap // 4))
        os.ftruncate(self.err, kept)
        os.ftruncate(self.out, min(out, self.cap - kept))
        return out > self.cap - kept


def _append_to(path: Path | str) -> int:
    # Appending, because a script that says `> /dev/stderr` opens and empties the file anew:
    # with a plain offset all that comes after would follow a hole of zero bytes.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    return os.open(path, flags, 0o600)
