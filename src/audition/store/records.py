"""Records read back in plan order, and the files made of them.

`grade.json` is the truth. A line of progress.jsonl stands for it as long as it is not
younger than progress.jsonl: a commit writes grade.json first, so whatever is younger was
edited by hand, or its line was lost in a crash.

In: a run's folder. Out: records, results.json, a mended progress.jsonl.
Must not know: who writes the run.
"""

import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec

from audition.errors import RunTrouble
from audition.fingerprint import TELLING, case_digests
from audition.model import Inputs, Json, Record, Sealed, Value
from audition.store.asked import read_places
from audition.store.files import streamed

Reads = Callable[[RunTrouble], None] | None
"""Is told of what cannot be read, so that the rest can be; None raises it instead."""

_decode_record = msgspec.json.Decoder(Record).decode
_decode_sealed = msgspec.json.Decoder(Sealed).decode
_encode = msgspec.json.Encoder().encode


class _Line(Value, frozen=True, kw_only=True):
    """What finding a record among the lines of progress.jsonl takes."""

    id: str
    agent: str
    policy: str = ""
    agent_version: str = ""


_decode_line = msgspec.json.Decoder(_Line).decode


class _Progress:
    """progress.jsonl, by id: where the last line of a trial begins, and how long it is."""

    def __init__(self, run: Path) -> None:
        self.lines: dict[str, tuple[int, int]] = {}
        self.versions: dict[str, set[str]] = {}
        self.policies: set[str] = set()
        self.stamp = -1
        self.junk = False
        self.file: BinaryIO | None = None
        try:
            self.file = (run / "progress.jsonl").open("rb")
        except FileNotFoundError:
            return
        except OSError as error:
            raise RunTrouble(f"cannot read {run}/progress.jsonl: {error.strerror}") from error
        self.stamp = os.fstat(self.file.fileno()).st_mtime_ns
        offset = 0
        for line in self.file:
            self._note(line, offset)
            offset += len(line)

    def _note(self, line: bytes, offset: int) -> None:
        try:
            found = _decode_line(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            self.junk = True
            return
        self.junk |= not line.endswith(b"\n") or found.id in self.lines
        self.lines[found.id] = (offset, len(line))
        self.policies.add(found.policy)
        self.versions.setdefault(found.agent, set()).add(found.agent_version)

    def read(self, trial: str) -> bytes | None:
        place = self.lines.get(trial)
        if place is None or self.file is None:
            return None
        return os.pread(self.file.fileno(), place[1], place[0])

    def close(self) -> None:
        if self.file is not None:
            self.file.close()


def read_record(folder: Path | str, trial: str = "") -> Record | None:
    """A trial's verdict, from its grade.json; None where it has none."""
    path = f"{folder}/grade.json"
    try:
        with open(path, "rb") as file:
            record = _decode_record(file.read())
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise RunTrouble(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _damaged(path, str(error)) from error
    if trial and record.id != trial:
        raise _damaged(path, f"it is of the trial `{record.id}`, not `{trial}`")
    return record


def _damaged(path: str, why: str) -> RunTrouble:
    run = Path(path).parents[5]
    return RunTrouble(
        f"{path} cannot be understood: {why}",
        f"`audition grade {shlex.quote(str(run))}` makes it again from what is sealed",
    )


def read_sealed(folder: Path) -> Sealed:
    """What a trial left behind, from its meta.json."""
    path = f"{folder}/meta.json"
    try:
        with open(path, "rb", buffering=0) as file:
            return _decode_sealed(file.read())
    except OSError as error:
        raise RunTrouble(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        hint = f"remove {folder} and `--resume`: the trial is asked again"
        raise RunTrouble(f"{path} cannot be understood: {error}", hint) from error


def _stands_for(progress: _Progress, trial: str, folder: str) -> bool:
    """Whether the line of a trial may be read in place of its grade.json."""
    if trial not in progress.lines:
        return False
    try:
        return os.stat(f"{folder}/grade.json").st_mtime_ns <= progress.stamp
    except OSError:
        return False


def _record_at(run: Path, trial: str, place: str, progress: _Progress) -> Record | None:
    folder = f"{run}/work/{place}"
    if _stands_for(progress, trial, folder):
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            return _decode_record(progress.read(trial) or b"")
    return read_record(folder, trial)


def read_records(run: Path, *, damaged: Reads = None) -> Iterator[Record]:
    """The finished trials in plan order, one at a time."""
    progress = _Progress(run)
    try:
        for trial in read_places(run):
            try:
                record = _record_at(run, trial.id, trial.place, progress)
            except RunTrouble as error:
                if damaged is None:
                    raise
                damaged(error)
                continue
            if record is not None:
                yield record
    finally:
        progress.close()


def mend_progress(run: Path) -> set[str]:
    """The ids of the finished trials; progress.jsonl is made again where it differs."""
    progress = _Progress(run)
    progress.close()
    finished: set[str] = set()
    same = not progress.junk
    for trial in read_places(run):
        folder = f"{run}/work/{trial.place}"
        if not _stands_for(progress, trial.id, folder):
            if read_record(folder, trial.id) is None:
                continue
            same = False
        finished.add(trial.id)
    if not same or len(finished) != len(progress.lines):
        with streamed(run / "progress.jsonl", fsync=False) as file:
            file.writelines(_encode(record) + b"\n" for record in read_records(run))
    return finished


def results_stand(run: Path) -> bool:
    """Whether results.json was written after the last line of progress.jsonl."""
    try:
        written = os.stat(run / "results.json").st_mtime_ns
        return written >= os.stat(run / "progress.jsonl").st_mtime_ns
    except OSError:
        return False


def write_results(run: Path, inputs: Inputs, *, fsync: bool = True) -> Iterator[Record]:
    """Write results.json and hand on its records in plan order; whole once all are taken."""
    progress = _Progress(run)
    progress.close()
    places = [f"{run}/work/{trial.place}/grade.json" for trial in read_places(run)]
    finished = sum(map(os.path.exists, places))
    about = {**_about(inputs, progress), "finished": finished, "planned": len(places)}
    with streamed(run / "results.json", fsync=fsync) as file:
        file.write(b'{"version": 1, "run": ' + _encode(about) + b', "trials": [')
        between = b"\n"
        for record in read_records(run):
            file.write(between + _encode(record))
            between = b",\n"
            yield record
        file.write(b"\n]}\n")


def _about(inputs: Inputs, progress: _Progress) -> dict[str, Json]:
    names = [skill.name for skill in inputs.skills.values()]
    versions = {name: sorted(found - {""}) for name, found in sorted(progress.versions.items())}
    return {
        "run_id": inputs.run_id,
        "began": inputs.began,
        "ended": datetime.now(UTC).isoformat(timespec="seconds"),
        "audition": inputs.audition,
        "arguments": inputs.arguments,
        "agents": inputs.agents,
        "agent_versions": versions,
        "policies": sorted(progress.policies - {""}),
        "catalogue": {
            (skill.name if names.count(skill.name) == 1 else key): skill.digest
            for key, skill in inputs.skills.items()
        },
        "cases": case_digests(inputs.plan, inputs.settings.get("fixtures") or {}),
        "settings": {name: inputs.settings.get(name) for name in TELLING},
    }
