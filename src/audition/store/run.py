"""A run that is being written: one process holds its lock.

A trial is written in `.staging/`, sealed by one rename to its place, and finished by the
rename of its grade.json. A kill between any two of these steps leaves the state before.

In: trials, what they left behind, records. Out: files.
Must not know: how a trial is run, what a grade means.
"""

import errno
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

import msgspec

from audition.errors import RunTrouble
from audition.model import Inputs, Record, Sealed, Trial, Value
from audition.store.asked import read_places, write_inputs
from audition.store.files import (
    KEPT_HINTS,
    in_words,
    streamed,
    sync,
    sync_tree,
    trouble,
    write_all,
    write_new,
    write_whole,
)
from audition.store.find import check_id, claim_id, list_runs
from audition.store.lock import take_lock
from audition.store.records import mend_progress

_encode = msgspec.json.Encoder().encode


class _Before(Value, frozen=True, kw_only=True):
    status: str


_decode_status = msgspec.json.Decoder(_Before).decode


def open_run(
    out: Path,
    run_id: str,
    *,
    resume: bool,
    fsync: bool = True,
    fresh_id: bool = False,
    mend: bool = True,
) -> "Run":
    """Make a run's folder, or go on with one, and hold its lock.

    With `fresh_id`, an id that is taken gets -2, -3 … behind it. Who replaces all of
    progress.jsonl anyway need not have it mended, which reads the whole run.
    """
    if fresh_id and not resume:
        run_id = claim_id(out, run_id)
    path = Path(os.path.abspath(out)) / check_id(run_id)
    if resume and not (path / "run.json").exists():
        near = [run.name for run in list_runs(out)]
        raise RunTrouble(
            f"there is no run `{run_id}` below {out} to go on with",
            f"the newest is `{near[-1]}`" if near else "leave `--resume` out to begin one",
        )
    with in_words("write", path, KEPT_HINTS) if resume else in_words("make", path):
        path.mkdir(parents=True, exist_ok=True)
        lock = take_lock(path)
        try:
            if not resume:
                refuse_taken(path)
                shutil.rmtree(path / "inputs", ignore_errors=True)
            return Run(path, lock, fsync=fsync, mend=resume and mend)
        except BaseException:
            os.close(lock)
            raise


def refuse_taken(path: Path) -> None:
    """Refuse the id of a run that is there; one that never began left nothing to keep."""
    check_id(path.name)
    if (path / "run.json").exists() or _holds(path / "work"):
        raise RunTrouble(
            f"the run `{path.name}` is there already: {path}",
            "go on with it by `--resume`, or choose another `--run-id`",
        )


def _holds(folder: Path) -> bool:
    try:
        return bool(os.listdir(folder))
    except FileNotFoundError:
        return False


