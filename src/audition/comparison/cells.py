"""Pairs of trials judged: is B better, worse, or is it not known.

In: how many pairs of each cell came out which way. Out: Pairs. Must not know: records.
"""

from collections.abc import Mapping, Sequence

import msgspec

from audition.comparison.figures import Pairs, Word
from audition.comparison.pairing import Cell
from audition.stats.difference import compare_rates
from audition.stats.paired import false_discovery
from audition.stats.power import ALPHA


def judge_pairs(cell: Cell | None, counts: Sequence[int]) -> Pairs:
    """The pairs of one cell, or of all, counted: both right, only A, only B, neither."""
    both, only_a, only_b, neither = counts
    where = _place(cell)
    found = compare_rates(both, only_a, only_b, neither)
    if found is None:
        return where
    return msgspec.structs.replace(
        where,
        both=both,
        only_a=only_a,
        only_b=only_b,
        neither=neither,
        rate_a=found.a,
        rate_b=found.b,
        low=found.low,
        high=found.high,
        p=found.p,
        smallest=found.smallest,
    )


def _place(cell: Cell | None) -> Pairs:
    if cell is None:
        return Pairs()
    skill, (agent, delivery, model, variant), positives = cell
    return Pairs(
        skill=skill,
        agent=agent,
        delivery=delivery,
        model=model,
        variant=variant,
        positives=positives,
    )


def adjust(cells: Sequence[Pairs]) -> list[Pairs]:
    """The cells with their words, for which each p is adjusted for how many there are."""
    told = [each for each in cells if each.p is not None]
    adjusted = false_discovery(each.p for each in told if each.p is not None)
    by_cell = {id(each): value for each, value in zip(told, adjusted, strict=True)}
    return [
        msgspec.structs.replace(each, adjusted=by_cell[id(each)], word=_word(each, by_cell))
        if id(each) in by_cell
        else each
        for each in cells
    ]


def _word(pairs: Pairs, adjusted: Mapping[int, float]) -> Word:
    if adjusted[id(pairs)] > ALPHA or pairs.only_a == pairs.only_b:
        return "no significant difference"
    return "better" if pairs.only_b > pairs.only_a else "worse"
