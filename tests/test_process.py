import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from audition import kin, process, seats
from audition.errors import AgentMissing, AuditionError
from audition.process import Finished, Start, run_command

FAKES = Path(__file__).parent / "fakes"
needs_lists = pytest.mark.skipif(not kin._LISTS, reason="needs Linux's lists of children")


def alive_with(word: str) -> list[str]:
    """Command lines of living processes that hold a word."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if word in line:
                found.append(f"{entry.name}: {line}")
    return found


def gone_within(word: str, seconds: float) -> list[str]:
    deadline = time.monotonic() + seconds
    while (left := alive_with(word)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path) -> Iterator[None]:
    before = strangers()
    yield
    assert alive_with(str(tmp_path)) == []
    assert [mark for mark in kin.running.values() if mark.token] == []
    assert strangers() <= before, "a zombie is left"


def strangers() -> set[int]:
    me = os.getpid()
    threads = map(int, os.listdir("/proc/self/task"))
    return {pid for each in threads for pid in kin._children_of_thread(me, each)} - {*kin.running}


def until_all_are_reaped(tmp_path: Path, before: set[int]) -> None:
    """Programs of a harness that was killed are our orphans now, and are reaped after a trial."""
    deadline = time.monotonic() + 5
    while strangers() - before and time.monotonic() < deadline:
        go(tmp_path, "true")
        time.sleep(0.01)


def go(tmp_path: Path, *argv: str, **options: object) -> Finished:
    (tmp_path / "out").mkdir(exist_ok=True)
    given = {
        "argv": argv,
        "cwd": str(tmp_path),
        "env": {"PATH": os.environ["PATH"]},
        "stdout": tmp_path / "out" / "stdout",
        "stderr": tmp_path / "out" / "stderr",
        "seconds": 30.0,
        "grace": 0.3,
    }
    return run_command(Start(**{**given, **options}))


def hostile(tmp_path: Path, habit: str, **options: object) -> Finished:
    return go(tmp_path, sys.executable, str(FAKES / "hostile.py"), habit, str(tmp_path), **options)


def printed(tmp_path: Path, name: str = "stdout") -> bytes:
    return (tmp_path / "out" / name).read_bytes()


def ups(tmp_path: Path) -> int:
    return len(list(tmp_path.glob("up-*")))


def test_a_command_ends_with_its_exit_code_and_its_bytes_in_the_files(tmp_path):
    finished = go(tmp_path, "sh", "-c", "echo out; echo err >&2; exit 3")
    assert (finished.exit_code, finished.stopped, finished.truncated) == (3, "", False)
    assert (printed(tmp_path), printed(tmp_path, "stderr")) == (b"out\n", b"err\n")


def test_cwd_and_environment_are_those_given_and_nothing_else(tmp_path):
    go(tmp_path, "/usr/bin/env", env={"ONE": "1"})
    names = {line.partition(b"=")[0] for line in printed(tmp_path).split()}
    assert names == {b"ONE", b"AUDITION_HARNESS", b"AUDITION_TRIAL"}
    go(tmp_path, "/bin/pwd", "-P")
    assert printed(tmp_path).strip() == os.fsencode(tmp_path.resolve())


def test_every_trial_carries_a_token_of_its_own(tmp_path):
    go(tmp_path, "sh", "-c", "echo $AUDITION_TRIAL")
    one = printed(tmp_path)
    go(tmp_path, "sh", "-c", "echo $AUDITION_TRIAL")
    assert one.strip()
    assert one != printed(tmp_path)


def test_a_program_in_a_session_of_its_own_does_not_get_our_ctrl_c(tmp_path):
    go(tmp_path, sys.executable, "-c", "import os; print(os.getsid(0) == os.getpid())")
    assert printed(tmp_path).strip() == b"True"


def test_a_hanging_agent_is_stopped_with_its_children(tmp_path):
    finished = hostile(tmp_path, "family", seconds=1.0)
    assert ups(tmp_path) == 5, "the fake itself did not get going"
    assert finished.stopped == "timeout"
    assert "1 s" in finished.reason
    assert finished.exit_code == -signal.SIGTERM
    assert 1.0 <= finished.seconds < 1.3


def test_what_a_stopped_agent_had_printed_is_kept(tmp_path):
    hostile(tmp_path, "hang", seconds=0.5)
    assert printed(tmp_path) == b"begun\n"


def test_an_agent_that_ignores_sigterm_is_killed_after_the_grace(tmp_path):
    began = time.monotonic()
    finished = hostile(tmp_path, "deaf", seconds=0.5, grace=0.4)
    assert finished.exit_code == -signal.SIGKILL
    assert 0.9 <= time.monotonic() - began < 2


def test_an_agent_that_stopped_itself_is_ended_without_waiting_for_the_grace(tmp_path):
    finished = hostile(tmp_path, "stopped", seconds=0.4, grace=20)
    assert finished.exit_code == -signal.SIGTERM


@needs_lists
@pytest.mark.parametrize("habit", ["daemon", "hidden_daemon", "deaf_daemon", "child_holds_pipe"])
def test_what_is_left_behind_after_a_normal_end_is_ended_too(tmp_path, habit):
    finished = hostile(tmp_path, habit)
    assert ups(tmp_path) == 1
    assert (finished.exit_code, finished.stopped) == (0, "")
    assert finished.seconds < 5


@needs_lists
def test_a_process_that_forks_and_ends_for_ever_is_caught(tmp_path):
    finished = hostile(tmp_path, "comet")
    assert (ups(tmp_path), finished.exit_code) == (1, 0)


@needs_lists
def test_short_lived_daemons_leave_no_zombies_while_the_agent_runs(tmp_path):
    assert hostile(tmp_path, "many_short_daemons").exit_code == 0


@needs_lists
def test_the_daemon_of_one_trial_is_not_ended_by_another(tmp_path):
    long = threading.Thread(target=lambda: results.append(hostile(tmp_path, "family", seconds=1.5)))
    results: list[Finished] = []
    long.start()
    while ups(tmp_path) < 5:
        time.sleep(0.01)
    for _ in range(5):
        go(tmp_path, "true", stdout=tmp_path / "o", stderr=tmp_path / "e")
    assert len(alive_with(str(tmp_path))) >= 5
    long.join()
    assert results[0].stopped == "timeout"


@needs_lists
def test_a_hidden_daemon_among_several_trials_ends_with_the_last_that_may_own_it(tmp_path):
    other, own = tmp_path / "other", tmp_path / "own"
    other.mkdir()
    own.mkdir()
    waiting = threading.Thread(target=lambda: hostile(other, "hang", seconds=1.5))
    waiting.start()
    while not ups(other):
        time.sleep(0.01)
    assert hostile(own, "hidden_daemon").exit_code == 0
    waiting.join()
    assert ups(own) == 1
    assert alive_with(str(own)) == []


def test_the_exit_status_of_a_child_that_another_thread_waits_for_is_not_stolen(tmp_path):
    other = subprocess.Popen(["sh", "-c", "exit 7"])
    time.sleep(0.1)
    hostile(tmp_path, "daemon")
    assert other.wait() == 7


def test_an_agent_that_closes_its_output_and_runs_on_is_waited_for(tmp_path):
    hostile(tmp_path, "closes_stdout")
    assert (tmp_path / "ran-on").exists()


@pytest.mark.parametrize("habit", ["flood", "long_line", "too_much_then_end"])
def test_output_beyond_the_cap_is_cut(tmp_path, habit):
    finished = hostile(tmp_path, habit, output_cap=1000)
    assert finished.truncated
    assert len(printed(tmp_path)) == 1000
    assert finished.stopped == ("output" if habit == "flood" else finished.stopped)


def test_a_flood_on_stderr_leaves_the_answer_whole(tmp_path):
    finished = hostile(tmp_path, "flood_stderr", output_cap=1000)
    assert (finished.stopped, finished.truncated) == ("output", False)
    assert printed(tmp_path) == b"answer\n"
    assert len(printed(tmp_path, "stderr")) == 993


def test_output_up_to_the_cap_is_whole(tmp_path):
    finished = hostile(tmp_path, "too_much_then_end", output_cap=5000)
    assert (finished.truncated, len(printed(tmp_path))) == (False, 5000)


def test_invalid_utf8_and_nul_bytes_and_a_torn_tail_are_kept_raw(tmp_path):
    hostile(tmp_path, "bad_bytes")
    expected = b'\xff\xfe caf\xe9 \x00\x00 \xed\xa0\x80\n{"type": "resu'
    assert printed(tmp_path) == expected


def test_a_script_that_reopens_stderr_leaves_no_hole_of_zeros(tmp_path):
    hostile(tmp_path, "empties_stderr")
    assert printed(tmp_path, "stderr") == b"middle after"


def test_an_agent_that_reads_stdin_gets_its_end_at_once(tmp_path):
    hostile(tmp_path, "reads_stdin")
    assert printed(tmp_path) == b"0 bytes"


def test_given_stdin_arrives_whole_even_if_nobody_reads_it(tmp_path):
    data = bytes(range(256)) * 4096
    hostile(tmp_path, "reads_stdin", stdin=data)
    assert printed(tmp_path) == b"%d bytes" % len(data)
    assert go(tmp_path, "true", stdin=data).exit_code == 0


def test_a_watcher_sees_every_byte_once_and_in_order(tmp_path):
    seen: list[bytes] = []
    hostile(tmp_path, "drips", watch=lambda data: seen.append(data) or "")
    assert len(seen) > 3
    assert b"".join(seen) == printed(tmp_path)
    assert printed(tmp_path).count(b"\n") == 60


def test_words_of_the_watcher_end_the_agent(tmp_path):
    finished = hostile(
        tmp_path, "fault", watch=lambda data: "not signed in" if b"401" in data else ""
    )
    assert (finished.stopped, finished.reason) == ("fault", "not signed in")
    assert finished.seconds < 5


def test_words_about_a_program_that_ended_by_itself_are_told_but_stopped_nothing(tmp_path):
    finished = go(tmp_path, "echo", "401", watch=lambda _: "not signed in")
    assert (finished.stopped, finished.reason, finished.exit_code) == ("", "not signed in", 0)


def test_a_watcher_that_raises_leaves_no_agent_behind(tmp_path):
    def watch(data: bytes) -> str:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        hostile(tmp_path, "fault", watch=watch)


def test_stop_interrupts(tmp_path):
    finished = hostile(tmp_path, "family", stop=lambda: ups(tmp_path) == 5)
    assert finished.stopped == "interrupted"


def test_a_short_program_costs_no_look(tmp_path):
    looks: list[int] = []
    go(tmp_path, "true", stop=lambda: bool(looks.append(1)))
    assert looks == []


def test_a_crash_tells_its_signal(tmp_path):
    assert hostile(tmp_path, "dies").exit_code == -signal.SIGSEGV


def test_a_missing_program_is_named_with_a_hint(tmp_path):
    with pytest.raises(AgentMissing, match="no-such-program") as caught:
        go(tmp_path, "no-such-program")
    assert "PATH" in caught.value.hint


def test_a_program_that_is_not_executable_is_named_with_a_hint(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    with pytest.raises(AgentMissing) as caught:
        go(tmp_path, str(program))
    assert "chmod +x" in caught.value.hint


def test_a_missing_interpreter_is_told_from_a_missing_program(tmp_path):
    program = tmp_path / "program"
    program.write_text("#!/no/such/interpreter\n")
    program.chmod(0o755)
    with pytest.raises(AgentMissing) as caught:
        go(tmp_path, str(program))
    assert "interpreter" in caught.value.hint


def test_a_text_that_is_no_program_is_told(tmp_path):
    program = tmp_path / "program"
    program.write_text("hello")
    program.chmod(0o755)
    with pytest.raises(AgentMissing) as caught:
        go(tmp_path, str(program))
    assert "#!" in caught.value.hint


@pytest.mark.parametrize("word", ["a\0b", "a\ud800b"])
def test_a_word_that_no_program_can_be_given_is_named(tmp_path, word):
    with pytest.raises(AuditionError, match="word 1"):
        go(tmp_path, "echo", word)


def test_a_prompt_too_long_for_a_command_line_is_told(tmp_path):
    with pytest.raises(AuditionError, match="too long"):
        go(tmp_path, "echo", "x" * 4_000_000)


def test_a_missing_folder_is_not_called_a_missing_agent(tmp_path):
    with pytest.raises(AuditionError, match="no folder"):
        go(tmp_path, "true", cwd=str(tmp_path / "gone"))


def test_without_a_pidfd_a_program_is_waited_for_all_the_same(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    assert go(tmp_path, "sh", "-c", "sleep 0.2; exit 4").exit_code == 4
    assert hostile(tmp_path, "hang", seconds=0.5).stopped == "timeout"


@pytest.mark.parametrize("at_once", [1, 8, 32])
def test_results_are_the_same_however_many_run_at_once(tmp_path, at_once):
    codes: dict[int, int | None] = {}

    def work(first: int) -> None:
        for number in range(first, 64, at_once):
            outs = {"stdout": tmp_path / f"o{number}", "stderr": tmp_path / f"e{number}"}
            codes[number] = go(tmp_path, "sh", "-c", f"exit {number}", **outs).exit_code

    threads = [threading.Thread(target=work, args=(each,)) for each in range(at_once)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert codes == {number: number for number in range(64)}


@needs_lists
def test_a_killed_harness_takes_its_agents_along(tmp_path):
    before = strangers()
    harness = subprocess.Popen([sys.executable, str(FAKES / "harness.py"), str(tmp_path), "3"])
    while ups(tmp_path) < 15:
        time.sleep(0.01)
    assert len(alive_with(str(tmp_path))) >= 16
    harness.kill()
    harness.wait()
    assert gone_within(str(tmp_path), 2) == []
    until_all_are_reaped(tmp_path, before)


@needs_lists
def test_a_harness_that_leaves_its_agents_running_takes_them_along(tmp_path):
    before = strangers()
    script = str(FAKES / "harness.py")
    subprocess.run([sys.executable, script, str(tmp_path), "2", "leave"], check=True)
    assert gone_within(str(tmp_path), 2) == []
    until_all_are_reaped(tmp_path, before)


def test_the_watchdog_ends_with_its_harness(tmp_path):
    before, script = strangers(), str(FAKES / "harness.py")
    subprocess.run([sys.executable, script, str(tmp_path), "0", "end"], check=True)
    pid = int((tmp_path / "watchdog").read_text())
    deadline = time.monotonic() + 2
    while kin._read(f"/proc/{pid}/cmdline") and time.monotonic() < deadline:
        time.sleep(0.01)
    assert kin._read(f"/proc/{pid}/cmdline") == b""
    until_all_are_reaped(tmp_path, before)


def test_a_detached_program_prints_into_its_file(tmp_path):
    pid, ended = process.start_detached(("echo", "hello"), tmp_path / "log")
    assert ended is None
    os.waitpid(pid, 0)
    assert (tmp_path / "log").read_bytes() == b"hello\n"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux's affinity")
def test_threads_that_sit_together_start_programs_that_run_anywhere(tmp_path):
    free, seen = os.sched_getaffinity(0), []

    def work():
        seats.sit_together()
        go(tmp_path, sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))")
        seen.append(os.sched_getaffinity(0))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for each in threads:
        each.start()
        each.join()
    assert seen[0] == seen[1]
    assert len(seen[0]) == 1
    assert printed(tmp_path).decode().strip() == str(sorted(free))
    assert os.sched_getaffinity(0) == free
