"""The rules on conduct that a case file, or a file of their own, writes down.

In: a Node, or a path. Out: Rules; the findings say what is wrong, also where a rule could
never hold, or never fail.
Must not know: sessions, which suite the rules are in.
"""

import os
from pathlib import Path
from typing import Literal, cast

import msgspec

from audition.case_file import BadCases, read_yaml
from audition.cases.fields import Findings, read_flag, read_id, read_name
from audition.cases.paths import read_file
from audition.cases.sense import make_sense
from audition.conduct import FORMS, KINDS
from audition.errors import did_you_mean
from audition.model import EventPattern, Finding, Json, Rule, RuleForm
from audition.yaml_file import Node

FIELDS = EventPattern.__struct_fields__
BESIDE = ("id", "vacuous")


def read_rules(path: Path) -> tuple[tuple[Rule, ...], tuple[Finding, ...]]:
    """The rules in a file of their own, and what is odd; raises BadCases where one is wrong."""
    findings = Findings(str(path))
    found = _read_own_file(path, findings)
    if any(each.severity == "error" for each in findings.all):
        raise BadCases(findings.all)
    return found or (), tuple(findings.all)


def holds_rules(path: Path) -> bool:
    """Whether a file is a list of rules, and no case file."""
    root = Node(read_yaml(path)).value
    if isinstance(root, dict):
        return "process" in root and "cases" not in root
    first = root[0] if isinstance(root, list) and root else None
    return isinstance(first, dict) and not first.keys().isdisjoint(FORMS)


def _read_own_file(path: Path, findings: Findings) -> tuple[Rule, ...] | None:
    marked = read_yaml(path)
    findings.all += marked.findings
    root = Node(marked)
    if isinstance(root.value, dict) and "process" in root.value:
        for name, each in root.children().items():
            if name != "process":
                hint = "a file of rules holds nothing else; cases name it by `process: FILE`"
                findings.say(each, f"unknown key `{name}` beside `process`", hint, key=True)
        root = root.at("process")
    return _read_list(root, findings) if not marked.findings else None


def read_process(node: Node, findings: Findings) -> tuple[Rule, ...] | None:
    """A list of rules, or the path of a file that holds one."""
    if not node.place.text:
        return _read_list(node, findings)
    path = read_file(node, findings)
    if path is None:
        return None
    # What is wrong stands in that file, at its own lines.
    within = Findings(os.path.relpath(path) if not os.path.isabs(node.marked.path) else path)
    found = _read_own_file(Path(path), within)
    findings.all += within.all
    return found


def _read_list(node: Node, findings: Findings) -> tuple[Rule, ...] | None:
    if not isinstance(node.value, list) or not node.value:
        hint = "begin each rule with `- id: NAME`"
        findings.say(node, "expected a list of rules", hint)
        return None
    found: list[tuple[Rule, Node]] = []
    for each in node.items():
        rule = _read_rule(each, findings)
        if rule and rule.id in {other.id for other, _ in found}:
            findings.say(each.at("id"), f"two rules have the id `{rule.id}`", "rename one")
        elif rule:
            found.append((rule, each))
    make_sense(found, findings)
    return tuple(rule for rule, _ in found)


def _read_rule(node: Node, findings: Findings) -> Rule | None:
    if not isinstance(node.value, dict):
        findings.wrong(node, "a rule: `id` and one form")
        return None
    forms = [name for name in node.value if name in FORMS]
    for name, each in node.children().items():
        if name not in FORMS and name not in BESIDE:
            known = (*FORMS, *BESIDE)
            findings.say(
                each, f"unknown key `{name}` in a rule", did_you_mean(name, known), key=True
            )
    if "id" not in node.value:
        findings.say(node, "the rule has no `id`", "give it a name; its grade is `process:NAME`")
    ident = read_id(node.at("id"), findings) if "id" in node.value else None
    allowed = _vacuous(node, findings)
    if not forms and len(node.value) > sum(each in node.value for each in BESIDE):
        return None  # the misspelt form has been said
    if len(forms) != 1:
        words = f"has {len(forms)} forms: {', '.join(forms)}" if forms else "has no form"
        findings.say(node, f"the rule {words}", f"give it one of {', '.join(FORMS)}")
        return None
    made = _read_form(cast("RuleForm", forms[0]), node.at(forms[0]), findings)
    if made is None or ident is None:
        return None
    return msgspec.structs.replace(made, id=ident, vacuous=allowed)


