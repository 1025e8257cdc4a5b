"""For the terminal: the report as lines of styled spans, aligned for a width.

In: a Summary, Records, a width. Out: lines; the terminal adds the colour, a pipe takes them plain,
so that both show the same rows; no sentence is folded there, so that a search finds it whole.
Must not know: the screen, rich.
"""

import sys
import textwrap
from collections.abc import Iterable, Iterator

from audition.counted import counted, say_seconds
from audition.model import Inputs, Record
from audition.report.arms import say_arm
from audition.report.columns import (
    STATUSES,
    Cell,
    Line,
    Span,
    Style,
    aligned,
    cell_width,
    plain,
)
from audition.report.conclusion import conclude
from audition.report.escape import one_line, visible
from audition.report.estimates import say_thefts
from audition.report.gated import say_gates
from audition.report.lifts import say_lifts
from audition.report.spreads import say_all_it_took
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
from audition.summary.figures import Share, Summary, has_failed, is_open

CAP = 10
"""Failing trials told per skill; all of them are in results.json."""
PLOT = 20
"""Cells of an interval's picture; a cell is five points of a hundred."""
NARROW = 76
VERDICTS: dict[str, Style] = {"pass": "good", "fail": "bad"}


def write_text(summary: Summary, records: Iterable[Record], _inputs: Inputs | None = None) -> str:
    """The report without colour, as a pipe takes it: its tables fit 100 columns."""
    return "".join(f"{plain(line)}\n" for line in lay_out(summary, records, 100, folds=False))


def lay_out(
    summary: Summary, records: Iterable[Record], width: int, out: str = "", *, folds: bool = True
) -> Iterator[Line]:
    """The whole report; it ends with what may honestly be concluded."""
    fold = width if folds else sys.maxsize
    groups = gather_troubles(records, summary, CAP, out)
    yield from _head(summary, width)
    yield ()
    if summary.arms:
        yield from _tables(list(_skill_rows(summary)), list(_arm_rows(summary)), width)
        yield ()
    for group in groups:
        yield from _group(group, fold)
    for cause in summary.causes:
        if cause.status == "ineligible":
            reason = one_line(cause.reason) or "no reason was given"
            yield from _wrapped(f"{counted(cause.trials, 'trial')} ineligible: {reason}", fold, 0)
    yield from _took(summary, fold)
    for words in (*say_lifts(summary), *say_gates(summary)):
        yield from _wrapped(words, fold, 0)
    yield from _remarks(summary, fold)
    first, *rest = conclude(summary)
    yield from _wrapped(first, fold, 0, _tone(summary))
    for sentence in rest:
        yield from _wrapped(sentence, fold, 0)


def _took(summary: Summary, width: int) -> Iterator[Line]:
    """What trials took, where there are enough of them to have a middle."""
    several = [each for each in summary.distributions if each.trials > 2]
    for each in several[:CAP]:
        words = f"{each.skill or 'no skill'} on {say_arm(each)} took {say_all_it_took(each)}"
        yield from _wrapped(one_line(words), width, 0, "dim")
    if several:
        yield ()


def _remarks(summary: Summary, width: int) -> Iterator[Line]:
    """Thefts, flaky cases, and those that the default policy judges otherwise."""
    stolen = list(say_thefts(summary))
    for words in stolen[:CAP]:
        yield from _wrapped(one_line(words), width, 0)
    if len(stolen) > CAP:
        yield ((f"and {len(stolen) - CAP} more, see `matrix` in summary.json", "dim"),)
    for mixed in summary.mixed[:CAP]:
        words = f"flaky: {say_case(mixed)} passed {mixed.passed} of {mixed.of} on {say_arm(mixed)}"
        yield from _wrapped(one_line(words), width, 0)
    if len(summary.mixed) > CAP:
        yield ((f"and {len(summary.mixed) - CAP} more flaky, see summary.json", "dim"),)
    for each in summary.differs[:CAP]:
        yield from _wrapped(f"differs: {one_line(say_difference(each))}", width, 0)
    if len(summary.differs) > CAP:
        yield ((f"and {len(summary.differs) - CAP} more differ, see summary.json", "dim"),)
    if (
        stolen
        or summary.mixed
        or summary.differs
        or any(each.status == "ineligible" for each in summary.causes)
    ):
        yield ()


def _tone(summary: Summary) -> Style:
    totals = summary.totals
    if has_failed(summary):
        return "bad"
    return "good" if totals.passed and not is_open(summary) else "warn"


def _head(summary: Summary, width: int) -> Iterator[Line]:
    totals = summary.totals
    spans: list[Span] = [
        (counted(totals.trials, "trial"), ""),
        (f"  {totals.passed} passed", "good" if totals.passed else "dim"),
        (f"  {totals.fail} failed", "bad" if totals.fail else "dim"),
    ]
    if totals.error:
        spans.append((f"  {totals.error} in error", "warn"))
    if totals.ineligible:
        spans.append((f"  {totals.ineligible} ineligible", "dim"))
    name: Span = (one_line(summary.run_id), "title")
    if width < NARROW:
        yield (name,)
        yield tuple(spans)
    else:
        yield name, ("  ", ""), *spans


