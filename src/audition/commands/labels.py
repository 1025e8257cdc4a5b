"""Labels that people gave: which trial, which criterion, met or not.

In: a file of JSON lines, runs on disk. Out: Labels with the trials they are about.
Must not know: the judge.
"""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from audition.commands.grade import agents_of
from audition.config import Config
from audition.errors import AuditionError, BadFile, did_you_mean
from audition.judge import WORDS, Matter
from audition.judge.values import Word
from audition.judging import read_matter
from audition.model import Inputs, Sealed, Value
from audition.store import find_run, read_inputs, read_places, read_sealed
from audition.yardstick import Grading

BOM = b"\xef\xbb\xbf"


class Label(Value, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What somebody says about one criterion of one trial."""

    trial: str
    criterion: str
    label: Word
    run: str = ""


class Labelled(Value, frozen=True, kw_only=True):
    """A label, and the sealed trial that it is about."""

    label: Label
    run: Path
    folder: Path
    sealed: Sealed

    @property
    def key(self) -> str:
        """Which question about which trial."""
        return f"{self.run.name}::{self.label.trial}::{self.label.criterion}"


def read_labels(path: Path) -> list[tuple[int, Label]]:
    """The labels of a file with their line numbers; the first mistake is told."""
    found: dict[tuple[str, str, str], tuple[int, Label]] = {}
    try:
        lines = path.read_bytes().removeprefix(BOM).splitlines()
    except OSError as error:
        raise BadFile(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        label = _decode(path, number, line)
        key = (label.run, label.trial, label.criterion)
        if key in found and found[key][1] != label:
            raise BadFile(
                f"{path}:{number}: `{label.criterion}` of `{label.trial}` is labelled "
                f"`{label.label}` here, and `{found[key][1].label}` in line {found[key][0]}",
                "settle it and leave one",
            )
        found.setdefault(key, (number, label))
    return list(found.values())


def _decode(path: Path, number: int, line: bytes) -> Label:
    try:
        return msgspec.json.decode(line, type=Label)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        hint = f"a line is {{trial, criterion, label}}, the label one of {', '.join(WORDS)}"
        raise BadFile(f"{path}:{number}: {error}", hint) from error


def find_labelled(path: Path, run: str | None, out: Path) -> list[Labelled]:
    """Every label of a file with its trial, which must be there and must ask that question."""

    @cache
    def places(words: str) -> tuple[Path, dict[str, str]]:
        beside = not words and (path.parent / "run.json").is_file()
        found = path.parent if beside else find_run(words or None, out)
        return found, {each.id: each.place for each in read_places(found)}

    found = []
    for number, label in read_labels(path):
        try:
            where, known = places(run or label.run)
        except AuditionError as error:
            raise BadFile(f"{path}:{number}: {error}", error.hint) from error
        if label.trial not in known:
            raise BadFile(
                f"{path}:{number}: the run {where.name} has no trial `{label.trial}`",
                did_you_mean(label.trial, known),
            )
        folder = where / "work" / known[label.trial]
        if not (folder / "meta.json").exists():
            raise BadFile(f"{path}:{number}: the trial `{label.trial}` was not run")
        sealed = read_sealed(folder)
        ids = [each.id for each in sealed.trial.case.rubric]
        if label.criterion not in ids:
            raise BadFile(
                f"{path}:{number}: `{label.trial}` has no criterion `{label.criterion}`",
                did_you_mean(label.criterion, ids) or "its case has no rubric",
            )
        found.append(Labelled(label=label, run=where, folder=folder, sealed=sealed))
    return found


def read_grading(run: Path, config: Config) -> tuple[Grading, Inputs]:
    """What reading the trials of a run takes."""
    inputs = read_inputs(run, plan=False)
    agents = agents_of(inputs, config)
    return Grading(run=run, skills=inputs.skills, agents=agents, stood=inputs.stood), inputs


def matter_of(folder: Path, sealed: Sealed, grading: Grading, ids: Iterable[str]) -> Matter | None:
    """What is to be judged of a trial, with these criteria alone."""
    matter = read_matter(folder, sealed, grading)
    if matter is None:
        return None
    wanted = set(ids)
    criteria: Any = tuple(each for each in matter.criteria if each.id in wanted)
    return msgspec.structs.replace(matter, criteria=criteria, pkbllm=False)
