"""Trigger sets: queries that should, and should not, call one skill.

In: the path of a JSON or YAML file: `[{query, should_trigger}]`, or two lists.
Out: a Suite. Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat, read_yaml
from audition.cases.given import Given, Ledger
from audition.cases.imported import make_suite, no_prompt, no_skill
from audition.cases.marked_json import read_json
from audition.cases.mounted import own_skill
from audition.model import Case, Skill, Suite

FLAT = re.compile(rb"\s*(\xef\xbb\xbf)?\s*\[\s*\{")
QUERY = re.compile(rb'"(query|prompt)"\s*:')
FLAG = re.compile(rb'"should_trigger"\s*:\s*("?true|"?false)', re.IGNORECASE)
LISTS = re.compile(rb'"?should_(not_)?trigger(_prompts)?"?\s*:\s*(\[|\n|$)')
NAMES = {"eval_queries.json", "trigger-evals.json", "trigger_eval.json", "trigger-eval.json"} | {
    "triggers.json"
}
ASKED = ("query", "prompt", "text", "input")
TWO = {
    "should_trigger": True,
    "should_trigger_prompts": True,
    "should_not_trigger": False,
    "should_not_trigger_prompts": False,
}
KEPT = ("split", "confidence", "category", "kind")
"""Labels, kept as tags."""


def claims(path: Path, head: bytes) -> bool:
    """A list of queries with `should_trigger`, or a file that is nothing but two such lists."""
    suffix = path.suffix.lower()
    if suffix == ".json" and FLAT.match(head):
        return bool(QUERY.search(head) and FLAG.search(head)) and b'"assertions"' not in head
    if suffix not in {".json", ".yaml", ".yml"} or b"evals" in head:
        return False
    return len({match[1] for match in LISTS.finditer(head)}) == 2


def claims_named(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """A file by one of the names in use, when the user names it."""
    return path.name in NAMES


def read(path: Path) -> Suite:
    """Read one trigger set."""
    ledger = Ledger(read_json(path) if path.suffix.lower() == ".json" else read_yaml(path))
    skills = own_skill(path)
    name = skill_name(path, ledger.root, skills)
    cases = trigger_cases(ledger.root, name)
    for key in ("description", "version"):
        if key in ledger.root:
            ledger.root.at(key).say("is for readers; not used", "note")
    return make_suite(ledger, format="triggers", cases=cases, skills=skills)


def skill_name(path: Path, root: Given, skills: tuple[Skill, ...]) -> str:
    """The skill that a set is about: as it says, where it lies, or by its folder's name."""
    for key in ("skill_name", "skill"):
        if key in root and (name := root.text(key)):
            return name
    if len(skills) == 1:
        return skills[0].name
    stem = path.name.partition(".")[0]
    if stem in {each.name for each in skills}:
        return stem
    folder = path.absolute().parent
    name = folder.parent.name if folder.name in {"evals", "eval", "tests"} else folder.name
    root.ledger.say(root.node, f"names no skill: `{name}`, by its folder")
    return name


def trigger_cases(given: Given, skill: str) -> list[Case]:
    """The cases of a list of queries, or of two lists."""
    if given.is_list():
        if not given.value:
            given.take()
        listed = [(each, None) for each in given.items()]
        found = [_case(each, number, skill, want) for number, (each, want) in enumerate(listed, 1)]
        return [each for each in found if each]
    cases: list[Case] = []
    for key, want in TWO.items():
        for number, each in enumerate(given.listed(key) if key in given else (), 1):
            if case := _case(each, number, skill, want):
                cases.append(case)
    for key in ("queries", "evals", "cases", "tests"):
        if key in given and given.at(key).is_list():
            cases += trigger_cases(given.at(key), skill)
    return cases


def _case(given: Given, number: int, skill: str, want: bool | None) -> Case | None:
    prefix = {True: "trigger", False: "quiet", None: "query"}[want]
    if not isinstance(given.value, dict):
        text = given.written()
        if text is None or want is None:
            given.say("says no `should_trigger`: dropped")
            return None
        return _made(f"{prefix}-{number}", text, skill, want, given, ())
    asked = next((key for key in ASKED if key in given), "")
    if not asked:
        no_prompt(given)
        return None
    prompt = given.text(asked)
    triggers = want if want is not None else given.flag("should_trigger")
    label = _label(given, skill, triggers)
    if label is None or triggers is None:
        given.say("says no `should_trigger`: the case is dropped")
        return None
    name = given.text("id").strip() or f"{prefix}-{number}"
    tags = tuple(text for key in KEPT if (text := given.text(key)))
    if "reason" in given:
        given.at("reason").say("is for readers; not used", "note")
    return _made(name, prompt, label, triggers, given, tags)


def _label(given: Given, skill: str, triggers: bool | None) -> str | None:
    """The route label, where there is one; it may say that no skill is right."""
    if "expected_skill" not in given.keys():  # noqa: SIM118 - not a mapping
        return skill
    label = given.text("expected_skill")
    if triggers and no_skill(label):
        given.at("expected_skill").say("says none, but `should_trigger` is true, which decides")
        return skill
    if triggers is False and not no_skill(label) and label != skill:
        words = f"only that `{skill}` stays quiet is checked, not that `{label}` is called"
        given.at("expected_skill").say(words)
        return skill
    return skill if no_skill(label) else label


def _made(
    name: str, prompt: str, skill: str, triggers: bool, given: Given, tags: tuple[str, ...]
) -> Case:
    return Case(
        id=name, prompt=prompt, skill=skill, should_trigger=triggers, tags=tags, line=given.line
    )


triggers = CaseFormat(name="triggers", claims=claims, claims_named=claims_named, read=read)
