"""Writes a run with several threads, and names each trial that it was promised is kept.

writer.py OUT RUN_ID COUNT [hold | limit=BYTES]
"""

import os
import resource
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import stored

from audition.errors import AuditionError
from audition.store import open_run, read_sealed

out, run_id, count, *mode = sys.argv[1:]
trials = stored.plan(int(count))
by_id = {trial.id: trial for trial in trials}


def say(word):
    os.write(1, f"{word}\n".encode())


def work(run, todo):
    while True:
        try:
            trial = next(todo)
        except StopIteration:
            return
        try:
            staging = run.start(trial)
            folder = run.seal(trial, staging, stored.sealed(trial))
            run.commit(stored.record(trial), folder)
        except (AuditionError, OSError) as error:
            sys.stderr.write(f"{error}\nhint: {getattr(error, 'hint', '')}\n")
            os._exit(2)
        say(trial.id)


class Shared:
    """An iterator that threads may share."""

    def __init__(self, items):
        self.items, self.lock = iter(items), threading.Lock()

    def __next__(self):
        with self.lock:
            return next(self.items)


resume = (Path(out) / run_id / "run.json").exists()
try:
    run = open_run(Path(out), run_id, resume=resume, fsync=False)
    run.describe(stored.inputs(trials, run_id))
except AuditionError as error:
    sys.stderr.write(f"{error}\nhint: {error.hint}\n")
    sys.exit(error.exit_code)
if mode == ["hold"]:
    run.start(trials[0])
    say("held")
    time.sleep(60)
if mode and mode[0].startswith("limit="):
    bytes_ = int(mode[0].partition("=")[2])
    resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))
for folder in run.sealed_unfinished():
    trial = by_id[read_sealed(folder).trial.id]
    run.commit(stored.record(trial), folder)
    say(trial.id)
finished = run.finished()
todo = Shared(trial for trial in trials if trial.id not in finished)
threads = [threading.Thread(target=work, args=(run, todo)) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
run.close()
