"""Rules on conduct: what patterns mean, what sessions show, what mistakes are told and where."""

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from outcomes import an_outcome

from audition.case_file import BadCases
from audition.cases.native import read
from audition.cases.process import read_rules
from audition.conduct import FORMS, KINDS, grade_conduct, judge_conduct
from audition.conduct.sights import make_sight
from audition.faithful import conclude, grade_case
from audition.model import (
    Call,
    Case,
    Denial,
    End,
    EventPattern,
    Message,
    Offer,
    Result,
    Rule,
    Trace,
)
from audition.policy import find_policy
from audition.shell import writes_in

HERE = Path(__file__).parent
COMMIT = EventPattern(command="git commit")
TESTS = EventPattern(command="pytest", exit=0)


def shell(line, command, **more):
    return Call(line=line, id=f"c{line}", tool="Bash", does="shell", command=command, **more)


def done(line, of, **more):
    return Result(line=line, id=f"c{of}", **more)


def a_trace(*events, status="completed", **more):
    return Trace(agent="x", events=events, end=End(status=status), **more)


def judge(trace, form, **patterns):
    numbers = {
        name: patterns.pop(name) for name in list(patterns) if isinstance(patterns[name], int)
    }
    named = {name.rstrip("_"): each for name, each in patterns.items()}
    (found,) = judge_conduct([Rule(id="r", form=form, patterns=named, numbers=numbers)], trace)
    return found


def sees(pattern, event, result=None):
    sight = make_sight(EventPattern(**pattern))
    if type(event).__name__.lower() != sight.about:
        return False
    if sight.does and event.does != sight.does:
        return False
    return sight.seen(event, result)


# what a pattern means


@pytest.mark.parametrize(
    "line",
    [
        "git commit",
        "git commit -m 'a b'",
        "cd x && git commit",
        "A=1 git commit",
        "bash -lc 'git add . && git commit -m x'",
        "timeout 5 sudo git commit",
        "git -C x commit",
        "git --no-pager -c user.name=a commit --amend",
        "/usr/bin/git commit",
        "g'i't com\"mit\"",
        "echo $(git commit -m x)",
        "true; git commit &",
        "time -p git commit",
        "bash -euo pipefail -c 'git commit -m x'",
        "bash -o pipefail -c 'git add . && git commit'",
        "env -S 'git commit -m x'",
        "doas -u bob git commit",
        "su -c 'git commit' bob",
        "flock /tmp/lock git commit",
        "npx -y git commit",
        "poetry run git commit",
        "function f { git commit; }",
        "coproc git commit",
        "echo 'git commit' | bash",
        "cat <<E | sh -s\ngit commit\nE",
        "parallel git commit",
        "chroot /x git commit",
        "runuser -u x -- git commit",
        "pwsh -Command 'git commit'",
        "nix-shell --run 'git commit'",
        "direnv exec . git commit",
        "doppler run -- git commit",
    ],
)
def test_a_command_is_found_behind_whatever_wraps_it(line):
    assert sees({"command": "git commit"}, shell(1, line)) is True


@pytest.mark.parametrize(
    "line",
    [
        'echo "git commit"',
        "git commit-tree",
        "git log --grep commit",
        "git log commit",
        "git --no-pager log commit",
        "git -- commit",
        "legit commit",
        "grep 'git commit' notes.md",
        "git\ncommit",
        "# git commit",
        "cat <<E\ngit commit\nE",
        "",
    ],
)
def test_a_command_is_never_found_in_what_only_looks_like_it(line):
    assert sees({"command": "git commit"}, shell(1, line)) is False


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("pytest -q", "python3.11 -X dev -m pytest -q"),
        ("pytest", "uv run python -m pytest"),
        ("pytest", "coverage run --source x -m pytest"),
        ("pytest", "pipx run pytest"),
        ("pip install", ".venv/bin/python -m pip install x"),
        ("scripts/check.sh", "./scripts/check.sh"),
        ("scripts/check.sh --all", "bash scripts/check.sh --all"),
        ("scripts/check.sh", "cd scripts && ./check.sh"),
        ("scripts/check.sh", "/w/scripts/check.sh"),
        ("./scripts/check.sh", "sh scripts/check.sh"),
        ("check.py", "uv run check.py"),
        ("check.py -v", "python -u ./check.py -v"),
        ("python check.py", "python ./check.py"),
    ],
)
def test_what_an_interpreter_runs_is_a_command_too(command, line):
    assert sees({"command": command}, shell(1, line)) is True
    other = command.replace("check", "recheck").replace("pytest", "pytests").replace("pip ", "pi ")
    assert sees({"command": other}, shell(1, line)) is False