Row = tuple[str, Share, Share, Line]
"""Name, positives, negatives, and the verdict or remarks."""


def _skill_rows(summary: Summary) -> Iterator[Row]:
    for name, each in summary.skills.items():
        verdict: Span = (each.verdict.upper(), VERDICTS.get(each.verdict, "warn"))
        errors: Span = (f"  {counted(each.errors, 'error')}" if each.errors else "", "warn")
        yield one_line(name, 60), each.positives, each.negatives, (verdict, errors)


def _arm_rows(summary: Summary) -> Iterator[Row]:
    for each in summary.arms:
        cost = "" if each.dollars is None else f"  {say_dollars(each)}"
        remarks: Span = (f"{say_seconds(each.seconds)}{cost}", "dim")
        yield one_line(say_arm(each), 60), each.positives, each.negatives, (remarks,)


def _tables(skills: list[Row], arms: list[Row], width: int) -> Iterator[Line]:
    """Skills and arms in the richest dress that the width has room for."""
    top, bottom = ("SKILL", "VERDICT", skills), ("ARM", "TIME, COST", arms)
    for plots, together in ((True, True), (False, True), (False, False)):
        tops, bottoms = _cells(*top, plots), _cells(*bottom, plots)
        blank: list[list[Cell]] = [[]]
        tables = [[*tops, *blank, *bottoms]] if together else [tops, blank, bottoms]
        lines = [line for table in tables for line in aligned(table, right={1, 2, 5, 6})]
        if all(cell_width(plain(line)) <= width for line in lines):
            yield from lines
            return
    yield from _stacked(skills)
    yield ()
    yield from _stacked(arms)


def _cells(title: str, last: str, rows: Iterable[Row], plots: bool) -> list[list[Cell]]:
    head = (title, "", "", "POSITIVES", "", "", "", "NEGATIVES", "", last)
    cells: list[list[Cell]] = [[(word, "dim") for word in head]]
    cells += [
        [
            (name, "name"),
            *_share_cells(positives, plots),
            *_share_cells(negatives, plots),
            remarks,
        ]
        for name, positives, negatives, remarks in rows
    ]
    return cells


def _share_cells(share: Share, plots: bool) -> list[Cell]:
    style: Style = "" if share.passed == share.of else "bad"
    picture: Line = _plot(share) if plots and share.of else ()
    return [
        (say_count(share), style if share.of else "dim"),
        (say_rate(share), style),
        (f"[{say_interval(share)}]" if share.of else "", "dim"),
        picture,
    ]


def _plot(share: Share) -> Line:
    low, high = share.low or 0.0, share.high or 0.0
    first, last = int(low * (PLOT - 1)), round(high * (PLOT - 1))
    at = round((share.rate or 0.0) * (PLOT - 1))
    style: Style = "good" if share.passed == share.of else "bad"
    return (
        ("·" * first, "dim"),
        ("━" * (at - first), style),
        ("●", style),
        ("━" * (last - at), style),
        ("·" * (PLOT - 1 - max(last, at)), "dim"),
    )


def _stacked(rows: Iterable[Row]) -> Iterator[Line]:
    for name, positives, negatives, remarks in rows:
        yield (name, "name"), ("  ", ""), *remarks
        pairs = (("  positives", positives), ("  negatives", negatives))
        cells = [[(word, "dim"), *_share_cells(share, False)] for word, share in pairs]
        yield from aligned(cells, right={1, 2})


def _group(group: Group, width: int) -> Iterator[Line]:
    bad = [f"{group.failed} failed"] * bool(group.failed)
    bad += [f"{group.errors} in error"] * bool(group.errors)
    name = one_line(group.skill) if group.skill else "no skill"
    yield (name, "title"), (f"  {', '.join(bad)}", "dim")
    for trouble in group.shown:
        yield from _trouble(trouble, width)
    if group.hidden:
        yield (("  " + f"and {group.hidden} more, see results.json", "dim"),)
    yield ()


def _trouble(trouble: Trouble, width: int) -> Iterator[Line]:
    record = trouble.record
    word: Span = (f"  {record.status.upper():5}", STATUSES[record.status])
    yield word, (f" {visible(record.id)}", ""), (f"  {say_seconds(record.seconds)}", "dim")
    for reason in trouble.reasons:
        yield from _wrapped(one_line(reason), width, 8 if width >= NARROW else 4)
    command, lines = f"        {visible(trouble.command)}", say_lines(trouble.lines)
    # A comment to the shell, so that the line may be copied whole.
    together = f"{command}  # {lines}"
    if lines and cell_width(together) <= width:
        yield ((together, "dim"),)
        return
    if lines:
        yield ((f"        {lines}", "dim"),)
    yield ((command, "dim"),)


def _wrapped(text: str, width: int, indent: int, style: Style = "") -> Iterator[Line]:
    for line in textwrap.wrap(visible(text), max(width, 30) - indent):
        yield ((" " * indent + line, style),)
