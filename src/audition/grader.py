"""A second process that grades, while the first asks: Python runs one thread at a time.

In: sealed folders whose grades rest on nothing but their seal. Out: their records.
Must not know: how a trial is asked, where a record is kept.

It is a fork, made before any thread. It starts no program and writes nothing but what
grading derives, so there is nothing to clean up after it: it ends when its requests do, or
when we do. Should it end before, whoever waits for it grades by itself.
"""

import gc
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue

import msgspec

from audition.check import may_stand
from audition.model import Record, Trial
from audition.process import own
from audition.seats import processors, sit_apart
from audition.tree import remove_tree
from audition.yardstick import Grading

MANY = 64
"""Trials that are worth a second process: it takes some 3 ms to make."""
_HEAD = 8
_ATOMIC = 4096
"""Bytes that Linux writes to a pipe in one piece (PIPE_BUF)."""
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Record).decode


class Grader:
    """The way to the process that grades; any number of threads may ask it."""

    def __init__(self, pid: int, requests: int, replies: list[int]) -> None:
        self._pid, self._requests, self._replies = pid, requests, replies
        self._free: SimpleQueue[int] = SimpleQueue()
        for number in range(len(replies)):
            self._free.put(number)
        self._gone = False

    def grade(self, trial: Trial, folder: Path) -> Record | None:
        """The record of a sealed trial; None where the one who asks has to grade it."""
        if self._gone or not may_stand(trial.case):
            return None
        number = self._free.get()
        try:
            return self._ask(number, folder)
        finally:
            self._free.put(number)

    def _ask(self, number: int, folder: Path) -> Record | None:
        line = b"%d %s\0" % (number, os.fsencode(folder))
        if len(line) > _ATOMIC:
            return None
        try:
            os.write(self._requests, line)
            size = int.from_bytes(_read(self._replies[number], _HEAD))
            return _decode(_read(self._replies[number], size)) if size else None
        except OSError:
            self._gone = True
            return None

    def remove(self, root: str) -> None:
        """Have a folder removed, of which no process knows any more."""
        line = b"- %s\0" % os.fsencode(root)
        try:
            if self._gone or len(line) > _ATOMIC:
                remove_tree(root)
            else:
                os.write(self._requests, line)
        except OSError:
            self._gone = True
            remove_tree(root)

    def close(self) -> None:
        """Let it end, once nobody asks it any more."""
        for each in (self._requests, *self._replies):
            os.close(each)
        with suppress(ChildProcessError):
            os.waitpid(self._pid, 0)


@contextmanager
def second_grader(trials: int, at_once: int, grading: Grading) -> Iterator[Grader | None]:
    """A process that grades beside this one; None where it would not pay."""
    if trials < MANY or at_once < 2 or len(processors()) < 2:
        yield None
        return
    grader = _fork(at_once, grading)
    try:
        yield grader
    finally:
        grader.close()


def _fork(at_once: int, grading: Grading) -> Grader:
    asked, requests = os.pipe()
    pipes = [os.pipe() for _ in range(at_once)]
    pid = os.fork()
    if not pid:
        try:
            _serve(asked, [writer for _, writer in pipes], grading)
        finally:
            os._exit(0)
    own(pid)
    os.close(asked)
    for _, writer in pipes:
        os.close(writer)
    return Grader(pid, requests, [reader for reader, _ in pipes])


def _serve(asked: int, replies: list[int], grading: Grading) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is told to all; we end with the other
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # Its lock, the pipe of its watchdog, our own ends of its pipes: nothing of the other's is
    # to be held open by us, and looking for circles would copy all memory that we share.
    _close_all_but({asked, *replies})
    sit_apart(os.getppid())
    gc.freeze()
    with open(asked, "rb", buffering=0) as requests:
        rest = b""
        while data := requests.read(65536):
            *whole, rest = (rest + data).split(b"\0")
            for line in whole:
                word, _, folder = line.partition(b" ")
                if word == b"-":
                    remove_tree(os.fsdecode(folder))
                else:
                    _reply(replies[int(word)], _grade(Path(os.fsdecode(folder)), grading))


def _close_all_but(kept: set[int]) -> None:
    # Listed, as a container may allow a thousand million, and those are long to go through.
    shelf = "/proc/self/fd" if os.path.isdir("/proc/self/fd") else "/dev/fd"
    for each in {int(name) for name in os.listdir(shelf)} - kept - {0, 1, 2}:
        with suppress(OSError):
            os.close(each)


def _grade(folder: Path, grading: Grading) -> bytes:
    """The record as JSON; nothing where it fails, for then the other meets the same and tells."""
    from audition.grading import grade_sealed

    try:
        return _encode(grade_sealed(folder, grading))
    except Exception:  # noqa: BLE001
        return b""


def _reply(pipe: int, data: bytes) -> None:
    data = len(data).to_bytes(_HEAD) + data
    while data:
        data = data[os.write(pipe, data) :]


def _read(pipe: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size:
        part = os.read(pipe, size)
        if not part:
            raise OSError("the grading process has ended")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
