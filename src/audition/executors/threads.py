"""Trials in threads of this process: a trial mostly waits for its agent, so threads do.

In: trials, pulled one at a time when a thread is free, and the function that runs one.
Out: the records, as they come. Closing the generator starts nothing more and waits for
what is running; Ctrl-C while it waits for a record gets out at once.
Must not know: agents, grading, the store.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from queue import SimpleQueue

from audition.model import Record, Trial
from audition.seats import sit_together


class _Raised:
    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Ended:
    """A thread has ended."""


def threads(
    trials: Iterable[Trial], run_one: Callable[[Trial], Record], at_once: int
) -> Iterator[Record]:
    """Run trials in so many threads; one that raises ends the run when the others are done."""
    source = iter(trials)
    pulling = threading.Lock()
    closing = threading.Event()
    done: SimpleQueue[Record | _Raised | _Ended] = SimpleQueue()

    def work() -> None:
        sit_together()
        try:
            while True:
                with pulling:
                    trial = None if closing.is_set() else next(source, None)
                if trial is None:
                    return
                done.put(run_one(trial))
        except BaseException as error:  # noqa: BLE001  raised again by whoever asked
            closing.set()
            done.put(_Raised(error))
        finally:
            done.put(_Ended())

    workers = _start(work, at_once)
    try:
        yield from _until_all_ended(done, len(workers))
    except KeyboardInterrupt:
        closing.set()
        workers.clear()
        raise
    finally:
        closing.set()
        for worker in workers:
            worker.join()


def _start(work: Callable[[], None], at_once: int) -> list[threading.Thread]:
    _share_one_heap()
    # Daemons, so that after Ctrl-C the program can end while they still run.
    workers = [threading.Thread(target=work, daemon=True) for _ in range(max(1, at_once))]
    for worker in workers:
        worker.start()
    return workers


def _share_one_heap() -> None:
    """Keep glibc from giving each thread a heap of its own.

    Eight such heaps kept what eight sessions of 2 MB had once taken: 84 MB against 51.
    Nothing waits for the one heap, as Python runs one thread at a time.
    """
    import ctypes

    most_arenas = -8  # M_ARENA_MAX in malloc.h
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(most_arenas, 1)


def _until_all_ended(
    done: "SimpleQueue[Record | _Raised | _Ended]", workers: int
) -> Iterator[Record]:
    raised: BaseException | None = None
    while workers:
        # `get` waits on a lock that a signal interrupts, so KeyboardInterrupt comes at once.
        found = done.get()
        if isinstance(found, _Ended):
            workers -= 1
        elif isinstance(found, _Raised):
            raised = raised or found.error
        else:
            yield found
    if raised is not None:
        raise raised
