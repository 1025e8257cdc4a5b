"""`audition run`: the options, as one value.

In: the words of the command line and the configuration. Out: an exit code.
Must not know: how any of it is done; see carry_out.py.
"""

from collections.abc import Callable
from typing import Any

import click
import msgspec

from audition.commands.judge_options import judge_switch, read_wishes
from audition.commands.modes import agents_meant
from audition.commands.options import (
    Number,
    Trials,
    option,
    out_option,
    output_format,
    paths_argument,
)
from audition.config import Config
from audition.selection import SUITES

JOBS_CAP = 1024
"""A thread each; more help nobody, and a machine runs out of them."""
FORMATS = ("text", "json", "jsonl", "markdown", "junit", "github", "html")


def _selecting(command: Callable[..., Any]) -> Callable[..., Any]:
    for decorate in (
        option(
            "--suite",
            type=click.Choice(SUITES),
            default="all",
            show_default=True,
            help="Only cases of this kind; `smoke`: one of each kind in each file.",
        ),
        click.option(
            "--generate-missing", is_flag=True, help="Make cases for skills that have none."
        ),
        click.option("--skill", multiple=True, help="Only cases of this skill; may repeat."),
        click.option("--case", multiple=True, help="Only the case of this id; may repeat."),
        click.option(
            "-k",
            default="",
            metavar="EXPR",
            help="Only cases that match: words, `and`, `or`, `not`.",
        ),
        click.option(
            "--max-cases", type=click.IntRange(min=1), help="At most so many cases a skill."
        ),
        click.option("--max-skills", type=click.IntRange(min=1), help="At most so many skills."),
        click.option("--lf", is_flag=True, help="Only what failed in the last run."),
        click.option(
            "-x",
            "--exitfirst",
            is_flag=True,
            help="Start nothing more after the first that fails or ends in error.",
        ),
        option("--format", help="Read the case files as this format instead of detecting it."),
    ):
        command = decorate(command)
    return command


def asking(command: Callable[..., Any]) -> Callable[..., Any]:
    """Whom to ask, and how."""
    for decorate in (
        option(
            "--agent",
            "-a",
            multiple=True,
            default=("understudy",),
            show_default=True,
            callback=agents_meant,
            help="Ask this agent; may repeat.",
        ),
        option(
            "--delivery",
            "-d",
            "--mode",
            multiple=True,
            default=("native",),
            show_default=True,
            is_eager=True,
            help="How the skills reach it; may repeat.",
        ),
        option("--model", "-m", multiple=True, help="Ask this model; may repeat."),
        option(
            "--trials",
            "-r",
            type=Trials(),
            help="How often each case is tried; `auto`: as often as the verdict needs."
            "  [default: 1, or as the case says]",
        ),
        option(
            "--timeout",
            "--timeout-s",
            type=Number(min=0, min_open=True),
            default=300.0,
            show_default=True,
            help="Seconds one trial may take; a case's own wins.",
        ),
        option("--policy", help="Grade by this policy instead of the suites' own."),
        option(
            "--provider",
            default="live",
            show_default=True,
            metavar="live|understudy|script:FILE",
            help="Who answers for the model of an agent that has one.",
        ),
        option(
            "--sandbox",
            default="home",
            show_default=True,
            help="How agents are kept apart from you.",
        ),
    ):
        command = decorate(command)
    return command


def stopping(command: Callable[..., Any]) -> Callable[..., Any]:
    """What is good enough, and what it may cost."""
    rate = Number(0, 1, min_open=True, max_open=True)
    for decorate in (
        option("--target", type=rate, help="The rate that is good enough.  [default: 0.9]"),
        option(
            "--unacceptable",
            type=rate,
            help="The rate that is not acceptable any more.  [default: 0.7]",
        ),
        option(
            "--budget",
            type=Number(min=0),
            metavar="DOLLARS",
            help="Ask nothing more once so much is spent.",
        ),
        option(
            "--max-tokens",
            type=click.IntRange(min=0),
            help="Ask nothing more once so many tokens are spent.",
        ),
        option("--max-runs", type=click.IntRange(min=0), help="Ask at most so many trials."),
    ):
        command = decorate(command)
    return command


def _comparing(command: Callable[..., Any]) -> Callable[..., Any]:
    for decorate in (
        click.option(
            "--baseline",
            multiple=True,
            metavar="none|instructions|git:REF|PATH",
            help="Ask the same without the skills, or with others, and tell the lift; may repeat.",
        ),
        option(
            "--fail-under",
            type=Number(0, 1),
            metavar="RATE",
            help="Fail where such a pass rate is not proven of every cell; see the page on gates.",
        ),
        click.option(
            "--smoke-first",
            is_flag=True,
            help="Ask one case of each kind first; stop there if all end in error.",
        ),
    ):
        command = decorate(command)
    return command


def _keeping(command: Callable[..., Any]) -> Callable[..., Any]:
    for decorate in (
        option(
            "--jobs",
            "-j",
            type=click.IntRange(0, JOBS_CAP),
            default=0,
            help="Trials at once.  [default: by the processors]",
        ),
        option("--executor", default="threads", show_default=True, help="Who runs the trials."),
        option("--run-id", help="Name the run.  [default: the time]"),
        click.option("--resume", is_flag=True, help="Go on with a run: only what is not finished."),
        option(
            "--reuse",
            is_flag=True,
            help="Take over trials of earlier runs whose inputs are all unchanged.",
        ),
        option("--fsync/--no-fsync", default=True, help="Force each finished trial to disk."),
        click.option("--dry-run", is_flag=True, help="Show the plan and stop."),
        click.option(
            "--background", is_flag=True, help="Run detached; `audition status` follows it."
        ),
        click.option("--status", is_flag=True, help="The same as `audition status RUN-ID`."),
        click.option("--write-progress", is_flag=True, help="Always on; accepted for pkbllm."),
        click.option("--quiet", "-q", is_flag=True, help="No progress on standard error."),
    ):
        command = decorate(command)
    return command


@click.command
@paths_argument
@_selecting
@asking
@stopping
@_comparing
@_keeping
@judge_switch
@out_option
@output_format(*FORMATS)
@click.pass_context
def run(context: click.Context, /, **words: Any) -> int:
    """Ask the agents the cases below PATHS, and grade what they do.

    PATHS are case files, folders, or `file::case`. Without an agent of yours, the embedded
    `understudy` is asked: no key, no network.

    \b
    Examples:
      audition run
      audition run skills/greeting -a claude -r 3
      audition run cases.yaml::implicit -a claude -a codex -d native -d mcp
      audition run -a claude --trials auto --budget 5
      audition run -k 'greeting and not negative' --dry-run
      audition run --resume --run-id 20260102-030405
      audition run --suite smoke --max-skills 3
      audition run -a claude -r 5 --baseline none --baseline git:main
    """
    words.pop("write_progress")
    if words.pop("status"):
        from audition.commands.status import status

        told = {"run": words["run_id"], "follow": False, "out": words["out"]}
        context.invoke(status, **told, output_format="text")
        return 0
    config: Config = context.obj
    from audition.commands.carry_out import carry_out
    from audition.commands.resuming import tell_unused
    from audition.commands.wishes import Wishes

    if words["resume"]:
        tell_unused(context, words["paths"])
    judged = read_wishes(words)
    return carry_out(msgspec.convert({**words, "judged": judged}, Wishes, strict=False), config)
