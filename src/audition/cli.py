"""The command line: words to calls, faults to messages and exit codes.

In: the words. Out: an exit code; stdout is data, stderr is talk.
Must not know: what a command does; each is imported when it is asked for.
"""

import errno
import os
import re
import sys
from contextlib import suppress
from importlib import import_module

import click

from audition import __version__
from audition.errors import AuditionError, Exit, did_you_mean

COMMANDS = {
    "demo": "Run the bundled example: no key, no network.",
    "run": "Ask the agents, and grade what they do.",
    "grade": "Grade a run again from what is sealed; free.",
    "judge": "Is the judge any good? Measured on labels of yours.",
    "label": "Answer rubrics yourself, one key a question.",
    "show": "A run's summary, or one trial with its evidence.",
    "status": "Is a run going, how far, what is left.",
    "diff": "Two runs side by side: what is established, and what changed.",
    "history": "Scores over time.",
    "bisect": "Find the commit that broke a skill.",
    "view": "Runs in a browser, or one run as one file.",
    "lint": "Mistakes in skills and case files; nothing is asked.",
    "skills": "The skills that are there.",
    "cases": "The cases as understood.",
    "trace": "Read any recorded session: events and evidence.",
    "sees": "What an agent shows its model of your skills; free.",
    "agents": "Which agents are here, and how they are found.",
    "explain": "A check, a rule or a policy, with an example.",
    "init": "Write a first case file for a skill.",
    "schema": "The JSON Schema of case files.",
}
"""Name to one line; the function of that name lives in `audition.commands.<name>`."""

FIRST = """\
audition finds out whether an Agent Skill gets called when it should, stays quiet when
it should not, and does its job when it is called.

  audition demo          the bundled example, end to end: no key, no network
  audition init SKILL    write a first case file for a skill of yours
  audition run           run the cases below this folder

`audition --help` lists everything; `audition COMMAND --help` has examples."""


_NO_CHOICE = re.compile(r"'(.*)' is not one of ")


class Commands(click.Group):
    """A group whose commands are imported when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Every command, in the order of the table."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        del ctx
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"audition.commands.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Name the nearest command when a word is none."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise _Refused(f"no such command `{args[0]}`", did_you_mean(args[0], COMMANDS))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table, importing none."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


class _Refused(click.UsageError):
    """A usage error that carries a hint of ours."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@click.group(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="audition %(version)s")
@click.pass_context
def audition(ctx: click.Context) -> None:
    """Does an Agent Skill get called, stay quiet, and do its job? Evidence, not vibes.

    \b
    Examples:
      audition demo
      audition init skills/greeting
      audition run -a claude -r 3
      audition show last
    """
    if ctx.invoked_subcommand is None:
        click.echo(FIRST)
        return
    from audition.config import load_config

    ctx.obj = load_config()
    ctx.default_map = dict.fromkeys(COMMANDS, ctx.obj.defaults)


def complain(message: str, hint: str = "") -> None:
    """Say what went wrong on stderr, and what to try next."""
    click.echo(f"error: {message}", err=True)
    if hint:
        click.echo(f"\nhint: {hint}", err=True)


def run_words(words: list[str]) -> int:
    """Run one command line; the exit code."""
    try:
        code = audition.main(args=words, prog_name="audition", standalone_mode=False)
        sys.stdout.flush()
    except AuditionError as error:
        complain(str(error), error.hint)
        return error.exit_code
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.format_message(), err=True)
        return Exit.BROKEN
    except click.ClickException as error:
        complain(_words_of(error), _hint_of(error))
        return Exit.BROKEN
    except (click.Abort, KeyboardInterrupt):
        click.echo("interrupted", err=True)
        return Exit.INTERRUPTED
    except OSError as error:
        return _refused(error)
    return code if isinstance(code, int) else Exit.OK


def _refused(error: OSError) -> int:
    """The system does not let us print, or has taken away the folder that we stand in."""
    if isinstance(error, BrokenPipeError):
        # Somebody piped us into `head`; their leaving is no fault.
        sys.stderr.close()
        return Exit.OK
    where = f" {error.filename}" if error.filename else ""
    hints = {errno.ENOENT: "is the folder you stand in still there?"} if not where else {}
    complain(f"the system refuses{where}: {error.strerror}", hints.get(error.errno or 0, ""))
    with suppress(OSError):  # what it would not take goes nowhere, or our end would trip over it
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
    return Exit.BROKEN


def _words_of(error: click.ClickException) -> str:
    if isinstance(error, click.NoSuchOption):
        return f"no such option `{error.option_name}`"  # what is near is for the hint
    if isinstance(error, click.BadParameter) and (given_by := _giver_of(error)):
        error.param_hint = given_by
    return error.format_message().rstrip(".")


def _giver_of(error: click.BadParameter) -> str:
    """The variable or the place in the configuration that gives the value; empty if typed."""
    param, ctx = error.param, error.ctx
    source = ctx.get_parameter_source(param.name) if ctx and param and param.name else None
    if param is None or ctx is None or source is None:
        return ""
    if source.name == "ENVIRONMENT":
        return f"the environment variable {param.envvar}"
    if source.name == "DEFAULT_MAP":
        from audition.config import say_place

        return f"`{param.name}` in {say_place(ctx.find_root().obj, str(param.name))}"
    return ""


def _hint_of(error: click.ClickException) -> str:
    if isinstance(error, _Refused):
        return error.hint
    if isinstance(error, click.NoSuchOption) and error.ctx:
        known = [name for each in error.ctx.command.params for name in each.opts]
        return did_you_mean(error.option_name, known, all_of_them=6)
    if isinstance(error, click.BadParameter) and (given := _NO_CHOICE.match(error.message)):
        choices = getattr(getattr(error.param, "type", None), "choices", ())
        near = did_you_mean(given[1], map(str, choices), all_of_them=0)
        if near.startswith("did"):
            return near
    if isinstance(error, click.UsageError) and error.ctx:
        return f"see `{error.ctx.command_path} --help`"
    return ""
