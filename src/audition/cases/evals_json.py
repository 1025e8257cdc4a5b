"""`evals.json` of agentskills.io and skill-creator, in all its dialects.

In: the path of the file. Out: a Suite: prompts, questions for the judge, files to begin with.
Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.assertions import read_assertions
from audition.cases.given import Given, Ledger
from audition.cases.imported import ask, make_suite, no_skill
from audition.cases.marked_json import read_json
from audition.cases.mounted import own_skill
from audition.cases.triggers import skill_name, trigger_cases
from audition.model import Case, Criterion, Suite

LISTS = ("evals", "output_evals", "behavior_evals")
WRAPPED = re.compile(rb'"(evals|output_evals|behavior_evals)"\s*:\s*\[')
BARE = re.compile(rb"\s*(\xef\xbb\xbf)?\s*\[\s*\{")
ASKS = re.compile(rb'"(prompt|question|query)"\s*:')
EXPECTS = re.compile(rb'"(assertions|expectations|expected_behaviors?|ground_truth)"\s*:')
LABEL = re.compile(rb'"expected_skill"\s*:')
FLAG = re.compile(rb'"should_trigger"\s*:')
"""With this beside it, a label is that of a trigger set."""
PROSE = re.compile(rb'"expected_output"\s*:')
"""Much that is no eval has this; the file's name or its folder then decides."""
NAMED = re.compile(r"eval", re.IGNORECASE)
RESULT = re.compile(rb'"(pass|passed|actual_\w+|raw_output|score|verdict)"\s*:')
"""What a file of results has beside the question."""
ABOUT = ("version", "created", "last_validated", "description")
"""Words about the file, which no case needs."""


def claims(path: Path, head: bytes) -> bool:
    """JSON with a list `evals`, or a bare list of prompts that expect something."""
    if path.suffix.lower() != ".json":
        return False
    own = path.name == "evals.json" and (path.absolute().parents[1] / "SKILL.md").is_file()
    if own and not FLAG.search(head):
        return True  # by its name: whatever is odd in it shall be said
    if WRAPPED.search(head):
        return bool(ASKS.search(head)) or b'"skill_name"' in head
    if not BARE.match(head) or not ASKS.search(head) or RESULT.search(head):
        return False
    near = NAMED.search("/".join(path.absolute().parts[-2:])) is not None
    labelled = LABEL.search(head) and not FLAG.search(head)
    return bool(EXPECTS.search(head) or labelled or (near and PROSE.search(head)))


def claims_named(path: Path, head: bytes) -> bool:  # noqa: ARG001
    """Any `evals.json` that the user names."""
    return path.name == "evals.json"


def read(path: Path) -> Suite:
    """Read one file of evals."""
    ledger = Ledger(read_json(path))
    root = ledger.root
    skills = own_skill(path)
    name = skill_name(path, root, skills)
    for key in ABOUT:
        if key in root.keys():  # noqa: SIM118 - not a mapping
            root.at(key).say("is for readers; not used", "note")
    listed = root.items() or [each for key in LISTS for each in root.listed(key)]
    cases = [_case(each, number, name, path) for number, each in enumerate(listed, 1)]
    if any(case and case.expected for case in cases):
        words = f"each eval is read as: `{name}` should be called, too; evals do not say so"
        ledger.say(root.node, words, "note")
    for key in ("trigger_tests", "trigger_evals"):
        if key in root:
            cases += trigger_cases(root.at(key), name)
    return make_suite(
        ledger, format="evals-json", cases=[each for each in cases if each], skills=skills
    )


def _case(given: Given, number: int, name: str, path: Path) -> Case | None:
    if not isinstance(given.value, dict):
        given.wrong("a mapping")
        return None
    prompt = ask(given, "prompt", "question", "query")
    if prompt is None:
        return None
    skill, triggers = _expected(given, name)
    checks, rubric = read_assertions(given)
    return Case(
        id=given.name(f"eval-{number}", "id", "name"),
        prompt=prompt,
        skill=skill,
        should_trigger=triggers,
        checks=checks,
        rubric=(*_described(given), *rubric),
        files=_files(given, path),
        line=given.line,
    )


def _expected(given: Given, name: str) -> tuple[str | None, bool]:
    labelled = isinstance(given.value, dict) and "expected_skill" in given.value
    label = given.text("expected_skill", "" if labelled else name)
    triggers = given.flag("should_trigger")
    if triggers is False:
        words = "is read as: the skill must not be called; some tools mean: assertions must fail"
        given.at("should_trigger").say(words)
    if labelled and no_skill(label):
        return None, False
    return label or None, triggers is not False


def _described(given: Given) -> list[Criterion]:
    """What the result should be, in prose: a question that does not gate."""
    found = []
    for key in ("expected_output", "ground_truth"):
        for each, text in given.texts(key):
            if text.strip():
                each.say("prose: a question for the judge, which does not gate", "note")
                found.append(Criterion(id=key, question=text, severity="should"))
    return found


def _files(given: Given, path: Path) -> dict[str, str]:
    """Each file where it is found: seen from the skill, from `evals/`, from the file."""
    here = path.absolute().parent
    skill = here.parent if here.name == "evals" else here
    bases = {"the skill's folder": skill, "`evals/`": skill / "evals", "the file": here}
    found: dict[str, str] = {}
    for each, text in given.texts("files"):
        for words, base in bases.items():
            if text and "\0" not in text and (base / text).is_file():
                name = re.sub(r"^(\./)?(evals/)?(files/)?", "", text)
                if name.startswith("/") or ".." in name.split("/"):
                    name = Path(name).name
                found[name] = str((base / text).resolve())
                each.say(f"found from {words}; is `{name}` in the workspace", "note")
                break
        else:
            each.say(f"no file `{text}` beside the skill or this file; dropped")
    return found


evals_json = CaseFormat(name="evals-json", claims=claims, claims_named=claims_named, read=read)
