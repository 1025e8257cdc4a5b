"""Our own case format: one YAML file a suite.

In: the path of a `cases.yaml`. Out: a Suite, or BadCases with every mistake in the file.
Must not know: how cases are run.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from audition.case_file import BadCases, CaseFormat, read_yaml
from audition.cases.asked import NOBODY
from audition.cases.fields import Findings
from audition.cases.keys import CASE, SHARED, SUITE, Key
from audition.cases.offered import check_names, offered_skills
from audition.errors import did_you_mean
from audition.model import Case, Criterion, Json, Rule, Suite
from audition.policy import policies
from audition.tree import CASE_FILE
from audition.yaml_file import Node

CASES_KEY = re.compile(rb"^(\xef\xbb\xbf)?cases[ \t]*:", re.MULTILINE)
OTHERS_KEY = re.compile(rb"^(\xef\xbb\xbf)?(tasks|tests|prompts)[ \t]*:", re.MULTILINE)
"""What every other format in YAML that has no `cases:` has instead."""
Given = dict[str, Json]
SETTINGS = {name for name, key in SHARED.items() if key.setting}


def claims(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """By its name: `cases.yaml`, `*.cases.yaml`, and .yml."""
    return CASE_FILE.fullmatch(path.name) is not None


def is_sure(path: Path, head: bytes) -> bool:
    """By its name and its `cases:`, where nothing in it could be another format's."""
    named = claims(path, head) and CASES_KEY.search(head)
    return bool(named) and not OTHERS_KEY.search(head)


def claims_named(path: Path, head: bytes) -> bool:
    """Any YAML file with `cases:` at the margin, when the user names it."""
    return path.suffix.lower() in {".yaml", ".yml"} and CASES_KEY.search(head) is not None


def read(path: Path) -> Suite:
    """Read one suite; raises BadCases with all that is wrong."""
    marked = read_yaml(path)
    findings = Findings(str(path))
    findings.all += marked.findings
    root = Node(marked)
    if not isinstance(root.value, dict):
        if not findings.all:
            findings.say(root, "expected a mapping with `cases:`", "see `audition init`")
        raise BadCases(findings.all)
    given = read_keys(root, SUITE, findings)
    skills = offered_skills(root, findings)
    cases = _read_cases(root, given, findings)
    check_names(root, skills, findings)
    policy = _policy(root, given.get("policy"), findings)
    findings.all.sort(key=lambda each: (each.line, each.column))
    if any(each.severity == "error" for each in findings.all):
        raise BadCases([each for each in findings.all if each.severity != "note"])
    return Suite(
        file=str(path),
        format="yaml",
        policy=policy,
        skills=skills,
        cases=tuple(cases),
        target=given.get("target") or {},
        unacceptable=given.get("unacceptable") or {},
        losses=tuple(findings.all),
    )


def read_keys(node: Node, keys: Mapping[str, Key], findings: Findings) -> Given:
    """The values of a mapping by its table of keys; None where one is wrong."""
    found: Given = {}
    for name, each in node.children().items():
        if name in keys:
            found[name] = keys[name].read(each, findings)
        else:
            findings.unknown(each, keys)
    return found


def _policy(root: Node, name: str | None, findings: Findings) -> str:
    if name is None:
        return "default"
    if name not in policies:
        findings.say(root.at("policy"), f"unknown policy `{name}`", did_you_mean(name, policies))
    return name


def _read_cases(root: Node, suite: Given, findings: Findings) -> list[Case]:
    defaults: Given = {}
    if root.value.get("defaults") is not None:
        node = root.at("defaults")
        if isinstance(node.value, dict):
            defaults = read_keys(node, SHARED, findings)
        else:
            findings.wrong(node, "a mapping")
    defaults["env"] = {**(suite.get("env") or {}), **(defaults.get("env") or {})}
    defaults["settings"] = _settings(defaults)
    listed = root.value.get("cases")
    if not isinstance(listed, list) or not listed:
        node = root.at("cases") if "cases" in root.value else root
        if listed or (listed is not None and not isinstance(listed, list)):
            findings.wrong(node, "a list of cases")
        else:
            findings.say(node, "there are no cases", "see `audition init`", key=True)
        return []
    found: list[Case] = []
    seen: dict[str, dict[str, int]] = {}
    for node in root.at("cases").items():
        if not isinstance(node.value, dict):
            findings.wrong(node, "a mapping with `id` and `prompt`")
            continue
        given = read_keys(node, CASE, findings)
        _check_id(node, given, seen, findings)
        if case := _make_case(node, given, defaults, findings):
            found.append(_with_the_suite_s(case, suite))
            if case.judge and not found[-1].rubric:
                at = node.at("judge") if "judge" in node.value else node
                hint = "add `rubric:`, a list of questions"
                findings.say(at, "there is no rubric for the judge", hint, "warning", key=True)
    return found


