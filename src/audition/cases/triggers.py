"""Trigger sets: queries that should, and should not, call one skill.

In: the path of a JSON, JSON lines or YAML file: `[{query, should_trigger}]`, the same below a
key, two lists, Skill Lab's cases and scenarios. Out: a Suite.
Must not know: how cases are run.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import ask, make_suite, no_skill
from audition.cases.marked_json import read_json, read_json_lines
from audition.cases.mounted import meant_skill, own_skill
from audition.cases.scenarios import read_scenario
from audition.cases.trigger_marks import is_trigger_set
from audition.cases.triggered import Triggered, make_case
from audition.model import Case, Skill, Suite
from audition.yaml_aliases import read_yaml

NAMED = re.compile(
    r"(eval_queries|.*triggers?([_-](evals?|tests?|set|queries))?)\.\w+", re.IGNORECASE
)
"""The names in use: eval_queries, trigger-eval(s), trigger_tests, triggers …"""
SUFFIXES = {".json", ".jsonl", ".yaml", ".yml"}
ASKED = ("query", "prompt", "text", "input", "question")
TWO = {
    **dict.fromkeys(("shouldtrigger", "shouldtriggerprompts", "shouldtriggerqueries"), True),
    **dict.fromkeys(("positivetriggers", "positives", "positive"), True),
    **dict.fromkeys(
        ("shouldnottrigger", "shouldnottriggerprompts", "shouldnottriggerqueries"), False
    ),
    **dict.fromkeys(("negativetriggers", "negatives", "negative"), False),
}
"""The two lists, without the difference of `_` and capitals."""
HOLDERS = (
    *("queries", "evals", "cases", "tests", "test_cases", "test_queries", "prompts"),
    *("trigger_evals", "trigger_tests", "triggers"),
)
ABOUT = ("description", "version", "name")
KEPT = ("split", "confidence", "category", "kind", "type")
"""Labels, kept as tags."""
OURS = re.compile(r"(.+\.)?cases\.ya?ml", re.IGNORECASE)
CASES = re.compile(rb"(^|[{,])\s*[\"']?cases[\"']?\s*:", re.MULTILINE)
"""Our own format may be written in braces, too, and has `prompts` and `should_trigger`."""


def claims(path: Path, head: bytes) -> bool:
    """Queries with `should_trigger`, two lists of them, or Skill Lab's `expected: trigger`."""
    ours = OURS.fullmatch(path.name) and CASES.search(head)
    if ours or path.suffix.lower() not in SUFFIXES:
        return False
    return is_trigger_set(head, by_name=NAMED.fullmatch(path.name) is not None)


