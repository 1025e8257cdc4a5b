"""Who writes a run: run.lock, held by flock for as long as the process lives.

The kernel frees the lock with the process, so a lock that is free while run.lock still
names a process means that the process died.

In: a run's folder. Out: the lock, or who has it. Must not know: what is in the run.
"""

import fcntl
import os
import time
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from audition.errors import RunTrouble
from audition.model import Value
from audition.store.files import write_all


class Holder(Value, frozen=True, kw_only=True):
    """The process that writes a run, or was killed while it did."""

    pid: int
    began: str = ""
    host: str = ""


def take_lock(run: Path) -> int:
    """Hold the run's lock; the descriptor must stay open. Refused while another has it."""
    descriptor = os.open(run / "run.lock", os.O_RDWR | os.O_CREAT, 0o644)
    try:
        _flock(descriptor, run)
        began = datetime.now(UTC).isoformat(timespec="seconds")
        holder = Holder(pid=os.getpid(), began=began, host=os.uname().nodename)
        os.ftruncate(descriptor, 0)
        write_all(descriptor, msgspec.json.encode(holder) + b"\n")
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _flock(descriptor: int, run: Path) -> None:
    # `audition status` holds a shared lock for a moment: try a little longer than that.
    for patience in (0.02, 0.05, 0.1, 0):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError as error:
            if not patience:
                holder = _read(descriptor)
                who = f"process {holder.pid} on {holder.host}" if holder else "another process"
                raise RunTrouble(
                    f"the run `{run.name}` is being written by {who}",
                    f"`audition status {run.name}` tells how far it is; "
                    "wait for it, or choose another `--run-id`",
                ) from error
            time.sleep(patience)


def writes_run(run: Path) -> int | None:
    """The process that writes the run now; None where there is none."""
    held, holder = look_at_lock(run)
    return holder.pid if held and holder else None


def look_at_lock(run: Path) -> tuple[bool, Holder | None]:
    """Whether somebody writes the run now, and the name that stands in run.lock."""
    try:
        descriptor = os.open(run / "run.lock", os.O_RDONLY)
    except OSError:
        return False, None
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            held = False
        except BlockingIOError:
            held = True
        return held, _read(descriptor)
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> Holder | None:
    try:
        return msgspec.json.decode(os.pread(descriptor, 4096, 0), type=Holder)
    except (msgspec.DecodeError, UnicodeDecodeError, OSError):
        return None
