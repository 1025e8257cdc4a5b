"""A small program beside the harness that ends its agents should it be killed.

In: the harness's mark as the only argument, and a pipe on stdin that the harness holds open.
Out: nothing; every process that began with the mark in its environment is ended, with all
below it, as soon as the pipe closes. After a normal end it finds none.
Must not know: anything of this package: it runs with `python -I -S`, to start in few
milliseconds, and costs nothing until then.
"""

import contextlib
import os
import signal
import sys
import time


def find_marked(mark: bytes) -> list[int]:
    """Every living process that carries the mark, and every one below such a process."""
    parents: dict[int, int] = {}
    marked: set[int] = set()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        with contextlib.suppress(OSError, ValueError):
            with open(f"/proc/{name}/stat", "rb") as file:
                words = file.read().rpartition(b")")[2].split()
            if words[0] in b"ZX":
                continue
            parents[int(name)] = int(words[1])
            with open(f"/proc/{name}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    marked.add(int(name))
    grown = True
    while grown:
        below = {pid for pid, parent in parents.items() if parent in marked}
        grown = not below <= marked
        marked |= below
    return sorted(marked - {os.getpid()})


def main() -> None:
    """Wait for the harness to go, then end what it left."""
    while os.read(0, 4096):
        pass
    mark = os.fsencode(sys.argv[1])
    for _ in range(1000):
        found = find_marked(mark)
        if not found:
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)


if __name__ == "__main__":
    main()