@pytest.mark.parametrize(
    ("command", "line", "seen"),
    [
        ("sudo", "sudo -u bob rm -rf x", True),
        ("sudo rm", "cd a && sudo rm x", True),
        ("rm", "cd a && sudo rm x", True),
        ("bash", "bash -lc 'rm x; ls'", True),
        ("npx tsc", "npx -y tsc --noEmit", True),
        ("sudo", "echo sudo", False),
        ("sudo rm", "sudo ls && rm x", False),
    ],
)
def test_a_wrapper_can_be_asked_for_too(command, line, seen):
    assert sees({"command": command}, shell(1, line)) is seen


@pytest.mark.parametrize(
    ("line", "result"),
    [
        ("pytest -q && git commit -m x", "met"),
        ("cd a && pytest && sudo git commit -m x", "met"),
        # The code of a line is not always that of the command in it.
        ("pytest; git commit -m x", "unknown"),
        ("pytest | tail -3 && git commit -m x", "unknown"),
        ("pytest || true; git commit -m x", "unknown"),
        ("if pytest; then git commit; fi", "unknown"),
        ("set -o pipefail; pytest | tail -3 && git commit -m x", "met"),
        ("set -e\npytest\ngit commit -m x", "met"),
        ("pytest || exit 1\ngit commit -m x", "met"),
        ("git commit -m x && pytest", "unmet"),
        ("pytest && sed -i s/a/b/ src/a.py && git commit", "unmet"),
        ("sed -i s/a/b/ src/a.py && pytest && git commit", "met"),
        ("pytest | git commit -F -", "unmet"),
        ("pytest & git commit", "unmet"),
        ("bash -c 'pytest && git commit'", "met"),
        ('git commit -m "$(pytest)"', "unknown"),
    ],
)
def test_the_commands_of_one_line_come_one_after_another(line, result):
    trace = a_trace(shell(1, line), done(2, 1, exit_code=0))
    edit = EventPattern(path="src/**")
    assert judge(trace, "fresh", do=COMMIT, after=TESTS, since=edit).result == result


@pytest.mark.parametrize(
    ("line", "code", "wanted", "seen"),
    [
        ("cd x && pytest", 1, {"exit": 1}, True),
        ("cd x && pytest", 1, {"exit": 0}, False),
        ("make && pytest", 2, {"exit": 2}, None),
        ("make && pytest", 2, {"exit": 0}, False),
        ("pytest && make", 2, {"exit": 0}, None),
        ("pytest && make", 2, {"failed": False}, None),
        ("pytest && make", 0, {"failed": True}, False),
        ("make; pytest", 1, {"exit": 1}, True),
        ("pytest | tee log", 0, {"exit": 0}, None),
        ("pytest | tee log", 0, {"failed": False}, None),
        ("make | pytest", 0, {"exit": 0}, True),
        ("(cd x && pytest)", 0, {"exit": 0}, True),
        ("! pytest", 0, {"exit": 0}, None),
        ("pytest &", 0, {"exit": 0}, None),
        ("timeout 9 bash -c 'cd x && pytest'", 0, {"exit": 0}, True),
        ("bash -c 'pytest; true'", 0, {"exit": 0}, None),
        ("find . -name t -exec pytest {} +", 0, {"exit": 0}, None),
        ("x=$(pytest)", 0, {"exit": 0}, None),
        ("while true; do pytest; done", 0, {"exit": 0}, None),
        ("pytest || exit 3", 3, {"exit": 0}, False),
    ],
)
def test_a_line_s_exit_code_says_of_a_command_only_what_a_shell_makes_of_it(
    line, code, wanted, seen
):
    result = done(2, 1, exit_code=code, failed=code != 0)
    assert sees({"command": "pytest", **wanted}, shell(1, line), result) is seen


def test_what_is_not_told_is_not_said_to_be_a_matter_of_order():
    trace = a_trace(shell(1, "pytest; git commit"), done(2, 1, exit_code=0))
    found = judge(trace, "before", first=TESTS, then=COMMIT)
    assert "does not tell what a command came back with" in found.reason