def _vacuous(node: Node, findings: Findings) -> Literal["", "allow"]:
    given = node.value.get("vacuous")
    if "vacuous" in node.value and given != "allow":
        findings.say(node.at("vacuous"), "`vacuous` can only be `allow`", "or leave it out")
    return "allow" if given == "allow" else ""


def _read_form(name: RuleForm, node: Node, findings: Findings) -> Rule | None:
    form = FORMS[name]
    if not form.numbers and form.roles == ("of",):
        only = _read_pattern(node, findings)
        return None if only is None else Rule(id="", form=name, patterns={"of": only})
    if not isinstance(node.value, dict):
        findings.wrong(node, f"a mapping with {_list((*form.roles, *form.numbers))}")
        return None
    patterns: dict[str, EventPattern] = {}
    numbers: dict[str, int] = {}
    for key, each in node.children().items():
        if key in form.roles:
            if pattern := _read_pattern(each, findings):
                patterns[key] = pattern
        elif key in form.numbers:
            _read_number(key, each, numbers, findings)
        else:
            hint = did_you_mean(key, (*form.roles, *form.numbers))
            findings.say(each, f"unknown key `{key}` in `{name}`", hint, key=True)
    missing = [role for role in form.roles if role not in node.value]
    if missing:
        findings.say(node, f"`{name}` needs {_list(missing)}", "", key=True)
        return None
    wanted = sum(each in node.value for each in (*form.roles, *form.numbers))
    if not _enough(name, node, findings) or len(patterns) + len(numbers) < max(
        wanted, len(form.roles)
    ):
        return None
    return Rule(id="", form=name, patterns=patterns, numbers=numbers)


def _list(words: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"`{each}`" for each in words)


def _enough(name: RuleForm, node: Node, findings: Findings) -> bool:
    given = [each for each in FORMS[name].numbers if each in node.value]
    if name == "count" and not given:
        findings.say(node, "`count` needs `least`, `most` or both", "", key=True)
    elif name == "within" and len(given) != 1:
        findings.say(node, "`within` needs either `calls` or `turns`", "", key=True)
    else:
        return True
    return False


def _read_number(key: str, node: Node, numbers: dict[str, int], findings: Findings) -> None:
    value, least = node.value, 0 if key in ("least", "most") else 1
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= 10**9:
        findings.wrong(node, f"a whole number from {least}")
    else:
        numbers[key] = value


def _read_pattern(node: Node, findings: Findings) -> EventPattern | None:
    """`{kind: write}`; a text alone is a kind of event."""
    if node.place.text:
        given: dict[str, Json] = {"kind": node.place.text}
        nodes = {"kind": node}
    elif isinstance(node.value, dict):
        nodes = node.children()
        given = {key: _read_field(key, each, findings) for key, each in nodes.items()}
    else:
        findings.wrong(node, "a pattern such as `{kind: write}`")
        return None
    if not given:
        findings.say(node, "an empty pattern means every event", f"give one of {_list(FIELDS)}")
        return None
    kind = given.get("kind", "call")
    if kind is not None and kind not in KINDS:
        findings.say(nodes["kind"], f"unknown kind `{kind}`", did_you_mean(kind, KINDS))
        return None
    if None in given.values():
        return None
    for key in given.keys() - {"kind", *KINDS[kind]}:
        known = [each for each in KINDS if key in KINDS[each]]
        hint = f"`{key}` goes with {_list(known)}"
        findings.say(nodes[key], f"a `{kind}` has no `{key}`: it can never match", hint, key=True)
        return None
    return EventPattern(**given)


def _read_field(key: str, node: Node, findings: Findings) -> Json:
    if key not in FIELDS:
        words = f"unknown field `{key}` in a pattern"
        findings.say(node, words, did_you_mean(key, FIELDS), key=True)
        return None
    if key == "failed":
        return read_flag(node, findings)
    if key == "subagent" and isinstance(node.value, bool):
        return node.value
    if key == "exit":
        if isinstance(node.value, int) and not isinstance(node.value, bool):
            return node.value
        findings.wrong(node, "an exit code")
        return None
    return read_name(node, findings)
