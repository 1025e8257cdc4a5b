"""`--background`: the same command, detached, under a run id that is known now.

In: Wishes, checked as if they were to be carried out here. Out: the run's id on stdout once it
has begun; what kept it from beginning, otherwise. Must not know: how a run is carried out.
"""

import sys
from contextlib import suppress
from pathlib import Path

import click

from audition.commands.finish import say
from audition.commands.options import out_words
from audition.commands.wishes import Wishes
from audition.errors import Exit, RunTrouble
from audition.process import start_detached
from audition.run import new_run_id
from audition.store import claim_id, find_run, in_words, refuse_taken, writes_run

PATIENCE = 20.0
"""Seconds that a run is given to begin; asking ten programs for their version takes some."""


def go_background(wishes: Wishes) -> int:
    """Start the command again, detached, and wait until its run has begun."""
    run = _claim(wishes)
    words = [word for word in sys.argv[1:] if word != "--background"]
    if wishes.run_id is None:
        words += ["--run-id", run.name]
    log = run / "runner.log"
    with in_words("make", run):
        run.mkdir(parents=True, exist_ok=True)
        before = log.stat().st_size if log.exists() else 0

    def begun(pid: int) -> bool:
        return (run / "run.json").exists() and (not wishes.resume or writes_run(run) == pid)

    argv = (sys.executable, "-m", "audition", *words)
    pid, ended = start_detached(argv, log, begun, PATIENCE)
    if ended == Exit.BROKEN and not (run / "results.json").exists():
        return _did_not_begin(run, log, before)
    say(f"running in the background as process {pid}")
    say(f"look with: audition status {run.name}{out_words(wishes.out)}")
    click.echo(run.name)
    return Exit.OK


def _claim(wishes: Wishes) -> Path:
    out = Path(wishes.out)
    if wishes.resume:
        run = find_run(wishes.run_id, out)
        if pid := writes_run(run):
            raise RunTrouble(f"the run `{run.name}` is being written by process {pid}")
        return run
    if wishes.run_id is None:
        return out / claim_id(out, new_run_id())
    refuse_taken(out / wishes.run_id)
    return out / wishes.run_id


def _did_not_begin(run: Path, log: Path, before: int) -> int:
    """Say here what the log says, and leave nothing of a run that is none."""
    words = log.read_bytes()[before:].decode("utf-8", "replace").rstrip("\n")
    # What comes before has been said here, when the cases were read.
    say(words[max(0, words.find("error: ")) :] or "error: the run ended before it began")
    if not (run / "run.json").exists():
        log.unlink()
        with suppress(OSError):
            run.rmdir()
    return Exit.BROKEN
