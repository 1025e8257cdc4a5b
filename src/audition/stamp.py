"""Whether a sealed trial is what it was when it was graded: then its grade stands.

A stamp is a digest over all that a grade rests on: the bytes of the sealed folder, what
grading goes by beside it, and the record itself. It is a key of grade.json, so it is written
with the grade and never without it.

In: a sealed folder, agents, skills, a record. Out: the record with its stamp; a kept record
that stands. Must not know: how a trial is graded, what a grade means.
"""

import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

import msgspec

from audition.agent import Agent
from audition.beside import LAST_BYTES
from audition.model import Case, Record, Skill, Value
from audition.registry import is_ours

SIZE = 16
PIECE = 256 * 1024
ASKING = frozenset({"command", "open_login", "budget"})
"""Functions of an agent that grading never calls."""
TOOLS = ("msgspec", "re2", "fastjsonschema")
"""The packages that grading works with."""
SETTLED_NS = 2_000_000_000
NO_CASES: Mapping[str, Case] = {}
_BEFORE, _BEHIND = b'"stamp":"', b'"}'
_began = time.time_ns()
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Record).decode


class Ground(Value, frozen=True, kw_only=True):
    """What grades rest on beside the sealed folders, as digests."""

    common: bytes
    """The code, what it works with, the skills, the fixtures, where the run stood."""
    agents: dict[str, bytes]
    """By name; those alone that are read by code of ours."""


class Mark(Value, frozen=True, kw_only=True):
    """What a sealed folder holds, as a digest."""

    digest: blake2b
    has_answer: bool
    """Whether the answer stands beside it, which grading derives."""


def lay_ground(
    run: Path,
    stood: str,
    skills: Mapping[str, Skill],
    agents: Mapping[str, Agent],
    mended: Mapping[str, Case] = NO_CASES,
) -> Ground | None:
    """The ground of a run's grades; None where it cannot be told."""
    try:
        digest = blake2b(_code(), digest_size=SIZE)
        digest.update(_encode((stood, dict(sorted(skills.items())))))
        if mended:
            digest.update(_encode(dict(sorted(mended.items()))))
        with suppress(FileNotFoundError):
            _add_file(digest, f"{run}/inputs/fixtures.json", "fixtures.json")
        with suppress(FileNotFoundError):
            for line, _ in _listing(f"{run}/inputs/fixtures"):
                digest.update(line)
    except OSError:
        return None
    told = {name: _tell_agent(agent) for name, agent in agents.items()}
    known = {name: each for name, each in told.items() if each}
    return Ground(common=digest.digest(), agents=known)


@cache
def _code() -> bytes:
    """The code of this package and of what it works with; OSError where it is too new to tell.

    What was changed after we began may not be what is running: a check that is mended while
    a run goes on must not leave grades behind that seem to come from the mended one.
    """
    digest = blake2b(sys.version.encode(), digest_size=SIZE)
    folders = [os.path.dirname(__file__)]
    for name in TOOLS:
        spec = find_spec(name)
        folders += (spec and spec.submodule_search_locations) or ()
    for folder in folders:
        for line, changed in _listing(folder, skipped="__pycache__"):
            digest.update(line)
            if changed > _began - SETTLED_NS:
                raise OSError(f"{folder} was changed just now")
    return digest.digest()


def _tell_agent(agent: Agent) -> bytes | None:
    """All of an agent that its sessions are read by; None where not all of that is our code."""
    told: dict[str, object] = {}
    for name in agent.__struct_fields__:
        value = getattr(agent, name)
        if not callable(value):
            told[name] = value
        elif name not in ASKING:
            if not is_ours(value):
                return None
            told[name] = f"{value.__module__}:{value.__qualname__}"
    return blake2b(_encode(told), digest_size=SIZE).digest()


