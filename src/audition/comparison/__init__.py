"""Two runs side by side: what got better, what got worse, and which inputs changed.

In: two Sides, each what a run was asked for and its records. Out: a Comparison.
Must not know: files, git, the screen.

Trials are paired by case, skill, file, arm and number; a pair counts where both were graded. Where
an arm is called otherwise in B (another agent, model or delivery), that is what changed. Only
what stands in both sides is compared, and what does not is counted. A difference is
established where it is too large for chance: McNemar's mid-p, adjusted for the number of
cells (Benjamini and Hochberg). Given the case, the two trials of a pair come about apart
from each other, so that under no difference either is as likely to be the better one.
"""

from collections.abc import Mapping, Sequence

from audition.comparison.arms import align
from audition.comparison.cells import adjust, judge_pairs
from audition.comparison.figures import (
    CaseChange,
    Change,
    Comparison,
    LeftOut,
    MetricChange,
    Pairs,
    Side,
    Word,
)
from audition.comparison.metrics import compare_metrics
from audition.comparison.pairing import (
    Key,
    Outcome,
    align_files,
    count,
    files_of,
    gather,
    pair_up,
    sortable,
)
from audition.drift import Drift, find_drifts
from audition.fingerprint import case_names

__all__ = [
    "CaseChange",
    "Change",
    "Comparison",
    "LeftOut",
    "MetricChange",
    "Pairs",
    "Side",
    "Word",
    "compare",
    "is_regression",
]


def compare(a: Side, b: Side, tolerance: float = 0.0) -> Comparison:
    """What became of the trials of A in B."""
    before = gather(a.records, a.about.run_id)
    after = gather(b.records, b.about.run_id)
    before = align_files(before, after, (a.about.stood, b.about.stood))
    before, other_arms = align(before, after)
    drifts = tuple(dict.fromkeys((*other_arms, *find_drifts(a.about, b.about))))
    cells, left_out = pair_up(before, after)
    judged = adjust([judge_pairs(cell, counts) for cell, counts in sorted(cells.items(), key=str)])
    whole = tuple(sum(column) for column in zip(*cells.values(), strict=True)) or (0, 0, 0, 0)
    overall = adjust([judge_pairs(None, whole)])[0]
    files = files_of({**before, **after})
    changes = [
        find_change(key, before.get(key, {}), after.get(key, {}), drifts, len(files[key[:2]]) > 1)
        for key in sorted(before.keys() | after.keys(), key=sortable)
    ]
    return Comparison(
        a=a.name,
        b=b.name,
        tolerance=tolerance,
        regressed=any(is_regression(each, tolerance) for each in (overall, *judged)),
        overall=overall,
        cells=tuple(judged),
        cases=tuple(each for each in changes if each.change != "same"),
        same=sum(each.change == "same" for each in changes),
        metrics=tuple(compare_metrics(before, after)),
        changed=drifts,
        left_out=left_out,
    )


def is_regression(pairs: Pairs, tolerance: float) -> bool:
    """Whether a fall is established, and surely larger than what is tolerated."""
    if pairs.word != "worse" or pairs.high is None:
        return False
    return tolerance <= 0 or pairs.high < -tolerance


def find_change(
    key: Key,
    one: Mapping[tuple[int, int], Outcome],
    two: Mapping[tuple[int, int], Outcome],
    drifts: Sequence[Drift],
    twin: bool,
) -> CaseChange:
    a, b = count(one), count(two)
    skill, case, (agent, delivery, model, variant), file = key
    names = case_names(skill, case, file)
    because = tuple(each.words for each in drifts if each.is_about(names, agent))
    change = _changed(one, two, a, b)
    return CaseChange(
        skill=skill,
        case=case,
        agent=agent,
        delivery=delivery,
        model=model,
        variant=variant,
        file=file,
        twin=twin,
        should_trigger=next(iter((two or one).values())).should_trigger,
        change=change,
        a=a,
        b=b,
        because=because if change in ("better", "worse") else (),
    )


def _changed(
    one: Mapping[tuple[int, int], Outcome],
    two: Mapping[tuple[int, int], Outcome],
    a: tuple[int, int],
    b: tuple[int, int],
) -> Change:
    if not one or not two:
        return "gone" if one else "new"
    if not a[1] or not b[1]:
        return "same" if a[1] == b[1] else "ungraded"
    fall = a[0] * b[1] - b[0] * a[1]
    return "worse" if fall > 0 else "better" if fall < 0 else "same"
