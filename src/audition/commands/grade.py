"""`audition grade`: grade a run again from what is sealed, asking nobody.

In: a run. Out: its grades, results and reports, written anew.
Must not know: agents' programs; only how their output is read.
"""

import os
import pickle
import traceback
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.agent import Agent
from audition.commands.finish import Reckoning, exit_code, finish, say, show_result
from audition.commands.judge_options import judge_options, read_wishes
from audition.commands.judges import judge_again, make_judge
from audition.commands.mended import Mended, find_mended, keep_mended
from audition.commands.options import option, out_option, output_format
from audition.commands.run import FORMATS
from audition.config import Config
from audition.counted import counted
from audition.errors import AuditionError, RunTrouble
from audition.grading import damage, grade_sealed
from audition.installed import configure_agent
from audition.model import Inputs, Record
from audition.policy import find_policy
from audition.stamp import read_standing, take_mark
from audition.store import (
    Run,
    find_run,
    open_run,
    read_inputs,
    read_record,
    read_sealed,
    results_stand,
)
from audition.yardstick import Grading

MANY = 400
"""From so many trials on, every processor grades a share."""


@click.command
@click.argument("run", required=False)
@option("--policy", help="Grade by this policy instead of the one that was planned.")
@option(
    "--jobs",
    "-j",
    type=click.IntRange(min=0),
    default=0,
    help="Processes at once.  [default: by the processors]",
)
@click.option("--fresh", is_flag=True, help="Read every trial anew; no kept grade stands.")
@click.option("--as-planned", is_flag=True, help="Grade by the checks as they were when asked.")
@click.option("--rejudge", is_flag=True, help="Ask the judge again; this one costs money.")
@judge_options
@option("--fsync/--no-fsync", default=True, help="Force each grade to disk.")
@out_option
@output_format(*FORMATS)
@click.pass_obj
def grade(config: Config, /, run: str | None, **words: Any) -> int:
    """Grade RUN (default: the newest) again from its sealed trials: free, asks nobody.

    For when a reader, a check or a policy was mended. The verdicts of the live run come
    from the same code. Where a case file has changed, its cases are graded by the checks and
    process rules that stand in it today, unless they ask or expect something else now;
    `--as-planned` grades by those of the day the run was made. What the judge said is kept with each trial and counts again, unless
    `--rejudge` asks it anew. A kept grade stands, and is not made again, where the sealed
    bytes, the rules and the code are all what they were; `--fresh` reads everything anew.

    \b
    Examples:
      audition grade
      audition grade 20260102-030405 --policy default
    """
    path = find_run(run, Path(words["out"]))
    if words["policy"]:
        find_policy(words["policy"])
    inputs = read_inputs(path)
    if config.gate:
        settings = {**inputs.settings, "gate": msgspec.to_builtins(config.gate)}
        inputs = msgspec.structs.replace(inputs, settings=settings)
    agents = agents_of(inputs, config)
    mended = Mended() if words["as_planned"] else find_mended(path, inputs)
    grading = Grading(
        run=path,
        skills=inputs.skills,
        agents=agents,
        policy=words["policy"],
        stood=inputs.stood,
        mended=mended.cases,
    )
    judge = make_judge(read_wishes(words), config, needed=True) if words["rejudge"] else None
    fsync = words["fsync"]
    with open_run(path.parent, path.name, resume=True, fsync=fsync, mend=False) as store:
        keep_mended(path, mended.cases)
        folders = [Path(f"{path}/work/{trial.place}") for trial in inputs.plan]
        if judge:
            sealed = [each for each in folders if _is_whole(each)]
            judge_again(sealed, judge, grading, inputs)
        stand = results_stand(path)
        done = Regraded(Reckoning(path, inputs), fresh=words["fresh"])
        regrade(folders, store, grading, words["jobs"], done)
        if not done.graded:
            raise RunTrouble(f"the run {path.name} has no sealed trial to grade")
        anew = done.differ > 0 or not stand
        summary, notable = finish(path, inputs, fsync=fsync, anew=anew, counted=done.reckoning)
    for note in mended.notes:
        say(note)
    say(done.in_words())
    show_result(path, inputs, summary, notable, words["output_format"])
    return exit_code(summary)


def agents_of(inputs: Inputs, config: Config) -> dict[str, Agent]:
    """The agents of a run, as their output is read today."""
    names = dict.fromkeys((*inputs.agents, *(each.agent for each in inputs.plan)))
    return {name: configure_agent(_like(name, inputs.agents, config), config) for name in names}


def _like(name: str, agents: dict[str, Any], config: Config) -> str:
    """An agent that only the configuration of that day knew is read as the one it was like."""
    like = agents.get(name, {}).get("like")
    return name if name in config.agents or not like else str(like)


