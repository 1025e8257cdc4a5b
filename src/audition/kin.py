"""All processes that a trial has brought about: found, ended, and nobody else's.

In: the mark of a trial (its first process, its token, when it began). Out: the process ids
of what still lives, and the end of them.
Must not know: how programs are started, agents, files of a trial.

Stopping a process tree
-----------------------
An agent's shell tool puts each command in a session of its own, a test server forks twice
and lets go of its parent, a program ignores SIGTERM. A process group, a session and a walk
over parents each lose one of these. What cannot be lost is adoption, so we build on it:

1. The harness is a *child subreaper* (Linux). When a process below it dies, its children
   become children of the harness and not of init. The kernel does this before it tells
   anybody of the death, so once the first process of a trial is a zombie, whatever lives of
   that trial hangs below a child of the harness that the harness did not start.
2. Therefore the test that nothing is left is: the harness has no child that it did not
   start itself. Adopted children are listed with our main thread, and those made with
   CLONE_PARENT with the thread that started the trial: two small files of /proc are read,
   never the whole of it. The kernel warns that such a list may skip an entry when one before
   it is reaped meanwhile; here no list is read while a process on it is started or reaped.
3. Whose an adopted process is, is told by its session, else by AUDITION_TRIAL in the
   environment it began with. One that hides both (`env -i setsid …`) belongs to one of the
   trials that were running when it began; the last of these to end takes it along. A process
   in the harness's own session is none of ours: a trial begins with a new session, and
   nobody can go back to an old one.
4. Everything found, and everything below it, gets SIGTERM, then after a grace SIGKILL, until
   a look finds nothing. A look that saw something end proves nothing: what that forked in
   its last moment was adopted after the list was read. Only a look that met no change counts.
5. Adopted processes that have ended are reaped one by one. `waitpid(-1)` would take the exit
   status that another thread is waiting for.

Ids are handed out in a circle and the first process of a trial stays unreaped until all
others are gone, so its number means it, as a process, a group and a session, to the end.

Not covered: a descendant that runs as another user we may not signal, and a harness killed
by SIGKILL (see watchdog.py). Without Linux's lists of children only the process group of
the first process is ended.
"""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator

from audition.model import Value

TRIAL = "AUDITION_TRIAL"
HARNESS = "AUDITION_HARNESS"
GIVE_UP = 10.0
"""Seconds after the first SIGKILL; what is left then hangs in the kernel."""


class Mark(Value, frozen=True, kw_only=True):
    """A trial's processes: the first one, the token they carry, the tick it began."""

    pid: int
    token: str
    began: int
    thread: int


class Seen(Value, frozen=True, kw_only=True):
    """A process as /proc/PID/stat tells."""

    lives: bool
    session: int
    began: int


running: dict[int, Mark] = {}
"""The children that the harness started itself, by process id."""
_starting: dict[str, Mark] = {}
"""Trials whose first process has no number yet, by token."""
_lock = threading.Lock()

_LISTS = os.path.exists(f"/proc/self/task/{os.getpid()}/children")
_TICKS = os.sysconf("SC_CLK_TCK")
_PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> bool:
    """Make this process the one that orphans below it fall to; whether that worked."""
    try:
        import ctypes

        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def is_idle() -> bool:
    """Whether nothing runs that belongs to a trial."""
    return not _starting and not any(each.token for each in list(running.values()))


def now_in_ticks() -> int:
    """The time since boot as the kernel notes it for a process that begins now."""
    clock = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
    return int(time.clock_gettime(clock) * _TICKS) - 1


def enlist(token: str, start: Callable[[], int]) -> Mark:
    """Start the first process of a trial, so that it is never taken for a stranger."""
    began, thread = now_in_ticks(), threading.get_native_id()
    _starting[token] = Mark(pid=0, token=token, began=began, thread=thread)
    try:
        with _alone():
            pid = start()
            running[pid] = mark = Mark(pid=pid, token=token, began=began, thread=thread)
    finally:
        del _starting[token]
    return mark


def dismiss(mark: Mark, reap: Callable[[], int | None]) -> int | None:
    """Reap the first process of a trial; called by the thread that started it."""
    with _alone():
        exit_code = reap()
        del running[mark.pid]
    return exit_code


def _alone() -> contextlib.AbstractContextManager[object]:
    # Only the lists of the main thread and one's own are ever read. Starting takes the time
    # of an exec: under one lock it made eight threads queue, 0.6 ms a trial.
    on_main = threading.get_native_id() == os.getpid()
    return _lock if on_main else contextlib.nullcontext()


