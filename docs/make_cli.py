"""Writes docs/cli.md from the program itself: every command, argument and option.

In: the click commands of `audition`. Out: the page. `python docs/make_cli.py` writes it; a test
compares it, so that no option goes undocumented.
"""

import inspect
from collections.abc import Iterator
from pathlib import Path

import click

from audition.cli import COMMANDS, audition

PAGE = Path(__file__).with_name("cli.md")
HEAD = """\
# Command line

This page is made from the program; `audition COMMAND --help` says the same.

An option that names a variable can be set by it; some have a key in the
[configuration](configuration.md), too. What is said closest wins: option, variable, file, default. Standard output holds only what was
asked for; messages go to standard error. What the process answers: [exit codes](exit-codes.md).

`RUN` is the id of a run, its folder, or `last`; left out, it is the newest.
"""


def write_page() -> str:
    """The whole page."""
    context = click.Context(audition, info_name="audition")
    rows = "\n".join(f"| [`{name}`](#{name}) | {_cell(why)} |" for name, why in COMMANDS.items())
    parts = [HEAD, f"| command | what it does |\n|---|---|\n{rows}\n"]
    for name in COMMANDS:
        command = audition.get_command(context, name)
        if command is None:
            raise SystemExit(f"`{name}` is in the table of commands, but there is none")
        parts.append(_section(name, command, context))
    return "\n".join(parts)


def _section(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, info_name=name, parent=parent)
    usage = " ".join(["audition", name, *command.collect_usage_pieces(context)])
    parts = [f"## {name}\n", f"```\n{usage}\n```\n", _words(command.help or "")]
    rows = [_row(each, context) for each in command.params if isinstance(each, click.Option)]
    if rows:
        parts.append("| option | what it does |\n|---|---|\n" + "\n".join(rows) + "\n")
    return "\n".join(parts)


def _words(text: str) -> str:
    r"""The help as Markdown: what click keeps as it is (behind `\b`) is a block of code."""
    return "\n".join(_paragraphs(inspect.cleandoc(text).partition("\f")[0]))


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        kept = paragraph.removeprefix("\b\n")
        if kept == paragraph:
            yield f"{_escape(paragraph)}\n"
        elif (lines := kept.splitlines())[0].endswith(":"):
            body = inspect.cleandoc("\n" + "\n".join(lines[1:]))
            yield f"{lines[0]}\n\n```sh\n{body}\n```\n"
        else:
            yield f"```\n{kept}\n```\n"


def _row(option: click.Option, context: click.Context) -> str:
    names = [*option.opts, *option.secondary_opts]
    shown = ", ".join(f"`{name}`" for name in names)
    if not option.is_flag:
        shown += f" {_cell(option.make_metavar(context))}"
    said = [_cell(option.help or "")]
    facts = option.get_help_extra(context)
    if "default" in facts:
        said.append(f"Default: `{facts['default']}`.")
    if option.envvar:
        said.append(f"Variable: `{option.envvar}`.")
    return f"| {shown} | {' '.join(said)} |"


def _cell(text: str) -> str:
    return _escape(" ".join(text.split())).replace("|", "\\|")


def _escape(text: str) -> str:
    # Outside of `code`, a browser would take <X> for a tag, and Markdown [X] for a link.
    return "`".join(
        part if odd % 2 else part.replace("<", "&lt;").replace("[", "\\[")
        for odd, part in enumerate(text.split("`"))
    )


if __name__ == "__main__":
    PAGE.write_text(write_page(), encoding="utf-8")
