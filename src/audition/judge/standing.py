"""How good a judge is, criterion by criterion, measured on labels that people gave.

In: pairs of a person's label and the judge's verdict, what canaries came to. Out: a Standing for each
criterion, and whether it may gate. Must not know: where labels are kept, who asks the judge.

Positive is `met`: sensitivity is how many of the good the judge called met, specificity how
many of the bad it called unmet. A verdict of `cannot_tell` is right about neither.
"""

from collections.abc import Mapping, Sequence

from audition.counted import counted
from audition.judge.values import Word
from audition.model import Value
from audition.stats.agreement import ac1, agreed, kappa
from audition.stats.labels import Estimate
from audition.stats.rates import wilson

LABELS_NEEDED = 100
LEAST_SHARE = 1 / 3
"""So many of the labels at least are `met`, and so many `unmet`: that is balanced."""
LEAST_KAPPA = 0.4
LEAST_RATE = 0.7


class Bounds(Value, frozen=True, kw_only=True):
    """A number and its 95 % interval, for JSON."""

    value: float
    low: float
    high: float


class Standing(Value, frozen=True, kw_only=True):
    """What labels say about the judge on one criterion."""

    criterion: str
    labels: int
    met: int
    unmet: int
    agreement: Bounds | None
    kappa: Bounds | None
    ac1: Bounds | None
    sensitivity: Bounds | None
    specificity: Bounds | None
    confusion: dict[str, dict[str, int]]
    """confusion[person][judge]: how often."""
    may_gate: bool
    """Whether the criterion may decide about a trial; otherwise it is advisory."""
    lacks: tuple[str, ...] = ()
    """What keeps the criterion from gating; empty where it may."""


def stand(criterion: str, pairs: Sequence[tuple[Word, Word]], canaries: str = "") -> Standing:
    """The standing of one criterion; `canaries` says what is wrong with them, if anything is."""
    confusion: dict[str, dict[str, int]] = {}
    for person, judge in pairs:
        row = confusion.setdefault(person, {})
        row[judge] = row.get(judge, 0) + 1
    met, unmet = _row(confusion, "met"), _row(confusion, "unmet")
    rates = {
        "kappa": (kappa(pairs), LEAST_KAPPA),
        "sensitivity": (_rate(met.get("met", 0), sum(met.values())), LEAST_RATE),
        "specificity": (_rate(unmet.get("unmet", 0), sum(unmet.values())), LEAST_RATE),
    }
    lacks = list(_few(sum(met.values()), sum(unmet.values())))
    for name, (found, least) in rates.items():
        if found is None or found.low < least:
            shown = "unknown" if found is None else f"{found.low:.2f}"
            lacks.append(f"the lower bound of its {name} is {shown}, below {least}")
    if canaries:
        lacks.append(canaries)
    return Standing(
        criterion=criterion,
        labels=len(pairs),
        met=sum(met.values()),
        unmet=sum(unmet.values()),
        agreement=_bounds(agreed(pairs)),
        kappa=_bounds(rates["kappa"][0]),
        ac1=_bounds(ac1(pairs)),
        sensitivity=_bounds(rates["sensitivity"][0]),
        specificity=_bounds(rates["specificity"][0]),
        confusion=confusion,
        may_gate=not lacks,
        lacks=tuple(lacks),
    )


def _row(confusion: Mapping[str, dict[str, int]], label: str) -> dict[str, int]:
    return confusion.get(label, {})


def _few(met: int, unmet: int) -> tuple[str, ...]:
    both = met + unmet
    if both < LABELS_NEEDED:
        return (f"{counted(both, 'label')} of `met` or `unmet`; {LABELS_NEEDED} are needed",)
    if min(met, unmet) < both * LEAST_SHARE:
        return (f"{met} met to {unmet} unmet is not balanced: a third of each is needed",)
    return ()


def _rate(right: int, of: int) -> Estimate | None:
    bounds = wilson(right, of)
    return bounds and Estimate(right / of, *bounds)


def _bounds(found: Estimate | None) -> Bounds | None:
    if found is None:
        return None
    value, low, high = (round(each, 4) for each in found)
    return Bounds(value=value, low=low, high=high)