def test_an_edit_beside_a_line_may_fall_between_its_commands():
    edit = Call(line=2, id="c2", tool="Edit", does="write", paths=("src/a.py",))
    line = shell(1, "pytest && git commit")
    trace = a_trace(line, edit, done(3, 2), done(4, 1, exit_code=0))
    found = judge(trace, "fresh", do=COMMIT, after=TESTS, since=EventPattern(kind="write"))
    assert found.result == "unknown"


def test_a_line_of_very_many_commands_is_taken_as_one():
    line = " && ".join(["pytest", "git commit"] * 100)
    assert judge(a_trace(shell(1, line)), "before", first=TESTS, then=COMMIT).result == "unmet"


def test_more_words_of_a_command_must_come_in_their_order():
    assert sees({"command": "pytest tests/a.py"}, shell(1, "pytest -q tests/b.py tests/a.py"))
    assert not sees({"command": "cp a b"}, shell(1, "cp b a"))
    assert not sees({"command": "./run.sh"}, shell(1, "other/run.sh"))


@pytest.mark.parametrize(
    ("glob", "line", "seen"),
    [
        ("src/*.py", "cat src/a.py", True),
        ("src/*.py", "cd src && sed -i s/a/b/ a.py", True),
        ("*.md", "echo x > /tmp/w/notes.md", True),
        ("*.md", "echo notes.md", False),
        ("*.py", "python tools/run.py", True),
        ("secrets/**", "cp a secrets/b/c", True),
        ("/etc/*", "cat /etc/passwd", True),
        ("/etc/*", "cat etc/passwd", False),
    ],
)
def test_a_path_is_one_that_a_line_reads_writes_or_runs(glob, line, seen):
    assert sees({"path": glob}, shell(1, line)) is seen


def test_the_files_that_a_line_writes_are_found():
    found = writes_in("cd a; echo x >b; tee c d; sed -i 's/x/y/' e; rm -rf f 2>/dev/null")
    assert found[:4] == ("a/b", "a/c", "a/d", "a/e")
    assert found[4:] == ("a/f",)


def test_a_path_of_a_file_tool_is_seen_under_any_folder():
    wrote = Call(line=1, tool="Write", does="write", paths=("/tmp/w/src/a.py",))
    assert sees({"kind": "write", "path": "src/*.py"}, wrote)
    assert not sees({"kind": "read", "path": "src/*.py"}, wrote)


def test_a_skill_is_seen_by_its_tool_its_file_and_its_body():
    assert sees({"skill": "greet"}, Call(does="skill", tool="Skill", skill="greet"))
    assert sees({"skill": "greet"}, Call(does="skill", tool="Skill", skill="plug:greet"))
    assert sees({"skill": "greet"}, shell(1, "cat .agents/skills/greet/SKILL.md"))
    assert sees({"skill": "greet"}, Call(does="read", paths=("/x/greet/SKILL.md",)))
    assert not sees({"skill": "greet"}, Call(does="read", paths=("/x/regreet/SKILL.md",)))
    assert sees({"kind": "message", "skill": "greet"}, Message(skill="greet"))
    assert sees({"kind": "offer", "skill": "greet"}, Offer(skill="greet"))


def test_a_tool_over_mcp_is_seen_by_its_last_part():
    over = Call(does="mcp", tool="mcp__site__search")
    assert sees({"tool": "search"}, over)
    assert sees({"tool": "mcp__site__search"}, over)
    assert not sees({"tool": "search"}, Call(tool="re.search"))


def test_a_tool_may_be_named_by_a_glob():
    call = Call(line=1, id="c", tool="mcp__github__create_issue", does="mcp")
    for name, seen in [("mcp__github__*", True), ("create_*", True), ("mcp__git__*", False)]:
        assert sees({"tool": name}, call) is seen, name


def test_sub_agents_are_told_apart():
    inside = shell(1, "ls", sub="t1")
    assert sees({"kind": "shell", "subagent": True}, inside)
    assert sees({"kind": "shell", "subagent": "t1"}, inside)
    assert not sees({"kind": "shell", "subagent": False}, inside)
    assert not sees({"kind": "shell", "subagent": "t2"}, inside)


@pytest.mark.parametrize(
    ("wanted", "result", "seen"),
    [
        ({"exit": 0}, Result(exit_code=0), True),
        ({"exit": 0}, Result(exit_code=1, failed=True), False),
        ({"exit": 0}, Result(), True),  # told only where it failed
        ({"exit": 0}, Result(failed=True), False),
        ({"exit": 2}, Result(failed=True), None),
        ({"exit": 2}, Result(), False),
        ({"exit": 0}, None, None),
        ({"failed": True}, None, None),
        ({"failed": True}, Result(failed=True), True),
        ({"failed": False}, Result(failed=True), False),
    ],
)
def test_what_a_call_came_back_with_is_looked_at_and_may_be_unknown(wanted, result, seen):
    assert sees({"kind": "shell", **wanted}, shell(1, "make"), result) is seen


