"""waza's `eval.yaml`, with the task files that it names.

In: the path of the file. Out: a Suite of all its tasks. Must not know: how cases are run.
"""

import re
from pathlib import Path

import msgspec

from audition.case_file import BadCases, CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.graders import read_graders
from audition.cases.imported import ask, check_of, contains, make_suite, safe_path
from audition.cases.mounted import own_skill
from audition.model import Case, CheckSpec, Finding, Suite
from audition.yaml_aliases import read_yaml

TASKS = re.compile(
    rb"^tasks\s*:\s*(#.*)?(\r?\n\s*#.*)*\r?\n?\s*(-|\[)\s*[\"']?[\w./*-]+\.ya?ml", re.MULTILINE
)
ABOUT = ("name", "description", "version")


def claims(path: Path, head: bytes) -> bool:
    """YAML whose `tasks` are names of YAML files."""
    return path.suffix.lower() in {".yaml", ".yml"} and TASKS.search(head) is not None


def read(path: Path) -> Suite:
    """Read an evaluation and its tasks."""
    ledger = Ledger(read_yaml(path))
    root = ledger.root
    for key in ABOUT:
        if key in root:
            root.at(key).say("is for readers; not used", "note")
    config = root.child("config")
    seconds = config.number("timeout_seconds")
    trials = config.number("trials_per_task")
    checks, rubric = read_graders(root)
    skills = own_skill(path)
    skill = root.text("skill") or (skills[0].name if len(skills) == 1 else "")
    cases: list[Case] = []
    for file in _task_files(path, root):
        try:
            case, losses = _task(file, path, skill)
        except BadCases as error:
            ledger.losses += error.findings
            continue
        ledger.losses += losses
        if case:
            replace = msgspec.structs.replace
            case = replace(case, checks=(*checks, *case.checks), rubric=(*rubric, *case.rubric))
            cases.append(replace(case, timeout_s=seconds, trials=int(trials) if trials else None))
    return make_suite(ledger, format="waza", cases=cases, skills=skills)


def _task_files(path: Path, root: Given) -> list[Path]:
    found: list[Path] = []
    for each, text in root.texts("tasks"):
        folder = path.absolute().parent
        try:
            files = [] if not text or Path(text).is_absolute() else sorted(folder.glob(text))
        except (ValueError, OSError):
            files = []
        if not files:
            each.say(f"no file `{text}`")
        found += [file for file in files if file.is_file() and file not in found]
    return found


def _task(file: Path, suite: Path, skill: str) -> tuple[Case | None, tuple[Finding, ...]]:
    ledger = Ledger(read_yaml(file))
    root = ledger.root
    for key in ("name", "description"):
        if key in root:
            root.at(key).say("is for readers; not used", "note")
    inputs = root.child("inputs")
    asked = inputs if "prompt" in inputs else root
    prompt = ask(asked, "prompt")
    if prompt is None:
        return None, ledger.settle()
    expected = root.child("expected")
    triggers = expected.flag("should_trigger")
    checks, rubric = read_graders(root)
    case = Case(
        id=root.name(file.stem),
        prompt=prompt,
        skill=skill or None,
        should_trigger=bool(skill) and triggers is not False,
        checks=(*_expected(expected), *checks),
        rubric=rubric,
        files=_files(inputs, file, suite),
        tags=tuple(text for _, text in root.texts("tags")),
        file=str(file),
        line=1,
    )
    return case, ledger.settle()


def _expected(given: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    for each, text in given.texts("output_contains"):
        checks += contains(each, text)
    for each, text in given.texts("output_not_contains"):
        checks += check_of(each, "answer_lacks", pattern=f"(?i){re.escape(text)}")
    tools = given.child("tool_calls")
    for key, name in (("required", "tool_used"), ("forbidden", "tool_unused")):
        for each in tools.listed(key):
            tool = each.text("tool") or each.text("name") if each.keys() else each.written()
            checks += check_of(each, name, tool=tool) if tool else ()
    behaviour = given.child("behavior")
    if tokens := behaviour.number("max_tokens"):
        checks += check_of(behaviour.at("max_tokens"), "max_tokens", total=int(tokens))
    return checks


def _files(given: Given, file: Path, suite: Path) -> dict[str, str]:
    """Files of the task: beside it, in `fixtures` beside it or beside the evaluation."""
    here, there = file.absolute().parent, suite.absolute().parent
    places = (here, here / "fixtures", there / "fixtures", there)
    found: dict[str, str] = {}
    for each in given.listed("files"):
        name = (each.text("path") if each.keys() else each.written()) or ""
        if "content" in each:
            each.at("content").say("a file written inline is not carried over")
            continue
        source = next(
            (at / name for at in places if safe_path(name) and (at / name).is_file()), None
        )
        if name and source:
            found[name] = str(source.resolve())
        else:
            each.say(f"no file `{name}` beside the task or in `fixtures`; dropped")
    return found


waza = CaseFormat(name="waza", claims=claims, read=read)
