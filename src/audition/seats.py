"""Which processor a thread sits on: Python runs one thread at a time, programs all at once.

In: nothing but the processors that we may use. Out: threads and processes where they are in
nobody's way. Must not know: what the threads do, which programs there are.
Linux alone lets a process say so; elsewhere all of this does nothing.
"""

import contextlib
import os
import threading
from collections.abc import Iterator

_sitting = threading.local()


def processors() -> frozenset[int]:
    """The processors that this process may run on, as far as the system tells."""
    try:
        return frozenset(os.sched_getaffinity(os.getpid()))
    except (OSError, AttributeError):  # Linux alone has it
        return frozenset(range(os.cpu_count() or 1))


def sit_together() -> None:
    """Keep the calling thread on the processor of all who call this; programs run anywhere.

    Python runs one thread at a time. Eight of them, spread over two processors, took 4.4 ms of
    CPU a trial, and most of it to hand that turn over; on one they take 1.9.
    """
    with contextlib.suppress(OSError, AttributeError):
        seat = {_seat_of(os.getpid(), processors())}
        os.sched_setaffinity(0, seat)
        _sitting.seat = seat


def sit_apart(from_whom: int) -> None:
    """Keep this process off the processor where the threads of another one sit together."""
    with contextlib.suppress(OSError, AttributeError):
        free = processors()
        os.sched_setaffinity(0, free - {_seat_of(from_whom, free)} or free)


def _seat_of(pid: int, free: frozenset[int]) -> int:
    return sorted(free)[pid % len(free)]


@contextlib.contextmanager
def standing() -> Iterator[None]:
    """While a program is started, its thread may be anywhere, and so may the program for good.

    Begun on a seat it would stay there, as what ends soon is never moved by the system: a
    fifth of our threads' time went to the programs.
    """
    seat = getattr(_sitting, "seat", None)
    if not seat:
        yield
        return
    # Somebody may take processors away meanwhile: that is no trouble of the program's.
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, processors())
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, seat)
