"""For pull requests and wikis: summary.md.

In: a Summary, Records, Inputs. Out: GitHub-flavoured Markdown. Must not know: files.
"""

from collections.abc import Iterable, Sequence

from audition.counted import counted, say_seconds
from audition.model import Inputs, Record
from audition.report.arms import say_arm
from audition.report.conclusion import conclude
from audition.report.escape import as_code, for_markdown, one_line
from audition.report.estimates import Table, estimate_tables, matrix_columns
from audition.report.gated import say_gates
from audition.report.lifts import say_lifts
from audition.report.spreads import HEAD, say_took
from audition.report.words import (
    Group,
    Trouble,
    gather_troubles,
    say_case,
    say_count,
    say_difference,
    say_dollars,
    say_interval,
    say_lines,
    say_rate,
)
from audition.summary.figures import Share, Summary

CAP = 20
"""Failing trials named per skill; a job summary on GitHub holds 1 MiB."""
MARKS = {"pass": "✅", "fail": "❌", "error": "⚠️", "ineligible": "➖"}
VERDICTS = {"pass": "✅ pass", "fail": "❌ fail", "inconclusive": "❔ inconclusive"}


def write_markdown(
    summary: Summary, records: Iterable[Record], inputs: Inputs | None = None
) -> str:
    """The whole report."""
    skills = {each.name: each for each in inputs.skills.values()} if inputs else {}
    groups = gather_troubles(records, summary, CAP)
    parts = [
        f"# Audition: {for_markdown(one_line(summary.run_id))}",
        " ".join(map(for_markdown, conclude(summary))),
        _totals(summary),
        *_skills(summary),
        *_arms(summary),
        *_took(summary),
        *(for_markdown(words) for words in (*say_lifts(summary), *say_gates(summary))),
        *_causes(summary),
        *_mixed(summary),
        *_differs(summary),
        *map(_group, groups),
        *_matrix(summary),
        *map(_estimates, estimate_tables(summary, skills)),
        "<sub>Intervals are Wilson's, 95%. Errors and ineligible trials count neither way.</sub>",
    ]
    return "\n\n".join(parts) + "\n"


def _totals(summary: Summary) -> str:
    totals = summary.totals
    return (
        f"{counted(totals.trials, 'trial')}: {totals.passed} passed, {totals.fail} failed, "
        f"{totals.error} in error, {totals.ineligible} ineligible"
    )


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _share(share: Share) -> str:
    if not share.of:
        return "–"
    return f"**{say_count(share)}** {say_rate(share)} ({say_interval(share)})"


def _skills(summary: Summary) -> Iterable[str]:
    if not summary.skills:
        return
    yield "## Skills"
    yield _table(
        ("Skill", "Called when it should", "Quiet when it should", "Verdict"),
        (
            (
                as_code(one_line(name)),
                _share(each.positives),
                _share(each.negatives),
                VERDICTS.get(each.verdict, f"⚠️ {each.verdict}"),
            )
            for name, each in summary.skills.items()
        ),
    )


def _arms(summary: Summary) -> Iterable[str]:
    if not summary.arms:
        return
    yield "## Arms"
    yield _table(
        ("Arm", "Positives", "Negatives", "Errors", "Time", "Cost"),
        (
            (
                as_code(one_line(say_arm(each))),
                _share(each.positives),
                _share(each.negatives),
                str(each.errors),
                say_seconds(each.seconds),
                for_markdown(say_dollars(each)),
            )
            for each in summary.arms
        ),
    )


def _took(summary: Summary) -> Iterable[str]:
    if not summary.distributions:
        return
    yield "## What a trial took"
    yield _table(
        HEAD,
        (
            (
                as_code(one_line(each.skill)) if each.skill else "–",
                as_code(one_line(say_arm(each))),
                str(each.trials),
                *say_took(each),
            )
            for each in summary.distributions
        ),
    )
    yield "<sub>The median, and in brackets the least and the most, of graded trials.</sub>"


def _matrix(summary: Summary) -> Iterable[str]:
    columns = matrix_columns(summary)
    if not columns:
        return
    yield "## Who was called for whom"
    yield _table(
        ("Expected ↓ called →", *(as_code(one_line(name)) for name in columns)),
        (
            (as_code(one_line(row)), *(str(called.get(name) or "·") for name in columns))
            for row, called in summary.matrix.items()
        ),
    )


def _estimates(table: Table) -> str:
    rows = (
        (as_code(one_line(name)), *(for_markdown(one_line(cell)) for cell in cells))
        for name, *cells in table.rows
    )
    return "\n\n".join(
        (f"## {table.title}", _table(table.head, rows), f"<sub>{for_markdown(table.note)}</sub>")
    )


def _causes(summary: Summary) -> Iterable[str]:
    if not summary.causes:
        return
    yield "## Not graded"
    yield "\n".join(
        f"- {MARKS[each.status]} {counted(each.trials, 'trial')}: "
        f"{for_markdown(one_line(each.reason)) or 'no reason was given'}"
        for each in summary.causes
    )


def _mixed(summary: Summary) -> Iterable[str]:
    if not summary.mixed:
        return
    yield "## Sometimes passed, sometimes failed"
    yield "\n".join(
        f"- {as_code(one_line(say_case(each)))} passed {each.passed} of {each.of} on {as_code(one_line(say_arm(each)))}"
        for each in summary.mixed
    )


def _differs(summary: Summary) -> Iterable[str]:
    if not summary.differs:
        return
    yield "## Where the default policy judges otherwise"
    yield "\n".join(f"- {for_markdown(one_line(say_difference(each)))}" for each in summary.differs)


def _group(group: Group) -> str:
    name = as_code(one_line(group.skill)) if group.skill else "No skill"
    bad = [
        words
        for number, words in (
            (group.failed, f"{group.failed} failed"),
            (group.errors, f"{group.errors} in error"),
        )
        if number
    ]
    lines = [f"## {name}: {', '.join(bad)}", "", *map(_trouble, group.shown)]
    if group.hidden:
        lines.append(f"- and {group.hidden} more, see results.json")
    return "\n".join(lines)


def _trouble(trouble: Trouble) -> str:
    record = trouble.record
    lines = say_lines(trouble.lines)
    return "\n".join(
        (
            f"- {MARKS[record.status]} {as_code(one_line(record.id))}",
            *(f"  - {for_markdown(one_line(reason))}" for reason in trouble.reasons),
            f"  - {lines + ': ' if lines else ''}{as_code(one_line(trouble.command))}",
        )
    )
