"""Grades that stand: what has not changed is not graded again, and whatever changed is."""

import inspect
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest

import audition
from audition.agent import agents, find_agent
from audition.check import checks, rests_on_seal
from audition.model import CheckSpec, Skill
from audition.registry import is_ours
from audition.stamp import lay_ground, take_mark

FAKE = Path(__file__).parent / "fakes" / "claude_like.py"
SKILL = "---\nname: greeting\ndescription: How to greet.\n---\nSay SALVE.\n"


@pytest.fixture
def house(tmp_path):
    folder = tmp_path / "skills" / "greeting"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    (tmp_path / "audition.toml").write_text(
        f'fsync = false\ntimeout = 20\n[agents.fake]\nlike = "claude"\n'
        f"command = [{sys.executable!r}, {str(FAKE)!r}]\n"
    )
    return tmp_path


def call(house, *words, code=(0, 1), path=""):
    argv = [sys.executable, "-m", "audition", *words]
    env = {**os.environ, "PYTHONPATH": str(path)} if path else None
    done = subprocess.run(
        argv, cwd=house, capture_output=True, text=True, timeout=120, env=env, check=False
    )
    assert done.returncode in code, done.stderr
    return done.stderr


def ask(house, *cases, words=(), path=""):
    """A run `r` of these cases, by number; returns its folder."""
    whole = [
        {"id": f"c{at}", "prompt": "good please", "skill": "greeting", **each}
        for at, each in enumerate(cases)
    ]
    (house / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": whole}))
    call(house, "run", "-a", "fake", "--run-id", "r", "-q", *words, path=path)
    return house / "artifacts" / "skill-evals" / "r"


def trial(run, name="c0"):
    return next(run.glob(f"work/*/{name}/*/*"))


def graded(run, name="c0"):
    return json.loads((trial(run, name) / "grade.json").read_text())


def everything(run):
    names = ("results.json", "progress.jsonl", "summary.json", "summary.md")
    paths = [*(run / name for name in names), *sorted(run.glob("work/**/grade.json"))]
    return {str(path): path.read_bytes() for path in paths}


def test_what_has_not_changed_stands_and_is_byte_for_byte_what_reading_anew_says(house):
    checks = [{"file_exists": {"path": "report.md"}}, {"answer_contains": {"text": "SALVE"}}]
    run = ask(house, {"checks": checks}, {"prompt": "quiet please"}, {"prompt": "unended please"})
    before, final = everything(run), trial(run) / "final.txt"
    answer = final.read_text()
    final.write_text("not read again")
    said = call(house, "grade", "r")
    assert "3 trials: 3 stand as they were, 0 graded again; 0 verdicts changed" in said
    assert final.read_text() == "not read again"
    assert everything(run) == before
    assert "graded 3 trials again; 0 verdicts changed" in call(house, "grade", "r", "--fresh")
    assert final.read_text() == answer
    assert everything(run) == before


CHANGES = {
    "trace": lambda at: (at / "trace.jsonl").write_bytes((at / "trace.jsonl").read_bytes() + b"\n"),
    "seal": lambda at: (at / "meta.json").write_bytes((at / "meta.json").read_bytes() + b" "),
    "stderr": lambda at: (at / "stderr.txt").write_text("something else"),
    "judge": lambda at: (at / "judge.json").write_text("{}"),
    "beside": lambda at: ((at / "beside").mkdir(), (at / "beside" / "00-a").write_text("{}")),
    "answer": lambda at: (at / "final.txt").unlink(),
    "new file": lambda at: (at / "files" / "more.txt").write_text("more"),
    "same size": lambda at: (at / "files" / "report.md").write_bytes(
        (at / "files" / "report.md").read_bytes().swapcase()
    ),
    "no stamp": lambda at: edit(at / "grade.json", stamp=""),
    "a verdict by hand": lambda at: edit(at / "grade.json", status="fail"),
    "other spacing": lambda at: (at / "grade.json").write_text(
        json.dumps(json.loads((at / "grade.json").read_text()))
    ),
    "half a grade": lambda at: (at / "grade.json").write_text("{"),
    "another's grade": lambda at: shutil.copy(
        at.parents[2] / "c1" / at.parent.name / at.name / "grade.json", at / "grade.json"
    ),
}


def edit(path, **changes):
    told = {**json.loads(path.read_text()), **changes}
    path.write_text(json.dumps(told, separators=(",", ":"), ensure_ascii=False))


def test_whatever_changed_in_a_trial_that_trial_alone_is_graded_anew(house):
    checks = [{"file_exists": {"path": "report.md"}}]
    run = ask(house, {"checks": checks}, {"checks": checks})
    before = graded(run)
    assert len(before["stamp"]) == 32
    wrong = {}
    for name, change in CHANGES.items():
        change(trial(run))
        said = call(house, "grade", "r")
        if "2 trials: 1 stands as it was, 1 graded again" not in said:
            wrong[name] = said
        assert {**graded(run), "stamp": ""} == {**before, "stamp": ""}, name
        assert "2 stand as they were" in call(house, "grade", "r"), name
    assert not wrong


def test_the_verdict_follows_the_trace(house):
    run = ask(house, {}, {})
    trace = trial(run) / "trace.jsonl"
    kept = trace.read_bytes()
    trace.write_bytes(b"")
    assert "1 stands as it was, 1 graded again; 1 verdict changed" in call(house, "grade", "r")
    assert graded(run)["status"] == "error"
    trace.write_bytes(kept)
    assert "1 graded again; 1 verdict changed" in call(house, "grade", "r")
    assert "2 stand as they were, 0 graded again; 0" in call(house, "grade", "r")
    assert graded(run)["status"] == "pass"


def test_another_policy_is_another_grade(house):
    run = ask(house, {}, {"prompt": "quiet please"})
    before = everything(run)
    assert "graded 2 trials again" in call(house, "grade", "r", "--policy", "cat")
    assert {graded(run, each)["policy"] for each in ("c0", "c1")} == {"cat"}
    assert "2 stand as they were" in call(house, "grade", "r", "--policy", "cat")
    assert "graded 2 trials again" in call(house, "grade", "r")
    after = everything(run)
    assert all(after[path] == before[path] for path in before if path.endswith("grade.json"))
    # To name the policy that was planned is to say nothing new.
    assert "2 stand as they were" in call(house, "grade", "r", "--policy", "default")


def test_what_looks_outside_the_sealed_folder_is_always_graded_anew(house):
    (house / "verify.sh").write_text("#!/bin/sh\nexit 0\n")
    (house / "schema.json").write_text("{}")
    (house / "verify.sh").chmod(0o755)
    program = {"checks": [{"program": {"command": "./verify.sh"}}]}
    schema = {"checks": [{"json_valid": {"schema": "schema.json", "path": "report.md"}}]}
    run = ask(house, program, schema, {"settings": {"output_schema": "schema.json"}}, {})
    stamps = [graded(run, f"c{at}")["stamp"] for at in range(4)]
    assert stamps[:3] == ["", "", ""]
    assert stamps[3]
    (house / "verify.sh").write_text("#!/bin/sh\nexit 1\n")
    assert "1 stands as it was, 3 graded again; 1 verdict changed" in call(house, "grade", "r")
    assert graded(run)["status"] == "fail"


def test_a_check_of_somebody_elses_is_always_graded_anew(house):
    plug = house / "plug"
    (plug / "mine-1.dist-info").mkdir(parents=True)
    (plug / "mine.py").write_text(
        "from audition.check import passed\n"
        "def mine(outcome):\n    'It passes.'\n    return passed()\n"
    )
    points = plug / "mine-1.dist-info" / "entry_points.txt"
    points.write_text("[audition.check]\nmine = mine:mine\n")
    run = ask(house, {"checks": [{"mine": {}}]}, {}, path=plug)
    assert graded(run)["stamp"] == ""
    (plug / "mine.py").write_text((plug / "mine.py").read_text().replace("passed", "failed"))
    (plug / "mine.py").write_text((plug / "mine.py").read_text().replace("failed()", "failed('')"))
    said = call(house, "grade", "r", path=plug)
    assert "1 stands as it was, 1 graded again; 1 verdict changed" in said


def test_a_fixture_of_the_run_that_changed_makes_all_graded_anew(house):
    (house / "fixture").mkdir()
    (house / "fixture" / "a.txt").write_text("a")
    holds = {"checks": [{"file_exists": {"path": "a.txt"}}], "fixture": "fixture"}
    run = ask(house, holds)
    assert "1 stands as it was" in call(house, "grade", "r")
    next(run.glob("inputs/fixtures/*/a.txt")).unlink()
    assert "graded 1 trial again; 1 verdict changed" in call(house, "grade", "r")
    assert graded(run)["status"] == "fail"


def test_other_code_is_other_grades_and_code_changed_just_now_leaves_no_stamp(house):
    copy = house / "copy"
    source = Path(audition.__file__).parent
    shutil.copytree(source, copy / "audition", ignore=shutil.ignore_patterns("__pycache__"))
    time.sleep(2.2)  # what was written before that is surely what runs
    run = ask(house, {}, path=copy)
    assert graded(run)["stamp"]
    assert "1 stands as it was" in call(house, "grade", "r", path=copy)
    assert "graded 1 trial again" in call(house, "grade", "r")
    with (copy / "audition" / "checks" / "files.py").open("a") as file:
        file.write("# mended\n")
    assert "graded 1 trial again" in call(house, "grade", "r", path=copy)
    assert graded(run)["stamp"] == ""


def test_agents_that_are_read_otherwise_have_other_grades(tmp_path):
    skills = {"a": Skill(name="a", path="/a")}

    def laid(agent, **more):
        given = {"stood": "/", "skills": skills, **more}
        return lay_ground(tmp_path, given["stood"], given["skills"], {"a": agent})

    claude, codex = find_agent("claude"), find_agent("codex")
    first = laid(claude)
    assert laid(claude) == first
    assert laid(codex).agents != first.agents
    assert laid(codex).common == first.common
    assert laid(claude, stood="/elsewhere").common != first.common
    assert laid(claude, skills={"a": Skill(name="a", path="/a", body="x")}).common != first.common
    assert not laid(stranger(claude)).agents


def stranger(agent):
    """The same agent, read by a function that is not of the package."""
    return msgspec.structs.replace(agent, read=lambda _number, _raw: [])


def test_every_agent_and_check_of_ours_may_stand_unless_it_looks_outside(tmp_path):
    named = {"acp": "acp:foo", "coin": "coin:0.8"}
    ours = {name: find_agent(named.get(name, name)) for name in agents if name != "mine"}
    assert lay_ground(tmp_path, "", {}, ours).agents.keys() == ours.keys()
    for name in checks:
        assert is_ours(checks[name]), name
        source = inspect.getsource(checks[name])
        outside = "case_folder" in source or "run_program" in source
        assert outside == hasattr(checks[name], "looks_outside"), name
    assert not rests_on_seal(CheckSpec(name="program", arguments={"command": "true"}))
    assert not rests_on_seal(CheckSpec(name="json_valid", arguments={"schema": "a.json"}))
    assert rests_on_seal(CheckSpec(name="json_valid", arguments={"schema": {}}))
    assert not rests_on_seal(CheckSpec(name="nobody_knows"))


def test_a_mark_tells_one_file_from_two_and_a_large_one_to_its_last_byte(tmp_path):
    def mark():
        return take_mark(tmp_path).digest.hexdigest()

    (tmp_path / "meta.json").write_bytes(b"{}")
    (tmp_path / "trace.jsonl").write_bytes(b"a" * 3_000_000)
    seen = {mark()}
    (tmp_path / "trace.jsonl").write_bytes(b"a" * 2_999_999 + b"b")
    seen.add(mark())
    (tmp_path / "judge.json").write_bytes(b"")
    seen.add(mark())
    (tmp_path / "stderr.txt").write_bytes(b"x" * 10_000)
    seen.add(mark())
    (tmp_path / "stderr.txt").write_bytes(b"x" * 9_999 + b"y")
    seen.add(mark())
    (tmp_path / "files").mkdir()
    seen.add(mark())
    (tmp_path / "files" / "folder").mkdir()
    seen.add(mark())
    (tmp_path / "files" / "folder" / "a\nb").write_text("")
    seen.add(mark())
    assert len(seen) == 8
    assert take_mark(tmp_path / "missing") is None