class Run:
    """The folder of a run, and the right to write it."""

    def __init__(self, path: Path, lock: int, *, fsync: bool, mend: bool) -> None:
        self.path = path
        self.run_id = path.name
        self.fsync = fsync
        self._lock = lock
        self._closed = False
        self._root = str(path)
        self._made: set[str] = set()
        self._numbers = count()
        # What a killed harness left half-made was never sealed, so nobody counts on it.
        shutil.rmtree(path / ".staging", ignore_errors=True)
        (path / ".staging").mkdir(exist_ok=True)
        (path / "work").mkdir(exist_ok=True)
        self._finished = mend_progress(path) if mend else set()
        self._appending = Lock()
        self._open_progress()
        if fsync:
            sync(self._root)
            sync(str(path.parent))

    def describe(self, inputs: Inputs) -> None:
        """Keep what the run is asked for; a run that is gone on with keeps what it has."""
        if not (self.path / "run.json").exists():
            write_inputs(self.path, inputs, fsync=self.fsync)

    def folder(self, trial: Trial) -> Path:
        """Where a trial is kept."""
        return self.path / "work" / trial.place

    def start(self, trial: Trial) -> Path:
        """A fresh folder to write a trial in; its name begins with the place in the plan."""
        staging = f"{self._root}/.staging/{trial.index}-{next(self._numbers)}"
        with in_words("make", staging):
            os.mkdir(staging)
        return Path(staging)

    def seal(self, trial: Trial, staging: Path, sealed: Sealed) -> Path:
        """Keep what a trial left behind, whole: from here on it is never asked again."""
        target = f"{self._root}/work/{trial.place}"
        parent = os.path.dirname(target)
        with in_words("keep", target):
            write_new(f"{staging}/meta.json", _encode(sealed))
            if self.fsync:
                sync_tree(str(staging))
            self._make(parent)
            try:
                os.rename(staging, target)
            except OSError as error:
                if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
                    raise
                _set_aside(target)
                os.rename(staging, target)
            if self.fsync:
                sync(parent)
        return Path(target)

    def drop(self, staging: Path) -> None:
        """Forget a trial that was interrupted before it was sealed."""
        shutil.rmtree(staging, ignore_errors=True)

    def _make(self, folder: str) -> None:
        if folder in self._made:
            return
        parent = os.path.dirname(folder)
        if parent != f"{self._root}/work":
            self._make(parent)
        try:
            os.mkdir(folder)
        except FileExistsError:
            pass
        else:
            if self.fsync:
                sync(parent)
        self._made.add(folder)

    def commit(self, record: Record, folder: Path) -> None:
        """Finish a trial. When this returns, no kill and no power cut loses it."""
        data = _encode(record)
        self._grade(folder, data)
        self._append(data + b"\n")
        self._finished.add(record.id)

    def _grade(self, folder: Path, data: bytes) -> None:
        staging = f"{self._root}/.staging"
        write_whole(f"{folder}/grade.json", data, fsync=self.fsync, staging=staging)

    def regrade(self, record: Record, folder: Path) -> tuple[bytes, str | None, bool]:
        """Replace a trial's grade; its line, the status it had before, and whether it is new.

        The lines are for `replace_progress`: several processes may grade at once.
        """
        data = _encode(record)
        try:
            with open(f"{folder}/grade.json", "rb") as file:
                old = file.read()
            before = record.status if old == data else _decode_status(old).status
        except (OSError, msgspec.DecodeError, UnicodeDecodeError):
            old, before = b"", None
        if old != data:
            self._grade(folder, data)
        return data, before, old != data

    def replace_progress(self, parts: Iterable[Path]) -> None:
        """Make progress.jsonl of the lines in these files, in their order."""
        path = self.path / "progress.jsonl"
        with self._appending:
            with streamed(path, fsync=self.fsync) as file:
                for part in parts:
                    with part.open("rb") as lines:
                        shutil.copyfileobj(lines, file)
            os.close(self._progress)
            self._open_progress()

    def _open_progress(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND
        self._progress = os.open(f"{self._root}/progress.jsonl", flags, 0o644)
        self._size = os.fstat(self._progress).st_size

    def _append(self, line: bytes) -> None:
        with self._appending:
            try:
                write_all(self._progress, line)
            except OSError as error:
                # Half a line would swallow the next one.
                os.ftruncate(self._progress, self._size)
                raise trouble(error, "write", f"{self._root}/progress.jsonl") from error
            self._size += len(line)

    def finished(self) -> set[str]:
        """The ids of the trials that need nothing more."""
        return set(self._finished)

    def sealed_unfinished(self) -> list[Path]:
        """Folders of trials that were asked but not graded: grade them, never ask again."""
        if not _holds(self.path / "work"):
            return []  # a new run; the first agent need not wait for a thousand looks
        return [
            self.path / "work" / trial.place
            for trial in read_places(self.path)
            if trial.id not in self._finished
            and os.path.exists(f"{self._root}/work/{trial.place}/meta.json")
        ]

    def close(self) -> None:
        """Give the lock back; an empty run.lock says that the harness ended in order."""
        if self._closed:
            return
        self._closed = True
        os.close(self._progress)
        os.ftruncate(self._lock, 0)
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        self.close()
        if error is not None and not (self.path / "run.json").exists():
            self._leave_nothing()

    def _leave_nothing(self) -> None:
        """A run that came to grief before it began is none: its id is free again."""
        for name in ("work", ".staging", "inputs"):
            shutil.rmtree(f"{self._root}/{name}", ignore_errors=True)
        with suppress(OSError):
            for name in ("progress.jsonl", "run.lock"):
                os.unlink(f"{self._root}/{name}")
            os.rmdir(self._root)


def _set_aside(folder: str) -> None:
    """What stands at a place without being finished is kept beside it."""
    number = 1
    while os.path.lexists(f"{folder}.attempt-{number}"):
        number += 1
    os.rename(folder, f"{folder}.attempt-{number}")
