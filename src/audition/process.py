"""The only room that starts programs: one command, watched and ended with all it brought about.

In: a Start: argv, environment, files for its output, limits. Out: how it Finished; the
output is in the files, byte for byte. Nothing that it started lives on.
Must not know: agents, trials, what the output means. How a process tree is found and ended
is told in kin.py.
"""

import contextlib
import errno
import os
import select
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Literal

from audition import kin
from audition.errors import AgentMissing, AuditionError
from audition.model import Value

Stopped = Literal["", "timeout", "output", "interrupted", "fault"]
WAKE = 0.1
"""Seconds between two looks at a running program; one that ends sooner costs no look."""
_CHUNK = 1024 * 1024


class Start(Value, frozen=True, kw_only=True):
    """A program to run, and how long and how much it may."""

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    stdout: Path
    stderr: Path
    stdin: bytes = b""
    seconds: float
    output_cap: int = 64 * 1024 * 1024
    """Bytes of stdout and stderr together."""
    watch: Callable[[bytes], str] | None = None
    """Given what was newly printed; words it returns end the program."""
    stop: Callable[[], bool] | None = None
    grace: float = 2.0
    """Seconds between SIGTERM and SIGKILL."""


class Finished(Value, frozen=True, kw_only=True):
    """How a program ended."""

    exit_code: int | None
    """Negative: the signal that ended it."""
    seconds: float
    stopped: Stopped = ""
    reason: str = ""
    """What `watch` said; also where the program had ended by itself by then."""
    truncated: bool = False