def claims_named(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """A file by one of the names in use, when the user names it."""
    return path.suffix.lower() in SUFFIXES and NAMED.fullmatch(path.name) is not None


def read(path: Path) -> Suite:
    """Read one trigger set."""
    readers = {".json": read_json, ".jsonl": read_json_lines}
    ledger = Ledger(readers.get(path.suffix.lower(), read_yaml)(path))
    skills = own_skill(path)
    name = skill_name(path, ledger.root, skills)
    cases = trigger_cases(ledger.root, name)
    for key in ABOUT:
        if key in ledger.root:
            ledger.root.at(key).say("is for readers; not used", "note")
    return make_suite(ledger, format="triggers", cases=cases, skills=skills)


def skill_name(path: Path, root: Given, skills: tuple[Skill, ...]) -> str:
    """The skill that a set is about: as it says, where it lies, or by its folder's name."""
    for key in ("skill_name", "skill"):
        if key in root and (name := root.text(key)):
            return _own_name(path, root.at(key), name, skills)
    if len(skills) == 1:
        return skills[0].name
    stem = path.name.partition(".")[0]
    if stem in {each.name for each in skills}:
        return stem
    folder = path.absolute().parent
    name = folder.parent.name if folder.name in {"evals", "eval", "tests"} else folder.name
    root.ledger.say(root.node, f"names no skill: `{name}`, by its folder")
    return name


def _own_name(path: Path, given: Given, name: str, skills: tuple[Skill, ...]) -> str:
    """The name in the file; that of the skill it lies in, where it names one that is not there."""
    here = path.absolute().parent
    lies_in = any((each / "SKILL.md").is_file() for each in (here, here.parent))
    if len(skills) == 1 and lies_in and meant_skill(name, skills) != skills[0].name:
        given.say(f"there is no skill `{name}`: read as the one it lies in, `{skills[0].name}`")
        return skills[0].name
    return name


def trigger_cases(given: Given, skill: str) -> list[Case]:
    """The cases of a list of queries, of two lists, or of whatever holds those."""
    if given.is_list():
        if not given.value:
            given.take()
        return _cases(given.items(), skill, None)
    cases: list[Case] = []
    for key in given.keys():  # noqa: SIM118 - not a mapping
        want = TWO.get(key.replace("_", "").replace("-", "").lower())
        if want is not None and (given.value[key] is None or given.at(key).is_list()):
            cases += _cases(given.listed(key), skill, want)
    for key in HOLDERS:
        if key in given and isinstance(given.value[key], list | dict):
            cases += trigger_cases(given.at(key), skill)
    told = given.listed("scenarios") if "scenarios" in given else ()
    found = [read_scenario(each, number, skill) for number, each in enumerate(told, 1)]
    return [*cases, *(each for each in found if each)]


def _cases(listed: Sequence[Given], skill: str, want: bool | None) -> list[Case]:
    found = [_case(each, number, skill, want) for number, each in enumerate(listed, 1)]
    return [each for each in found if each]


def _case(given: Given, number: int, skill: str, want: bool | None) -> Case | None:
    prefix = {True: "trigger", False: "quiet", None: "query"}[want]
    if not isinstance(given.value, dict):
        if want is None:
            given.say("says no `should_trigger`: dropped")
            return None
        text = given.written()
        said = Triggered(id=f"{prefix}-{number}", prompt=text or "", skill=skill, triggers=want)
        return None if text is None else make_case(given, said)
    prompt = ask(given, *ASKED)
    if prompt is None:
        return None
    triggers = _triggers(given, want)
    name = given.text("skill") or skill
    label, triggers = _label(given, name, triggers)
    if triggers is None:
        given.say("says no `should_trigger`: the case is dropped")
        return None
    for key in ("reason", "notes", "note", "rationale", "name"):
        if key in given:
            given.at(key).say("is for readers; not used", "note")
    said = Triggered(
        id=given.name(f"{prefix}-{number}"),
        prompt=prompt,
        skill=label,
        triggers=triggers,
        tags=tuple(text for key in KEPT if (text := given.text(key))),
    )
    return make_case(given, said)


def _triggers(given: Given, want: bool | None) -> bool | None:
    """By the list it stands in, by its flag, or by Skill Lab's `expected`."""
    flags = [given.flag(key) for key in ("should_trigger", "shouldTrigger")]
    flag = next((each for each in flags if each is not None), None)
    said = given.text("expected").strip().lower().replace("-", "_") if "expected" in given else ""
    if said in ("trigger", "no_trigger"):
        flag = said == "trigger" if flag is None else flag
    elif said:
        given.at("expected").say(f"`{said}` is neither `trigger` nor `no_trigger`; not used")
    if want is not None and flag is not None and flag != want:
        given.ledger.say(given.node, "its flag and the list it stands in differ; the list decides")
    return flag if want is None else want


def _label(given: Given, skill: str, triggers: bool | None) -> tuple[str, bool | None]:
    """The route label, where there is one; it may say that no skill is right."""
    if "expected_skill" not in given.keys():  # noqa: SIM118 - not a mapping
        return skill, triggers
    label = given.text("expected_skill")
    quiet = no_skill(label)
    if triggers is None:
        given.at("expected_skill").say("decides, for there is no `should_trigger`", "note")
        return (skill, False) if quiet else (label, True)
    if triggers and quiet:
        given.at("expected_skill").say("says none, but `should_trigger` is true, which decides")
        return skill, True
    if not triggers and not quiet and label != skill:
        words = f"only that `{skill}` stays quiet is checked, not that `{label}` is called"
        given.at("expected_skill").say(words)
        return skill, False
    return skill if quiet else label, triggers


triggers = CaseFormat(name="triggers", claims=claims, claims_named=claims_named, read=read)
