"""A run seen from outside: detached, gone on with, begun in vain, followed on a terminal."""

import contextlib
import json
import os
import pty
import subprocess
import sys
import time

import pytest

from audition.errors import RunTrouble
from audition.store import open_run

SAY = """
import json, pathlib, sys, time
if "--version" not in sys.argv:
    while pathlib.Path({hold!r}).exists():
        time.sleep(0.01)
    print(json.dumps({{"kind": "end", "status": "completed", "answer": "done"}}))
"""


@pytest.fixture
def house(tmp_path):
    """A folder with a skill, two cases, and an agent that waits while `hold` is there."""
    (tmp_path / "skills/greeting").mkdir(parents=True)
    text = "---\nname: greeting\ndescription: Greets.\n---\nSay hello.\n"
    (tmp_path / "skills/greeting/SKILL.md").write_text(text)
    cases = [{"id": each, "prompt": "x", "skill": "none"} for each in ("one", "two")]
    (tmp_path / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))
    agent = tmp_path / "agent.py"
    agent.write_text(SAY.format(hold=str(tmp_path / "hold")))
    command = json.dumps([sys.executable, str(agent)])
    config = 'agent = "mine"\nfsync = false\n[agents.mine]\nlike = "understudy"\n'
    (tmp_path / "audition.toml").write_text(f"{config}command = {command}\n")
    return tmp_path


def audition(house, *words):
    argv = [sys.executable, "-m", "audition", *words]
    return subprocess.run(argv, cwd=house, check=False, capture_output=True, text=True, timeout=120)


def state(house, *words):
    return json.loads(audition(house, "status", *words, "--output-format", "json").stdout)


def until_finished(house, *words):
    for _ in range(200):
        if (found := state(house, *words))["state"] == "finished":
            return found
        time.sleep(0.05)
    raise AssertionError("it never ended")


def test_status_knows_a_background_run_as_soon_as_the_command_is_back(house):
    (house / "hold").touch()
    done = audition(house, "run", "--background")
    assert done.returncode == 0
    found = state(house, done.stdout.strip())
    assert found["state"] == "running"
    assert f"process {found['pid']}" in done.stderr
    again = audition(house, "run", "--resume", "--background")
    assert again.returncode == 2
    assert f"is being written by process {found['pid']}" in again.stderr
    (house / "hold").unlink()
    assert until_finished(house)["done"] == 2


def test_an_id_that_is_taken_is_refused_in_the_background_too(house):
    assert audition(house, "run", "--run-id", "r").returncode == 0
    done = audition(house, "run", "--run-id", "r", "--background")
    assert done.returncode == 2
    assert "the run `r` is there already" in done.stderr
    assert {each.name for each in (house / "artifacts/skill-evals").iterdir()} >= {"r"}
    assert not (house / "artifacts/skill-evals/r/runner.log").exists()


def test_a_run_is_gone_on_with_in_the_background(house):
    assert audition(house, "run", "--run-id", "r", "--max-runs", "1", "-j", "1").returncode == 1
    (house / "hold").touch()
    done = audition(house, "run", "--resume", "--background", "--max-runs", "9")
    assert (done.returncode, done.stdout) == (0, "r\n")
    assert state(house)["state"] == "running"
    (house / "hold").unlink()
    assert until_finished(house)["done"] == 2


@pytest.mark.parametrize("words", [(), ("--background",), ("--background", "--run-id", "r")])
def test_what_cannot_begin_says_why_and_leaves_nothing(house, words):
    config = (house / "audition.toml").read_text()
    (house / "audition.toml").write_text(
        f"{config}[agents.gone]\nlike = 'claude'\ncommand = 'no-such'\n"
    )
    done = audition(house, "run", "-a", "gone", *words)
    assert done.returncode == 2
    assert "no-such" in done.stderr
    assert done.stderr.count("error: ") == 1
    assert not list((house / "artifacts/skill-evals").glob("*"))


