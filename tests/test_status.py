"""`audition status`: is it running, how far, and what to type next."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
import stored
from test_store import Writer

from audition.cli import run_words
from audition.store import read_state

EXAMPLES = Path(__file__).parents[1] / "examples"


def status(out, capfd, *words):
    code = run_words(["status", "--out", str(out), *words])
    said, talk = capfd.readouterr()
    return code, said, talk


def as_json(out, capfd, *words):
    code, said, _ = status(out, capfd, *words, "--output-format", "json")
    assert code == 0
    return json.loads(said)


@pytest.fixture
def held(tmp_path):
    writer = Writer(tmp_path, "r", 5, "hold")
    writer.wait_for_words(1)
    yield writer
    if writer.process.poll() is None:
        writer.kill()


def test_a_running_run_names_its_process_and_what_is_asked_now(tmp_path, held, capfd):
    code, said, _ = status(tmp_path, capfd)
    assert code == 0
    assert f"r is running (process {held.pid} on " in said
    assert "0 of 5 trials done" in said
    assert f"running now:\n  {stored.plan(5)[0].id}\n" in said
    assert "--resume" not in said
    told = as_json(tmp_path, capfd)
    assert (told["state"], told["pid"], told["resume"]) == ("running", held.pid, None)
    assert told["running"] == [stored.plan(5)[0].id]


def test_a_run_whose_process_died_is_dead_and_says_how_to_go_on(tmp_path, held, capfd):
    held.kill()
    code, said, _ = status(tmp_path, capfd, "r")
    assert code == 0
    assert said.startswith("r is dead: its process was killed")
    assert f"audition run --resume --run-id r --out {tmp_path}" in said
    told = as_json(tmp_path, capfd, "r")
    assert (told["state"], told["left"], told["running"]) == ("dead", 5, [])


def test_a_process_that_took_over_the_number_of_a_dead_one_does_not_revive_it(tmp_path, capfd):
    path = stored.make_run(tmp_path, count=4, done=2)
    (path / "run.lock").write_text(json.dumps({"pid": os.getpid(), "host": "here"}))
    assert as_json(tmp_path, capfd)["state"] == "dead"


def test_a_run_that_stopped_in_order_tells_what_is_left(tmp_path, capfd):
    stored.make_run(tmp_path, count=8, done=6)
    _, said, _ = status(tmp_path, capfd)
    assert said.startswith(
        "r stopped before its end\n6 of 8 trials done, 4 passed, 1 failed, 1 in error"
    )
    assert "to run the 2 that are left:" in said
    stored.make_run(tmp_path / "other", count=8, done=7)
    assert "to run the 1 that is left:" in status(tmp_path / "other", capfd)[1]


def test_a_finished_run_says_how_to_see_it(tmp_path, capfd):
    stored.make_run(tmp_path, count=4)
    _, said, _ = status(tmp_path, capfd)
    assert said.startswith("r is finished\n4 of 4 trials done, 2 passed, 1 failed, 1 in error\n")
    assert "audition show r" in said
    told = as_json(tmp_path, capfd)
    assert (told["passed"], told["failed"], told["error"], told["left"]) == (2, 1, 1, 0)


def test_the_command_it_names_really_goes_on_with_the_run(tmp_path, capfd):
    words = ["run", str(EXAMPLES), "--skill", "greeting", "--run-id", "r", "--out", str(tmp_path)]
    argv = [sys.executable, "-m", "audition"]
    subprocess.run([*argv, *words], capture_output=True, check=True)
    trials = json.loads((tmp_path / "r" / "results.json").read_text())["trials"]
    shutil.rmtree(tmp_path / "r" / trials[0]["dir"])
    told = as_json(tmp_path, capfd)
    assert (told["state"], told["left"]) == ("stopped", 1)
    again = shlex.split(told["resume"])
    assert again[0] == "audition"
    done = subprocess.run([*argv, *again[1:]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert as_json(tmp_path, capfd)["state"] == "finished"


def test_damaged_files_are_listed(tmp_path, capfd):
    path = stored.make_run(tmp_path, count=4)
    time.sleep(0.02)
    (path / "work" / stored.plan(4)[1].place / "grade.json").write_text("{")
    code, said, _ = status(tmp_path, capfd)
    assert code == 0
    assert "3 of 4 trials done" in said
    assert "damaged:\n" in said
    assert f"{stored.plan(4)[1].place}/grade.json" in said


def test_an_unknown_run_names_the_nearest(tmp_path, capfd):
    stored.make_run(tmp_path, "nightly", count=1)
    code, said, talk = status(tmp_path, capfd, "nihgtly")
    assert (code, said) == (2, "")
    assert "did you mean `nightly`?" in talk


def test_following_ends_with_the_run(tmp_path):
    writer = Writer(tmp_path, "r", 4000)
    writer.wait_for_words(1)
    words = ["status", "r", "--follow", "--out", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "audition", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert writer.end() == (0, "")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("r is finished\n4000 of 4000 trials done")
    assert "of 4000 trials done" in done.stderr


def test_looking_changes_nothing_and_keeps_nobody_out(tmp_path, capfd):
    path = stored.make_run(tmp_path, count=4, done=2)
    before = {each: each.stat().st_mtime_ns for each in path.rglob("*")}
    status(tmp_path, capfd)
    assert {each: each.stat().st_mtime_ns for each in path.rglob("*")} == before
    # Each look holds the lock for a moment; a harness that starts then must still get it.
    writer = Writer(tmp_path, "r", 4)
    while writer.process.poll() is None:
        read_state(path)
    assert writer.end() == (0, "")