# what a session shows


def test_a_commit_after_the_tests_and_no_edit_is_fresh_and_the_lines_prove_it():
    edit = Call(line=1, id="c1", tool="Edit", does="write", paths=("a.py",))
    events = (edit, done(2, 1), shell(3, "pytest"), done(4, 3), shell(5, "git commit"), done(6, 5))
    rule = {"do": COMMIT, "after": TESTS, "since": EventPattern(kind="write")}
    found = judge(a_trace(*events), "fresh", **rule)
    assert (found.result, found.lines) == ("met", (3, 4, 5, 6))
    late = (*events[2:4], edit, done(7, 1), *events[4:])
    assert judge(a_trace(*late), "fresh", **rule).result == "unmet"
    red = (*events[:3], done(4, 3, failed=True, exit_code=1), *events[4:])
    found = judge(a_trace(*red), "fresh", **rule)
    assert found.result == "unmet"
    assert "`git commit` came without `pytest` exit `0` after the last write" in found.reason


def test_an_event_is_not_before_itself():
    trace = a_trace(shell(1, "git commit"), done(2, 1))
    assert judge(trace, "before", first=EventPattern(kind="shell"), then=COMMIT).result == "unmet"


def test_calls_side_by_side_have_no_order():
    trace = a_trace(shell(1, "pytest"), shell(2, "git commit"), done(3, 1), done(4, 2))
    found = judge(trace, "before", first=EventPattern(command="pytest"), then=COMMIT)
    assert (found.result, found.lines) == ("unknown", (1, 2))
    assert "side by side" in found.reason
    third = a_trace(*trace.events, shell(5, "git push"), done(6, 5))
    push = EventPattern(command="git push")
    assert judge(third, "before", first=COMMIT, then=push).result == "met"


def test_what_a_sub_agent_does_comes_after_the_call_that_started_it():
    events = (
        Call(line=1, id="t", tool="Task", does="task"),
        shell(2, "git commit", sub="t"),
        Result(line=3, id="c2", sub="t"),
        Result(line=4, id="t"),
    )
    task, passed = EventPattern(kind="task"), EventPattern(kind="task", failed=False)
    assert judge(a_trace(*events), "before", first=task, then=COMMIT).result == "met"
    # How it ended was not known then.
    assert judge(a_trace(*events), "before", first=passed, then=COMMIT).result == "unknown"


def test_a_refused_call_was_not_made():
    events = (shell(1, "git commit"), Denial(line=2, id="c1", tool="Bash"), done(3, 1, failed=True))
    assert judge(a_trace(*events), "never", of=COMMIT).result == "met"
    assert (
        judge(a_trace(*events), "never", of=EventPattern(kind="denial", tool="Bash")).result
        == "unmet"
    )


def test_a_situation_that_never_arose_is_vacuous():
    trace = a_trace(shell(1, "ls"), done(2, 1))
    assert judge(trace, "before", first=TESTS, then=COMMIT).result == "vacuous"
    assert judge(trace, "follows", after=COMMIT, must=TESTS).result == "vacuous"
    assert judge(trace, "between", from_=TESTS, to=COMMIT, never=COMMIT).result == "vacuous"
    assert judge(trace, "fresh", do=COMMIT, after=TESTS, since=TESTS).result == "vacuous"
    assert judge(trace, "never", of=COMMIT).result == "met"


def test_a_session_without_an_end_decides_only_what_nothing_can_change():
    commit = a_trace(shell(1, "git commit"), done(2, 1), status="interrupted")
    assert judge(commit, "never", of=COMMIT).result == "unmet"
    assert judge(commit, "eventually", of=COMMIT).result == "met"
    assert judge(commit, "never", of=TESTS).result == "unknown"
    assert judge(commit, "eventually", of=TESTS).result == "unknown"
    assert judge(commit, "before", first=TESTS, then=COMMIT).result == "unmet"
    assert judge(commit, "follows", after=COMMIT, must=TESTS).result == "unknown"
    assert judge(commit, "count", of=COMMIT, most=1).result == "unknown"
    assert judge(commit, "count", of=COMMIT, least=1).result == "met"
    assert judge(commit, "within", of=TESTS, calls=1).result == "unmet"
    assert judge(commit, "within", of=TESTS, calls=2).result == "unknown"


