"""CAT's `test_cases.json`: prompts that one skill, or none, should answer.

In: the path of the file. Out: a Suite, graded as CAT does.
Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import ask, make_suite, no_skill
from audition.cases.marked_json import read_json
from audition.cases.mounted import mounted_skills, skills_above
from audition.model import Case, Skill, Suite

CONTENT = re.compile(rb'"test_cases"\s*:\s*\[')
CASE = re.compile(rb'"prompt"\s*:')
EXPECTS = re.compile(rb'"(skill|category)"\s*:')
SECONDS = 60.0
"""CAT's own time-out, and with it one turn: it looks at the first call only."""
PREFIX = "cat:"


def claims(path: Path, head: bytes) -> bool:
    """JSON with a list `test_cases` of prompts with a skill or a category."""
    if path.suffix.lower() != ".json" or not CONTENT.search(head):
        return False
    return bool(CASE.search(head) and EXPECTS.search(head))


def claims_named(path: Path, head: bytes) -> bool:
    """Any JSON with a list `test_cases`, when the user names it."""
    return path.suffix.lower() == ".json" and CONTENT.search(head) is not None


def read(path: Path) -> Suite:
    """Read one file of test cases."""
    ledger = Ledger(read_json(path))
    cases = [_case(each, number) for number, each in enumerate(ledger.root.listed("test_cases"), 1)]
    words = f"each case has {SECONDS:g} seconds and one turn, as there"
    ledger.say(ledger.root.node, words, "note")
    return make_suite(
        ledger,
        format="cat",
        policy="cat",
        cases=[each for each in cases if each],
        skills=_skills(path, ledger),
    )


def _case(given: Given, number: int) -> Case | None:
    if not isinstance(given.value, dict):
        given.wrong("a mapping")
        return None
    prompt = ask(given, "prompt")
    if prompt is None:
        return None
    skill = given.text("skill")
    category = given.text("category")
    quiet = no_skill(skill)
    if category == "negative" and not quiet:
        given.at("category").say(f"says negative, but `skill` is `{skill}`, which decides")
    if category in ("explicit", "implicit") and quiet:
        given.at("category").say(f"says {category}, but there is no `skill`: negative, as there")
    if skill.startswith(PREFIX):
        words = f"`{skill}` is read as `{skill.removeprefix(PREFIX)}`, which CAT itself never meets"
        given.at("skill").say(words)
    return Case(
        id=given.name(f"case-{number}"),
        prompt=prompt,
        skill=None if quiet else skill.removeprefix(PREFIX),
        should_trigger=not quiet,
        tags=(category,) if category else (),
        timeout_s=SECONDS,
        settings={"max_turns": 1},
        line=given.line,
    )


def _skills(path: Path, ledger: Ledger) -> tuple[Skill, ...]:
    """The plug-in's skills: where the inventory says, else in a usual place above."""
    found = skills_above(path)
    inventory = path.with_name("skill_inventory.json")
    if found or not inventory.is_file():
        return found
    listed = read_json(inventory).value
    entries = listed.get("skills") if isinstance(listed, dict) else None
    folders = [
        each["path"]
        for each in entries or ()
        if isinstance(each, dict) and isinstance(each.get("path"), str) and each["path"]
    ]
    skills = [
        skill
        for folder in folders
        if "\0" not in folder
        for skill in mounted_skills(path, [folder.removesuffix("/SKILL.md")])
    ]
    if entries and not skills:
        ledger.say(ledger.root.node, "the folders that skill_inventory.json names are not here")
    return tuple({each.path: each for each in skills}.values())


cat = CaseFormat(name="cat", claims=claims, claims_named=claims_named, read=read)
