"""What an executor is: who runs the trials. Threads here; a cluster elsewhere.

In: trials, lazily, and one function that runs a trial to its record, committed.
Out: the records, as they come. Small tasks and acknowledgements only: artefacts go
through the store, and are kept before the record is handed on.
Must not know: agents, grading, the store.
"""

from collections.abc import Callable, Iterable, Iterator

from audition.model import Record, Trial
from audition.registry import Registry

Run = Callable[[Trial], Record | None]
"""Runs one trial and keeps it; None where it was interrupted. Never raises."""

Executor = Callable[[Iterable[Trial], Run, int], Iterator[Record | None]]
"""(trials, run one, how many at once) → records. Pulls a trial only when one can start,
so that a stopping rule may end the iterator. Closing the generator starts nothing more."""

executors: Registry[Executor] = Registry("executor")
