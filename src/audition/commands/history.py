"""`audition history`: how skills scored over time.

In: the folder of all runs. Out: one row for each run, skill and arm, the newest last.
Must not know: how runs are kept or indexed.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from audition.commands.options import option, out_option, output_format
from audition.errors import UsageError, unknown
from audition.stats import wilson
from audition.store import list_results, read_inputs, read_records

if TYPE_CHECKING:
    from audition.index import Kept, Rates

COLUMNS = (
    *("run", "began", "skill", "agent", "delivery", "model", "policy"),
    *("positives_passed", "positives_of", "positives_rate", "positives_low", "positives_high"),
    *("negatives_passed", "negatives_of", "negatives_rate", "negatives_low", "negatives_high"),
    *("errors", "ineligible", "seconds", "dollars", "skill_digest", "agent_version"),
)
_SPAN = re.compile(r"(\d{1,5})([hdw])")
_HOURS = {"h": 1, "d": 24, "w": 168}


@click.command
@option("--skill", help="Only this skill.")
@option("--since", help="Only runs since then: a date like 2026-01-31, or a span like 12h, 7d, 4w.")
@click.option(
    "--badge",
    metavar="FILE.json|FILE.svg",
    type=click.Path(dir_okay=False),
    help="Write the newest score as a badge: an endpoint's JSON, or a picture.",
)
@out_option
@output_format("text", "json", "csv")
def history(skill: str | None, since: str | None, out: str, **words: Any) -> None:
    """How each skill scored in each run, the newest last; `|` marks another version.

    \b
    Examples:
      audition history
      audition history --skill greeting --since 7d
      audition history --output-format csv > scores.csv
      audition history --skill greeting --badge greeting.svg
    """
    from audition.index import read_rates

    kept = kept_runs(Path(out))
    after = read_since(since) if since else ""
    found = read_rates(Path(out), kept, skill=skill, since=after, tell=_note)
    if skill and not found:
        _check_skill(skill, Path(out), kept)
    if words["badge"]:
        write_badge(Path(words["badge"]), found, skill or "skills")
    rows = [row_of(each) for each in found]
    style = words["output_format"]
    if style == "json":
        click.echo(msgspec.json.encode({"version": 1, "history": rows}))
    elif style == "csv":
        click.echo(as_csv(rows), nl=False)
    elif rows:
        from audition.report.trends import trend_lines

        click.echo(as_table(rows))
        if trends := list(trend_lines(found)):
            click.echo("\n" + "\n".join(trends))
    else:
        click.echo(f"no finished run below {out}" + (f" since {after}" if after else ""), err=True)


def write_badge(path: Path, found: "Sequence[Rates]", label: str) -> None:
    """The score of the newest run, as the end of the file's name says."""
    from audition.report.trends import draw_badge, make_badge

    badge = make_badge(found, label)
    if path.suffix == ".json":
        path.write_bytes(msgspec.json.encode(badge))
    elif path.suffix == ".svg":
        path.write_text(draw_badge(badge), encoding="utf-8")
    else:
        raise UsageError(f"`{path}` is no badge", "its name must end in .json or .svg")


def kept_runs(out: Path) -> "Kept":
    """The runs that have results, for the index."""
    from audition.index import Kept

    def read(name: str) -> tuple[Any, Any]:
        return read_inputs(out / name, plan=False), read_records(out / name)

    return Kept(stamps=list_results(out), read=read)


def _note(text: str) -> None:
    click.echo(f"note: {text}", err=True)


def _check_skill(skill: str, out: Path, kept: "Kept") -> None:
    from audition.index import read_rates

    known = {each.skill for each in read_rates(out, kept, tell=_note) if each.skill}
    if skill not in known:
        raise unknown("skill", skill, known)


def read_since(words: str) -> str:
    """The moment that is meant, as runs write it."""
    if found := _SPAN.fullmatch(words.strip()):
        hours = int(found[1]) * _HOURS[found[2]]
        return (datetime.now(UTC) - timedelta(hours=hours)).isoformat(timespec="seconds")
    try:
        moment = datetime.fromisoformat(words.strip())
    except ValueError as error:
        raise UsageError(
            f"`{words}` is no date and no span", "write 2026-01-31, or 12h, 7d, 4w"
        ) from error
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def row_of(rates: "Rates") -> dict[str, Any]:
    """One row, by the names of its columns; null where there is nothing to say."""
    row: dict[str, Any] = {name: getattr(rates, name, None) for name in COLUMNS}
    row["run"] = rates.run_id
    for side in ("positives", "negatives"):
        passed, of = row[f"{side}_passed"], row[f"{side}_of"]
        row[f"{side}_rate"] = passed / of if of else None
        row[f"{side}_low"], row[f"{side}_high"] = wilson(passed, of) or (None, None)
    return row


def as_csv(rows: Iterable[dict[str, Any]]) -> str:
    """The rows for a spreadsheet, in which no cell can be a formula."""
    import csv
    import io

    text = io.StringIO()
    # With "\n" alone, Python before 3.13 leaves a cell that holds "\r" without quotes.
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    writer.writerows([_inert(row[name]) for name in COLUMNS] for row in rows)
    return text.getvalue()


def _inert(cell: Any) -> Any:
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in set("=+-@\t\r") else cell


def as_table(rows: list[dict[str, Any]]) -> str:
    """The rows for a terminal."""
    from audition.report.columns import columns
    from audition.session_text import visible_word

    head = ("run", "skill", "agent", "positives", "negatives", "errors")
    cells = [head, *(_cells(row) for row in rows)]
    return columns([tuple(visible_word(cell) for cell in each) for each in cells])


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    model = f"+{row['model']}" if row["model"] else ""
    arm = f"{row['agent']}+{row['delivery']}{model}"
    sides = (_rate(row, "positives"), _rate(row, "negatives"))
    return (row["run"], row["skill"] or "-", arm, *sides, str(row["errors"]))


def _rate(row: dict[str, Any], side: str) -> str:
    from audition.report.words import say_count, say_interval, say_rate
    from audition.summary.figures import share

    found = share(row[f"{side}_passed"], row[f"{side}_of"])
    return f"{say_count(found)} {say_rate(found)} [{say_interval(found)}]" if found.of else "-"
