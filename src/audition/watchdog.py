"""A small program beside the harness that ends its agents should it be killed.

In: the harness's mark as the only argument, and a pipe on stdin that the harness holds open.
Out: nothing; every process that began with the mark in its environment is ended, with all
below it, as soon as the pipe closes. After a normal end it is dismissed by a line on that pipe.
Must not know: anything of this package: it runs with `python -I -S`. Until the pipe closes it
is no more than a shell that reads: Python takes ten times as long to begin, and took it just
when the first agent was to be started.
"""

import contextlib
import os
import signal
import sys
import time

SHELL = "/bin/sh"


def start(mark: str) -> tuple[int, int]:
    """Start it: its process id, and the end of the pipe that the harness is to hold open."""
    words = [sys.executable, "-I", "-S", os.path.abspath(__file__), mark]
    if os.path.exists(SHELL):
        words = [SHELL, "-c", 'read -r _ || exec "$0" "$@"', *words]
    reader, writer = os.pipe()
    null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    to_pipe = (os.POSIX_SPAWN_DUP2, reader, 0)
    pid = os.posix_spawn(words[0], words, {}, file_actions=[to_pipe, *null], setsid=True)
    os.close(reader)
    return pid, writer


def dismiss(pipe: int) -> None:
    """Let it end: nothing of the harness's runs any more."""
    with contextlib.suppress(OSError):
        os.write(pipe, b"\n")


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
