"""The second process that grades while the first one asks."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

from audition import grader
from audition.commands.grade import agents_of
from audition.config import load_config
from audition.grader import MANY, second_grader
from audition.grading import grade_sealed
from audition.model import Case, CheckSpec
from audition.store import read_inputs
from audition.yardstick import Grading

FAKE = Path(__file__).parent / "fakes" / "claude_like.py"
HABITS = ("good", "quiet", "wrong", "crash")
OUT = Path("artifacts") / "skill-evals"

pytestmark = pytest.mark.skipif(
    len(os.sched_getaffinity(0)) < 2, reason="a second process needs a second processor"
)


@pytest.fixture
def house(tmp_path, monkeypatch):
    folder = tmp_path / "skills" / "greeting"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: greeting\ndescription: How to greet.\n---\nHi.\n")
    (tmp_path / "audition.toml").write_text(
        f'fsync = false\ntimeout = 20\n[agents.fake]\nlike = "claude"\n'
        f"command = [{sys.executable!r}, {str(FAKE)!r}]\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write_cases(house, count, **more):
    cases = [
        {
            "id": f"c{n}",
            "prompt": f"{HABITS[n % 4]} please",
            "skill": "greeting",
            "checks": [{"answer_contains": {"text": "SALVE"}}],
            **more,
        }
        for n in range(count)
    ]
    (house / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))


def argv(*words):
    return [sys.executable, "-m", "audition", "run", "-a", "fake", "-q", *words]


def run(house, *words):
    done = subprocess.run(
        argv(*words), cwd=house, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return done


def stored(house, name="r"):
    """A run's grading and its trials, each with its folder."""
    path = house / OUT / name
    inputs = read_inputs(path)
    grading = Grading(
        run=path,
        skills=inputs.skills,
        agents=agents_of(inputs, load_config()),
        stood=inputs.stood,
    )
    return grading, [(each, path / "work" / each.place) for each in inputs.plan]


