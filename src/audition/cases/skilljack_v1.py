"""skilljack-evals' first format, `tasks.yaml`: one skill, many tasks.

In: the path of the file. Out: a Suite, graded as its deterministic scorer does.
Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import ask, check_of, contains, make_suite, no_skill
from audition.cases.mounted import mounted_skills, skills_above
from audition.model import Case, CheckSpec, Criterion, Suite
from audition.yaml_aliases import read_yaml

SKILL = re.compile(rb"^(\xef\xbb\xbf)?[\"']?skill[\"']?\s*:", re.MULTILINE)
TASKS = re.compile(rb"^[\"']?tasks[\"']?\s*:", re.MULTILINE)
OWN = re.compile(
    rb"(^\s+|^\s*-\s+|[{,]\s*)[\"']?(expected_skill_load|golden_checklist|deterministic|criteria|id)"
    rb"[\"']?\s*:",
    re.MULTILINE,
)
OTHERS = re.compile(
    rb"^(config|graders|metrics)\s*:|^(\s+|\s*-\s+)(instruction|inputs)\s*:", re.MULTILINE
)
PLACES = ("skills", "../skills", ".", "..")
SECONDS = 300.0
NEVER_RUN = ("state", "setup", "teardown")


def claims(path: Path, head: bytes) -> bool:
    """YAML with `skill` and a list of `tasks` that hold their own prompts."""
    return (
        path.suffix.lower() in {".yaml", ".yml"}
        and bool(SKILL.search(head) and TASKS.search(head) and OWN.search(head))
        and not OTHERS.search(head)
    )


def read(path: Path) -> Suite:
    """Read one file of tasks."""
    ledger = Ledger(read_yaml(path))
    root = ledger.root
    skill = root.text("skill")
    if "version" in root:
        root.at("version").say("is for readers; not used", "note")
    if (file := path.with_name("eval.config.yaml")).is_file():
        words = (
            f"`{file.name}` is not read: models, time-outs and limits are said to `audition run`"
        )
        ledger.say(root.node, words, "note")
    defaults = root.child("defaults")
    expected = defaults.text("expected_skill_load")
    shared = _rubric(defaults.child("criteria"))
    cases = [
        _case(each, number, (skill, expected), shared)
        for number, each in enumerate(root.listed("tasks"), 1)
    ]
    ledger.say(root.node, f"each task has {SECONDS:g} seconds, the default there", "note")
    return make_suite(
        ledger,
        format="skilljack-evals",
        policy="skilljack-evals",
        cases=[each for each in cases if each],
        skills=mounted_skills(path, PLACES) or skills_above(path),
    )


def _case(
    given: Given, number: int, names: tuple[str, str], shared: tuple[Criterion, ...]
) -> Case | None:
    if not isinstance(given.value, dict):
        given.wrong("a mapping")
        return None
    prompt = ask(given, "prompt")
    if prompt is None:
        return None
    rules = given.child("deterministic")
    skill, quiet = _expected(given, rules, names)
    _say_fixture(given)
    return Case(
        id=given.name(f"task-{number}"),
        prompt=prompt,
        skill=skill,
        should_trigger=not quiet,
        checks=_checks(rules),
        rubric=(*(_rubric(given.child("criteria")) or shared), *_checklist(given)),
        timeout_s=SECONDS,
        line=given.line,
    )


def _expected(given: Given, rules: Given, names: tuple[str, str]) -> tuple[str | None, bool]:
    """The skill that a task names, and whether all must stay quiet."""
    skill, default = names
    named = given.text("expected_skill_load", default)
    activation = rules.flag("expect_skill_activation")
    if activation is False:
        return (None if no_skill(named) else named), True
    if named.strip().lower() == "none":
        if activation:
            words = "says true, but the expected skill is `none`, which decides"
            rules.at("expect_skill_activation").say(words)
        return None, True
    if no_skill(named):
        given.ledger.say(given.node, f"names no expected skill: the suite's, `{skill}`", "note")
        return (None, True) if no_skill(skill) else (skill, False)
    return named, False


def _checks(rules: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    if "expect_marker" in rules:
        checks += contains(rules.at("expect_marker"), rules.text("expect_marker"))
    for each, tool in rules.texts("expect_tool_calls"):
        checks += check_of(each, "tool_used", tool=tool)
    for each, tool in rules.texts("expect_no_tool_calls"):
        checks += check_of(each, "tool_unused", tool=tool)
    return checks


def _rubric(criteria: Given) -> tuple[Criterion, ...]:
    """The descriptions as questions; weights have no place here."""
    found = []
    for name in ("adherence", "output"):
        question = criteria.child(name).text("description") if name in criteria else ""
        if question.strip():
            found.append(Criterion(id=name, question=question))
    return tuple(found)


def _checklist(given: Given) -> list[Criterion]:
    return [
        Criterion(id=f"checklist-{number}", question=text)
        for number, (_, text) in enumerate(given.texts("golden_checklist"), 1)
        if text.strip()
    ]


def _say_fixture(given: Given) -> None:
    fixture = given.child("fixture")
    for key in NEVER_RUN:
        if key in fixture:
            fixture.at(key).say("was read but never carried out there; dropped")


skilljack_v1 = CaseFormat(name="skilljack-evals", claims=claims, read=read)
