"""The inputs of a run: skills and fixtures, copied once and handed out to every trial.

In: a run folder, skills, paths of fixtures. Out: copies below `run/inputs`, which stay as
they are while the originals change, and copies of those where a trial wants them.
Must not know: agents, trials, how skills are delivered.

    inputs/skills/<key>/<folder>/    inputs/fixtures/<digest>/    inputs/fixtures.json
"""

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from audition.errors import RunTrouble
from audition.model import Skill, Value
from audition.safe_copy import BadTree, copy_tree
from audition.tree import Packed, pack_tree, remove_tree, unpack_tree

MEMORY_CAP = 8 * 1024 * 1024
"""Bytes of skills and fixtures kept in memory, so that staging a trial only writes."""


class Kept(Value, frozen=True, kw_only=True):
    """What became of a fixture: the name of its copy, or why there is none."""

    folder: str = ""
    problem: str = ""


class Bad(Value, frozen=True, kw_only=True):
    """What cannot be copied safely, with the reason: skills by key, fixtures by path."""

    skills: dict[str, str] = {}
    fixtures: dict[str, str] = {}


def keep_inputs(run: Path, skills: Mapping[str, Skill], fixtures: Iterable[str]) -> Bad:
    """Copy skills and fixtures into the run; those that cannot be copied, with the reason.

    What is there already stays, so that a resumed run tries what it began with.
    """
    lacking: dict[str, str] = {}
    for key, skill in skills.items():
        try:
            _keep(skill.path, run / "inputs" / "skills" / key, skill.folder, of_skill=True)
        except BadTree as error:
            lacking[key] = str(error)
    index = run / "inputs" / "fixtures.json"
    kept = dict(_kept(run))
    for fixture in fixtures:
        if fixture not in kept or kept[fixture].problem:
            kept[fixture] = _keep_fixture(run, fixture)
    index.parent.mkdir(parents=True, exist_ok=True)
    fresh = index.with_suffix(f".{os.getpid()}")
    fresh.write_bytes(msgspec.json.format(msgspec.json.encode(kept, order="sorted")))
    fresh.replace(index)
    bad = {fixture: each.problem for fixture, each in kept.items() if each.problem}
    return Bad(skills=lacking, fixtures=bad)


def _keep(source: str, shelf: Path, name: str, *, of_skill: bool = False) -> str:
    shelf.mkdir(parents=True, exist_ok=True)
    if name and (shelf / name).is_dir():
        return name
    fresh = shelf / f".new-{os.getpid()}"
    remove_tree(str(fresh))
    try:
        digest = copy_tree(source, str(fresh), of_skill=of_skill)
    except BadTree:
        remove_tree(str(fresh))
        raise
    name = name or hashlib.sha256(f"{source}\0{digest}".encode()).hexdigest()[:16]
    if (shelf / name).is_dir():
        remove_tree(str(fresh))
    else:
        fresh.rename(shelf / name)
    return name


def _keep_fixture(run: Path, fixture: str) -> Kept:
    try:
        if "\n" not in fixture:
            return Kept(folder=_keep(fixture, run / "inputs" / "fixtures", ""))
        with tempfile.TemporaryDirectory(prefix="audition-fixture-") as folder:
            return Kept(folder=_keep(_compose(fixture, folder), run / "inputs" / "fixtures", ""))
    except OSError as error:
        return Kept(problem=f"{error.filename or fixture}: {error.strerror}")
    except BadTree as error:
        return Kept(problem=str(error))


def _compose(fixture: str, folder: str) -> str:
    """One folder made of a fixture and single files, as `Case.begins_with` names them."""
    base, _, listed = fixture.partition("\n")
    whole = f"{folder}/whole"
    if base:
        copy_tree(base, whole)
    for name, source in msgspec.json.decode(listed, type=dict[str, str]).items():
        target = os.path.normpath(f"{whole}/{name}")
        if not target.startswith(f"{whole}/"):
            raise BadTree(f"`{name}` leads out of the workspace")
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copyfile(source, target)
    return whole


def _kept(run: Path) -> dict[str, Kept]:
    try:
        data = (run / "inputs" / "fixtures.json").read_bytes()
        return msgspec.json.decode(data, type=dict[str, Kept])
    except FileNotFoundError:
        return {}
    except msgspec.DecodeError as error:
        raise RunTrouble(f"{run}/inputs/fixtures.json is damaged: {error}") from error


def put_fixture(run: Path, fixture: str, into: str) -> None:
    """Copy a kept fixture to a place that does not exist yet."""
    kept = _kept(run).get(fixture, Kept(problem=f"{fixture} was not kept with the run"))
    if kept.problem:
        raise BadTree(kept.problem)
    _put(f"{run}/inputs/fixtures/{kept.folder}", into)


def put_skill(run: Path, key: str, skill: Skill, into: str) -> None:
    """Copy a kept skill to a place that does not exist yet."""
    _put(f"{run}/inputs/skills/{key}/{skill.folder}", into)


def fixture_folder(run: Path, fixture: str | None) -> Path | None:
    """Where the copy of a fixture stands; None where there is none."""
    kept = _kept(run).get(fixture) if fixture else None
    return run / "inputs" / "fixtures" / kept.folder if kept and kept.folder else None


_packed: dict[str, Packed | None] = {}
_packing = threading.Lock()


def _put(source: str, into: str) -> None:
    """Copy a kept folder to a place that does not exist yet."""
    try:
        packed = _packed[source]
    except KeyError:
        packed = _pack(source)
    if packed is None:
        copy_tree(source, into)
        return
    os.mkdir(into)
    unpack_tree(packed, into)


def _pack(source: str) -> Packed | None:
    with _packing:
        if not os.path.isdir(source):
            raise RunTrouble(f"{source} is missing", "the run folder is damaged: run it anew")
        left = MEMORY_CAP - sum(each.size for each in _packed.values() if each)
        _packed[source] = pack_tree(source, left)
        return _packed[source]
