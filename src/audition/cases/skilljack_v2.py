"""skilljack-evals' second format: a folder a task, with `task.md` in it.

In: the path of a `task.md`. Out: a Suite of one case. Must not know: how cases are run.
"""

import re
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import check_of, contains, make_suite, no_skill
from audition.cases.marked_md import read_md, split_front
from audition.cases.mounted import mounted_skills, skills_above
from audition.model import Case, CheckSpec, Criterion, Suite

KEYS = re.compile(
    r"^(expected_skill|expect_skill_invocation|verifier|checks|assertions|difficulty)\s*:",
    re.MULTILINE,
)
PLACES = ("environment/skills", "../skills", "../../skills", "skills")
TAGS = ("difficulty", "category")
VERIFY = """\
work=$(mktemp -d)
export SKILLJACK_OUTPUT_FILE="$AUDITION_ANSWER" SKILLJACK_TRAJECTORY_FILE="$AUDITION_TRACE"
export SKILLJACK_TASK_DIR="$0" SKILLJACK_REWARD_FILE="$work/reward.txt"
"$@"
code=$?
if [ -s "$work/reward.txt" ]; then
  awk '{ code = !($1 >= 1) } END { exit code }' "$work/reward.txt"
  code=$?
fi
rm -rf "$work"
exit $code
"""
"""Gives a verifier the variables it knows, and reads its reward: 1 passes, less fails."""
STARTERS = {".py": "python3", ".sh": "sh", ".js": "node", ".mjs": "node"}


def claims(path: Path, head: bytes) -> bool:
    """`task.md` with one of its keys in the front matter."""
    if path.name != "task.md":
        return False
    front, _ = split_front(head.decode("utf-8-sig", "replace").replace("\r\n", "\n"))
    return bool(KEYS.search(front))


def read(path: Path) -> Suite:
    """Read one task package."""
    marked, body = read_md(path)
    ledger = Ledger(marked)
    root = ledger.root
    if "id" in root and root.text("id") != path.absolute().parent.name:
        root.at("id").say("is not the folder's name, as it should be", "note")
    for name in ("environment/Dockerfile", "oracle"):
        if (path.parent / name).exists():
            ledger.say(root.node, f"`{name}` is not carried over")
    return make_suite(
        ledger,
        format="skilljack-task",
        policy="skilljack-evals",
        cases=[_case(path, root, body)],
        skills=mounted_skills(path, PLACES) or skills_above(path),
    )


def _case(path: Path, root: Given, body: str) -> Case:
    name = root.text("expected_skill")
    invoked = root.flag("expect_skill_invocation")
    quiet = invoked is False or no_skill(name)
    if invoked is None and no_skill(name):
        root.ledger.say(root.node, "names no `expected_skill`: read as a negative case")
    seed = path.absolute().parent / "environment" / "workspace"
    milliseconds = root.number("timeout_ms")
    tags = [text for key in TAGS if (text := root.text(key))]
    return Case(
        id=root.text("id").strip() or path.absolute().parent.name,
        prompt=body,
        skill=None if no_skill(name) else name,
        should_trigger=not quiet,
        checks=(*_checks(root.child("checks")), *_verifier(path, root)),
        rubric=tuple(
            Criterion(id=str(number), question=text, severity="should")
            for number, (_, text) in enumerate(root.texts("assertions"), 1)
            if text.strip()
        ),
        fixture=str(seed) if seed.is_dir() else None,
        timeout_s=milliseconds / 1000 if milliseconds else None,
        tags=(*tags, *(text for _, text in root.texts("tags"))),
        line=1,
    )


def _checks(given: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    for each, text in given.texts("contains"):
        checks += contains(each, text, ignore_case=False)
    for each, text in given.texts("not_contains"):
        checks += check_of(each, "answer_lacks", text=text)
    for each, text in given.texts("regex"):
        checks += check_of(each, "answer_matches", pattern=text)
    if "marker" in given:
        checks += contains(given.at("marker"), given.text("marker"))
    for key, name in (("tool_calls", "tool_used"), ("no_tool_calls", "tool_unused")):
        for each, text in given.texts(key):
            checks += check_of(each, name, tool=text)
    for each, text in given.texts("files_exist"):
        checks += check_of(each, "file_exists", path=text)
    if "javascript" in given:
        given.at("javascript").say("JavaScript is not carried over")
    return checks


def _verifier(path: Path, root: Given) -> tuple[CheckSpec, ...]:
    """The verifier as a program, with the environment that it knows."""
    given = root.child("verifier")
    seconds = (given.number("timeout_ms") or 60_000) / 1000
    command = given.text("command")
    at = given.at("command") if command else root
    words = ["sh", "-c", command] if command else _found(path)
    if not words:
        return ()
    if not command:
        root.ledger.say(root.node, f"`{Path(words[-1]).name}` is run as the verifier", "note")
    return check_of(
        at,
        "program",
        command=["sh", "-c", VERIFY, str(path.absolute().parent), *words],
        timeout_s=seconds,
    )


def _found(path: Path) -> list[str]:
    folder = path.absolute().parent / "verifier"
    for name in ("verify", "test"):
        for each in sorted(folder.glob(f"{name}.*")):
            if each.suffix in STARTERS:
                return [STARTERS[each.suffix], str(each)]
    return []


skilljack_v2 = CaseFormat(name="skilljack-task", claims=claims, read=read)