def test_a_run_that_comes_to_grief_before_it_began_is_none(tmp_path):
    def begin():
        with open_run(tmp_path, "r", resume=False) as run:
            (run.path / "inputs" / "skills").mkdir(parents=True)
            raise RunTrouble("no")

    with pytest.raises(RunTrouble):
        begin()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", [(), ("--background",)])
def test_skills_that_cannot_be_copied_are_left_out_with_a_word(house, words):
    cases = (house / "cases.yaml").read_text()
    quiet = '"skill": "greeting", "should_trigger": false'
    (house / "cases.yaml").write_text(cases.replace('"skill": "none"', quiet))
    for name in ("bad", "worse"):
        (house / "skills" / name).mkdir()
        (house / "skills" / name / "SKILL.md").symlink_to("/nowhere")
    done = audition(house, "run", "--run-id", "r", *words)
    assert done.returncode == 0
    assert until_finished(house)["done"] == 2
    log = house / "artifacts/skill-evals/r/runner.log"
    told = log.read_text() if words else done.stderr
    for name in ("bad", "worse"):
        assert f"the skill `{name}` is left out: " in told
        assert f"{name}/SKILL.md is a link to an absolute path" in told


def test_an_id_whose_run_was_killed_before_it_began_is_free(tmp_path):
    open_run(tmp_path, "r", resume=False).close()
    (tmp_path / "r/inputs/skills/old").mkdir(parents=True)
    with open_run(tmp_path, "r", resume=False) as run:
        assert not (run.path / "inputs").exists()


def test_a_dry_run_shows_what_is_left_of_a_run_and_asks_nobody(house):
    audition(house, "run", "--run-id", "r", "--max-runs", "1", "-j", "1")
    done = audition(house, "run", "--resume", "--dry-run", "--output-format", "json")
    assert done.returncode == 0
    assert [each["case"] for each in json.loads(done.stdout)["trials"]] == ["two"]
    assert state(house)["done"] == 1


def test_words_that_a_resumed_run_does_not_listen_to_are_named(house):
    audition(house, "run", "--run-id", "r", "--max-runs", "1", "-j", "1")
    words = ("nowhere.yaml", "--skill", "greting", "-r", "5", "-j", "2", "-a", "nop")
    done = audition(house, "run", "--resume", "--max-runs", "9", *words)
    told = "note: the run goes on as it was planned: "
    told += "`nowhere.yaml`, `--skill`, `--trials`, `--agent` not used"
    assert sorted(done.stderr.splitlines()[0].split()) == sorted(told.split())
    assert audition(house, "run", "--resume").stderr == ""


def test_commands_that_are_named_find_the_run_where_it_is(house):
    (house / "cases.yaml").write_text(
        (house / "cases.yaml").read_text().replace("none", "greeting")
    )
    done = audition(house, "run", "--out", "else where", "--run-id", "r", "--max-runs", "1")
    assert "audition show r::greeting/one/mine+native/1 --out 'else where'" in done.stdout
    told = audition(house, "status", "--out", "else where").stdout
    assert "audition run --resume --run-id r --out 'else where'" in told
    assert " --out" not in audition(house, "run").stdout


def test_a_terminal_shows_what_is_being_asked(house):
    (house / "hold").touch()
    ours, theirs = pty.openpty()
    argv = [sys.executable, "-m", "audition", "run", "-j", "2"]
    env = {**os.environ, "TERM": "xterm", "PYTHONUTF8": "1"}
    child = subprocess.Popen(argv, cwd=house, env=env, stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    shown = b""
    while b"none/two/mine+native/1" not in shown:
        shown += os.read(ours, 65536)
    (house / "hold").unlink()
    with contextlib.suppress(OSError):  # nobody writes to it any more
        while os.read(ours, 65536):
            pass
    os.close(ours)
    assert b"none/one/mine+native/1" in shown
    assert child.wait(60) == 0


def test_a_program_without_a_word_for_its_version_is_started_for_trials_only(house):
    said = house / "agent.py"
    said.write_text(f"open({str(house / 'started')!r}, 'a').write('x')\n{said.read_text()}")
    assert audition(house, "run", "-r", "2").returncode == 0
    assert (house / "started").read_text() == "x" * 4
