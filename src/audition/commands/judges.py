"""Which judge is asked: from wishes to a Judge that is ready.

In: what the options say, and the configuration. Out: a Judge that is ready, or None.
Must not know: what is judged.
"""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from audition.attempt import Means
from audition.commands.judge_options import JudgeWishes
from audition.config import Config
from audition.counted import counted
from audition.errors import UsageError
from audition.installed import make_ready
from audition.model import Inputs
from audition.patience import Patience
from audition.plan import Plan
from audition.provider import serve
from audition.sandbox import sandboxes
from audition.yardstick import Grading

if TYPE_CHECKING:
    from audition.judging import Bench, Judge

HINT = (
    'name one: `--judge-agent claude`, `--judge-command "python judge.py"`, or `judge = "claude"` '
    "in the configuration"
)
AT_ONCE = 4


def say_unjudged(plan: Plan, wishes: JudgeWishes) -> str:
    """That there are rubrics and nobody who answers them; empty where that is not so."""
    if wishes.judging is False or wishes.judge or wishes.judge_command:
        return ""
    nodes = {each.case.node for each in plan.trials if each.case.rubric}
    if not nodes:
        return ""
    have = counted(len(nodes), "case has a rubric", "cases have rubrics")
    return f"note: {have}, and no judge is named: nobody will answer it; {HINT}"


def resume_judge(wishes: JudgeWishes, kept: dict[str, Any]) -> JudgeWishes:
    """The judge that a run began with; where it had none, or one is insisted on, that of now."""
    began = msgspec.convert(kept.get("judge") or {}, JudgeWishes)
    named = began.judge or began.judge_command or began.judging is False
    return began if named and wishes.judging is None else wishes


def make_judge(wishes: JudgeWishes, config: Config, *, needed: bool = False) -> "Judge | None":
    """The judge that is wished for, ready; None where none is to be asked."""
    if wishes.judging is False:
        return None
    if not (wishes.judge or wishes.judge_command):
        if wishes.judging or needed:
            raise UsageError("there is no judge to ask", HINT)
        return None
    from audition.judging import Judge

    common: dict[str, Any] = {
        "model": wishes.judge_model,
        "votes": wishes.votes,
        "seconds": wishes.judge_timeout,
        "everywhere": wishes.judging is True,
    }
    if wishes.judge_command:
        return Judge(command=_find(wishes.judge_command), **common)
    return Judge(ready=make_ready(str(wishes.judge), config), **common)


def _find(command: tuple[str, ...]) -> tuple[str, ...]:
    found = shutil.which(command[0])
    if found is None:
        raise UsageError(f"the judge's program `{command[0]}` is not here", HINT)
    # It is started in a folder of its own, so what is relative to this one is made absolute.
    rest = (str(Path(each).resolve()) if Path(each).is_file() else each for each in command[1:])
    return (str(Path(found).absolute()), *rest)


def judge_again(folders: Iterable[Path], judge: "Judge", grading: Grading, inputs: Inputs) -> None:
    """Ask the judge again about sealed trials; what it said before is replaced."""
    from concurrent.futures import ThreadPoolExecutor

    from audition.judging import judge_sealed

    with bench_for(judge, grading, inputs) as bench, ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda each: judge_sealed(each, grading, bench, again=True), folders))


@contextmanager
def bench_for(judge: "Judge", grading: Grading, inputs: Inputs) -> Iterator["Bench"]:
    """A bench outside of a run: with the provider and the sandbox that the run had."""
    from audition.judging import Bench

    sandbox = str(inputs.settings.get("sandbox") or "home")
    with serve(str(inputs.settings.get("provider") or "live")) as provider:
        means = Means(
            run=grading.run,
            skills={},
            sandbox=sandboxes[sandbox],
            provider=provider,
            bare=sandbox == "none",
        )
        patience = Patience(live=provider.answers.by == "live")
        yield Bench(judge=judge, means=means, patience=patience)