def test_a_session_with_a_hole_decides_nothing_about_order():
    trace = a_trace(shell(1, "git commit"), done(2, 1), truncated=True)
    assert judge(trace, "before", first=TESTS, then=COMMIT).result == "unknown"
    assert judge(trace, "never", of=COMMIT).result == "unmet"
    assert judge(trace, "never", of=TESTS).result == "unknown"


def test_turns_are_counted_by_what_comes_back():
    events = (
        shell(1, "a"), shell(2, "b"), done(3, 1), done(4, 2),  # turn 1
        Message(line=5, text="now"), shell(6, "git commit"), done(7, 6),  # turn 2
    )  # fmt: skip
    assert judge(a_trace(*events), "within", of=COMMIT, turns=1).result == "unmet"
    assert judge(a_trace(*events), "within", of=COMMIT, turns=2).result == "met"
    assert judge(a_trace(*events), "within", of=COMMIT, calls=3).result == "met"
    assert judge(a_trace(*events), "within", of=COMMIT, calls=2).result == "unmet"


def test_an_agent_that_tells_no_results_is_taken_in_the_order_of_its_calls():
    trace = a_trace(shell(1, "pytest"), shell(2, "git commit"))
    assert judge(trace, "before", first=EventPattern(command="pytest"), then=COMMIT).result == "met"


def test_how_a_command_in_the_background_ended_is_not_told():
    for flag, result in [(True, "unknown"), (False, "met")]:
        tests = shell(1, "pytest", input={"command": "pytest", "run_in_background": flag})
        trace = a_trace(tests, done(2, 1), shell(3, "git commit"), done(4, 3))
        assert judge(trace, "before", first=TESTS, then=COMMIT).result == result
        begun = EventPattern(command="pytest")
        assert judge(trace, "before", first=begun, then=COMMIT).result == "met"


def test_too_much_side_by_side_is_unknown_and_takes_no_time():
    opened = [shell(n, "abc"[n % 3]) for n in range(1, 400)]
    closed = [done(n + 1000, n) for n in range(1, 400)]
    a, b, c = (EventPattern(command=each) for each in "abc")
    found = judge(a_trace(*opened, *closed), "between", from_=a, to=b, never=c)
    assert found.result == "unknown"


# what it is worth


def test_a_rule_is_a_grade_and_a_vacuous_one_is_no_pass_unless_it_says_so():
    rule = Rule(id="tested", form="before", patterns={"first": TESTS, "then": COMMIT})
    trace = a_trace(shell(1, "ls"), done(2, 1))
    (grade,) = grade_conduct([rule], trace)
    assert (grade.by, grade.status) == ("process:tested", "vacuous")
    assert conclude("", [grade]) == (
        "error",
        "process:tested: vacuous: the situation never arose: there was no `git commit`",
    )
    (grade,) = grade_conduct([msgspec.structs.replace(rule, vacuous="allow")], trace)
    assert grade.status == "pass"
    both = (shell(1, "pytest"), shell(2, "git commit"), done(3, 1), done(4, 2))
    (grade,) = grade_conduct([rule], a_trace(*both))
    assert (grade.status, conclude("", [grade])[0]) == ("unknown", "error")


def test_a_trial_is_graded_by_its_rules_and_by_its_output_schema(tmp_path):
    (tmp_path / "schema.json").write_text('{"type": "object"}')
    case = Case(
        id="one",
        prompt="Do it.",
        skill="greeting",
        file="cases.yaml",
        settings={"output_schema": str(tmp_path / "schema.json")},
        process=(Rule(id="quiet", form="never", patterns={"of": COMMIT}),),
    )
    outcome = an_outcome(Message(line=1, text="{}"), shell(2, "git commit"), case=case)
    grades = {each.by: each for each in grade_case(outcome, find_policy("default"))}
    assert grades["output_schema"].status == "pass"
    assert (grades["process:quiet"].status, grades["process:quiet"].lines) == ("fail", (2,))
    prose = an_outcome(Message(line=1, text="Done."), case=case)
    grades = {each.by: each for each in grade_case(prose, find_policy("default"))}
    assert grades["output_schema"].status == "fail"
    assert msgspec.json.decode(msgspec.json.encode(case), type=Case) == case


