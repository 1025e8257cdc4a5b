"""`--reuse`: what is unchanged is taken over, what is not is asked again, nothing counts twice."""

import json
import subprocess
import sys

import pytest

SKILL = "---\nname: greeting\ndescription: How to do a greeting.\n---\nSay {}.\n"


@pytest.fixture
def house(tmp_path):
    (tmp_path / "skills" / "greeting").mkdir(parents=True)
    (tmp_path / "skills" / "greeting" / "SKILL.md").write_text(SKILL.format("SALVE"))
    (tmp_path / "room").mkdir()
    (tmp_path / "room" / "a.txt").write_text("a")
    (tmp_path / "audition.toml").write_text("fsync = false\n")
    write_cases(tmp_path)
    audition(tmp_path, "run", "--run-id", "first", "-r", "2")
    return tmp_path


def write_cases(house, **first):
    cases = [
        {"id": "a", "prompt": "please do a greeting for Ada", "skill": "greeting",
         "fixture": "room", **first},
        {"id": "b", "prompt": "please do a greeting for Bob", "skill": "greeting"},
    ]  # fmt: skip
    (house / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))


def audition(house, *words):
    argv = [sys.executable, "-m", "audition", *words]
    done = subprocess.run(argv, check=False, cwd=house, capture_output=True, text=True, timeout=200)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def reused(house, run="next", *words):
    """Which trials of a new run were taken over, and from where."""
    audition(house, "run", "--run-id", run, "-r", "2", "--reuse", "-q", *words)
    path = house / "artifacts" / "skill-evals" / run / "results.json"
    trials = json.loads(path.read_text())["trials"]
    return {f"{each['case']}{each['trial']}": each["reused"] for each in trials}


def test_what_is_unchanged_is_taken_over_with_its_files_and_graded_anew(house):
    assert reused(house) == dict.fromkeys(("a1", "a2", "b1", "b2"), "first")
    runs = house / "artifacts" / "skill-evals"
    place = "work/greeting/a/understudy+native/1/trace.jsonl"
    assert (runs / "next" / place).read_bytes() == (runs / "first" / place).read_bytes()
    assert json.loads((runs / "next" / "summary.json").read_text())["reused"] == 4
    # From a run that took them over itself, they still are the first one's.
    assert set(reused(house, "third").values()) == {"first"}


def test_other_checks_ask_nobody_again_for_grading_is_free(house):
    write_cases(house, checks=[{"answer_contains": {"text": "NOT THERE"}}])
    assert set(reused(house).values()) == {"first"}
    path = house / "artifacts" / "skill-evals" / "next" / "results.json"
    words = {each["case"]: each["status"] for each in json.loads(path.read_text())["trials"]}
    assert words == {"a": "fail", "b": "pass"}


@pytest.mark.parametrize("what", ["skill", "prompt", "fixture", "timeout"])
def test_what_changed_is_asked_again(house, what):
    if what == "skill":
        (house / "skills" / "greeting" / "SKILL.md").write_text(SKILL.format("HELLO"))
    elif what == "prompt":
        write_cases(house, prompt="please do a greeting for Eve")
    elif what == "fixture":
        (house / "room" / "a.txt").write_text("b")
    else:
        write_cases(house, timeout=17)
    found = reused(house)
    assert (found["a1"], found["a2"]) == ("", "")
    assert (found["b1"] == "first") == (what != "skill")


def test_without_the_option_everything_is_asked(house):
    audition(house, "run", "--run-id", "next", "-r", "2", "-q")
    text = (house / "artifacts" / "skill-evals" / "next" / "results.json").read_text()
    assert {each["reused"] for each in json.loads(text)["trials"]} == {""}


def test_a_trial_that_was_taken_over_is_no_second_witness(house):
    reused(house)
    told = json.loads(audition(house, "diff", "first", "next", "--output-format", "json"))
    assert told["left_out"]["reused"] == 4
    assert told["overall"]["word"] == "nothing to compare"


def test_a_damaged_or_failed_trial_is_asked_again(house):
    folder = house / "artifacts/skill-evals/first/work/greeting/a/understudy+native/1"
    (folder / "meta.json").write_text("{")
    grade = folder.parent / "2" / "grade.json"
    told = json.loads(grade.read_text())
    grade.write_text(json.dumps({**told, "status": "error"}))
    found = reused(house)
    assert (found["a1"], found["a2"], found["b1"]) == ("", "", "first")
