"""What is compared: a run, a results.json, or one as of a commit.

In: the words of the command line. Out: a Side. Must not know: how it is compared.
"""

from collections.abc import Iterable
from pathlib import Path

import msgspec

from audition.comparison import Side
from audition.drift import About, describe_inputs
from audition.errors import BadFile, RunTrouble
from audition.model import Record, Value
from audition.repository import read_at
from audition.store import find_run, read_inputs, read_records


class _Results(Value, frozen=True, kw_only=True):
    """results.json, as far as a comparison needs it."""

    run: About
    trials: tuple[Record, ...] = ()


def read_side(words: str, out: Path, other: str = "") -> Side:
    """The run, the file or the commit that is meant.

    `REF:PATH` is a results.json as of a commit; `REF` alone is the other side's file, as of it.
    """
    if Path(words).is_file():
        return _from_results(words, Path(words).read_bytes())
    try:
        run = find_run(words, out)
    except RunTrouble as error:
        if found := _from_commit(words, other):
            return found
        raise RunTrouble(
            str(error), error.hint or "or name a results.json, or `REF:PATH` of a committed one"
        ) from error
    return Side(name=words, about=describe_inputs(read_inputs(run)), records=read_records(run))


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
        raise BadFile(f"{name} is no results.json: {error}") from error
    records: Iterable[Record] = found.trials
    return Side(name=name, about=found.run, records=records)
