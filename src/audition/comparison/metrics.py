"""What the same trials took in two runs: tokens, seconds, turns.

In: outcomes of both runs, by case and arm. Out: MetricChanges. Must not know: records.
"""

from collections.abc import Iterable, Mapping, Sequence

from audition.comparison.figures import MetricChange
from audition.comparison.pairing import Arm, Outcome, Trials, sortable
from audition.stats.difference import compare_means

METRICS = ("tokens", "seconds", "turns")


def compare_metrics(before: Trials, after: Trials) -> Iterable[MetricChange]:
    """Each metric of each arm, over the cases of which both runs know it."""
    arms = sorted({key[2] for key in before.keys() & after.keys()}, key=str)
    for arm in arms:
        keys = [key for key in before.keys() & after.keys() if key[2] == arm]
        for place, metric in enumerate(METRICS):
            pairs = [_taken(before[key], after[key], place) for key in sorted(keys, key=sortable)]
            if found := _metric(metric, arm, [each for each in pairs if each]):
                yield found


def _taken(
    one: Mapping[tuple[int, int], Outcome], two: Mapping[tuple[int, int], Outcome], place: int
) -> list[tuple[float, float]]:
    both = ((one[number], two[number]) for number in one.keys() & two.keys())
    graded = ((a, b) for a, b in both if None not in (a.right, b.right) and not a.is_also(b))
    took = ((a.took[place], b.took[place]) for a, b in graded)
    return [(a, b) for a, b in took if a is not None and b is not None]


def _metric(
    metric: str, arm: Arm, cases: Sequence[Sequence[tuple[float, float]]]
) -> MetricChange | None:
    found = compare_means(cases)
    if found is None:
        return None
    agent, delivery, model, variant = arm
    return MetricChange(
        metric=metric,
        agent=agent,
        delivery=delivery,
        model=model,
        variant=variant,
        cases=len(cases),
        a=found.a,
        b=found.b,
        p=found.p,
        word=found.word,
    )
