"""promptfoo's `promptfooconfig.yaml`, as far as its assertions map.

In: the path of the file. Out: a Suite: every prompt with every test.
Must not know: how cases are run, how an assertion is read.
"""

import itertools
import re
from pathlib import Path

import msgspec

from audition.case_file import BadCases, CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import any_skill, make_suite
from audition.cases.marked_json import read_json
from audition.cases.mounted import mounted_skills, own_skill
from audition.cases.promptfoo_asserts import Asserted, read_asserts
from audition.cases.promptfoo_tests import file_named, read_tests
from audition.cases.templates import fill, leftover
from audition.model import Case, Skill, Suite, Value
from audition.yaml_aliases import read_yaml

PROMPTS = re.compile(rb"^[\"']?prompts[\"']?\s*:", re.MULTILINE)
TESTS = re.compile(rb"^[\"']?tests[\"']?\s*:", re.MULTILINE)
PROVIDERS = re.compile(
    rb"^[\"']?(providers|targets|defaultTest)[\"']?\s*:|^# yaml-language-server", re.MULTILINE
)
SUFFIXES = {".yaml", ".yml", ".json"}
MOUNTS = (".claude/skills", ".agents/skills", "skills")
MOST_CASES = 2000
SIZE_CAP = 1 << 20


class _Shared(Value, frozen=True, kw_only=True):
    """What all tests of a configuration have."""

    prompts: tuple[str, ...]
    default: Given
    variables: dict[str, tuple[str, ...]]
    unsaid: tuple[str, ...]
    """The skills that a test means which names none."""


def claims(path: Path, head: bytes) -> bool:
    """YAML with `prompts` and `tests`, and providers or a telling name."""
    if path.stem.lower() == "promptfooconfig" and path.suffix.lower() in SUFFIXES:
        return b"prompts" in head
    if path.suffix.lower() not in {".yaml", ".yml"} or not head:
        return False
    known = "promptfoo" in path.name.lower() or PROVIDERS.search(head)
    return bool(known and PROMPTS.search(head) and TESTS.search(head))


def read(path: Path) -> Suite:
    """Read one configuration, with the files of prompts and tests that it names."""
    reader = read_json if path.suffix.lower() == ".json" else read_yaml
    ledger = Ledger(reader(path))
    root = ledger.root
    if "description" in root:
        root.at("description").say("is for readers; not used", "note")
    skills = _skills(path, root)
    default = root.child("defaultTest")
    tests: list[tuple[Given, str]] = []
    for each in root.listed("tests"):
        tests += _opened(each, path)
    names = read_asserts(default, {}, path)
    unsaid = () if all(_names_skill(each, names) for each, _ in tests) else any_skill(root, skills)
    shared = _Shared(
        prompts=tuple(_prompts(root, path)),
        default=default,
        variables=_variables(default, path),
        unsaid=unsaid,
    )
    cases = [
        case
        for number, (test, file) in enumerate(tests, 1)
        for case in _cases(test, number, shared, file)
    ]
    if len(cases) > MOST_CASES:
        ledger.say(root.node, f"{len(cases)} cases: those behind {MOST_CASES} are dropped")
    for other in {id(each.ledger): each.ledger for each, _ in tests}.values():
        if other is not ledger:
            ledger.losses += other.settle()
    return make_suite(ledger, format="promptfoo", cases=cases[:MOST_CASES], skills=skills)


def _skills(path: Path, root: Given) -> tuple[Skill, ...]:
    """Those of the working folder that a provider names, else those near the file."""
    folders = [each.child("config").text("working_dir") for each in _providers(root)]
    for key in ("providers", "targets"):
        if key in root:
            words = "who is asked is said on the command line: `--agent`"
            root.at(key).say(words)
    for folder in folders:
        if folder and "\0" not in folder and "{{" not in folder:
            places = [f"{folder}/{each}" for each in MOUNTS]
            if found := mounted_skills(path, places):
                return found
    return own_skill(path)


def _providers(root: Given) -> list[Given]:
    found = [each for key in ("providers", "targets") for each in root.listed(key)]
    return [each for each in found if isinstance(each.value, dict)]


def _opened(given: Given, path: Path) -> list[tuple[Given, str]]:
    """The tests that an entry stands for, and the file they are in."""
    if isinstance(given.value, dict) and "path" not in given:
        return [(given, str(path))]
    words = (given.text("path") if isinstance(given.value, dict) else given.written()) or ""
    try:
        files = file_named(words, path)
        if not files:
            given.say(f"no tests are read from `{words}`: only from YAML, JSON and CSV files here")
        return [(test, str(file)) for file in files for test in read_tests(file)]
    except BadCases as error:
        given.ledger.losses += error.findings
        return []


