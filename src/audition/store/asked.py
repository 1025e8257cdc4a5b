"""What a run was asked for: run.json and plan.jsonl.

The plan is a file of its own, one line a trial, so that `show` and `status` need not read
ten thousand prompts; a case stands in full in its first line and as a number afterwards.

In: Inputs. Out: Inputs. Must not know: what became of the trials.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from audition.errors import RunTrouble
from audition.model import Case, Inputs, Trial, Value
from audition.store.files import trouble, write_whole

_encode = msgspec.json.Encoder().encode
_FIELDS = tuple(field.name for field in msgspec.structs.fields(Trial))
_Planned: Any = msgspec.defstruct(
    "Planned",
    [
        (field.name, Case | int if field.name == "case" else field.type, field.default)
        for field in msgspec.structs.fields(Trial)
    ],
    kw_only=True,
    frozen=True,
)
"""A Trial whose case may be a number: the how-manieth case of the file it is."""


class Place(Value, frozen=True, kw_only=True):
    """Which trial is kept where; all of a plan that most readers need."""

    id: str
    place: str
    index: int = 0
    variant: str = ""


def write_inputs(run: Path, inputs: Inputs, *, fsync: bool = True) -> None:
    """Keep what was asked for; run.json comes last and says that the plan is whole."""
    write_whole(f"{run}/plan.jsonl", b"".join(_plan_lines(inputs.plan)), fsync=fsync)
    asked = msgspec.structs.replace(inputs, plan=())
    data = msgspec.json.format(_encode(asked), indent=1)
    write_whole(f"{run}/run.json", data + b"\n", fsync=fsync)


def _plan_lines(plan: Iterable[Trial]) -> Iterator[bytes]:
    seen: dict[int, int] = {}
    for trial in plan:
        # By identity: cases hold dicts, and a twin written twice does no harm.
        number = seen.get(id(trial.case))
        if number is None:
            seen[id(trial.case)] = len(seen)
            yield _encode(trial) + b"\n"
        else:
            fields = {name: getattr(trial, name) for name in _FIELDS}
            yield _encode(_Planned(**{**fields, "case": number})) + b"\n"


def read_inputs(run: Path, *, plan: bool = True) -> Inputs:
    """What the run was asked for; without its plan where nobody needs it."""
    path = run / "run.json"
    try:
        inputs = msgspec.json.decode(path.read_bytes(), type=Inputs)
    except FileNotFoundError as error:
        raise RunTrouble(f"{run} is not a run: it has no run.json") from error
    except OSError as error:
        raise RunTrouble(f"cannot read {path}: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunTrouble(f"{path} cannot be understood: {error}", _what_is_left(run)) from error
    return msgspec.structs.replace(inputs, plan=tuple(read_plan(run))) if plan else inputs


def read_plan(run: Path) -> Iterator[Trial]:
    """The planned trials, in order; trials of one case share it."""
    cases: list[Case] = []
    for planned in _decode_lines(run / "plan.jsonl", _Planned, whole=Trial):
        if isinstance(planned, Trial):
            cases.append(planned.case)
            yield planned
        elif isinstance(planned.case, Case):
            cases.append(planned.case)
            yield _as_trial(planned, planned.case)
        else:
            yield _as_trial(planned, cases[planned.case])


def _as_trial(planned: Any, case: Case) -> Trial:
    return Trial(**{**{name: getattr(planned, name) for name in _FIELDS}, "case": case})


def read_places(run: Path) -> Iterator[Place]:
    """Ids and places of the planned trials, in order: far cheaper than the plan."""
    yield from _decode_lines(run / "plan.jsonl", Place)


def _decode_lines(path: Path, kind: Any, whole: Any = None) -> Iterator[Any]:
    """Each line as `kind`; as `whole` where a case stands in full, which needs no converting."""
    decoder, full = msgspec.json.Decoder(kind), msgspec.json.Decoder(whole or kind)
    number = 1
    try:
        with path.open("rb") as lines:
            for line in lines:
                yield (full if b'"case":{' in line else decoder).decode(line)
                number += 1
    except FileNotFoundError as error:
        raise RunTrouble(f"{path} is missing", _what_is_left(path.parent)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, IndexError) as error:
        hint = _what_is_left(path.parent)
        raise RunTrouble(f"{path}:{number} cannot be understood: {error}", hint) from error
    except OSError as error:
        raise trouble(error, "read", path) from error


def _what_is_left(run: Path) -> str:
    """What to do where the words that a run was asked in are lost: nothing can make them again."""
    told = [name for name in ("summary.md", "results.json") if (run / name).is_file()]
    kept = f"; what it came to still stands in {run}/{' and '.join(told)}" if told else ""
    return f"put the file back from a copy, or run the cases anew{kept}"