def helpers(house):
    """Processes that are a copy of a harness of this folder."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            ours = os.readlink(each / "cwd") == str(house)
            if ours and b"audition" in (each / "cmdline").read_bytes():
                found.append(int(each.name))
        except OSError:
            continue
    return found


def test_the_second_process_says_what_the_first_would_say(house):
    write_cases(house, 4)
    run(house, "--run-id", "r")
    grading, trials = stored(house)
    with second_grader(MANY, 2, grading) as second:
        said = [second.grade(trial, folder) for trial, folder in trials]
    assert said == [grade_sealed(folder, grading) for _, folder in trials]
    assert [each.status for each in said] == ["pass", "fail", "fail", "error"]


def test_few_trials_or_one_at_a_time_are_graded_at_home(house):
    write_cases(house, 1)
    run(house, "--run-id", "r")
    grading, _ = stored(house)
    for trials, at_once in ((MANY - 1, 8), (MANY, 1)):
        with second_grader(trials, at_once, grading) as second:
            assert second is None


def test_a_check_that_looks_outside_of_the_seal_is_graded_at_home(house):
    write_cases(house, 1)
    run(house, "--run-id", "r")
    grading, [(trial, folder)] = stored(house)
    looks = CheckSpec(name="program", arguments={"command": "true"})
    case = msgspec.structs.replace(trial.case, checks=(looks,))
    with second_grader(MANY, 2, grading) as second:
        assert second.grade(msgspec.structs.replace(trial, case=case), folder) is None
        assert second.grade(trial, folder) is not None


def test_what_the_second_process_cannot_grade_is_left_to_the_first(house):
    write_cases(house, 1)
    run(house, "--run-id", "r")
    grading, [(trial, folder)] = stored(house)
    with second_grader(MANY, 2, grading) as second:
        assert second.grade(trial, folder / "nowhere") is None
        assert second.grade(trial, folder / ("long" * 2000)) is None
        assert second.grade(trial, folder) == grade_sealed(folder, grading)


def test_a_second_process_that_is_killed_is_not_missed(house):
    write_cases(house, 1)
    run(house, "--run-id", "r")
    grading, [(trial, folder)] = stored(house)
    rest = house / "rest"
    rest.mkdir()
    with second_grader(MANY, 2, grading) as second:
        os.kill(second._pid, signal.SIGKILL)
        os.waitid(os.P_PID, second._pid, os.WEXITED | os.WNOWAIT)
        assert second.grade(trial, folder) is None
        assert second.grade(trial, folder) is None
        second.remove(str(rest))
    assert not rest.exists()


def test_ctrl_c_leaves_the_second_process_to_the_first(house):
    write_cases(house, 1)
    run(house, "--run-id", "r")
    grading, [(trial, folder)] = stored(house)
    with second_grader(MANY, 2, grading) as second:
        assert second.grade(trial, folder)
        os.kill(second._pid, signal.SIGINT)
        assert second.grade(trial, folder)


def test_it_removes_what_it_is_told_and_is_gone_with_it(house):
    write_cases(house, 1)
    run(house, "--run-id", "r")
    grading, _ = stored(house)
    folders = [house / "rest" / str(number) for number in range(300)]
    for each in folders:
        (each / "work").mkdir(parents=True)
        (each / "work" / "file").write_text("x")
    with second_grader(MANY, 2, grading) as second:
        for each in folders:
            second.remove(str(each))
    assert not any((house / "rest").iterdir())
    with pytest.raises(ChildProcessError):
        os.waitpid(second._pid, 0)


def test_a_large_run_comes_out_the_same_with_one_process_and_with_two(house):
    write_cases(house, MANY)
    run(house, "--run-id", "one", "-j", "1")
    run(house, "--run-id", "two", "-j", "4")

    def verdicts(name):
        found = json.loads((house / OUT / name / "results.json").read_bytes())["trials"]
        free = ("seconds", "latency", "stamp")
        return [{key: each[key] for key in each if key not in free} for each in found]

    assert verdicts("one") == verdicts("two")
    assert len(verdicts("two")) == MANY
    again = subprocess.run(
        [sys.executable, "-m", "audition", "grade", "two"],
        cwd=house, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert f"{MANY} stand as they were" in again.stderr


def test_nothing_is_left_of_it_when_the_first_is_killed(house):
    write_cases(house, MANY * 2)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen(argv("--run-id", "r", "-j", "4"), cwd=house, **quiet)
    progress = house / OUT / "r" / "progress.jsonl"
    until(lambda: progress.exists() and progress.read_bytes().count(b"\n") > 5)
    ours = helpers(house)
    assert len(ours) > 1, "there was no second process"
    child.kill()
    child.wait()
    until(lambda: not helpers(house))
    for pid in ours:  # where this process adopts orphans, they are its own to reap
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
    # The lock went with them: it can be gone on with at once.
    assert run(house, "--run-id", "r", "--resume", "-j", "4").returncode == 1
    assert len(json.loads((house / OUT / "r" / "results.json").read_bytes())["trials"]) == MANY * 2


def until(holds):
    for _ in range(400):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it never came to that")


def test_the_stages_of_a_large_run_are_gone_when_it_ends(house, tmp_path_factory):
    stages = tmp_path_factory.mktemp("stages")
    write_cases(house, MANY)
    done = subprocess.run(
        argv("--run-id", "r", "-j", "4"),
        cwd=house, env={**os.environ, "AUDITION_TMP": str(stages)},
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert list(stages.iterdir()) == []


def test_the_case_alone_says_whether_a_grade_may_be_made_elsewhere():
    assert grader.may_stand(Case(id="a", prompt="p"))
    looks = CheckSpec(name="program", arguments={"command": "true"})
    assert not grader.may_stand(Case(id="a", prompt="p", checks=(looks,)))