class _Harness:
    """What this process sets up once, before it starts its first program."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.token = os.urandom(8).hex()
        self.numbers = count()
        kin.running.clear()
        kin.adopt_orphans()
        self.end_of_pipe = self._start_watchdog()

    def _start_watchdog(self) -> int | None:
        """Start the watchdog on a pipe whose other end closes when we are gone, however we go."""
        if not sys.executable:
            return None
        program = str(Path(__file__).with_name("watchdog.py"))
        mark = f"{kin.HARNESS}={self.token}"
        reader, writer = os.pipe()
        null = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
        pid = os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", program, mark],
            {},
            file_actions=[(os.POSIX_SPAWN_DUP2, reader, 0), *null],
            setsid=True,
        )
        os.close(reader)
        kin.running[pid] = kin.Mark(pid=pid, token="", began=0, thread=0)
        return writer


_harness: _Harness | None = None


def run_command(start: Start) -> Finished:
    """Run a program to its end, or to a limit, and end everything that it brought about."""
    with contextlib.ExitStack() as stack:
        out, err = (stack.enter_context(_appended(path)) for path in (start.stdout, start.stderr))
        stdin = stack.enter_context(_given(start.stdin))
        began = time.monotonic()
        child, mark = _start(start, stdin, out, err)
        stopped: Stopped = ""
        reason = ""
        watcher = _Watcher(start, out, err)
        try:
            stopped, reason = _wait(start, mark, watcher, began + start.seconds)
        finally:
            seconds = time.monotonic() - began
            exit_code = _end(child, mark, start.grace)
        reason = reason or watcher.new_words()
        truncated = _cut(out, err, start.output_cap)
        return Finished(
            exit_code=exit_code,
            seconds=seconds,
            stopped=stopped,
            reason=reason,
            truncated=truncated,
        )


@contextlib.contextmanager
def _appended(path: Path) -> Iterator[int]:
    # Appending, because a script that says `> /dev/stderr` opens and empties the file anew:
    # with a plain offset all that comes after would follow a hole of zero bytes.
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    handle = os.open(path, flags, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


@contextlib.contextmanager
def _given(data: bytes) -> Iterator[int]:
    if not data:
        yield subprocess.DEVNULL
        return
    # A file and not a pipe: nobody has to feed it while the program runs.
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


def _start(
    start: Start, stdin: int, out: int, err: int
) -> tuple[subprocess.Popen[bytes], kin.Mark]:
    global _harness  # noqa: PLW0603  what a process sets up once belongs to the process
    with kin.lock:
        if _harness is None or _harness.pid != os.getpid():
            _harness = _Harness()
        token = f"{_harness.token}-{next(_harness.numbers)}"
        env = {**start.env, kin.HARNESS: _harness.token, kin.TRIAL: token}
        began = kin.now_in_ticks()
        try:
            child = subprocess.Popen(
                start.argv,
                cwd=start.cwd,
                env=env,
                stdin=stdin,
                stdout=out,
                stderr=err,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            raise _cannot_start(start, error) from error
        mark = kin.Mark(pid=child.pid, token=token, began=began, thread=threading.get_native_id())
        kin.running[child.pid] = mark
    return child, mark


def _cannot_start(start: Start, error: OSError | ValueError) -> Exception:
    program = start.argv[0] if start.argv else ""
    number = getattr(error, "errno", None)
    if isinstance(error, ValueError):
        bad = next((i for i, word in enumerate(start.argv) if not _can_be_passed(word)), None)
        where = "the environment" if bad is None else f"word {bad} of the command"
        return AuditionError(
            f"`{program}` cannot be started: {where} holds a NUL or a broken character",
            "no program can be given such a word; take it out of the case",
        )
    if number == errno.E2BIG:
        return AuditionError(
            f"`{program}` cannot be started: its command line is too long",
            "Linux takes at most 128 KiB a word; shorten the prompt",
        )
    if not os.path.isdir(start.cwd):
        return AuditionError(f"`{program}` cannot be started: there is no folder {start.cwd}")
    hints = {
        errno.ENOENT: "the interpreter that its first line names is missing"
        if os.path.exists(program)
        else "install it, or put its folder on PATH",
        errno.EACCES: f"make it executable: chmod +x {program}",
        errno.ENOEXEC: "it is no program: it begins neither with #! nor as this machine's code",
    }
    return AgentMissing(
        f"`{program}` cannot be started: {os.strerror(number or 0)}", hints.get(number or 0, "")
    )


def _can_be_passed(word: str) -> bool:
    try:
        return b"\0" not in os.fsencode(word)
    except UnicodeEncodeError:
        return False


class _Watcher:
    """Looks at the output of a running program."""

    def __init__(self, start: Start, out: int, err: int) -> None:
        self.start, self.out, self.err = start, out, err
        self.at = 0

    def size(self) -> int:
        return os.fstat(self.out).st_size + os.fstat(self.err).st_size

    def new_words(self) -> str:
        """What `watch` says to what was printed since it was last asked."""
        watch = self.start.watch
        size = os.fstat(self.out).st_size
        if watch is None or size <= self.at:
            return ""
        limit = min(size, self.start.output_cap)
        with open(self.start.stdout, "rb", buffering=0) as file:
            file.seek(self.at)
            while self.at < limit and (data := file.read(min(_CHUNK, limit - self.at))):
                self.at += len(data)
                if said := watch(data):
                    return said
        return ""

    def verdict(self) -> tuple[Stopped, str]:
        """Why the program must be stopped now, if it must."""
        start = self.start
        if start.stop is not None and start.stop():
            return "interrupted", ""
        if self.size() > start.output_cap:
            return "output", f"more than {start.output_cap} bytes of output"
        if said := self.new_words():
            return "fault", said
        return "", ""


def _wait(start: Start, mark: kin.Mark, watcher: _Watcher, deadline: float) -> tuple[Stopped, str]:
    with _exit_of(mark.pid) as has_ended:
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return "timeout", f"still running after {start.seconds:g} s"
            if has_ended(min(left, WAKE)):
                return "", ""
            stopped, reason = watcher.verdict()
            if stopped:
                return stopped, reason
            kin.reap_strangers(mark)


@contextlib.contextmanager
def _exit_of(pid: int) -> Iterator[Callable[[float], bool]]:
    """A function that waits at most so many seconds for the end of a process.

    `Popen.wait(timeout)` sleeps and looks in turns, up to 50 ms late; a pidfd wakes at once.
    """
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):
        yield lambda seconds: _ends_within(pid, seconds)
        return
    try:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        yield lambda seconds: bool(poll.poll(seconds * 1000))
    finally:
        os.close(handle)


def _ends_within(pid: int, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        if time.monotonic() >= deadline:
            return False
        time.sleep(0.002)
    return True


def _end(child: subprocess.Popen[bytes], mark: kin.Mark, grace: float) -> int | None:
    """End what is left of a trial, then let go of its first process."""
    gone = kin.end_kin(mark, grace)
    with kin.lock:
        exit_code = child.wait() if gone else child.poll()
        del kin.running[mark.pid]
    return exit_code


def _cut(out: int, err: int, cap: int) -> bool:
    """Cut the output to the cap, a quarter of it kept for stderr; whether there was more."""
    sizes = os.fstat(out).st_size, os.fstat(err).st_size
    if sum(sizes) <= cap:
        return False
    kept_err = min(sizes[1], max(cap - sizes[0], cap // 4))
    os.ftruncate(err, kept_err)
    os.ftruncate(out, min(sizes[0], cap - kept_err))
    return True