def test_an_output_schema_that_is_none_is_told_before_anything_is_asked(tmp_path):
    (tmp_path / "schema.json").write_text('{"typ": "object"}')
    path = a_suite(tmp_path)
    (tmp_path / "process.yaml").write_text("- {id: read, eventually: read}\n")
    path.write_text(f"{CASES}    output_schema: schema.json\n")
    with pytest.raises(BadCases) as caught:
        read(path)
    (found,) = caught.value.findings
    assert "`typ` is not supported" in found.message
    assert found.hint == "did you mean `type`?"


# where rules are written


def wrong(tmp_path, text):
    path = tmp_path / "process.yaml"
    path.write_text(text)
    with pytest.raises(BadCases) as caught:
        read_rules(path)
    return [
        (each.line, each.column, f"{each.message} / {each.hint}") for each in caught.value.findings
    ]


@pytest.mark.parametrize(
    ("text", "line", "column", "words"),
    [
        ("- {id: a, never: {}}", 1, 18, "empty pattern"),
        ("- {id: a, nver: shell}", 1, 11, "did you mean `never`?"),
        ("- {id: a, never: {kind: shel}}", 1, 25, "did you mean `shell`?"),
        ("- {id: a, never: {comand: ls}}", 1, 19, "did you mean `command`?"),
        ("- {id: a, never: {kind: message, command: ls}}", 1, 34, "can never match"),
        ("- {id: a, never: {kind: read, command: ls}}", 1, 31, "can never match"),
        ("- {id: a, never: {command: a && b}}", 1, 28, "2 commands"),
        ("- {id: a, never: {command: A=1 rm x}}", 1, 28, "write `rm x`"),
        ("- {id: a, never: {command: $(rm x)}}", 1, 28, "can never match"),
        ("- {id: a, never: {kind: write, exit: 0}}", 1, 32, "a `write` has no `exit`"),
        ("- {id: a, never: {path: src/}}", 1, 25, "write `src/**`"),
        ("- {id: a, never: {exit: yes}}", 1, 25, "expected an exit code"),
        ("- {never: shell}", 1, 3, "has no `id`"),
        ("- {id: a}", 1, 3, "no form"),
        ("- {id: a, never: shell, eventually: read}", 1, 3, "2 forms"),
        ("- {id: a, before: {first: shell}}", 1, 11, "needs `then`"),
        ("- {id: a, count: {least: 1}}", 1, 11, "needs `of`"),
        ("- {id: a, never: {exit: 0, failed: true}}", 1, 28, "has not failed: it can never"),
        ("- {id: a, never: {exit: 2, failed: false}}", 1, 28, "has failed: it can never match"),
        ("- {id: a, never: {exit: 300}}", 1, 19, "no exit code is 300"),
        ("- {id: a, before: {first: shell, then: shell}}", 1, 11, "can never hold"),
        ("- {id: a, count: {of: shell}}", 1, 11, "`least`, `most` or both"),
        ("- {id: a, count: {of: shell, least: 2, most: 1}}", 1, 11, "can never hold"),
        ("- {id: a, count: {of: shell, most: -1}}", 1, 36, "a whole number from 0"),
        ("- {id: a, within: {of: shell, calls: 1, turns: 2}}", 1, 11, "either"),
        ("- {id: a, never: shell}\n- {id: a, never: read}", 2, 8, "two rules have the id"),
        (
            "- {id: a, never: shell}\n- {id: b, eventually: shell}",
            2,
            11,
            "contradicts the rule `a`",
        ),
        (
            "- {id: a, eventually: shell}\n- {id: b, count: {of: shell, most: 0}}",
            2,
            11,
            "contradicts",
        ),
        ("process: [{id: a, never: shell}]\ncases: []", 2, 1, "unknown key `cases`"),
        ("never: shell", 1, 1, "expected a list of rules"),
        ("", 1, 1, "expected a list of rules"),
    ],
)
def test_a_mistake_in_a_rule_is_told_where_it_stands(text, line, column, words, tmp_path):
    found = wrong(tmp_path, text)
    assert any((line, column) == each[:2] and words in each[2] for each in found), found
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "words", "result"),
    [
        ("between: {from: message, to: shell, never: shell}", "can never fail", "met"),
        ("fresh: {do: shell, after: read, since: read}", "does nothing", "met"),
        ("never: mcp, vacuous: allow", "is never vacuous", "met"),
        ("count: {of: shell, least: 0}", "always holds", "met"),
    ],
)
def test_a_rule_that_is_hardly_meant_so_is_judged_and_said(text, words, result, tmp_path):
    (tmp_path / "process.yaml").write_text(f"- {{id: a, {text}}}\n")
    session = next(HERE.glob("traces/claude/*/27_tool_error.jsonl"))
    ran = audition("trace", session, "--agent", "claude", "--rules", tmp_path / "process.yaml")
    assert (ran.returncode, words in ran.stderr, "process.yaml:1:" in ran.stderr) == (0, True, True)
    assert f"rule a: {result}" in ran.stdout or f"rule a: {'vacuous'}" in ran.stdout


