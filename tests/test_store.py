"""The store: files are the truth, and no kill and no full disk loses a finished trial."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tracemalloc
import warnings
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest
import stored
from hypothesis import given
from hypothesis import strategies as st

from audition.errors import AuditionError, RunTrouble, UsageError
from audition.store import (
    check_id,
    claim_id,
    find_run,
    list_runs,
    open_run,
    read_inputs,
    read_plan,
    read_record,
    read_records,
    read_sealed,
    read_state,
    results_stand,
    write_inputs,
    write_results,
)

WRITER = Path(__file__).parent / "fakes" / "writer.py"


class Writer:
    """The program writer.py at work; what it says goes to a file, which no kill shortens."""

    def __init__(self, *words):
        self.said = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as this
        argv = [sys.executable, WRITER, *map(str, words)]
        self.process = subprocess.Popen(argv, stdout=self.said, stderr=subprocess.PIPE)
        self.pid = self.process.pid

    def words(self):
        return os.pread(self.said.fileno(), 1 << 24, 0).decode().split()

    def wait_for_words(self, count):
        deadline = time.monotonic() + 60
        while len(self.words()) < count:
            assert self.process.poll() is None, self.process.stderr.read()
            assert time.monotonic() < deadline, "the writer says nothing"
            time.sleep(0.002)

    def end(self):
        _, talk = self.process.communicate(timeout=100)
        return self.process.returncode, talk.decode()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        code, talk = self.end()
        assert code == -signal.SIGKILL, talk


def results_of(path):
    return json.loads((path / "results.json").read_text())


def written(path):
    for _ in write_results(path, read_inputs(path), fsync=False):
        pass
    return results_of(path)


def progress_ids(path):
    return [json.loads(line)["id"] for line in (path / "progress.jsonl").read_text().splitlines()]


@pytest.fixture
def run(tmp_path):
    trials = stored.plan(10)
    with open_run(tmp_path / "out", "r", resume=False) as made:
        made.describe(stored.inputs(trials))
        made.trials = trials
        yield made


def test_a_run_is_laid_out_as_the_design_says(run):
    stored.do_trial(run, run.trials[0])
    for _ in write_results(run.path, read_inputs(run.path)):
        pass
    files = {str(each.relative_to(run.path)) for each in run.path.rglob("*")} - {".staging"}
    place = "work/skill-0/case-0/stub+native/1"
    made = {place, *map(str, Path(place).parents)} - {"."}
    assert files == made | {
        *("run.json", "plan.jsonl", "progress.jsonl", "results.json", "run.lock"),
        *(f"{place}/meta.json", f"{place}/grade.json", f"{place}/trace.jsonl"),
    }


def test_what_was_asked_for_is_read_back_the_same_and_cases_are_kept_once(tmp_path):
    trials = stored.plan(50, cases=5)
    asked = stored.inputs(trials, settings={"jobs": 3})
    write_inputs(tmp_path, asked)
    again = read_inputs(tmp_path)
    assert again == asked
    assert again.plan[0].case is again.plan[5].case
    assert (tmp_path / "plan.jsonl").read_text().count("Greet Ada") == 5 * 10
    assert read_inputs(tmp_path, plan=False).plan == ()


@given(numbers=st.lists(st.integers(0, 3), max_size=12), prompt=st.text(max_size=50))
def test_any_plan_is_read_back_the_same(tmp_path_factory, numbers, prompt):
    folder = tmp_path_factory.mktemp("plan")
    four = stored.plan(4, cases=4)
    case = msgspec.structs.replace(four[0].case, prompt=prompt)
    four = (msgspec.structs.replace(four[0], case=case), *four[1:])
    trials = tuple(four[number] for number in numbers)
    write_inputs(folder, stored.inputs(trials), fsync=False)
    assert tuple(read_plan(folder)) == trials


def test_a_trial_whose_seal_cannot_be_read_is_named_with_what_to_do(tmp_path):
    (tmp_path / "meta.json").write_text("{")
    with pytest.raises(RunTrouble, match=r"meta\.json cannot be understood") as caught:
        read_sealed(tmp_path)
    assert caught.value.hint.startswith(f"remove {tmp_path} and `--resume`")


def test_a_line_of_the_plan_that_cannot_be_read_is_named(tmp_path):
    write_inputs(tmp_path, stored.inputs(stored.plan(3)))
    with (tmp_path / "plan.jsonl").open("a") as file:
        file.write('{"id": 3')
    with pytest.raises(RunTrouble, match=r"plan\.jsonl:4 cannot be understood"):
        read_inputs(tmp_path)


@pytest.mark.parametrize("name", ["run.json", "plan.jsonl"])
@pytest.mark.parametrize("text", ["{", None])
def test_what_is_left_of_a_run_that_does_not_know_what_was_asked_is_told(tmp_path, name, text):
    path = stored.make_run(tmp_path, count=4)
    (path / name).unlink()
    if text:
        (path / name).write_text(text)
    elif name == "run.json":
        return  # without it, it is no run
    with pytest.raises(RunTrouble, match=re.escape(name)) as caught:
        read_inputs(path)
    assert "put the file back from a copy, or run the cases anew" in caught.value.hint
    assert f"{path}/results.json" in caught.value.hint


@pytest.mark.parametrize(
    "name", ["", "..", "../x", "a/b", "last", "x" * 101, ".hidden", "a b", "é", "history.db", "a\n"]
)
def test_an_id_that_cannot_name_a_folder_is_refused(name):
    with pytest.raises(UsageError, match="cannot be the id of a run"):
        check_id(name)


def test_an_id_that_is_taken_is_refused_and_says_how_to_go_on(tmp_path):
    stored.make_run(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(RunTrouble, match="there already") as caught:
        open_run(tmp_path, "r", resume=False)
    assert "--resume" in caught.value.hint
    assert caught.value.exit_code == 2
    assert sorted(tmp_path.rglob("*")) == before
    open_run(tmp_path, "r", resume=True).close()


def test_a_default_id_that_is_taken_gets_a_number(tmp_path):
    assert [claim_id(tmp_path, "x") for _ in range(3)] == ["x", "x-2", "x-3"]
    with open_run(tmp_path, "x", resume=False, fresh_id=True) as made:
        assert made.run_id == "x-4"


def test_going_on_with_a_run_that_is_not_there_makes_nothing(tmp_path):
    stored.make_run(tmp_path, "one")
    with pytest.raises(RunTrouble, match="no run `two`"):
        open_run(tmp_path, "two", resume=True)
    assert not (tmp_path / "two").exists()


def test_a_second_harness_on_the_same_run_is_refused_and_told_whose_it_is(tmp_path):
    first = Writer(tmp_path, "r", 5, "hold")
    try:
        first.wait_for_words(1)
        code, talk = Writer(tmp_path, "r", 5).end()
        assert code == 2
        assert f"process {first.pid} " in talk
        assert "--run-id" in talk
        state = read_state(tmp_path / "r")
        assert (state.state, state.pid, state.done) == ("running", first.pid, 0)
        assert state.running == (stored.plan(5)[0].id,)
        assert Writer(tmp_path, "other", 5).end() == (0, "")
    finally:
        first.kill()
    state = read_state(tmp_path / "r")
    assert (state.state, state.pid, state.running) == ("dead", first.pid, ())
    assert Writer(tmp_path, "r", 5).end() == (0, "")
    assert read_state(tmp_path / "r").state == "finished"


def test_two_runs_opened_by_one_process_exclude_each_other_too(run):
    with pytest.raises(RunTrouble, match=f"process {os.getpid()} "):
        open_run(run.path.parent, "r", resume=True)


def test_a_run_that_ended_in_order_with_trials_left_is_stopped_not_dead(tmp_path):
    path = stored.make_run(tmp_path, count=10, done=4)
    state = read_state(path)
    assert (state.state, state.done, state.left) == ("stopped", 4, 6)
    assert (state.passed, state.failed, state.error) == (2, 1, 1)


def test_what_was_half_made_is_swept_when_a_run_is_opened_again(run):
    staging = run.start(run.trials[0])
    (staging / "trace.jsonl").write_text("half")
    (run.path / ".staging" / "1-2.tmp").write_text("half a grade")
    assert read_state(run.path).running == (run.trials[0].id,)
    run.close()
    with open_run(run.path.parent, "r", resume=True) as again:
        assert os.listdir(run.path / ".staging") == []
        assert again.finished() == set()
        assert again.sealed_unfinished() == []


def test_what_was_sealed_but_not_graded_is_found_and_not_asked_again(run):
    stored.do_trial(run, run.trials[0])
    folder = run.seal(run.trials[1], run.start(run.trials[1]), stored.sealed(run.trials[1]))
    run.close()
    with open_run(run.path.parent, "r", resume=True) as again:
        assert again.finished() == {run.trials[0].id}
        assert again.sealed_unfinished() == [folder]
        assert read_sealed(folder) == stored.sealed(run.trials[1])
        again.commit(stored.record(run.trials[1]), folder)
        assert again.sealed_unfinished() == []
        assert again.finished() == {run.trials[0].id, run.trials[1].id}


def test_a_folder_in_the_way_is_kept_beside(run):
    trial = run.trials[0]
    old = run.folder(trial)
    old.mkdir(parents=True)
    (old / "kept.txt").write_text("mine")
    stored.do_trial(run, trial)
    assert read_record(old) == stored.record(trial)
    assert (old.parent / "1.attempt-1" / "kept.txt").read_text() == "mine"


def test_an_interrupted_trial_leaves_nothing(run):
    staging = run.start(run.trials[0])
    (staging / "files").mkdir()
    run.drop(staging)
    assert os.listdir(run.path / ".staging") == []


@pytest.mark.parametrize("harm", ["torn", "lost", "twice", "junk", "gone", "strange"])
def test_progress_is_mended_from_the_trials(tmp_path, harm):
    path = stored.make_run(tmp_path, count=8)
    whole = results_of(path)["trials"]
    progress = path / "progress.jsonl"
    lines = progress.read_bytes().splitlines(keepends=True)
    harmed = {
        "torn": [*lines[:-1], lines[-1][:40]],
        "lost": lines[:-2],
        "twice": [lines[0], *lines],
        "junk": [*lines[:3], b"\xff\x00 nonsense\n", *lines[3:]],
        "strange": [*lines, lines[0].replace(b"/1", b"/99")],
    }
    if harm == "gone":
        progress.unlink()
    else:
        progress.write_bytes(b"".join(harmed[harm]))
    assert [each.id for each in read_records(path)] == [each["id"] for each in whole]
    with open_run(tmp_path, "r", resume=True) as run:
        assert len(run.finished()) == 8
    assert progress_ids(path) == [each["id"] for each in whole]
    assert written(path)["trials"] == whole


def test_a_grade_edited_by_hand_is_what_counts(tmp_path):
    path = stored.make_run(tmp_path, count=4)
    first = stored.plan(4)[0]
    changed = stored.record(first, status="fail", reason="I looked")
    time.sleep(0.02)
    (path / "work" / first.place / "grade.json").write_bytes(
        msgspec.json.format(msgspec.json.encode(changed), indent=2)
    )
    assert next(read_records(path)) == changed
    with open_run(tmp_path, "r", resume=True):
        pass
    assert json.loads((path / "progress.jsonl").read_text().splitlines()[0])["reason"] == "I looked"


@pytest.mark.parametrize(
    "text", [b"", b'{"id": "x"', b"\xff\xfe", b"[]", b'{"id": 1}', b"[" * 9999]
)
def test_a_grade_that_cannot_be_read_is_named_and_the_others_are_still_read(tmp_path, text):
    path = stored.make_run(tmp_path, count=4)
    first = stored.plan(4)[0]
    time.sleep(0.02)
    (path / "work" / first.place / "grade.json").write_bytes(text)
    with pytest.raises(RunTrouble, match=re.escape(f"{first.place}/grade.json")) as caught:
        list(read_records(path))
    assert f"`audition grade {path}`" in caught.value.hint
    with pytest.raises(RunTrouble, match=r"grade\.json"):
        open_run(tmp_path, "r", resume=True)
    damaged = []
    assert len(list(read_records(path, damaged=damaged.append))) == 3
    assert len(damaged) == 1
    state = read_state(path)
    assert (state.done, len(state.damaged)) == (3, 1)
    (path / "work" / first.place / "grade.json").unlink()
    with open_run(tmp_path, "r", resume=True) as run:
        assert run.sealed_unfinished() == [path / "work" / first.place]


def test_a_grade_of_another_trial_is_not_believed(tmp_path):
    path = stored.make_run(tmp_path, count=4)
    one, two = (path / "work" / trial.place / "grade.json" for trial in stored.plan(4)[:2])
    time.sleep(0.02)
    shutil.copy(one, two)
    with pytest.raises(RunTrouble, match="it is of the trial"):
        list(read_records(path))


def test_a_trial_whose_folder_was_removed_is_run_again(tmp_path):
    path = stored.make_run(tmp_path, count=4)
    gone = stored.plan(4)[2]
    shutil.rmtree(path / "work" / gone.place)
    assert gone.id not in {each.id for each in read_records(path)}
    with open_run(tmp_path, "r", resume=True) as run:
        assert gone.id not in run.finished()
    assert gone.id not in progress_ids(path)


def test_results_are_in_plan_order_whatever_order_trials_ended_in(tmp_path):
    trials = stored.plan(20)
    with open_run(tmp_path, "r", resume=False, fsync=False) as run:
        run.describe(stored.inputs(trials, agents={"stub": {"version": "1.0"}}))
        for trial in random.Random(1).sample(trials, 15):
            stored.do_trial(run, trial)
        results = written(run.path)
    done = {each["id"] for each in results["trials"]}
    assert [each["id"] for each in results["trials"]] == [t.id for t in trials if t.id in done]
    assert results["version"] == 1
    about = results["run"]
    assert (about["run_id"], about["finished"], about["planned"]) == ("r", 15, 20)
    assert about["catalogue"]["skill-1"] == "digest-skill-1"
    assert about["agent_versions"] == {"stub": ["1.0"]}
    assert about["policies"] == ["default"]
    assert results["trials"][0]["usage"] == {
        "input_tokens": 10,
        "cached_input_tokens": None,
        "output_tokens": 2,
        "dollars": None,
    }


def test_results_that_are_not_read_to_the_end_do_not_replace_whole_ones(tmp_path):
    path = stored.make_run(tmp_path, count=6)
    before = (path / "results.json").read_bytes()
    half = write_results(path, read_inputs(path))
    next(half)
    half.close()
    assert (path / "results.json").read_bytes() == before
    assert not list(path.glob("*.tmp"))


def test_results_are_written_without_holding_all_records(tmp_path):
    trials = stored.plan(1000, cases=10)
    with open_run(tmp_path, "r", resume=False, fsync=False) as run:
        run.describe(stored.inputs(trials))
        for trial in trials:
            stored.do_trial(run, trial, reason="x" * 20_000)
    asked = read_inputs(run.path, plan=False)
    tracemalloc.start()
    for _ in write_results(run.path, asked, fsync=False):
        pass
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert (run.path / "results.json").stat().st_size > 20_000_000
    assert peak < 5_000_000


@pytest.mark.parametrize("seed", range(4))
def test_a_killed_writer_loses_no_trial_that_it_said_was_kept(tmp_path, seed):
    chance = random.Random(20260102 + seed)
    path, acked = tmp_path / "r", set()
    for kill in range(25):  # a fast machine finishes all within a hundred
        writer = Writer(tmp_path, "r", 4_000)
        writer.wait_for_words(1)
        time.sleep(chance.uniform(0, 0.01))
        writer.kill()
        acked.update(writer.words())
        if kill % 10 == 0:
            assert acked <= {each.id for each in read_records(path)}
    print(f"{len(acked)} trials acknowledged")
    assert len(acked) > 50
    with open_run(tmp_path, "r", resume=True) as run:
        finished = run.finished()
        assert acked <= finished
        assert set(progress_ids(path)) == finished
        by_id = {trial.id: trial for trial in stored.plan(4_000)}
        for folder in run.sealed_unfinished():
            assert read_sealed(folder) == stored.sealed(by_id[read_sealed(folder).trial.id])
        for each in read_records(path):
            assert each == stored.record(by_id[each.id])


def test_a_run_that_was_killed_ends_with_the_results_of_one_that_was_not(tmp_path):
    for _ in range(5):
        writer = Writer(tmp_path, "r", 600)
        writer.wait_for_words(40)
        writer.kill()
    assert read_state(tmp_path / "r").state == "dead"
    assert Writer(tmp_path, "r", 600).end() == (0, "")
    assert Writer(tmp_path, "whole", 600).end() == (0, "")
    assert written(tmp_path / "r")["trials"] == written(tmp_path / "whole")["trials"]


def check_refused(writer, path):
    code, talk = writer.end()
    assert code == 2, talk
    acked = set(writer.words())
    assert acked
    assert acked <= {each.id for each in read_records(path)}
    return talk


def test_a_write_that_comes_out_short_loses_nothing_and_leaves_no_half_line(tmp_path):
    talk = check_refused(Writer(tmp_path, "r", 400, "limit=50001"), tmp_path / "r")
    assert "progress.jsonl" in talk
    text = (tmp_path / "r" / "progress.jsonl").read_bytes()
    assert 40_000 < len(text) <= 50_001
    assert text.endswith(b"\n")
    assert Writer(tmp_path, "r", 400).end() == (0, "")
    assert len(progress_ids(tmp_path / "r")) == 400


@pytest.fixture
def mount(tmp_path):
    """A function that mounts a small file system; skips where that is not allowed."""
    made = []

    def do(options):
        place = tmp_path / f"mounted-{len(made)}"
        place.mkdir()
        words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
        try:
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            done = None
        if done is None or done.returncode:
            why = "cannot mount a tmpfs here: a full disk is NOT tested"
            warnings.warn(why, stacklevel=2)
            pytest.skip(why)
        made.append(place)
        return place

    yield do
    for place in made:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_stops_the_run_and_loses_nothing(mount):
    place = mount("size=2m")
    talk = check_refused(Writer(place, "r", 2000), place / "r")
    assert "No space left" in talk
    assert "free some space" in talk
    subprocess.run(["mount", "-o", "remount,size=64m", str(place)], check=True)
    assert Writer(place, "r", 2000).end() == (0, "")
    assert read_state(place / "r").state == "finished"


def test_a_disk_without_inodes_stops_the_run_and_loses_nothing(mount):
    place = mount("size=64m,nr_inodes=300")
    assert "No space left" in check_refused(Writer(place, "r", 2000), place / "r")


def test_a_full_or_read_only_disk_is_refused_before_the_first_trial(mount):
    place = mount("size=64k")
    with suppress(OSError):
        (place / "filler").write_bytes(b"x" * 1_000_000)
    full = Writer(place, "r", 5)
    code, talk = full.end()
    assert (code, full.words()) == (2, [])
    assert "No space left" in talk
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    closed = Writer(place, "r2", 5)
    code, talk = closed.end()
    assert (code, closed.words()) == (2, [])
    assert "Read-only" in talk
    assert "--out" in talk


def test_a_run_that_may_not_be_written_is_to_be_copied_not_made_elsewhere(mount):
    place = mount("size=4m")
    path = stored.make_run(place, count=2)
    subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
    with pytest.raises(RunTrouble, match="Read-only") as caught:
        open_run(place, path.name, resume=True)
    assert "copy it to a folder that you may write" in caught.value.hint
    assert "--out" not in caught.value.hint


def test_a_file_in_the_way_of_the_folder_is_told_in_words(tmp_path):
    (tmp_path / "out").write_text("")
    with pytest.raises(AuditionError, match="cannot make") as caught:
        open_run(tmp_path / "out", "r", resume=False)
    assert "--out" in caught.value.hint


@pytest.fixture
def three_runs(tmp_path):
    for number, name in enumerate(["20260101-000000", "20260102-000000", "nightly"]):
        path = stored.make_run(tmp_path, name, count=2)
        os.utime(path / "run.json", (number, number))
    (tmp_path / "not-a-run").mkdir()
    return tmp_path


def test_runs_are_found_by_id_path_beginning_or_age(three_runs, monkeypatch):
    newest = three_runs / "nightly"
    assert [each.name for each in list_runs(three_runs)][-1] == "nightly"
    assert find_run(None, three_runs) == find_run("last", three_runs) == newest
    assert find_run("nightly", three_runs) == find_run("ni", three_runs) == newest
    assert find_run(str(newest), Path("elsewhere")) == newest
    assert find_run("20260102", three_runs).name == "20260102-000000"


@pytest.mark.parametrize(
    ("words", "hint"),
    [("nightyl", "did you mean `nightly`?"), ("2026", "`20260101-000000`"), ("not-a-run", "known")],
)
def test_a_run_that_is_not_clear_gets_a_hint(three_runs, words, hint):
    with pytest.raises(RunTrouble) as caught:
        find_run(words, three_runs)
    assert hint in caught.value.hint


def test_no_run_at_all_says_how_to_make_one(tmp_path):
    with pytest.raises(RunTrouble, match="there is no run") as caught:
        find_run(None, tmp_path / "nothing")
    assert "audition run" in caught.value.hint


def test_grading_again_replaces_grades_and_progress(run):
    for trial in run.trials:
        stored.do_trial(run, trial)
    part = run.path / ".staging" / "part"
    with part.open("wb") as lines:
        for trial in run.trials:
            better = stored.record(trial, status="pass")
            data, before, differs = run.regrade(better, run.folder(trial))
            assert differs == (better != stored.record(trial))
            assert before == stored.record(trial).status
            lines.write(data + b"\n")
    run.replace_progress([part])
    assert {each.status for each in read_records(run.path)} == {"pass"}
    assert progress_ids(run.path) == [trial.id for trial in run.trials]
    run.commit(stored.record(run.trials[0]), run.folder(run.trials[0]))
    assert progress_ids(run.path)[-1] == run.trials[0].id


def test_results_stand_until_a_trial_is_finished_after_them(run):
    first, second = run.trials[:2]
    stored.do_trial(run, first)
    assert not results_stand(run.path)
    (run.path / "results.json").write_text("{}")
    assert results_stand(run.path)
    os.utime(run.path / "results.json", ns=(1, 1))
    stored.do_trial(run, second)
    assert not results_stand(run.path)
