"""What people and programs are shown of a run: one module a format, all pure.

In: a Summary, its Records, and the Inputs where places and prompts are wanted.
Out: text. Must not know: files, the screen. (Colour and progress are the terminal's.)
"""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from audition.errors import unknown
from audition.model import Inputs, Record

if TYPE_CHECKING:
    from audition.summary.figures import Summary

FORMATS = {
    "text": "text",
    "json": "as_json",
    "jsonl": "as_json",
    "markdown": "markdown",
    "junit": "junit",
    "github": "github",
    "html": "html",
}
"""Every format that `render` writes, and the module here that writes it."""


def render(
    summary: "Summary",
    records: Iterable[Record],
    format: str,  # noqa: A002 - the word of the command line
    inputs: Inputs | None = None,
) -> str:
    """A run in one format. With `inputs` reports name the prompt and the line of a case."""
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    module = import_module(f"audition.report.{FORMATS[format]}")
    write: Callable[[Summary, Iterable[Record], Inputs | None], str] = getattr(
        module, f"write_{format}"
    )
    return write(summary, records, inputs)