@pytest.mark.parametrize(
    "text",
    [
        "- {id: a, never: {subagent: true}}\n- {id: b, eventually: {kind: message, subagent: true}}",
        "- {id: a, never: {command: git commit}}\n- {id: b, eventually: {command: git}}",
        "- {id: a, never: {kind: shell, exit: 1}}\n- {id: b, eventually: shell}",
        "- {id: a, count: {of: call, most: 3}}\n- {id: b, count: {of: shell, most: 1}}",
    ],
)
def test_rules_that_a_session_can_obey_together_contradict_nothing(text, tmp_path):
    (tmp_path / "process.yaml").write_text(text)
    assert read_rules(tmp_path / "process.yaml")[1] == ()


@pytest.mark.parametrize(
    "text",
    [
        "- {id: a, never: {command: git}}\n- {id: b, eventually: {command: sudo git commit}}",
        "- {id: a, eventually: skill}\n- {id: b, never: call}",
        "- {id: a, within: {of: {kind: shell, exit: 1}, calls: 2}}\n- {id: b, never: shell}",
        "- {id: a, count: {of: read, least: 2}}\n- {id: b, count: {of: call, most: 1}}",
    ],
)
def test_rules_of_which_one_includes_the_other_s_pattern_contradict_it(text, tmp_path):
    (tmp_path / "process.yaml").write_text(text)
    ((found,),) = read_rules(tmp_path / "process.yaml")[1:]
    assert (found.line, found.severity) == (2, "warning")
    assert "contradicts the rule `a`" in found.message


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[{id: a, never: write}, {id: b, before: {first: read, then: write}}]", ["`a`"]),
        ("[{id: b, fresh: {do: write, after: read, since: shell}}, {id: a, never: read}]", ["`a`"]),
        (
            "[{id: a, before: {first: read, then: write}}, {id: b, before: {first: write, then: read}}]",
            ["`a`"],
        ),
        (
            "[{id: a, never: write}, {id: b, vacuous: allow, before: {first: read, then: write}}]",
            [],
        ),
        (
            "[{id: a, before: {first: read, then: write}}, {id: b, follows: {after: read, must: write}}]",
            [],
        ),
    ],
)
def test_rules_that_can_only_be_vacuous_together_are_said_and_stop_nothing(text, said, tmp_path):
    path = tmp_path / "cases.yaml"
    path.write_text(f"skills: []\nprocess: {text}\ncases: [{{id: x, prompt: p, skill: none}}]\n")
    found = [each for each in read(path).losses if each.severity == "warning"]
    assert len(found) == len(said)
    for each, words in zip(found, said, strict=True):
        assert f"cannot be met together with the rule {words}" in each.message


def test_a_rule_about_a_skill_that_is_not_on_offer_is_said(tmp_path):
    folder = tmp_path / "skills" / "greeting"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: greeting\ndescription: Greets.\n---\nHello.\n")
    path = tmp_path / "cases.yaml"
    path.write_text(
        "process:\n- {id: a, before: {first: {skill: gretting}, then: write}}\n"
        "cases:\n- id: x\n  prompt: p\n  skill: greeting\n"
        "  process: [{id: b, eventually: {skill: 'x:greeting'}}]\n"
    )
    (found,) = [each for each in read(path).losses if each.severity == "warning"]
    assert (found.line, found.column) == (2, 35)
    assert "no skill on offer is named `gretting`" in found.message
    assert found.hint == "did you mean `greeting`?"


def test_all_mistakes_are_told_at_once(tmp_path):
    assert len(wrong(tmp_path, "- {id: a, never: {}}\n- {id: b, never: {kind: x}}\n")) == 2


