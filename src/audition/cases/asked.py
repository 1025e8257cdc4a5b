"""The parts of a case that have parts: its turns, its checks, its rubric.

In: a Node. Out: model values, or None where it is wrong; the findings say why.
Must not know: which suite the case is in.
"""

import os
import re
import shlex
from functools import cache

import msgspec

from audition.cases.fields import Findings, kind_of, read_id, read_name, read_text, read_texts
from audition.cases.paths import beside, read_file
from audition.cases.verifier import look_for_program
from audition.check import BadArguments, Check, arguments_of, bind, checks
from audition.errors import AuditionError, did_you_mean
from audition.model import CheckSpec, Criterion, Json
from audition.yaml_file import Node

CRITERION = ("id", "question", "applies_when", "severity", "evidence")
MOST_CRITERIA = 50
MOST_CHARS = 8000
"""Of one text of a question."""
"""A longer rubric is refused: each question is one that a judge is paid for."""
NOBODY = ""
"""What `skill: none` is read as."""


def read_files(node: Node, findings: Findings) -> dict[str, str] | None:
    """Where in the workspace, and the file that must be there, absolute."""
    if not isinstance(node.value, dict):
        findings.wrong(node, "a mapping of paths in the workspace to files")
        return None
    found: dict[str, str] = {}
    for name, each in node.children().items():
        if not name or name.startswith("/") or ".." in name.split("/") or "\0" in name:
            findings.say(each, f"`{name}` is no path in the workspace", "", key=True)
        elif path := read_file(each, findings):
            found[name] = path
    return found


def read_schema(node: Node, findings: Findings) -> str | None:
    """A file that must be there and hold a JSON Schema, absolute: the answer is checked by it."""
    if (path := read_file(node, findings)) is None:
        return None
    try:
        bind(CheckSpec(name="json_valid", arguments={"schema": path}))
    except AuditionError as error:
        findings.say(node, str(error).removeprefix("check `json_valid`: "), error.hint)
        return None
    return path


def read_solution(node: Node, findings: Findings) -> list[str] | None:
    """Lines of words; a word that names a file beside the case file is that file."""
    lines = read_texts(node, findings)
    if lines is None:
        return None
    found: list[str] = []
    for line in lines:
        try:
            words = shlex.split(line)
        except ValueError as error:
            findings.say(node, f"`{line}`: {error}", "close the quote")
            return None
        pairs = [(word, beside(node, word)) for word in words]
        found.append(shlex.join(path if os.path.isfile(path) else word for word, path in pairs))
    return found


def read_skill_name(node: Node, findings: Findings) -> str | None:
    """A skill's name, or nobody: `none`."""
    text = node.place.text
    if text is not None and text.lower() in {"none", "null", "~"}:
        return NOBODY
    if text is not None and not text.strip():
        findings.say(node, "is empty", "for a negative case write `skill: none`", key=True)
        return None
    return read_text(node, findings)


def read_prompts(node: Node, findings: Findings) -> list[str] | None:
    """Several turns of one session."""
    prompts = read_texts(node, findings)
    if prompts == [] and not node.value:
        findings.say(node, "has no turns", "list what the user says, turn by turn")
        return None
    return prompts


def read_checks(node: Node, findings: Findings) -> tuple[CheckSpec, ...] | None:
    """A list of checks: `name`, `name: {arguments}` or `name: argument`."""
    if not isinstance(node.value, list):
        hint = "begin each check with `- `" if isinstance(node.value, dict) else ""
        findings.say(node, f"expected a list of checks, found {kind_of(node)}", hint)
        return None
    found = [_read_check(each, findings) for each in node.items()]
    return tuple(each for each in found if each is not None)


def _read_check(node: Node, findings: Findings) -> CheckSpec | None:
    if isinstance(node.value, str):
        name, given = node.value, None
    elif isinstance(node.value, dict) and len(node.value) == 1:
        name, given = next(iter(node.children().items()))
    else:
        hint = "write `- name: {argument: value}`, and begin each check with its own `- `"
        findings.say(node, f"expected one check, found {kind_of(node)}", hint)
        return None
    if name not in checks:
        implied = "it is checked in every case: leave it out" if name == "activation" else ""
        hint = implied or did_you_mean(name, checks)
        findings.say(given or node, f"unknown check `{name}`", hint, key=True)
        return None
    try:
        check = checks[name]
    except AuditionError as error:
        findings.say(given or node, str(error), error.hint, key=True)
        return None
    arguments = _read_arguments(name, check, given, findings)
    return None if arguments is None else _bound(name, arguments, given or node, findings)