def find_kin(mark: Mark) -> list[int]:
    """Every living process of a trial. Adopted ones that have ended are reaped."""
    if not _LISTS:
        return _group_of(mark.pid)
    while True:
        # The end of the first process is looked for before its orphans: the other way round
        # it could fork and end between the two looks.
        ended = _has_ended(mark.pid)
        roots, reaped = _sort_strangers(mark)
        if ended and not roots and not reaped:
            return []
        if kin := list(_alive_below([mark.pid, *roots])):
            return kin
        # All that was seen has ended meanwhile; what it forked was adopted after our look.


def reap_strangers(mark: Mark) -> None:
    """Reap what was adopted and has ended, so that a long trial gathers no zombies."""
    _sort_strangers(mark)


def _sort_strangers(mark: Mark) -> tuple[list[int], bool]:
    """The adopted processes of a trial, and whether any that had ended was reaped."""
    reaped = False
    roots = []
    own = os.getsid(0)
    with _lock:
        for pid in _strangers(mark):
            seen = _look(pid)
            if seen is None or seen.session == own:
                continue
            if not seen.lives:
                with contextlib.suppress(ChildProcessError):
                    reaped |= os.waitpid(pid, os.WNOHANG)[0] == pid
            elif _is_kin(pid, seen, mark):
                roots.append(pid)
    return roots, reaped


def end_kin(mark: Mark, grace: float) -> bool:
    """SIGTERM to every process of a trial, SIGKILL after the grace; whether all are gone."""
    deadline = time.monotonic() + grace
    told: set[int] = set()
    pause = 0.001
    while kin := find_kin(mark):
        if time.monotonic() < deadline:
            _send([pid for pid in kin if pid not in told], signal.SIGTERM, signal.SIGCONT)
            told.update(kin)
        elif time.monotonic() < deadline + GIVE_UP:
            with contextlib.suppress(OSError):
                os.killpg(mark.pid, signal.SIGKILL)
            _send(kin, signal.SIGKILL)
        else:
            return False
        time.sleep(pause)
        pause = min(pause * 2, 0.05)
    return True


def _send(pids: Collection[int], *signals: int) -> None:
    for pid in pids:
        for each in signals:
            with contextlib.suppress(OSError):
                os.kill(pid, each)


def _group_of(pid: int) -> list[int]:
    try:
        os.killpg(pid, 0)
    except OSError:
        return []
    return [pid]


def _strangers(mark: Mark) -> set[int]:
    me = os.getpid()
    found = set(_children_of_thread(me, me))
    if mark.thread != me:
        found.update(_children_of_thread(me, mark.thread))
    return {pid for pid in found if pid not in running}


def _is_kin(pid: int, seen: Seen, mark: Mark) -> bool:
    if seen.session in running:
        return seen.session == mark.pid
    token = _token(pid)
    # In this order: a trial that is being started moves from the first to the second.
    trials = [*_starting.values(), *(each for each in list(running.values()) if each.token)]
    owners = [each for each in trials if each.token == token]
    return (owners or [each for each in trials if each.began <= seen.began]) == [mark]


def _token(pid: int) -> str:
    head = b"\0" + TRIAL.encode() + b"="
    _, found, rest = (b"\0" + _read(f"/proc/{pid}/environ")).partition(head)
    return rest.split(b"\0", 1)[0].decode(errors="replace") if found else ""


def _alive_below(roots: list[int]) -> Iterator[int]:
    todo, done = list(roots), set[int]()
    while todo:
        pid = todo.pop()
        if pid in done:
            continue
        done.add(pid)
        seen = _look(pid)
        if seen is not None and seen.lives:
            yield pid
            todo.extend(_children(pid))


def _has_ended(pid: int) -> bool:
    """Whether a child of ours has ended, all of its threads; it stays to be reaped."""
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    except ChildProcessError:
        return True


def _children(pid: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []
    return [child for each in threads for child in _children_of_thread(pid, int(each))]


def _children_of_thread(pid: int, thread: int) -> list[int]:
    return [int(each) for each in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _look(pid: int) -> Seen | None:
    stat = _read(f"/proc/{pid}/stat")
    if not stat:
        return None
    # The name in parentheses may itself hold spaces and parentheses. A first thread that has
    # ended is a zombie while others of its process run on: then there is more than one.
    words = stat[stat.rindex(b")") + 2 :].split()
    lives = words[0] not in b"ZX" or int(words[17]) > 1
    return Seen(lives=lives, session=int(words[3]), began=int(words[19]))


def _read(path: str) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        parts = []
        while part := os.read(handle, 65536):
            parts.append(part)
        return b"".join(parts)
    except OSError:
        return b""
    finally:
        os.close(handle)