def take_mark(folder: Path | str) -> Mark | None:
    """What a sealed folder holds, taken before it is graded; None where it cannot be told.

    Whatever grading reads is read here too. Of the files of the workspace, which may be
    large, it is the names, sizes, times and modes.
    """
    digest, at = blake2b(digest_size=SIZE), os.fspath(folder)
    try:
        there = os.listdir(at)
        for name in ("meta.json", "trace.jsonl", "judge.json"):
            if name in there:
                _add_file(digest, f"{at}/{name}", name)
        # It is mostly empty, which a look at its size tells for a tenth of opening it.
        if "stderr.txt" in there and os.stat(f"{at}/stderr.txt").st_size:
            _add_file(digest, f"{at}/stderr.txt", "stderr.txt", last=LAST_BYTES)
        if "beside" in there:
            for name in sorted(os.listdir(f"{at}/beside")):
                _add_file(digest, f"{at}/beside/{name}", f"beside/{name}")
        if "files" in there:
            digest.update(b"files\0")
            for line, _ in _listing(f"{at}/files"):
                digest.update(line)
    except OSError:
        return None
    return Mark(digest=digest, has_answer="final.txt" in there)


def _add_file(digest: blake2b, path: str, name: str, last: int = 0) -> None:
    """Add a file's name, size and bytes, or its last bytes."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        left = os.fstat(descriptor).st_size
        digest.update(os.fsencode(f"{name}\0{left}\0"))
        if last and left > last:
            os.lseek(descriptor, -last, os.SEEK_END)
            left = last
        while left > 0:
            piece = os.read(descriptor, min(left, PIECE))
            if not piece:
                raise OSError(f"{path} became shorter while it was read")
            digest.update(piece)
            left -= len(piece)
    finally:
        os.close(descriptor)


def _listing(root: str, skipped: str = "") -> Iterator[tuple[bytes, int]]:
    """Every entry below a folder: its path, size, times and mode; and when it was changed."""
    pending = [root]
    while pending:
        folder = pending.pop()
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda each: each.name)
        for entry in entries:
            if entry.name == skipped:
                continue
            about = entry.stat(follow_symlinks=False)
            path = os.fsencode(entry.path.removeprefix(root))
            if stat.S_ISDIR(about.st_mode):
                # Its own times and size say only that an entry came or went, which is told.
                pending.append(entry.path)
                yield b"%s\0%d\n" % (path, about.st_mode), 0
                continue
            numbers = (about.st_size, about.st_mtime_ns, about.st_ctime_ns, about.st_mode)
            yield b"%s\0%d\0%d\0%d\0%d\n" % (path, *numbers), max(numbers[1:3])


def with_stamp(record: Record, mark: Mark | None, ground: Ground | None, planned: str) -> Record:
    """The record with its stamp, where everything that it rests on is known."""
    if mark is None or ground is None or record.agent not in ground.agents:
        return record
    head = _encode(record).removesuffix(_BEHIND)
    stamp = _seal(mark, ground, record.agent, head, own=record.policy == planned)
    return msgspec.structs.replace(record, stamp=stamp)


def _seal(mark: Mark, ground: Ground, agent: str, head: bytes, *, own: bool) -> str:
    digest = mark.digest.copy()
    digest.update(b"\0own" if own else b"\0given")
    digest.update(ground.common)
    digest.update(ground.agents[agent])
    digest.update(head)
    return digest.hexdigest()


def read_standing(
    folder: Path | str, mark: Mark | None, ground: Ground | None, policy: str | None
) -> tuple[bytes, Record] | None:
    """A trial's grade.json where grading anew would write the same; else None.

    `policy` is the one given for all trials, if any; else each goes by what it was planned with.
    """
    if mark is None or ground is None or not mark.has_answer:
        return None
    try:
        with open(f"{folder}/grade.json", "rb", buffering=0) as file:
            data = file.read()
        record = _decode(data)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    head = data.removesuffix(record.stamp.encode() + _BEHIND)
    if len(record.stamp) != 2 * SIZE or not head.endswith(_BEFORE):
        return None
    if record.agent not in ground.agents or policy not in (None, record.policy):
        return None
    for own in (True,) if policy is None else (True, False):
        if _seal(mark, ground, record.agent, head, own=own) == record.stamp:
            return data, record
    return None
