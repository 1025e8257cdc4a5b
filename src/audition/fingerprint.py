"""What a trial was given, as digests: two of the same digest asked the same.

In: cases, folders. Out: short digests. Must not know: runs, records, what came of it.
Where a file stands on this machine is no part of what it says, so its path is left out.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec

from audition.model import Case, Trial
from audition.skills import digest_folder

TELLING = ("provider", "sandbox", "policy", "judge")
"""The settings of a run that may explain a difference."""


def short_digest(*parts: object) -> str:
    """A short digest of anything that can be said in JSON."""
    data = msgspec.json.encode(parts, order="sorted")
    return hashlib.sha256(data).hexdigest()[:16]


def digest_fixtures(trials: Iterable[Trial]) -> dict[str, str]:
    """The contents of every fixture and single file of a plan, by path."""
    paths: set[str] = set()
    for trial in trials:
        paths.update(trial.case.files.values())
        if trial.case.fixture:
            paths.add(trial.case.fixture)
    return {path: _digest_path(path) for path in sorted(paths)}


def digest_case_files(trials: Iterable[Trial]) -> dict[str, str]:
    """The bytes of every case file of a plan, by path."""
    files = dict.fromkeys(trial.case.file for trial in trials)
    # Cases that are made from a description stand in no file of cases.
    paths = {file: Path(file) for file in files if file and Path(file).name != "SKILL.md"}
    return {file: told for file, path in paths.items() if (told := digest_file(path))}


def digest_file(path: Path) -> str:
    """The bytes of a file; empty where there is none."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    except OSError:
        return ""


def _digest_path(path: str) -> str:
    if Path(path).is_dir():
        return digest_folder(path, of_skill=False)[:16]
    return digest_file(Path(path))


def case_digest(case: Case, fixtures: Mapping[str, str]) -> str:
    """All that a case asks and expects; not where it stands, nor how often it is tried."""

    def contents(path: str) -> str:
        return fixtures.get(path) or Path(path).name

    plain = msgspec.structs.replace(
        case,
        file="",
        line=1,
        trials=None,
        fixture=contents(case.fixture) if case.fixture else None,
        files={name: contents(path) for name, path in case.files.items()},
    )
    return short_digest(plain)


def case_digests(trials: Iterable[Trial], fixtures: Mapping[str, str]) -> dict[str, str]:
    """The digest of every case of a plan, by name."""
    cases = {id(trial.case): trial.case for trial in trials}
    files = {(case.skill, case.id, case.file) for case in cases.values()}
    counts = Counter((skill, name) for skill, name, _ in files)
    return {
        case_names(case.skill, case.id, case.file)[counts[case.skill, case.id] > 1]: case_digest(
            case, fixtures
        )
        for case in cases.values()
    }


def case_names(skill: str | None, case: str, file: str) -> tuple[str, str]:
    """`skill/case`, and what it is called where another file has a case of that name."""
    name = f"{skill or ''}/{case}"
    return name, f"{name} of {file}"
