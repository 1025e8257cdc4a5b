"""Options that several commands share, so that a name means the same everywhere.

In: a click command. Out: the same command with the option; every option can also come
from the environment as `AUDITION_<NAME>`, and from the configuration file.
Must not know: what the commands do.
"""

import math
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

DEFAULT_OUT = "artifacts/skill-evals"
F = TypeVar("F", bound=Callable[..., Any])


def option(*names: str, **settings: Any) -> Callable[[F], F]:
    """A click option that `AUDITION_<NAME>` sets too; dashes become underscores."""
    long = next(name for name in names if name.startswith("--"))
    word = long.partition("/")[0].lstrip("-").replace("-", "_").upper()
    settings.setdefault("envvar", f"AUDITION_{word}")
    return click.option(*names, **settings)


class Number(click.FloatRange):
    """A number in a range; infinity and `nan` are none, for neither is ever reached."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """The number."""
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"`{value}` is no number to count with", param, ctx)
        return number


class Trials(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """A number of trials, or `auto`."""

    name = "NUMBER|auto"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | str:
        """The number, or the word."""
        if value == "auto":
            return "auto"
        if not re.fullmatch(r"[-+]?\d+", str(value)):
            self.fail(f"`{value}` is neither a number nor `auto`", param, ctx)
        from audition.plan import TRIALS_CAP

        number: int = click.IntRange(1, TRIALS_CAP).convert(value, param, ctx)
        return number


def output_format(*formats: str) -> Callable[[F], F]:
    """`--output-format`; the first of the formats is the default."""
    return option(
        "--output-format",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="What to print on standard output.",
    )


def paths_argument(command: F) -> F:
    """`[PATHS]...`: files and folders to look in."""
    return click.argument("paths", nargs=-1, type=click.Path(path_type=str))(command)


def out_words(out: str | Path) -> str:
    """What a command needs that is to find a run of this folder; empty where that is the usual."""
    path = os.path.abspath(out)
    if path == os.path.abspath(DEFAULT_OUT):
        return ""
    below = path.startswith(os.getcwd() + "/")
    return f" --out {shlex.quote(os.path.relpath(path) if below else path)}"


def resume_words(run: Path) -> str:
    """What to type to run the trials that are left of a run."""
    return f"audition run --resume --run-id {shlex.quote(run.name)}{out_words(run.parent)}"


def out_option(command: F) -> F:
    """`--out`: where runs are."""
    return option(
        "--out",
        type=click.Path(file_okay=False),
        default=DEFAULT_OUT,
        show_default=True,
        help="The folder that holds the runs.",
    )(command)
