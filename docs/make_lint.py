"""Write docs/lint.md from the rules' own docstrings: `python docs/make_lint.py`.

In: the rules on the shelf. Out: one Markdown page, the same that `audition explain` shows.
Must not know: what the rules find.
"""

from collections.abc import Iterator
from pathlib import Path

from audition.lint import RULES, split_page
from audition.lint.limits import LIMITS
from audition.lint.shelf import FAMILIES

PAGE = Path(__file__).with_name("lint.md")
HEAD = """\
# Lint rules

`audition lint` reads skills, and case files that are named or with `--check-evals`, and says what is wrong with
them: `file:line:column`, the rule, and what to do. It asks no agent, uses no network and runs
nothing, so it is safe on skills of strangers and cheap in CI.

```sh
audition lint                              # the usual places
audition lint skills/ --check-evals        # case files and collisions, too
audition lint cases.yaml process.yaml      # these case files, or files of process rules
audition lint --select SK1,SK5 --strict    # some rules; warnings fail, too
audition lint --fix                        # mend what can be mended without loss
audition lint --output-format sarif        # or json, github
```

An *error* breaks the specification, harms somebody, or makes a case worthless: exit code 1.
A *warning* is guidance: exit code 1 with `--strict`. A *note* never fails anything. Where there
is nothing to lint, the exit code is 2. `audition explain SK203` shows any of these pages.

## Silence a rule

`--ignore SK203`, or the beginning of ids as in `--ignore SK2`, leaves rules out. For one skill,
put a comment anywhere into its SKILL.md; for one suite, into its case file:

```markdown
<!-- audition: ignore SK203, SK306 -->
```

```yaml
# audition: ignore EV112
```

Rules on safety (`SK5`) cannot be silenced that way: who checks a stranger's skill must not
depend on what the stranger wrote. `--ignore` works for them.

## What is mended

`--fix` changes a file only where nothing can be lost, prints what it did, and follows no links.
The rules that it mends are marked *mended* below.
"""


def make_page() -> str:
    """The whole page."""
    parts = [HEAD]
    for prefix, (title, _) in FAMILIES.items():
        parts.append("\n".join((f"## {title}", "", *_table(prefix))))
        if prefix == "SK6":
            parts.append("\n".join(_limits()))
        parts += ["\n".join(_section(name)) for name in RULES if name.startswith(prefix)]
    return "\n".join(parts)


def _table(prefix: str) -> Iterator[str]:
    yield from ("| Rule | Severity | What is wrong |", "| --- | --- | --- |")
    for name, rule in RULES.items():
        if name.startswith(prefix):
            mended = ", mended" if rule.mend else ""
            yield f"| [`{name}`](#{name.lower()}) | {rule.severity}{mended} | {rule.title} |"
    yield ""


def _limits() -> Iterator[str]:
    yield from ("The figures, with the version they were seen in:", "")
    yield from (
        "| Agent | Version | Seen | Characters of | Figure |",
        "| --- | --- | --- | --- | --- |",
    )
    for what, limit in LIMITS:
        yield f"| {limit.agent} | {limit.version} | {limit.seen} | {what} | {limit.figure:,} |"
    yield ""


def _section(name: str) -> Iterator[str]:
    why, bad, good = split_page(RULES[name].page)
    yield from (f"### {name}", "", RULES[name].title, "")
    if why:
        yield from (why, "")
    for word, example in (("Bad", bad), ("Good", good)):
        yield from (f"{word}:", "", "```text", example, "```", "")


if __name__ == "__main__":
    PAGE.write_text(make_page(), encoding="utf-8")
