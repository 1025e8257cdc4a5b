"""A small program with one bad habit: hostile.py HABIT FOLDER.

FOLDER, unique to a test, is on the command line of everything that it starts, so that a test
can tell whether something is left. `up-<pid>` in it says that a process has begun.
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

HABIT, FOLDER = sys.argv[1:3]


def up() -> None:
    Path(FOLDER, f"up-{os.getpid()}").touch()


def again(habit: str, *words: str, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*words, sys.executable, __file__, habit, FOLDER], **options)


def hang() -> None:
    up()
    print("begun", flush=True)
    time.sleep(600)


def deaf() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hang()


def stopped() -> None:
    up()
    os.kill(os.getpid(), signal.SIGSTOP)


def family() -> None:
    """Children in groups and sessions of their own, deaf ones among them."""
    again("hang")
    again("hang", process_group=0)
    again("deaf", start_new_session=True)
    again("hang", "setsid", "setsid", "--fork")
    hang()


def daemon() -> None:
    """Leave a daemon that holds stdout, and end well."""
    again("hang", "setsid", "--fork").wait()
    wait_for(1)


def hidden_daemon() -> None:
    """The same, with an empty environment."""
    again("hang", "env", "-i", "setsid", "--fork").wait()
    wait_for(1)


def deaf_daemon() -> None:
    again("deaf", "setsid", "--fork").wait()
    wait_for(1)


def child_holds_pipe() -> None:
    again("hang")
    wait_for(1)
    print("done")


def many_short_daemons() -> None:
    for _ in range(20):
        subprocess.run(["setsid", "--fork", "true"], check=True)
    time.sleep(0.3)


def comet() -> None:
    """A process that forks and ends, again and again, so that its number always changes."""
    if os.fork():
        wait_for(1)
        return
    os.setsid()
    up()
    while True:
        if os.fork():
            os._exit(0)
        time.sleep(0.002)


def wait_for(number: int) -> None:
    while len(list(Path(FOLDER).glob("up-*"))) < number:
        time.sleep(0.005)


def flood() -> None:
    while True:
        os.write(1, b"x" * 65536)


def flood_stderr() -> None:
    print("answer", flush=True)
    while True:
        os.write(2, b"e" * 65536)


def long_line() -> None:
    for _ in range(48):
        os.write(1, b"y" * 1_000_000)


def too_much_then_end() -> None:
    os.write(1, b"z" * 5000)


def bad_bytes() -> None:
    os.write(1, b'\xff\xfe caf\xe9 \x00\x00 \xed\xa0\x80\n{"type": "resu')


def empties_stderr() -> None:
    os.write(2, b"before ")
    with open("/dev/stderr", "w") as file:
        file.write("middle ")
    os.write(2, b"after")


def closes_stdout() -> None:
    os.close(1)
    os.close(2)
    time.sleep(0.3)
    Path(FOLDER, "ran-on").touch()


def reads_stdin() -> None:
    data = sys.stdin.buffer.read()
    os.write(1, b"%d bytes" % len(data))


def drips() -> None:
    for number in range(60):
        print(f"line {number}", flush=True)
        time.sleep(0.02)


def fault() -> None:
    again("hang", start_new_session=True)
    print("401 unauthorized", flush=True)
    hang()


def dies() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


globals()[HABIT]()