@dataclass
class Regraded:
    """What grading a share of the trials again came to."""

    reckoning: Reckoning
    fresh: bool = False
    """Whether no kept grade may stand."""
    graded: int = 0
    """How many trials there are, those whose grade stood among them."""
    stood: int = 0
    """How many grades stood as they were."""
    changed: int = 0
    """How many have another verdict."""
    differ: int = 0
    """How many records differ in anything at all."""

    def absorb(self, later: "Regraded") -> None:
        """Add the share that comes behind."""
        self.reckoning.absorb(later.reckoning)
        self.graded += later.graded
        self.stood += later.stood
        self.changed += later.changed
        self.differ += later.differ

    def in_words(self) -> str:
        """What was done, for people."""
        anew = f"graded {counted(self.graded, 'trial')} again"
        if self.stood:
            again = self.graded - self.stood
            stand = counted(self.stood, "stands as it was", "stand as they were")
            anew = f"{counted(self.graded, 'trial')}: {stand}, {again} graded again"
        return f"{anew}; {counted(self.changed, 'verdict')} changed"


def regrade(
    folders: Sequence[Path], store: Run, grading: Grading, jobs: int, done: Regraded
) -> None:
    """Grade every folder, in several processes when there are many; count it in `done`."""
    shares = jobs or (os.cpu_count() or 1 if len(folders) >= MANY else 1)
    size = -(-len(folders) // shares) or 1
    chunks = [folders[start : start + size] for start in range(0, len(folders), size)]
    parts = [Path(f"{store.path}/.staging/part-{number}") for number in range(len(chunks))]
    if len(chunks) == 1:
        grade_share(chunks[0], parts[0], grading, store, done)
    else:
        _ = grading.ground  # laid once, for all of them
        works = [
            _fork(chunk, part, grading, store, done)
            for chunk, part in zip(chunks, parts, strict=True)
        ]
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in works]
        if any(codes):
            raise RunTrouble("a grading process failed; see above", "try again with `-j 1`")
        for part in parts:
            # Our own children wrote it, into a folder that we hold the lock of.
            done.absorb(pickle.loads(Path(f"{part}.done").read_bytes()))  # noqa: S301
    if done.differ:
        store.replace_progress(parts)


def _fork(folders: Sequence[Path], part: Path, grading: Grading, store: Run, done: Regraded) -> int:
    # A fork costs 2 ms and shares what is imported; no thread was started by now.
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        grade_share(folders, part, grading, store, done)
        Path(f"{part}.done").write_bytes(pickle.dumps(done))
        code = 0
    except AuditionError as error:
        say(f"error: {error}")
    except Exception:  # noqa: BLE001 - the child must not return into the parent's code
        traceback.print_exc()
    os._exit(code)


def grade_share(
    folders: Sequence[Path], part: Path, grading: Grading, store: Run, done: Regraded
) -> None:
    """Grade these folders; their lines for progress.jsonl go into `part`."""
    ground = grading.ground
    with part.open("wb", buffering=1 << 20) as lines:
        for folder in folders:
            mark = take_mark(folder)
            kept = None if done.fresh else read_standing(folder, mark, ground, grading.policy)
            if kept:
                lines.write(kept[0] + b"\n")
                done.graded += 1
                done.stood += 1
                done.reckoning.add(kept[1])
                continue
            try:
                record = grade_sealed(folder, grading, mark)
            except RunTrouble as error:
                if not (lost := _record_of_lost(folder, error)):
                    continue  # it was planned, and never asked
                record = lost
            data, before, differs = store.regrade(record, folder)
            lines.write(data + b"\n")
            done.graded += 1
            done.changed += before is None or before != record.status
            done.differ += differs
            done.reckoning.add(record)


def _is_whole(folder: Path) -> bool:
    return (folder / "meta.json").exists() and (folder / "trace.jsonl").exists()


def _record_of_lost(folder: Path, trouble: RunTrouble) -> Record | None:
    """A trial whose seal is damaged, by what was said of it; None where it was never asked."""
    try:
        read_sealed(folder)
    except RunTrouble:
        there = (folder / "meta.json").exists()
        try:
            kept = read_record(folder)
        except RunTrouble as error:
            hint = f"remove {folder} and `--resume`: the trial is asked again"
            raise RunTrouble(str(error), hint) from error
        if kept is None and there:
            raise
        reason = damage(f"meta.json {'cannot be understood' if there else 'is missing'}")
        return kept and msgspec.structs.replace(
            kept, status="error", reason=reason, skills=(), grades=(), strict=None, stamp=""
        )
    raise trouble
