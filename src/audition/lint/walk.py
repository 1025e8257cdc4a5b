"""Walks skills and suites, applies the rules, and mends what is asked for.

In: paths and rules. Out: findings, skill by skill as they are read; what was mended.
Must not know: what a rule looks for, how findings are shown.
"""

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import msgspec

from audition.case_file import BadCases, read_suites
from audition.cases.process import holds_rules, read_rules
from audition.errors import UsageError
from audition.lint.evals import Evals
from audition.lint.folder import SkillFolder, looks_like_skill
from audition.lint.pick import silenced
from audition.lint.rule import Repair, Rule
from audition.model import Finding, Suite
from audition.skills import skill_folders

SUITE_HEAD = 256 * 1024
OF_CASES = (".yaml", ".yml", ".json", ".csv")


class Lint:
    """What one call looks at, and what came of it."""

    def __init__(self, paths: Sequence[str], rules: Sequence[Rule], *, evals: bool) -> None:
        self.paths = tuple(Path(each) for each in paths)
        self.rules = rules
        self.files = tuple(e for e in self.paths if e.suffix in OF_CASES and e.is_file())
        """Case files and files of rules that are named."""
        self.everywhere = evals
        """Also case files that are not named."""
        self.evals = evals or bool(self.files)
        self.mended: list[str] = []
        self.quiet: dict[str, tuple[str, ...]] = {}
        """By file: the rules that a comment in it silences."""

    @cached_property
    def folders(self) -> tuple[SkillFolder, ...]:
        """The skills to look at."""
        named = [each for each in self.paths if each.is_dir() or each.name == "SKILL.md"]
        others = [each for each in self.paths if each not in named]
        if others and (not self.evals or not all(each.exists() for each in others)):
            named += others[:1]
        if self.paths and not named:
            return ()
        return tuple(
            SkillFolder(each, near(each)) for each in skill_folders(named, looks_like_skill)
        )

    @cached_property
    def read(self) -> tuple[tuple[Suite, ...], tuple[Finding, ...]]:
        """The suites to look at, and the mistakes in those that cannot be read."""
        if not self.evals:
            return (), ()
        rules = [each for each in self.files if each.suffix != ".csv" and holds_rules(each)]
        paths = self.paths if self.everywhere else self.files
        left = [each for each in paths if each.name != "SKILL.md" and each not in rules]
        suites, mistakes = read_suites(left or [Path()]) if left or not rules else ((), ())
        for each in rules:
            try:
                suites = (*suites, Suite(file=str(each), losses=read_rules(each)[1]))
            except BadCases as error:
                mistakes = (*mistakes, *error.findings)
        return suites, mistakes

    def around(self) -> tuple[Suite, ...]:
        """The suites that a run from here would find, of skills that are below here."""
        here = os.path.realpath(".")
        inside = any(_is_below(here, os.path.realpath(each.path)) for each in self.folders)
        return read_suites([Path()])[0] if self.paths and inside else ()

    def over(self, kind: str) -> list[Rule]:
        """The rules that are shown one kind of thing."""
        return [each for each in self.rules if each.over == kind]


def _is_below(folder: str, path: str) -> bool:
    return os.path.commonpath((folder, path)) == folder


def lint(asked: Lint, *, fix: bool = False) -> Iterator[Finding]:
    """Every finding, as it is found; with `fix`, those that are left."""
    if not asked.folders and not any(asked.read):
        raise UsageError(
            "there is nothing to lint: no SKILL.md" + (" and no case file" * asked.evals),
            "name a skill's folder"
            if asked.evals
            else "name a skill's folder; case files need `--check-evals`",
        )
    rules = asked.over("skill")
    for folder in asked.folders:
        if fix:
            asked.mended += mend(folder, rules)
        quiet = asked.quiet[folder.file()] = silenced(folder.text)
        yield from _sorted(
            found
            for rule in rules
            if not rule.id.startswith(quiet)
            for found in _named(rule, rule.find(folder))
        )
        folder.forget("said", "marked", "fields")
    yield from _of_all(asked)
    if asked.evals:
        yield from _of_suites(asked)


def _named(rule: Rule, found: Iterable[Finding]) -> Iterator[Finding]:
    for each in found:
        yield msgspec.structs.replace(each, rule=rule.id, severity=rule.severity)


def _of_all(asked: Lint) -> Iterator[Finding]:
    """What shows only when all skills are looked at together."""
    if not asked.folders:
        return
    for rule in asked.over("skills"):
        for each in _named(rule, rule.find(asked.folders)):
            if not rule.id.startswith(_quiet_at(each.path, asked.quiet)):
                yield each


def _quiet_at(path: str, quiet: dict[str, tuple[str, ...]]) -> tuple[str, ...]:
    """What the SKILL.md beside a file, or in a folder above it, silences for it."""
    while path and os.path.dirname(path) != path:
        path = os.path.dirname(path)
        found = quiet.get(f"{path}/SKILL.md" if path else "SKILL.md")
        if found is not None:
            return found
    return ()


def _of_suites(asked: Lint) -> Iterator[Finding]:
    suites, mistakes = asked.read
    asked.quiet |= {each.file: _silenced_in(each.file) for each in suites}
    found = [
        each
        for suite in suites
        for rule in asked.over("suite")
        for each in _named(rule, rule.find(suite))
    ]
    evals = Evals(suites=suites, mistakes=mistakes, folders=asked.folders, around=asked.around)
    found += [each for rule in asked.over("evals") for each in _named(rule, rule.find(evals))]
    for each in _sorted(found):
        if not each.rule.startswith(asked.quiet.get(each.path, ())):
            yield msgspec.structs.replace(each, path=near(each.path))


def _silenced_in(file: str) -> tuple[str, ...]:
    try:
        with open(file, "rb") as opened:
            return silenced(opened.read(SUITE_HEAD).decode("utf-8", "replace"))
    except OSError:
        return ()


def _sorted(found: Iterable[Finding]) -> list[Finding]:
    return sorted(found, key=lambda each: (each.path, each.line, each.column, each.rule))


def near(path: str) -> str:
    """The path as one would type it here, with slashes."""
    full = os.path.abspath(path)
    here = os.getcwd()
    if full == here:
        return "."
    inside = full.startswith(here.rstrip(os.sep) + os.sep)
    return (os.path.relpath(full, here) if inside else full).replace(os.sep, "/")


def mend(folder: SkillFolder, rules: Sequence[Rule]) -> Iterator[str]:
    """Do what these rules can mend in one skill; what was done, in words."""
    quiet = silenced(folder.text)
    for rule in rules:
        if rule.mend is None or rule.id.startswith(quiet):
            continue
        if not any(True for _ in rule.find(folder)):
            continue
        for repair in rule.mend(folder):
            path = os.path.join(folder.path, repair.file)
            # Behind a link is somebody else's file.
            if os.path.realpath(path) == os.path.join(os.path.realpath(folder.path), repair.file):
                _apply(repair, path)
                yield f"{folder.file(repair.file)}: {rule.id} {repair.what}"
        folder.forget()


def _apply(repair: Repair, path: str) -> None:
    mode = os.stat(path).st_mode & 0o7777
    if repair.executable:
        # Whoever may read it may run it, as `chmod +x` under the usual mask.
        os.chmod(path, mode | (mode & 0o444) >> 2)
    if repair.data is None:
        return
    handle, name = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".audition-")
    try:
        with open(handle, "wb") as opened:
            opened.write(repair.data)
        os.chmod(name, mode)
        os.replace(name, path)
    except OSError:
        os.unlink(name)
        raise
