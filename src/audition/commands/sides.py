"""What is compared: a run, a results.json, or one as of a commit.

In: the words of the command line. Out: a Side. Must not know: how it is compared.
"""

import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from audition.comparison import Side
from audition.drift import About, describe_inputs
from audition.errors import BadFile, RunTrouble, UsageError
from audition.model import Record, Value
from audition.repository import find_commit, read_at, unpack_at
from audition.skills import digest_folder
from audition.store import find_run, list_runs, read_inputs, read_records


class _Results(Value, frozen=True, kw_only=True):
    """results.json, as far as a comparison needs it."""

    run: About
    trials: tuple[Record, ...] = ()


def read_side(words: str, out: Path, other: str = "") -> Side:
    """The run, the file or the commit that is meant.

    `REF:PATH` is a results.json as of a commit; `REF` alone is the other side's file, as of it,
    or where that is no file the newest run of the skills as they were at the commit.
    """
    if Path(words).is_file():
        return _from_results(words, Path(words).read_bytes())
    try:
        run = find_run(words, out)
    except RunTrouble as error:
        if found := _from_commit(words, other) or _of_skills(words, out):
            return found
        raise RunTrouble(
            str(error), error.hint or "or name a results.json, or `REF:PATH` of a committed one"
        ) from error
    return _from_run(words, run)


def _from_run(name: str, run: Path) -> Side:
    return Side(name=name, about=describe_inputs(read_inputs(run)), records=read_records(run))


def _of_skills(ref: str, out: Path) -> Side | None:
    """The newest run whose skills are those of a commit; None where it is no commit."""
    try:
        commit = find_commit(Path.cwd(), ref)
    except (UsageError, RunTrouble):
        return None
    with tempfile.TemporaryDirectory(prefix="audition-diff-") as held:
        known: dict[str, str] = {}
        for run in reversed(list_runs(out)):
            inputs = read_inputs(run, plan=False)
            if inputs.skills and all(
                _digest_at(Path(inputs.stood, each.path), commit, Path(held), known) == each.digest
                for each in inputs.skills.values()
            ):
                return _from_run(f"{ref} ({run.name})", run)
    raise RunTrouble(
        f"no run below {out} was made with the skills as they were at `{ref}`",
        "name a run or a results.json; `--baseline git:REF` asks the skills of a commit anew",
    )


def _digest_at(folder: Path, commit: str, held: Path, known: dict[str, str]) -> str:
    """The digest of a skill as it was at a commit; empty where it was not there."""
    if (name := str(folder)) not in known:
        place = held / str(len(known))
        with suppress(RunTrouble, OSError):
            unpack_at(folder, commit, place)
        known[name] = digest_folder(str(place)) if (place / "SKILL.md").is_file() else ""
    return known[name]


def _from_commit(words: str, other: str) -> Side | None:
    ref, _, path = words.partition(":")
    if not path and Path(other).is_file():
        path = other
    if not path:
        return None
    return _from_results(words, read_at(Path.cwd(), ref, path))


def _from_results(name: str, data: bytes) -> Side:
    try:
        found = msgspec.json.decode(data, type=_Results)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadFile(
            f"{name} is no results.json: {error}",
            "it is the file of that name in the folder of a run",
        ) from error
    records: Iterable[Record] = found.trials
    return Side(name=name, about=found.run, records=records)