def _prompts(root: Given, path: Path) -> list[str]:
    found: list[str] = []
    for each in root.listed("prompts"):
        keys = ("raw", "id") if isinstance(each.value, dict) else ()
        text = next((said for key in keys if (said := each.text(key))), "") or (
            "" if keys else each.written() or ""
        )
        files = file_named(text, path, among={".txt", ".md"})
        if text.startswith("file://") and not files:
            each.say(f"`{text}` is not read: only .txt and .md files are")
            continue
        for file in files:
            with file.open("rb") as opened:
                said = opened.read(SIZE_CAP).decode("utf-8-sig", "replace")
            # A text file may hold several prompts.
            parts = re.split(r"^---[ \t]*$", said, flags=re.MULTILINE)
            found += [part.strip("\r\n") for part in parts if part.strip()]
        if not files:
            found.append(text)
    return found


def _variables(given: Given, path: Path) -> dict[str, tuple[str, ...]]:
    """Each variable with its values: a list is one test for each of them."""
    child = given.child("vars")
    found: dict[str, tuple[str, ...]] = {}
    for key in child.keys():  # noqa: SIM118 - not a mapping
        if isinstance(child.value[key], dict):
            child.at(key).take()
            found[key] = (msgspec.json.encode(child.value[key]).decode(),)
            continue
        texts = [_of_file(each, text, path) for each, text in child.texts(key)]
        found[key] = tuple(texts) or ("",)
    return found


def _of_file(given: Given, text: str, path: Path) -> str:
    if not text.startswith("file://"):
        return text
    files = file_named(text, path, among={".txt", ".md", ".json", ".csv", ".yaml", ".yml"})
    if len(files) != 1:
        given.say(f"`{text}` is not read; the variable has this text")
        return text
    with files[0].open("rb") as opened:
        return opened.read(SIZE_CAP).decode("utf-8-sig", "replace").strip("\r\n")


def _names_skill(given: Given, shared: Asserted) -> bool:
    found = [each.value for each in given.listed("assert") if isinstance(each.value, dict)]
    inner = [
        one
        for each in found
        if isinstance(each.get("assert"), list)
        for one in each["assert"]
        if isinstance(one, dict)
    ]
    return bool(shared.skills or shared.quiet) or any(
        "skill-used" in str(each.get("type")) for each in (*found, *inner)
    )


def _cases(given: Given, number: int, shared: _Shared, file: str) -> list[Case]:
    """Every prompt with every combination of the variables' values."""
    at = Path(file)
    variables = {**shared.variables, **_variables(given, at)}
    name = given.text("description").strip() or f"test-{number}"
    one_by_one = _expands(given, shared.default)
    combined = (
        [dict(zip(variables, each, strict=True)) for each in itertools.product(*variables.values())]
        if one_by_one
        else [{key: ", ".join(values) for key, values in variables.items()}]
    )
    prompts = shared.prompts
    found: list[Case] = []
    for place, values in enumerate(combined[:MOST_CASES], 1):
        filled = {key: fill(text, values) for key, text in values.items()}
        for order, prompt in enumerate(prompts, 1):
            label = f"{name} [{place}]" if len(combined) > 1 else name
            label = f"{label} (prompt {order})" if len(prompts) > 1 else label
            text = fill(prompt, filled)
            if missing := leftover(text):
                given.ledger.say(given.node, f"prompt {order}: no value for {missing}")
            found.append(_case(given, label, text, filled, shared))
    return [msgspec.structs.replace(each, file=file) for each in found]


def _expands(given: Given, default: Given) -> bool:
    """Whether a list of values stands for several tests."""
    for each in (given.child("options"), default.child("options")):
        if (said := each.flag("disableVarExpansion")) is not None:
            return not said
    return True


def _case(given: Given, name: str, prompt: str, values: dict[str, str], shared: _Shared) -> Case:
    base = Path(given.node.marked.path)
    theirs = read_asserts(shared.default, values, Path(shared.default.node.marked.path))
    own = read_asserts(given, values, base)
    skills = own.skills or theirs.skills
    quiet = own.quiet or theirs.quiet
    expected = skills or (() if quiet else shared.unsaid)
    return Case(
        id=name,
        prompt=prompt,
        skill=(expected or quiet or (None,))[0] if len(expected) < 2 else None,
        any_of=expected if len(expected) > 1 else (),
        should_trigger=bool(expected),
        checks=(*theirs.checks, *own.checks),
        rubric=tuple(
            msgspec.structs.replace(each, id=str(number))
            for number, each in enumerate((*theirs.rubric, *own.rubric), 1)
        ),
        line=given.line,
    )


promptfoo = CaseFormat(name="promptfoo", claims=claims, read=read)
