"""The skills that a suite has on offer, and whether its cases name them rightly.

In: the root Node of a case file. Out: Skills; the findings say what is missing.
Must not know: what else a case says.
"""

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from audition.called import bare
from audition.cases.fields import Findings
from audition.cases.paths import beside
from audition.errors import did_you_mean
from audition.model import Skill
from audition.skills import find_skills, read_skill
from audition.yaml_file import Node

NEAR = ("skills", "../skills", "..", ".")
"""Where skills are looked for when the file names none; the first with any counts. The last
two only if they hold a SKILL.md themselves."""


def offered_skills(root: Node, findings: Findings) -> tuple[Skill, ...]:
    """The skills that the suite names, or those near the file."""
    if root.value.get("skills") is None:
        return _near(root, findings)
    node = root.at("skills")
    if isinstance(node.value, dict):
        return ()
    found: dict[str, Skill] = {}
    for each in node.items() if isinstance(node.value, list) else [node]:
        for skill in _named(each, findings):
            found.setdefault(skill.path, skill)
    _say_twins(found.values(), node, findings)
    return tuple(found.values())


def _say_twins(skills: Iterable[Skill], node: Node, findings: Findings) -> None:
    first: dict[str, str] = {}
    for skill in skills:
        if skill.name in first:
            words = f"two skills are named `{skill.name}`: {first[skill.name]} and {skill.path}"
            findings.say(node, words, "offer one of them", "warning", key=True)
        first.setdefault(skill.name, skill.path)


def _near(root: Node, findings: Findings) -> tuple[Skill, ...]:
    for name in NEAR:
        folder = Path(beside(root, name))
        found: tuple[Skill, ...] = ()
        if name.endswith("skills"):
            found = find_skills([folder]) if folder.is_dir() else ()
        elif (folder / "SKILL.md").is_file():
            found = (read_skill(folder),)
        if found:
            _say_twins(found, root, findings)
            return found
    places = ", ".join(f"`{each}`" for each in NEAR)
    findings.say(root, f"no skills near this file (looked in {places})", "add `skills: [FOLDER]`")
    return ()


def _named(node: Node, findings: Findings) -> tuple[Skill, ...]:
    text = node.place.text or ""
    if not text or "\0" in text:
        words = "names no folder" if not text else "holds a NUL: no folder is called so"
        findings.say(node, words, "name a skill folder, or a folder of them")
        return ()
    path = beside(node, text)
    paths = [path] if os.path.exists(path) else sorted(glob.glob(path, recursive=True))
    if not paths:
        folder, name = os.path.split(path)
        near = did_you_mean(name, os.listdir(folder)) if os.path.isdir(folder) else ""
        hint = near or "paths are relative to the case file"
        findings.say(node, f"skills folder `{text}` does not exist", hint)
        return ()
    folders = [Path(each) for each in paths if os.path.isdir(each) or each.endswith("/SKILL.md")]
    found = find_skills(folders) if folders else ()
    if not found:
        findings.say(
            node, f"no SKILL.md in or below `{text}`", "a skill is a folder with a SKILL.md"
        )
    return found


def check_names(root: Node, skills: tuple[Skill, ...], findings: Findings) -> None:
    """Every skill that a case names must be on offer."""
    if not skills and root.value.get("skills") != []:
        return
    cases = root.value.get("cases")
    nodes = root.at("cases").items() if isinstance(cases, list) else []
    if "defaults" in root.value:
        nodes.insert(0, root.at("defaults"))
    known = {each.name for each in skills}
    folders = {each.folder: each.name for each in skills}
    for node in nodes:
        for each in _names(node):
            name = each.place.text or ""
            if name not in known:
                near = (
                    f"the skill in that folder is named `{folders[name]}`"
                    if name in folders
                    else ""
                )
                hint = near or did_you_mean(name, known) or "no skills are on offer"
                findings.say(each, f"unknown skill `{name}`", hint)
    for node in (root, *nodes):
        _check_rules(node, known, findings)
    for node in nodes:
        for name, each in _arguments(node):
            if name == "resource_read":
                _check_resource(each, skills, findings)


def _check_resource(given: Node, skills: tuple[Skill, ...], findings: Findings) -> None:
    """A file that no skill on offer brings is hardly meant: the check would always fail."""
    node = given.at("path") if isinstance(given.value, dict) and "path" in given.value else given
    name = (node.place.text or "").removeprefix("./")
    if not name or "\0" in name or ".." in name.split("/") or not skills:
        return
    if any(os.path.isfile(os.path.join(each.path, name)) for each in skills) and name != "SKILL.md":
        return
    known = {each for skill in skills for each in skill.resources}
    hint = did_you_mean(name, known) or "they bring no files beside their SKILL.md"
    words = f"no skill on offer brings the file `{name}`: it can never be read"
    if name == "SKILL.md":
        words, hint = "SKILL.md is no resource", "that the skill is called is checked in every case"
    findings.say(node, words, hint, "warning")


def _check_rules(node: Node, known: set[str], findings: Findings) -> None:
    """A rule may name a skill that comes from elsewhere; that is rare, so it is said."""
    rules = node.at("process").items() if _has_rules(node) else []
    for rule in rules:
        for each in _below(rule, "skill"):
            name = each.place.text or ""
            if bare(name) not in known:
                words = f"no skill on offer is named `{name}`: it can never match"
                findings.say(each, words, did_you_mean(bare(name), known), "warning")


def _has_rules(node: Node) -> bool:
    return isinstance(node.value, dict) and isinstance(node.value.get("process"), list)


def _below(node: Node, key: str, depth: int = 4) -> Iterator[Node]:
    """Every node of that key below a node."""
    if isinstance(node.value, dict) and depth:
        for name, each in node.children().items():
            if name == key and each.place.text:
                yield each
            else:
                yield from _below(each, key, depth - 1)


def _arguments(node: Node) -> list[tuple[str, Node]]:
    """The checks of a case by name, with what they are given."""
    listed = node.value.get("checks") if isinstance(node.value, dict) else None
    items = node.at("checks").items() if isinstance(listed, list) else []
    return [pair for each in items if isinstance(each.value, dict)
            for pair in each.children().items()]  # fmt: skip


def _named_by_checks(node: Node) -> list[Node]:
    """The skills that checks are told to look at: `resource_read: {skill: a}`."""
    found = [each.at("skill") for _, each in _arguments(node)
             if isinstance(each.value, dict) and "skill" in each.value]  # fmt: skip
    return [each for each in found if each.place.text]


def _names(node: Node) -> list[Node]:
    if not isinstance(node.value, dict):
        return []
    found: list[Node] = []
    if (node.value.get("skill")) is not None:
        each = node.at("skill")
        if each.place.text and each.place.text.lower() not in ("none", "null", "~"):
            found.append(each)
    found += _named_by_checks(node)
    any_of = node.value.get("any_of")
    if isinstance(any_of, list):
        found += [each for each in node.at("any_of").items() if each.place.text]
    elif "any_of" in node.value and node.at("any_of").place.text:
        found.append(node.at("any_of"))
    return found
