"""promptfoo's `promptfooconfig.yaml`, as far as its assertions map.

In: the path of the file. Out: a Suite: every prompt with every test.
Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat, read_yaml
from audition.cases.given import Given, Ledger
from audition.cases.imported import any_skill, make_suite
from audition.cases.mounted import own_skill
from audition.cases.promptfoo_asserts import Asserted, read_asserts
from audition.model import Case, Suite

PROMPTS = re.compile(rb"^prompts\s*:", re.MULTILINE)
TESTS = re.compile(rb"^tests\s*:", re.MULTILINE)
PROVIDERS = re.compile(rb"^(providers|targets|defaultTest|# yaml-language-server)", re.MULTILINE)
VARIABLE = re.compile(r"\{\{-?\s*(\w+)\s*-?\}\}")
SIZE_CAP = 1 << 20


def claims(path: Path, head: bytes) -> bool:
    """YAML with `prompts` and `tests`, and providers or a telling name."""
    if path.suffix.lower() not in {".yaml", ".yml"} or not head:
        return False
    known = "promptfoo" in path.name.lower() or PROVIDERS.search(head)
    return bool(known and PROMPTS.search(head) and TESTS.search(head))


def read(path: Path) -> Suite:
    """Read one configuration."""
    ledger = Ledger(read_yaml(path))
    root = ledger.root
    if "description" in root:
        root.at("description").say("is for readers; not used", "note")
    for key in ("providers", "targets"):
        if key in root:
            root.at(key).say("who is asked is said on the command line: `--agent`")
    skills = own_skill(path)
    default = root.child("defaultTest")
    shared = read_asserts(default)
    prompts = _prompts(root, path)
    tests = [each for each in root.listed("tests") if _is_test(each)]
    unsaid = () if all(_names_skill(each, shared) for each in tests) else any_skill(root, skills)
    cases = [
        case
        for number, test in enumerate(tests, 1)
        for case in _cases(test, number, prompts, (shared, _variables(default)), unsaid)
    ]
    return make_suite(ledger, format="promptfoo", cases=cases, skills=skills)


def _is_test(given: Given) -> bool:
    if isinstance(given.value, dict):
        return True
    given.say("tests in other files are not read")
    return False


def _prompts(root: Given, path: Path) -> list[str]:
    found: list[str] = []
    for each in root.listed("prompts"):
        text = each.text("raw") if each.keys() else each.written() or ""
        if text.startswith("file://"):
            name = text.removeprefix("file://")
            file = path.absolute().parent / name
            if "\0" in name or file.suffix not in {".txt", ".md"} or not file.is_file():
                each.say(f"`{text}` is not read: only .txt and .md files are")
                continue
            with file.open("rb") as opened:
                text = opened.read(SIZE_CAP).decode("utf-8-sig", "replace")
        found.append(text)
    return found


def _variables(given: Given) -> dict[str, str]:
    child = given.child("vars")
    return {key: child.text(key) for key in child.keys()}  # noqa: SIM118 - not a mapping


def _names_skill(given: Given, shared: Asserted) -> bool:
    return bool(shared.skills or shared.quiet) or any(
        "skill-used" in str(each.value.get("type"))
        for each in given.listed("assert")
        if isinstance(each.value, dict)
    )


def _cases(
    given: Given,
    number: int,
    prompts: list[str],
    default: tuple[Asserted, dict[str, str]],
    unsaid: tuple[str, ...],
) -> list[Case]:
    shared, variables = default
    own = read_asserts(given)
    variables = {**variables, **_variables(given)}
    skills = own.skills or shared.skills
    quiet = own.quiet or shared.quiet
    expected = skills or (() if quiet else unsaid)
    name = given.text("description").strip() or f"test-{number}"
    found: list[Case] = []
    for place, prompt in enumerate(prompts, 1):
        filled, missing = _fill(prompt, variables)
        if missing:
            given.ledger.say(given.node, f"prompt {place}: no value for {missing}")
        found.append(
            Case(
                id=name if len(prompts) == 1 else f"{name} (prompt {place})",
                prompt=filled,
                skill=(expected or quiet or (None,))[0] if len(expected) < 2 else None,
                any_of=expected if len(expected) > 1 else (),
                should_trigger=bool(expected),
                checks=(*shared.checks, *own.checks),
                rubric=(*shared.rubric, *own.rubric),
                line=given.line,
            )
        )
    return found


def _fill(prompt: str, variables: dict[str, str]) -> tuple[str, str]:
    """The prompt with its variables, and those that have no value."""
    missing = [name for name in VARIABLE.findall(prompt) if name not in variables]
    missing += ["a template's logic"] if "{%" in prompt else []
    filled = VARIABLE.sub(lambda match: variables.get(match[1], match[0]), prompt)
    return filled, ", ".join(missing)


promptfoo = CaseFormat(name="promptfoo", claims=claims, read=read)
