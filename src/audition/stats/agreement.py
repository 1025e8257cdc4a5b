"""How well two raters agree, beyond what chance would give.

In: pairs of labels. Out: kappa and AC1 with their 95 % intervals, None where nothing can be said.
Must not know: who rates, what the labels mean.

Kappa falls when one label is rare, however good the raters are; AC1 does not. Say both, and
sensitivity and specificity beside them.
"""

from collections import Counter
from collections.abc import Hashable, Sequence
from math import sqrt

from audition.stats.labels import Estimate
from audition.stats.rates import Z95, wilson

Pairs = Sequence[tuple[Hashable, Hashable]]
"""(one rater's label, the other's) for each thing that both rated."""


def agreed(pairs: Pairs) -> Estimate | None:
    """The share of equal labels, with Wilson's interval."""
    same = sum(one == two for one, two in pairs)
    bounds = wilson(same, len(pairs))
    return bounds and Estimate(same / len(pairs), *bounds)


def kappa(pairs: Pairs) -> Estimate | None:
    """Cohen's kappa; the interval is that of Fleiss, Cohen and Everitt (1969).

    None below two pairs, and where both raters only ever give one and the same label: then
    chance alone would agree always.
    """
    count = len(pairs)
    rows, columns = Counter(one for one, _ in pairs), Counter(two for _, two in pairs)
    labels = {*rows, *columns}
    if count < 2 or len(labels) < 2:
        return None
    row = {each: rows[each] / count for each in labels}
    column = {each: columns[each] / count for each in labels}
    observed = sum(one == two for one, two in pairs) / count
    chance = sum(row[each] * column[each] for each in labels)
    value = (observed - chance) / (1 - chance)
    cells = {cell: number / count for cell, number in Counter(pairs).items()}
    diagonal = sum(
        share * ((1 - chance) - (row[one] + column[one]) * (1 - observed)) ** 2
        for (one, two), share in cells.items()
        if one == two
    )
    beside = (1 - observed) ** 2 * sum(
        share * (column[one] + row[two]) ** 2 for (one, two), share in cells.items() if one != two
    )
    middle = (observed * chance - 2 * chance + observed) ** 2
    variance = max(0.0, diagonal + beside - middle) / (count * (1 - chance) ** 4)
    if observed == 1:
        return _perfect(count, chance)
    reach = Z95 * sqrt(variance)
    return Estimate(value, max(-1.0, value - reach), min(1.0, value + reach))


def _perfect(count: int, chance: float) -> Estimate:
    """Of raters who always agreed the formulas say that no doubt is left; Wilson leaves some."""
    low, _ = wilson(count, count) or (0.0, 1.0)
    return Estimate(1.0, max(-1.0, (low - chance) / (1 - chance)), 1.0)


def ac1(pairs: Pairs) -> Estimate | None:
    """Gwet's AC1: as kappa, with a chance that does not grow when one label is rare."""
    count = len(pairs)
    labels = {each for pair in pairs for each in pair}
    if count < 2 or len(labels) < 2:
        return None
    both = Counter(each for pair in pairs for each in pair)
    share = {each: both[each] / (2 * count) for each in labels}
    chance = sum(each * (1 - each) for each in share.values()) / (len(labels) - 1)
    observed = sum(one == two for one, two in pairs) / count
    value = (observed - chance) / (1 - chance)
    if observed == 1:
        return _perfect(count, chance)
    # Linearised pair by pair: Gwet (2008), equation for an unlimited number of subjects.
    spread = 0.0
    for one, two in pairs:
        own = ((one == two) - chance) / (1 - chance)
        own_chance = sum((1 - share[each]) / 2 for each in (one, two)) / (len(labels) - 1)
        spread += (own - 2 * (1 - value) * (own_chance - chance) / (1 - chance) - value) ** 2
    reach = Z95 * sqrt(spread / (count * (count - 1)))
    return Estimate(value, max(-1.0, value - reach), min(1.0, value + reach))
