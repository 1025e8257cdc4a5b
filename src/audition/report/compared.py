"""A comparison of two runs, for a terminal and for Markdown.

In: a Comparison. Out: text. Must not know: files, the screen, how it was found.
"""

from collections.abc import Iterable, Sequence

from audition.comparison import CaseChange, Comparison, MetricChange, Pairs
from audition.counted import counted
from audition.report.columns import columns
from audition.report.escape import for_markdown, one_line
from audition.report.words import say_percent

SHOWN = 50
"""So many cases are named of each sort of change."""
Table = tuple[str, Sequence[str], list[Sequence[str]]]


def write_comparison(found: Comparison, style: str) -> str:
    """The comparison as `text` or `markdown`."""
    markdown = style == "markdown"
    parts = [f"# {_clean(found.a)} → {_clean(found.b)}" if markdown else _title(found)]
    for title, head, rows in _tables(found):
        if rows:
            heading = f"## {title}" if markdown else title
            parts.append(f"{heading}\n\n{_markdown(head, rows)}" if markdown else
                         f"{heading}\n{_plain(head, rows)}")  # fmt: skip
    words = list(conclude(found))
    parts += [for_markdown(each) for each in words] if markdown else ["\n".join(words)]
    return "\n\n".join(parts) + "\n"


def conclude(found: Comparison) -> Iterable[str]:
    """What it comes to, in sentences; a difference that was not found says what could be."""
    whole, out = found.overall, found.left_out
    if not whole.of:
        yield "nothing to compare: no trial was graded in both runs"
    else:
        yield f"overall: {say_pairs(whole)}"
    if found.changed:
        yield f"what changed: {'; '.join(one_line(each.words) for each in found.changed)}"
    elif whole.of:
        yield "what changed: no input that is known; a difference is chance, or the model's own"
    left = (
        (out.only_a, "trials only in A"),
        (out.only_b, "trials only in B"),
        (out.reused, "pairs that are one and the same trial"),
        (out.ungraded, "pairs not graded on both sides"),
    )
    if any(number for number, _ in left):
        yield "left out: " + ", ".join(f"{number} {words}" for number, words in left if number)
    if found.regressed:
        beyond = f" beyond {found.tolerance:.0%}" if found.tolerance else ""
        yield f"a regression{beyond} is established"
    elif whole.of:
        beyond = f" beyond {found.tolerance:.0%}" if found.tolerance else ""
        yield f"no regression{beyond} is established"


def say_pairs(pairs: Pairs) -> str:
    """What the pairs of a cell, or of all, say."""
    if pairs.rate_a is None or pairs.rate_b is None:
        return "nothing to compare"
    return (
        f"{say_percent(pairs.rate_a)} → {say_percent(pairs.rate_b)} over {counted(pairs.of, 'pair')} "
        f"({_interval(pairs)}), {_verdict(pairs)}"
    )


def _verdict(pairs: Pairs) -> str:
    p = "" if pairs.p is None else f" ({_p(pairs.p)})"
    if pairs.word != "no significant difference":
        return f"{pairs.word}{p}"
    return f"{pairs.word}{p}; {say_smallest(pairs)}"


def say_smallest(pairs: Pairs) -> str:
    """The smallest difference that so many pairs would mostly have shown."""
    if pairs.smallest is None:
        return f"{counted(pairs.of, 'pair')} could not show any difference"
    return f"the smallest that {counted(pairs.of, 'pair')} can show is {pairs.smallest:.0%}"


def _p(p: float) -> str:
    return "p < .001" if p < 0.001 else f"p = {p:.3f}"


def _interval(pairs: Pairs) -> str:
    if pairs.low is None or pairs.high is None:
        return "–"
    return f"{pairs.low:+.0%} to {pairs.high:+.0%}"


def _title(found: Comparison) -> str:
    return f"A {_clean(found.a)}\nB {_clean(found.b)}"


def _tables(found: Comparison) -> Iterable[Table]:
    head: Sequence[str] = ("skill", "arm", "side", "A", "B", "difference", "what it says")
    yield "Cells", head, [_cell(each) for each in found.cells]
    head = ("skill/case", "arm", "A", "B", "changed inputs")
    for word in ("worse", "better", "ungraded", "new", "gone"):
        mine = [each for each in found.cases if each.change == word]
        rows = [_case(each) for each in mine[:SHOWN]]
        if len(mine) > SHOWN:
            rows.append((f"and {len(mine) - SHOWN} more", "", "", "", ""))
        yield word.capitalize(), head, rows
    head = ("metric", "arm", "A", "B", "cases", "what it says")
    yield "Took", head, [_metric(each) for each in found.metrics]


def _cell(each: Pairs) -> Sequence[str]:
    side = "called" if each.positives else "quiet"
    rates = (say_percent(each.rate_a or 0), say_percent(each.rate_b or 0))
    return (each.skill or "-", _arm(each), side, *rates, _interval(each), _verdict(each))


def _case(each: CaseChange) -> Sequence[str]:
    # What every case shares stands below; its own inputs are what the row is for.
    because = [words for words in each.because if words.startswith(("skill", "case"))]
    name = f"{each.skill or '-'}/{each.case}" + (f" of {each.file}" if each.twin else "")
    return (name, _arm(each), _count(each.a), _count(each.b), "; ".join(because))


def _count(pair: tuple[int, int]) -> str:
    return f"{pair[0]}/{pair[1]}" if pair[1] else "–"


def _metric(each: MetricChange) -> Sequence[str]:
    p = "" if each.p is None else f" ({_p(each.p)})"
    numbers = (f"{each.a:.4g}", f"{each.b:.4g}", str(each.cases))
    return (each.metric, _arm(each), *numbers, f"{each.word}{p}")


def _arm(each: Pairs | CaseChange | MetricChange) -> str:
    model = f"+{each.model}" if each.model else ""
    variant = f"@{each.variant}" if each.variant else ""
    return f"{each.agent}+{each.delivery}{model}{variant}"


def _clean(text: str) -> str:
    return one_line(text)


def _plain(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    table = [[_clean(cell) for cell in row] for row in (head, *rows)]
    return "\n".join(f"  {line}" for line in columns(table).splitlines())


def _markdown(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    table = [[for_markdown(_clean(cell)) for cell in row] for row in rows]
    lines = [list(head), ["---"] * len(head), *table]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
