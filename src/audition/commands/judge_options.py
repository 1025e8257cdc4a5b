"""The options that name the judge, as one value.

In: words of the command line. Out: JudgeWishes. Must not know: agents, what is judged.
"""

import shlex
from collections.abc import Callable
from typing import Any

import click
import msgspec
from click.core import ParameterSource

from audition.commands.options import Number, option
from audition.errors import UsageError
from audition.model import Value


class JudgeWishes(Value, frozen=True, kw_only=True):
    """What the options say about the judge."""

    judging: bool | None = None
    judge: str | None = None
    judge_command: tuple[str, ...] = ()
    judge_model: str | None = None
    judge_timeout: float = 180.0
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
            "--judge-timeout",
            "--judge-timeout-s",
            type=Number(min=0, min_open=True),
            default=180.0,
            show_default=True,
            help="Seconds that one answer of the judge may take.",
        ),
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