def _read_arguments(
    name: str, check: Check, given: Node | None, findings: Findings
) -> dict[str, Node] | None:
    """The arguments by name, whichever way they are written."""
    if given is None or (given.value is None and not given.place.text):
        return {}
    fields = _fields(check)
    required = [each.name for each in fields if each.required]
    if isinstance(given.value, dict):
        known = {each.name for each in fields}
        # A check whose one argument is itself a mapping may be given it without its name.
        if len(required) != 1 or not given.value or known & set(given.value):
            return given.children()
        if not _fits(given.value, next(e.type for e in fields if e.name == required[0])):
            return given.children()
    text = given.place.text
    if not required and given.value is not None and text and _fits(text, fields[0].type):
        return {fields[0].name: given}
    if len(required) != 1:
        hint = f"known: {', '.join(f'`{each.name}`' for each in fields)}" if fields else ""
        words = f"check `{name}` takes its arguments by name, found {kind_of(given)}"
        findings.say(given, words, hint)
        return None
    return {required[0]: given}


@cache
def _fields(check: Check) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(arguments_of(check))


def _fits(value: Json, wanted: type) -> bool:
    try:
        msgspec.convert(value, wanted, strict=True)
    except msgspec.ValidationError:
        return False
    return True


def _typed(check: Check, arguments: dict[str, Node]) -> dict[str, Json]:
    """The values; where text is wanted, as written: `{text: no}` looks for `no`."""
    wanted = {each.name: each.type for each in _fields(check)}
    typed: dict[str, Json] = {}
    for name, node in arguments.items():
        typed[name] = node.value
        if name not in wanted or _fits(node.value, wanted[name]):
            continue
        if _fits(written := node.written(), wanted[name]):
            typed[name] = written
    return typed


def _bound(
    name: str, arguments: dict[str, Node], node: Node, findings: Findings
) -> CheckSpec | None:
    """Bind the arguments; take each fault out and bind again, so that all are found."""
    known = arguments_of(checks[name]).__struct_fields__
    given = _typed(checks[name], arguments)
    if isinstance(given.get("schema"), str):
        given["schema"] = read_file(arguments["schema"], findings)
    left = dict(given)
    while True:
        try:
            bind(CheckSpec(name=name, arguments=left))
        except BadArguments as error:
            top = re.split(r"[.\[]", error.field)[0]
            if top not in left:
                # Missing, or missing now: what was wrong has been said.
                gone = given.keys() - left.keys()
                if not gone or not (top or any(f"`{each}`" in str(error) for each in gone)):
                    findings.say(node, str(error), error.hint, key=True)
                return None
            findings.say(arguments[top], str(error), error.hint, key=top not in known)
            del left[top]
        except (AuditionError, ValueError) as error:
            findings.say(node, str(error), getattr(error, "hint", ""), key=True)
            return None
        else:
            if name == "program":
                look_for_program(arguments["command"], findings)
            return CheckSpec(name=name, arguments=given) if left == given else None


def read_rubric(node: Node, findings: Findings, numbered: str = "") -> tuple[Criterion, ...] | None:
    """Questions for the judge: a text, a list of texts, or a list of criteria."""
    if node.place.text:
        text = _read_words(node, findings)
        return None if text is None else (Criterion(id=f"{numbered}1", question=text),)
    if not isinstance(node.value, list):
        findings.wrong(node, "a list of questions")
        return None
    if len(node.value) > MOST_CRITERIA:
        words = f"{len(node.value)} questions, and {MOST_CRITERIA} are the most"
        findings.say(node, words, "ask what matters; split the rest over several cases")
        return None
    found: list[Criterion] = []
    for number, each in enumerate(node.items(), 1):
        criterion = _read_criterion(each, f"{numbered}{number}", findings)
        if criterion and criterion.id in {one.id for one in found}:
            findings.say(each, f"two questions have the id `{criterion.id}`", "rename one")
        elif criterion:
            found.append(criterion)
    return tuple(found)


def _read_criterion(node: Node, number: str, findings: Findings) -> Criterion | None:
    if not isinstance(node.value, dict):
        question = _read_words(node, findings)
        return None if question is None else Criterion(id=number, question=question)
    texts: dict[str, Json] = {}
    for key, each in node.children().items():
        if key not in CRITERION:
            # No mere warning: a condition that is misspelt would be a question that always applies.
            findings.say(each, f"unknown key `{key}`", did_you_mean(key, CRITERION), key=True)
            continue
        text = (read_id if key == "id" else _read_words)(each, findings)
        if text is not None:
            texts[key] = text
    if "id" in node.value and "id" not in texts:
        return None
    if "question" not in node.value:
        findings.say(node, "has no `question`", "ask what can be answered with yes or no")
    severity = texts.get("severity", "must")
    if severity not in {"must", "should"}:
        hint = did_you_mean(severity, ("must", "should"))
        findings.say(node.at("severity"), f"unknown severity `{severity}`", hint)
        return None
    return Criterion(**{"id": number, **texts}) if "question" in texts else None


def _read_words(node: Node, findings: Findings) -> str | None:
    text = read_name(node, findings)
    if text is None or len(text) <= MOST_CHARS:
        return text
    words = f"{len(text)} characters, and {MOST_CHARS} are the most"
    findings.say(node, words, "ask for one thing, in a sentence or two")
    return None
