"""Which judge is asked: the options that say it, and the Judge they come to.

In: words of the command line and the configuration. Out: a Judge that is ready, or None.
Must not know: what is judged.
"""

import shlex
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from audition.attempt import Means
from audition.commands.options import option
from audition.config import Config
from audition.errors import UsageError
from audition.grading import Grading
from audition.installed import make_ready
from audition.judging import Bench, Judge, judge_sealed
from audition.model import Inputs, Value
from audition.patience import Patience
from audition.provider import serve
from audition.sandbox import sandboxes

HINT = (
    'name one: `--judge-agent claude`, `--judge-command "python judge.py"`, or `judge = "claude"` '
    "in the configuration"
)
AT_ONCE = 4


class JudgeWishes(Value, frozen=True, kw_only=True):
    """What the options say about the judge."""

    judging: bool | None = None
    judge: str | None = None
    judge_command: tuple[str, ...] = ()
    judge_model: str | None = None
    votes: int = 1


class Words(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A command: as one text, or as a list of words."""

    name = "COMMAND"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, ...]:
        """The words."""
        del param, ctx
        if isinstance(value, str):
            return tuple(shlex.split(value))
        return tuple(shlex.split(value[0])) if len(value) == 1 else tuple(map(str, value))


def judge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that name the judge; a command that only judges has no need of the switch."""
    for decorate in (
        option("--judge-agent", "judge", metavar="AGENT", help="Let this agent answer rubrics."),
        option(
            "--judge-command",
            type=Words(),
            help="Let this program answer rubrics: prompt on its input, JSON on its output.",
        ),
        option("--judge-model", help="The model of the agent that judges."),
        option(
            "--votes",
            type=click.Choice(["1", "3"]),
            default="1",
            show_default=True,
            help="How often each question is asked; the majority decides.",
        ),
    ):
        command = decorate(command)
    return command


def judge_switch(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--judge/--no-judge`, with the options that name the judge."""
    switch = option(
        "--judge/--no-judge",
        "judging",
        default=None,
        help="Ask every rubric, or none.  [default: where a judge is named and the case agrees]",
    )
    switched: Callable[..., Any] = switch(judge_options(command))
    return switched


def read_wishes(words: dict[str, Any]) -> JudgeWishes:
    """The options as one value; of an agent and a command the one that is said closer counts."""
    said_words = {name: word for name, word in words.items() if word is not None}
    wishes = msgspec.convert(said_words, JudgeWishes, strict=False)
    if wishes.judge and wishes.judge_command:
        source = click.get_current_context().get_parameter_source
        said = {name for name in ("judge", "judge_command") if source(name) in _SAID}
        if len(said) != 1:
            raise UsageError("both an agent and a command are to judge", "name one of them")
        if said == {"judge"}:
            return msgspec.structs.replace(wishes, judge_command=())
        return msgspec.structs.replace(wishes, judge=None)
    return wishes


_SAID = (ParameterSource.COMMANDLINE, ParameterSource.ENVIRONMENT)


def resume_judge(wishes: JudgeWishes, kept: dict[str, Any]) -> JudgeWishes:
    """The judge that a run began with, unless another or none is asked for now."""
    if wishes.judging is not None or "judge" not in kept:
        return wishes
    return msgspec.convert(kept["judge"], JudgeWishes)


def make_judge(wishes: JudgeWishes, config: Config, *, needed: bool = False) -> Judge | None:
    """The judge that is wished for, ready; None where none is to be asked."""
    if wishes.judging is False:
        return None
    common: dict[str, Any] = {
        "model": wishes.judge_model,
        "votes": wishes.votes,
        "everywhere": wishes.judging is True,
    }
    if wishes.judge_command:
        return Judge(command=_find(wishes.judge_command), **common)
    if wishes.judge:
        return Judge(ready=make_ready(wishes.judge, config), **common)
    if wishes.judging or needed:
        raise UsageError("there is no judge to ask", HINT)
    return None


def _find(command: tuple[str, ...]) -> tuple[str, ...]:
    found = shutil.which(command[0])
    if found is None:
        raise UsageError(f"the judge's program `{command[0]}` is not here", HINT)
    # It is started in a folder of its own, so what is relative to this one is made absolute.
    rest = (str(Path(each).resolve()) if Path(each).is_file() else each for each in command[1:])
    return (str(Path(found).absolute()), *rest)


def judge_again(folders: Iterable[Path], judge: Judge, grading: Grading, inputs: Inputs) -> None:
    """Ask the judge again about sealed trials; what it said before is replaced."""
    with bench_for(judge, grading, inputs) as bench, ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda each: judge_sealed(each, grading, bench, again=True), folders))


@contextmanager
def bench_for(judge: Judge, grading: Grading, inputs: Inputs) -> Iterator[Bench]:
    """A bench outside of a run: with the provider and the sandbox that the run had."""
    sandbox = str(inputs.settings.get("sandbox") or "home")
    with serve(str(inputs.settings.get("provider") or "live")) as provider:
        means = Means(
            run=grading.run,
            skills={},
            sandbox=sandboxes[sandbox],
            provider=provider,
            bare=sandbox == "none",
        )
        yield Bench(judge=judge, means=means, patience=Patience())
