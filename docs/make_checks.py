"""Write docs/checks.md from the checks' own docstrings: `python docs/make_checks.py`.

In: the checks on the shelf. Out: one Markdown page, the same that `audition explain` shows.
Must not know: what the checks do.
"""

import textwrap
from collections.abc import Iterator
from pathlib import Path

from audition.check import checks
from audition.commands.explain import arguments, page

PAGE = Path(__file__).with_name("checks.md")
HEAD = """\
# Checks

A case lists what must hold when the agent has ended:

```yaml
checks:
  - answer_contains: {text: "GREETING-7f3a"}
  - file_exists: {path: out/report.md}
```

Each check says `pass`, `fail` or `error`, gives a reason, and names the lines of the trace
that prove it. An `error` means that it cannot be told, because evidence is missing; it
never counts as a pass. `audition explain NAME` shows any of these pages.

Whether the skill was called needs no check: that follows from the case itself.
"""


def make_page() -> str:
    """The whole page."""
    parts = [HEAD, _table(), *(_section(name) for name in checks)]
    return "\n".join(parts)


def _table() -> str:
    rows = (f"| [`{name}`](#{name}) | {page(checks[name]).splitlines()[0]} |" for name in checks)
    return "\n".join(("| Check | What must hold |", "| --- | --- |", *rows, ""))


def _section(name: str) -> str:
    text, _, example = page(checks[name]).partition("\nExample:\n")
    return "\n".join((f"## {name}", "", *_body(text), *_arguments(name), *_example(example)))


def _body(text: str) -> Iterator[str]:
    yield text.strip()
    yield ""


def _arguments(name: str) -> Iterator[str]:
    yield from ("| Argument | Takes |", "| --- | --- |")
    for argument, wanted in arguments(checks[name]):
        yield f"| `{argument}` | {wanted} |"
    yield ""


def _example(example: str) -> Iterator[str]:
    if example.strip():
        yield from ("```yaml", textwrap.dedent(example).strip("\n"), "```", "")


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
