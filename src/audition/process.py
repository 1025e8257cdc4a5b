"""The only room that starts programs: one command, watched and ended with all it brought about.

In: a Start: argv, environment, files for its output, limits. Out: how it Finished; the
output is in the files, byte for byte. Nothing that it started lives on.
Must not know: agents, trials, what the output means. How a process tree is found and ended
is told in kin.py.
"""

import atexit
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
from typing import Literal, cast

from audition import kin, watchdog
from audition.errors import AgentMissing, AuditionError
from audition.model import Value
from audition.output import Output
from audition.seats import standing

Stopped = Literal["", "timeout", "output", "interrupted", "fault"]
WAKE = 0.1
"""Seconds between two looks at a running program; one that ends sooner costs no look."""


class Start(Value, frozen=True, kw_only=True):
    """A program to run, and how long and how much it may."""

    argv: tuple[str, ...]
    cwd: str
    env: dict[str, str]
    stdout: Path | str
    stderr: Path | str
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
        """A watchdog on a pipe whose other end closes when we are gone, however we go."""
        if not sys.executable:
            return None
        pid, pipe = watchdog.start(f"{kin.HARNESS}={self.token}")
        kin.running[pid] = kin.Mark(pid=pid, token="", began=0, thread=0)
        atexit.register(self._dismiss_watchdog, pipe)
        return pipe

    def _dismiss_watchdog(self, pipe: int) -> None:
        # Threads may still run agents: after a second Ctrl-C we do not wait for them.
        if os.getpid() == self.pid and kin.is_idle():
            watchdog.dismiss(pipe)


_harness: _Harness | None = None
_setting_up = threading.Lock()


def run_command(start: Start) -> Finished:
    """Run a program to its end, or to a limit, and end everything that it brought about."""
    with (
        Output(start.stdout, start.stderr, start.output_cap) as output,
        _given(start.stdin) as stdin,
    ):
        began = time.monotonic()
        child, mark = _start(start, stdin, output)
        try:
            stopped, reason = _wait(start, mark, output, began + start.seconds)
        finally:
            seconds = time.monotonic() - began
            exit_code = _end(child, mark, start.grace)
        return Finished(
            exit_code=exit_code,
            seconds=seconds,
            stopped=stopped,
            reason=reason or output.tell(start.watch),
            truncated=output.cut(),
        )


def start_detached(
    argv: tuple[str, ...],
    log: Path,
    begun: Callable[[int], bool] = lambda _: True,
    seconds: float = 0,
) -> tuple[int, int | None]:
    """Start a program that outlives this one, printing into a file.

    Waits until it has begun, or has ended, or the seconds are over. Its process id, and its
    exit code if it ended before anybody saw it begin.
    """
    with log.open("ab") as file:
        child = subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    until = time.monotonic() + seconds
    while not begun(child.pid) and child.poll() is None and time.monotonic() < until:
        time.sleep(WAKE / 5)
    ended = None if begun(child.pid) else child.returncode
    # It is not waited for, and Popen would complain about that when it is thrown away.
    child.returncode = 0
    return child.pid, ended


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


def _start(start: Start, stdin: int, output: Output) -> tuple[subprocess.Popen[bytes], kin.Mark]:
    token, env = _signed(start.env)
    child: subprocess.Popen[bytes] | None = None

    def popen() -> int:
        nonlocal child
        with standing():
            child = subprocess.Popen(
                start.argv,
                cwd=start.cwd,
                env=env,
                stdin=stdin,
                stdout=output.out,
                stderr=output.err,
                start_new_session=True,
            )
        return child.pid

    try:
        mark = kin.enlist(token, popen)
    except (OSError, ValueError) as error:
        raise _cannot_start(start, error) from error
    return cast("subprocess.Popen[bytes]", child), mark


def _our_harness() -> _Harness:
    global _harness  # noqa: PLW0603  what a process sets up once belongs to the process
    if _harness is None or _harness.pid != os.getpid():
        with _setting_up:
            if _harness is None or _harness.pid != os.getpid():
                _harness = _Harness()
    return _harness


def own(pid: int) -> None:
    """Never take a child of ours for something that a trial has brought about."""
    _our_harness()
    kin.running[pid] = kin.Mark(pid=pid, token="", began=0, thread=0)


def _signed(env: dict[str, str]) -> tuple[str, dict[str, str]]:
    """A token for a trial, and the environment that carries it."""
    harness = _our_harness()
    token = f"{harness.token}-{next(harness.numbers)}"
    return token, {**env, kin.HARNESS: harness.token, kin.TRIAL: token}


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


def _wait(start: Start, mark: kin.Mark, output: Output, deadline: float) -> tuple[Stopped, str]:
    with _exit_of(mark.pid) as has_ended:
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return "timeout", f"still running after {start.seconds:g} s"
            if has_ended(min(left, WAKE)):
                return "", ""
            if start.stop is not None and start.stop():
                return "interrupted", ""
            if output.is_too_long():
                return "output", f"more than {start.output_cap} bytes of output"
            if said := output.tell(start.watch):
                return "fault", said
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
    return kin.dismiss(mark, child.wait if gone else child.poll)
