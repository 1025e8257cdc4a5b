"""skillgrade's `eval.yaml`: instructions, files, graders with a weight.

In: the path of the file. Out: a Suite. Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import any_skill, ask, check_of, make_suite, safe_path
from audition.cases.mounted import mounted_skills, own_skill
from audition.model import Case, CheckSpec, Criterion, Suite
from audition.yaml_aliases import read_yaml

TASKS = re.compile(rb"^tasks\s*:", re.MULTILINE)
INSTRUCTION = re.compile(rb"(^\s+|^\s*-\s+|[{,]\s*)[\"']?instruction[\"']?\s*:", re.MULTILINE)
GRADE = """\
ln -s "$0/graders" graders 2>/dev/null
said=$(sh -c "$1")
code=$?
printf '%s\\n' "$said"
score=$(printf %s "$said" | sed -n 's/.*"score"[^0-9]*\\([0-9.]*\\).*/\\1/p' | tail -n 1)
if [ -n "$score" ]; then
  awk -v score="$score" -v least="$2" 'BEGIN { exit !(score >= least) }'
  exit
fi
exit $code
"""
"""Runs a grader with its folder beside it, and reads the score that it prints."""
LEAST = "0.8"
"""skillgrade's own threshold."""


def claims(path: Path, head: bytes) -> bool:
    """YAML with `tasks` that have an `instruction`."""
    yaml = path.suffix.lower() in {".yaml", ".yml"}
    return yaml and bool(TASKS.search(head) and INSTRUCTION.search(head))


def read(path: Path) -> Suite:
    """Read one evaluation."""
    ledger = Ledger(read_yaml(path))
    root = ledger.root
    place = root.text("skill")
    if "version" in root:
        root.at("version").say("is for readers; not used", "note")
    skills = mounted_skills(path, [place]) if safe_path(place) else ()
    skills = skills or own_skill(path)
    defaults = root.child("defaults")
    shared = (defaults.number("timeout"), defaults.number("trials"))
    expected = any_skill(root, skills)
    cases = [
        _case(each, path, number, (*shared, defaults.text("threshold", LEAST)), expected)
        for number, each in enumerate(root.listed("tasks"), 1)
    ]
    return make_suite(
        ledger, format="skillgrade", cases=[each for each in cases if each], skills=skills
    )


def _case(
    given: Given,
    path: Path,
    number: int,
    shared: tuple[float | None, float | None, str],
    expected: tuple[str, ...],
) -> Case | None:
    if ask(given, "instruction") is None:
        return None
    checks, rubric = _graders(given, path, given.text("threshold", shared[2]))
    trials = given.number("trials") or shared[1]
    return Case(
        id=given.name(f"task-{number}", "name"),
        prompt=_text(given, "instruction", path),
        skill=expected[0] if len(expected) == 1 else None,
        any_of=expected if len(expected) > 1 else (),
        should_trigger=bool(expected),
        checks=checks,
        rubric=rubric,
        files=_files(given, path),
        timeout_s=given.number("timeout") or shared[0],
        trials=int(trials) if trials else None,
        line=given.line,
    )


def _text(given: Given, key: str, path: Path) -> str:
    """A text, or that of the file it names."""
    text = given.text(key)
    if "\n" in text or not safe_path(text):
        return text
    try:
        file = path.absolute().parent / text.strip()
        if file.is_file() and file.stat().st_size < 1 << 20:
            given.at(key).say(f"the text of the file `{text}`", "note")
            return file.read_text("utf-8", "replace")
    except OSError:
        pass
    return text


def _graders(
    given: Given, path: Path, least: str
) -> tuple[tuple[CheckSpec, ...], tuple[Criterion, ...]]:
    checks: tuple[CheckSpec, ...] = ()
    rubric: tuple[Criterion, ...] = ()
    for number, each in enumerate(given.listed("graders"), 1):
        kind = each.text("type")
        if kind == "deterministic" and "run" in each:
            words = f"is run without its container; a score of {least} passes"
            run = each.text("run")
            each.at("run").say(words)
            command = ["sh", "-c", GRADE, str(path.absolute().parent), run, least]
            checks += check_of(each.at("run"), "program", command=command)
        elif kind == "llm_rubric" and "rubric" in each:
            question = _text(each, "rubric", path)
            if question.strip():
                rubric += (Criterion(id=str(number), question=question),)
        else:
            each.say(f"a grader of the type `{kind}` is not carried over")
    return checks, rubric


def _files(given: Given, path: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in given.listed("workspace"):
        source = each.text("src") if each.keys() else each.written() or ""
        target = each.text("dest", Path(source).name) if each.keys() else Path(source).name
        file = path.absolute().parent / source if safe_path(source) else None
        if file is None or not file.is_file():
            each.say(f"no file `{source}` beside this one; dropped")
        elif not safe_path(target):
            each.say(f"`{target}` lies outside of the workspace; dropped")
        else:
            found[target] = str(file.resolve())
    return found


skillgrade = CaseFormat(name="skillgrade", claims=claims, read=read)
