"""A harness with running agents, to be killed: harness.py FOLDER AGENTS [end|leave].

`end` ends in order after an agent that has ended, `leave` while its agents still run.
"""

import os
import sys
import threading
import time
from pathlib import Path

from audition.process import Start, run_command

FOLDER, AGENTS = Path(sys.argv[1]), int(sys.argv[2])
HOSTILE = str(Path(__file__).with_name("hostile.py"))


def run(number: int) -> None:
    start = Start(
        argv=(sys.executable, HOSTILE, "family", str(FOLDER)),
        cwd=str(FOLDER),
        env={"PATH": os.environ["PATH"]},
        stdout=FOLDER / f"out{number}",
        stderr=FOLDER / f"err{number}",
        seconds=60,
    )
    run_command(start)


for number in range(AGENTS):
    threading.Thread(target=run, args=(number,), daemon=True).start()
if sys.argv[3:] == ["end"]:
    start = Start(
        argv=("true",),
        cwd=str(FOLDER),
        env={"PATH": os.environ["PATH"]},
        stdout=FOLDER / "last-out",
        stderr=FOLDER / "last-err",
        seconds=60,
    )
    run_command(start)
    from audition.kin import running

    (FOLDER / "watchdog").write_text(" ".join(map(str, running)))
elif sys.argv[3:] == ["leave"]:
    while len(list(FOLDER.glob("up-*"))) < 5 * AGENTS:
        time.sleep(0.01)
else:
    time.sleep(600)
