"""A harness's own temporary folder: gone when it ends, and swept later where it was killed."""

import os
import subprocess
import sys
import time

import pytest

from audition import held_folder
from audition.held_folder import NAMES, own_folder, sweep

WORDS = """
import os, sys
from audition.held_folder import own_folder
path = own_folder(sys.argv[1])
os.makedirs(path + "/trial/work")
print(path, flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def harness(tmp_path):
    """Starts a process with a folder of its own: the process, and the folder."""
    started = []

    def start():
        child = subprocess.Popen(
            [sys.executable, "-c", WORDS, str(tmp_path)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(child)
        return child, child.stdout.readline().strip()

    yield start
    for child in started:
        child.kill()
        child.communicate()


def age(path, seconds=held_folder.OLD_SECONDS + 60):
    then = time.time() - seconds
    os.utime(path, (then, then))


def test_a_process_has_one_folder_and_takes_it_along_when_it_ends(harness, tmp_path):
    child, path = harness()
    assert os.path.dirname(path) == str(tmp_path)
    assert os.stat(path).st_mode & 0o777 == 0o700
    child.communicate("\n")
    assert list(tmp_path.iterdir()) == []
    assert own_folder(str(tmp_path)) == own_folder(str(tmp_path)) != path


def test_what_a_killed_harness_left_is_removed_once_it_is_old(harness, tmp_path):
    child, path = harness()
    child.kill()
    child.wait()
    sweep(str(tmp_path))
    assert os.path.isdir(f"{path}/trial/work"), "it may be one that is just being made"
    age(path)
    later, _ = harness()
    later.communicate("\n")
    assert list(tmp_path.iterdir()) == []


def test_no_folder_of_a_living_harness_is_removed_however_old_it_is(harness, tmp_path):
    _, path = harness()
    age(path, 10**8)
    later, _ = harness()
    later.communicate("\n")
    assert os.path.isdir(f"{path}/trial/work")


def test_nothing_else_is_swept(tmp_path):
    kept = tmp_path / "kept"
    kept.mkdir()
    (tmp_path / f"{NAMES}link").symlink_to(kept)
    (tmp_path / f"{NAMES}file").write_text("")
    (tmp_path / "audition-trials-ffffffff-elsewhere").mkdir()
    for each in tmp_path.iterdir():
        age(each)
    before = sorted(tmp_path.iterdir())
    sweep(str(tmp_path))
    assert sorted(tmp_path.iterdir()) == before


def test_a_fork_that_ends_leaves_the_folder_to_the_one_it_is_of(tmp_path):
    words = WORDS.replace("sys.stdin.readline()", "os.wait() if os.fork() else sys.exit()")
    words += "\nassert os.path.isdir(path)"
    subprocess.run([sys.executable, "-c", words, str(tmp_path)], check=True, capture_output=True)
    assert list(tmp_path.iterdir()) == []