CASES = """\
skills: [greet]
process:
  - {id: quiet, never: {command: git push}}
  - {id: tested, vacuous: allow, before: {first: {command: pytest}, then: {command: git commit}}}
defaults:
  process: process.yaml
cases:
  - {id: one, prompt: x, skill: none}
  - id: two
    prompt: x
    skill: none
    process:
      - {id: quiet, never: {command: git}}
"""


def a_suite(folder):
    (folder / "greet").mkdir()
    (folder / "greet/SKILL.md").write_text("---\nname: greet\ndescription: Greets.\n---\nHi.\n")
    (folder / "cases.yaml").write_text(CASES)
    return folder / "cases.yaml"


def test_rules_stand_in_the_suite_its_defaults_a_case_or_a_file(tmp_path):
    (tmp_path / "process.yaml").write_text("process:\n  - {id: read, eventually: {kind: read}}\n")
    one, two = read(a_suite(tmp_path)).cases
    assert [each.id for each in one.process] == ["quiet", "tested", "read"]
    assert [each.id for each in two.process] == ["tested", "quiet"]
    assert two.process[-1].patterns["of"].command == "git"
    assert one.process[1].vacuous == "allow"


def test_a_mistake_in_a_file_of_rules_is_told_there(tmp_path):
    (tmp_path / "process.yaml").write_text("- {id: a, never: {}}\n")
    with pytest.raises(BadCases) as caught:
        read(a_suite(tmp_path))
    (found,) = caught.value.findings
    assert (Path(found.path).name, found.line) == ("process.yaml", 1)


# any recorded session


def audition(*words):
    argv = [sys.executable, "-m", "audition", *map(str, words)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def a_session():
    return next(HERE.glob("traces/claude/*/01_activation.jsonl"))


def test_any_session_is_judged_by_a_file_of_rules(tmp_path):
    rules = tmp_path / "process.yaml"
    rules.write_text("- {id: called, eventually: skill}\n- {id: idle, never: {kind: call}}\n")
    ran = audition(
        "trace", a_session(), "--agent", "claude", "--rules", rules, "--output-format", "json"
    )
    found = {each["id"]: each for each in json.loads(ran.stdout)["rules"]}
    assert (found["called"]["result"], found["idle"]["result"]) == ("met", "unmet")
    assert found["called"]["lines"] == found["idle"]["lines"] != []
    shown = audition("trace", a_session(), "--agent", "claude", "--rules", rules).stdout
    assert "rule called: met (line 3)" in shown
    plain = audition("trace", a_session(), "--agent", "claude", "--output-format", "json")
    assert "rules" not in json.loads(plain.stdout)


def test_rules_that_are_not_there_or_wrong_are_told(tmp_path):
    (tmp_path / "process.yaml").write_text("- {id: a, never: {}}\n")
    ran = audition("trace", a_session(), "--agent", "claude", "--rules", tmp_path / "proces.yaml")
    assert (ran.returncode, "did you mean `process.yaml`?" in ran.stderr) == (2, True)
    ran = audition("trace", a_session(), "--agent", "claude", "--rules", tmp_path / "process.yaml")
    assert (ran.returncode, "process.yaml:1:18" in ran.stderr) == (2, True)


# the page

PAGE = (HERE.parent / "docs/process-rules.md").read_text("utf-8")


def test_the_rules_that_the_page_shows_are_understood(tmp_path):
    shown = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    assert shown
    for text in shown:
        (tmp_path / "process.yaml").write_text(text)
        assert read_rules(tmp_path / "process.yaml")[0]


def test_every_form_role_kind_and_field_is_in_the_page():
    for name, form in FORMS.items():
        assert f"`{name}: " in PAGE
        for word in (*form.roles, *form.numbers):
            assert f"{word}: " in PAGE or form.roles == ("of",), (name, word)
    for word in (*KINDS, *EventPattern.__struct_fields__):
        assert f"`{word}`" in PAGE, word


def commands_of_the_page():
    """What the page says that `git commit` fits, and what not."""
    said = PAGE.replace("…", "x")
    fits = re.search(r"`git commit` fits `([^`]+)`", said)
    assert fits
    not_fits = re.search(r"It does not fit (.+?)\. The first", said)
    assert not_fits
    return [(fits[1], True), *((line, False) for line in re.findall(r"`([^`]+)`", not_fits[1]))]


@pytest.mark.parametrize(("line", "seen"), commands_of_the_page())
def test_what_the_page_says_of_commands_is_so(line, seen):
    assert sees({"command": "git commit"}, shell(1, line)) is seen