Named = TypeVar("Named", bound=Rule | Criterion)


def _with_the_suite_s(case: Case, suite: Given) -> Case:
    if not suite.get("process") and not suite.get("rubric"):
        return case
    return msgspec.structs.replace(
        case,
        process=_beside(suite.get("process") or (), case.process),
        rubric=_beside(suite.get("rubric") or (), case.rubric),
    )


def _beside(shared: Sequence[Named], own: Sequence[Named]) -> tuple[Named, ...]:
    """What the suite has, but for what the case has under the same id; then its own."""
    mine = {each.id for each in own}
    kept = [each for each in shared if each.id not in mine]
    return (*kept, *own)


def _check_id(
    node: Node, given: Given, seen: dict[str, dict[str, int]], findings: Findings
) -> None:
    """Ids are unique; two that differ only in case are told apart on disk by a hash."""
    if "id" not in given:
        findings.say(node, "has no `id`", "give the case a name of its own")
        return
    name = given["id"]
    if name is None:
        return
    lines = seen.setdefault(name.lower(), {})
    if name in lines:
        where = f"it is the case's on line {lines[name]}"
        findings.say(node.at("id"), f"id `{name}` is taken", where)
    elif lines:
        words = f"id `{name}` differs from `{next(iter(lines))}` only in case"
        findings.say(node.at("id"), words, "", "note")
    lines.setdefault(name, node.place.line)


def _make_case(node: Node, given: Given, defaults: Given, findings: Findings) -> Case | None:
    if "prompt" in given and "prompts" in given:
        findings.say(node.at("prompts"), "stands beside `prompt`", "keep one of them", key=True)
    if "prompt" not in given and "prompts" not in given:
        findings.say(node, "has no `prompt`", 'say what the user says; `prompt: ""` is allowed')
    turns = given.get("prompts") or [given.get("prompt")]
    if {"skill", "any_of"} & given.keys():
        defaults = {key: defaults[key] for key in defaults if key not in {"skill", "any_of"}}
    merged = {**defaults, **given}
    if not _expects_sense(node, merged, findings) or None in (given.get("id"), turns[0]):
        return None
    skill = merged.get("skill") or None
    quiet = merged.get("skill") == NOBODY or merged.get("any_of") == []
    return Case(
        id=given["id"],
        prompt=turns[0],
        then=tuple(turns[1:]),
        skill=skill,
        any_of=tuple(merged.get("any_of") or ()),
        should_trigger=not quiet and merged.get("should_trigger") is not False,
        checks=merged.get("checks") or (),
        process=merged.get("process") or (),
        rubric=merged.get("rubric") or (),
        fixture=merged.get("fixture"),
        files=merged.get("files") or {},
        timeout_s=merged.get("timeout_s"),
        trials=merged.get("trials"),
        tags=tuple(merged.get("tags") or ()),
        settings={**defaults["settings"], **_settings(given), **_unknown(node)},
        env={**defaults["env"], **(given.get("env") or {})},
        judge=merged.get("judge"),
        file=node.marked.path,
        line=node.place.line,
    )


def _settings(given: Given) -> dict[str, Json]:
    named = {name: given[name] for name in given if name in SETTINGS}
    return {**(given.get("settings") or {}), **named}


def _unknown(node: Node) -> dict[str, Json]:
    """Keys that nobody reads: reported, and kept with the case."""
    unknown = node.value.keys() - CASE.keys()
    return {"unknown_keys": {key: node.value[key] for key in sorted(unknown)}} if unknown else {}


def _expects_sense(node: Node, merged: Given, findings: Findings) -> bool:
    """Say where what is expected contradicts itself, or where nothing is."""
    skill, any_of = merged.get("skill"), merged.get("any_of")
    triggers = merged.get("should_trigger")
    nobody = skill == NOBODY or any_of == []
    unsaid = not {"skill", "any_of"} & merged.keys()
    if (skill == NOBODY and any_of) or (skill and any_of == []):
        words, hint = "`skill` and `any_of` contradict each other", "keep one of them"
    elif skill and any_of and skill not in any_of:
        words, hint = f"`any_of` leaves out `{skill}`, which `skill` expects", "keep one of them"
    elif triggers and (nobody or unsaid):
        words, hint = "`should_trigger: true` names no skill", "add `skill: NAME`"
    elif triggers is False and any_of:
        words, hint = (
            "`should_trigger: false` needs one `skill`, not `any_of`",
            ("use `skill: none` where all must stay quiet"),
        )
    elif unsaid and "should_trigger" not in merged:
        # Records know positives and negatives only: silence must not make it a negative.
        words, hint = (
            "does not say which skill should be called",
            "add `skill: NAME`, or `skill: none` if all must stay quiet",
        )
    else:
        return True
    findings.say(node, words, hint)
    return False


native = CaseFormat(
    name="yaml", claims=claims, claims_named=claims_named, is_sure=is_sure, read=read
)
