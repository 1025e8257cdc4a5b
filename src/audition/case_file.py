"""What a case format is, and how case files are found and read.

In: paths. Out: Suites, or every mistake in every file at once. Our own format uses the same
door as others: an entry point of the group `audition.cases`.
Must not know: any one format.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from audition.counted import counted
from audition.errors import AuditionError, BadFile, UnknownName, UsageError, did_you_mean
from audition.model import Finding, Suite, Value
from audition.registry import Registry
from audition.tree import CASE_FILE
from audition.yaml_file import Marked as Marked
from audition.yaml_file import read_yaml as read_yaml

HEAD = 64 * 1024
"""How many bytes of a file a format is shown when it is asked whether the file is its own."""
BLANK_LINES = re.compile(rb"\n\s*\n")
LONG_RUN = re.compile(rb"(\s{40})\s+")
PASSED_BY = {"node_modules", "artifacts", "__pycache__"}
SUFFIXES = {".yaml", ".yml", ".json", ".jsonl", ".csv", ".md", ".toml"}


def _never(path: Path, head: bytes) -> bool:  # noqa: ARG001
    return False


class CaseFormat(Value, frozen=True, kw_only=True):
    """One way to write cases down."""

    name: str
    claims: Callable[[Path, bytes], bool]
    """Whether this file, of which it is given the first bytes, is one of its own.

    A format that says yes to no bytes at all goes by the name; one that needs them
    goes by the content, and comes first.
    """
    read: Callable[[Path], Suite]
    """Raises BadCases with every mistake it finds."""
    claims_named: Callable[[Path, bytes], bool] = _never
    """What it takes beside that when the user names the file."""
    is_sure: Callable[[Path, bytes], bool] = _never
    """Whether no other format needs to be asked: of our own alone, as that is the common case."""


formats: Registry[CaseFormat] = Registry("cases", "case format")


class BadCases(BadFile):
    """Case files with mistakes; `findings` holds all of them."""

    def __init__(self, findings: Sequence[Finding], hint: str = "") -> None:
        mistakes = [each for each in findings if each.severity == "error"]
        files = len({each.path for each in mistakes or findings})
        # Nothing but warnings stops us only where there is nothing else.
        count = counted(len(mistakes), "mistake") if mistakes else "no cases"
        where = f"{counted(files, 'case file')}"
        super().__init__("\n".join([f"{count} in {where}", *map(_harmless, findings)]), hint)
        self.findings = tuple(findings)


def _harmless(finding: Finding) -> str:
    # A message quotes the file, which may hold what a terminal obeys.
    text = f"{finding.severity}: {finding}" if finding.severity != "error" else str(finding)
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() or each == "\n" else ascii(each)[1:-1] for each in text
    )


def load_suites(paths: Sequence[Path], format: str | None = None) -> tuple[Suite, ...]:  # noqa: A002
    """Find and read the case files at or below the paths; raises BadCases with all mistakes."""
    suites, findings = read_suites(paths, format)
    if findings:
        raise BadCases(findings)
    if not suites:
        shown = ", ".join(f"`{each}`" for each in paths) or "`.`"
        raise BadFile(f"no case files in {shown}", "write a first one with `audition init`")
    if not any(each.cases for each in suites):
        raise BadCases([said for each in suites for said in each.losses if said.severity != "note"])
    return suites


def read_suites(
    paths: Sequence[Path],
    format: str | None = None,  # noqa: A002
) -> tuple[tuple[Suite, ...], tuple[Finding, ...]]:
    """The case files that can be understood, and every mistake in the others."""
    suites: list[Suite] = []
    findings: list[Finding] = []
    for path, named in _once(_files(paths or [Path()])):
        try:
            if found := find_format(path, format, named=named):
                suites.append(found.read(path))
        except BadCases as error:
            findings += error.findings
        except UnknownName:
            raise
        except AuditionError as error:
            findings.append(_finding(path, str(error), error.hint))
        except OSError as error:
            findings.append(_finding(path, f"cannot be read: {error.strerror}"))
    return tuple(suites), tuple(findings)


def find_format(path: Path, name: str | None = None, *, named: bool = True) -> CaseFormat | None:
    """The format of a file: by content first, then by name.

    A file that the user named must have one; one that was merely found may have none.
    """
    if any("\udc80" <= each <= "\udcff" for each in str(path)):
        # What is kept of a run is JSON, which cannot hold such a name.
        raise BadFile("the file's name is not UTF-8", "rename it")
    wanted = formats[name] if name is not None else None
    if named and wanted:
        return wanted
    head = _head(path)
    # Asking the others would import them: 9 ms before the first agent is asked.
    if not wanted and (ours := formats["yaml"]).is_sure(path, head):
        return ours
    shelf = [wanted] if wanted else [formats[each] for each in formats]
    claimants = [each for each in shelf if each.claims(path, head)]
    by_content = [each for each in claimants if not each.claims(path, b"")]
    if named:
        claimants += [each for each in shelf if each.claims_named(path, head)]
    if by_content or claimants:
        return (by_content or claimants)[0]
    if not named:
        return None
    known = ", ".join(f"`{each}`" for each in formats)
    raise BadFile("no case format claims this file", f"known formats: {known}; see `--format`")


def _finding(path: Path, message: str, hint: str = "") -> Finding:
    return Finding(path=str(path), message=message, hint=hint, rule="case")


def _head(path: Path) -> bytes:
    """The first bytes, without blank lines and long runs of blanks.

    Formats look for blanks in many ways: 64 KiB of nothing else would cost them seconds.
    """
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise BadFile("is a device, a pipe or a folder, and no file")
    with path.open("rb") as file:
        head = file.read(HEAD)
    return LONG_RUN.sub(rb"\1", BLANK_LINES.sub(b"\n", head))


def _once(files: Iterator[tuple[Path, bool]]) -> Iterator[tuple[Path, bool]]:
    seen: set[str] = set()
    for path, named in files:
        if (real := os.path.realpath(path)) not in seen:
            seen.add(real)
            yield path, named


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Every file that may hold cases, and whether the user named it."""
    for path in paths:
        if os.path.isfile(path):
            yield path, True
        elif os.path.isdir(path):
            for each in _below(path):
                yield each, False
        else:
            near = [str(path.parent / name) for name in _names(path.parent)]
            there = os.path.lexists(path)
            problem = "is not a file that can be read" if there else "does not exist"
            hint = "" if there else did_you_mean(str(path), near, all_of_them=6)
            raise UsageError(f"`{path}` {problem}", hint)


def _skills_in(top: str, hidden: str) -> str:
    """The folder `skills` of a hidden one, as `os.walk` goes on to it; empty without one."""
    skills = os.path.join(hidden, "skills")
    whole = os.path.join(top, skills)
    # A link leads to skills that lie somewhere else, as those in `skills/`.
    linked = os.path.islink(os.path.join(top, hidden)) or os.path.islink(whole)
    return skills if hidden != ".git" and not linked and os.path.isdir(whole) else ""


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _below(folder: Path) -> Iterator[Path]:
    for top, folders, files in os.walk(folder):
        hidden = [each for each in folders if each.startswith(".")]
        folders[:] = sorted(each for each in folders if each not in {*hidden, *PASSED_BY})
        # A project's own skills, and their cases with them, lie in .claude/skills and its like.
        folders += [skills for each in sorted(hidden) if (skills := _skills_in(top, each))]
        for each in sorted(files):
            path = Path(top, each)
            # A suite that is a pipe, or a link to nothing, is told of and not passed by.
            if path.suffix.lower() in SUFFIXES and (
                os.path.isfile(path) or CASE_FILE.fullmatch(each)
            ):
                yield path
