"""`audition grade`: grade a run again from what is sealed, asking nobody.

In: a run. Out: its grades, results and reports, written anew.
Must not know: agents' programs; only how their output is read.
"""

import os
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import msgspec

from audition.agent import Agent
from audition.commands.finish import exit_code, finish, say, show_result
from audition.commands.judge_options import judge_options, read_wishes
from audition.commands.judges import judge_again, make_judge
from audition.commands.options import option, out_option, output_format
from audition.commands.run import FORMATS
from audition.config import Config
from audition.errors import AuditionError, RunTrouble
from audition.grading import Grading, grade_sealed
from audition.installed import configure_agent
from audition.model import Inputs
from audition.policy import find_policy
from audition.store import Run, find_run, open_run, read_inputs, results_stand

Changed = tuple[int, int]
"""How many verdicts changed, and how many records differ in anything at all."""
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
@click.option("--rejudge", is_flag=True, help="Ask the judge again; this one costs money.")
@judge_options
@option("--fsync/--no-fsync", default=True, help="Force each grade to disk.")
@out_option
@output_format(*FORMATS)
@click.pass_obj
def grade(config: Config, /, run: str | None, **words: Any) -> int:
    """Grade RUN (default: the newest) again from its sealed trials: free, asks nobody.

    For when a reader, a check or a policy was mended. The verdicts of the live run come
    from the same code. What the judge said is kept with each trial and counts again, unless
    `--rejudge` asks it anew.

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
    grading = Grading(
        run=path, skills=inputs.skills, agents=agents, policy=words["policy"], stood=inputs.stood
    )
    judge = make_judge(read_wishes(words), config, needed=True) if words["rejudge"] else None
    fsync = words["fsync"]
    with open_run(path.parent, path.name, resume=True, fsync=fsync, mend=False) as store:
        places = [f"{path}/work/{trial.place}" for trial in inputs.plan]
        sealed = [Path(place) for place in places if os.path.exists(f"{place}/meta.json")]
        if not sealed:
            raise RunTrouble(f"the run {path.name} has no sealed trial to grade")
        if judge:
            judge_again(sealed, judge, grading, inputs)
        stand = results_stand(path)
        changed, differ = regrade(sealed, store, grading, words["jobs"])
        summary, notable = finish(path, inputs, fsync=fsync, anew=differ > 0 or not stand)
    say(f"graded {len(sealed)} trials again; {changed} verdicts changed")
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


def regrade(folders: Sequence[Path], store: Run, grading: Grading, jobs: int) -> Changed:
    """Grade every folder, in several processes when there are many; how many changed."""
    shares = jobs or (os.cpu_count() or 1 if len(folders) >= MANY else 1)
    size = -(-len(folders) // shares)
    parts = [Path(f"{store.path}/.staging/part-{number}") for number in range(shares)]
    chunks = [folders[number * size : (number + 1) * size] for number in range(shares)]
    if shares == 1:
        changed = grade_share(chunks[0], parts[0], grading, store)
    else:
        pids = [
            _fork(chunk, part, grading, store) for chunk, part in zip(chunks, parts, strict=True)
        ]
        codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
        if any(codes):
            raise RunTrouble("a grading process failed; see above", "try again with `-j 1`")
        told = [Path(f"{part}.changed").read_text().split() for part in parts]
        changed = sum(int(each[0]) for each in told), sum(int(each[1]) for each in told)
    if changed[1]:
        store.replace_progress(parts)
    return changed


def _fork(folders: Sequence[Path], part: Path, grading: Grading, store: Run) -> int:
    # A fork costs 2 ms and shares what is imported; no thread was started by now.
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        changed = grade_share(folders, part, grading, store)
        Path(f"{part}.changed").write_text(f"{changed[0]} {changed[1]}")
        code = 0
    except AuditionError as error:
        say(f"error: {error}")
    except Exception:  # noqa: BLE001 - the child must not return into the parent's code
        traceback.print_exc()
    os._exit(code)


def grade_share(folders: Sequence[Path], part: Path, grading: Grading, store: Run) -> Changed:
    """Grade these folders; their lines for progress.jsonl go into `part`."""
    changed = differ = 0
    with part.open("wb") as lines:
        for folder in folders:
            record = grade_sealed(folder, grading)
            data, before, differs = store.regrade(record, folder)
            changed += before is None or before != record.status
            differ += differs
            lines.write(data + b"\n")
    return changed, differ
