"""Pairs of trials judged: is B better, worse, or is it not known.

In: how many pairs of each cell came out which way. Out: Pairs. Must not know: records.
"""

from collections.abc import Mapping, Sequence

import msgspec

from audition.comparison.figures import Pairs, Word
from audition.comparison.pairing import Cell
from audition.stats.difference import correlation, many_signs, paired_interval
from audition.stats.paired import false_discovery, mcnemar_mid
from audition.stats.power import ALPHA, smallest_difference

LARGE = 1000
"""From so many discordant pairs on the normal curve stands for huge binomials."""


def judge_pairs(cell: Cell | None, counts: Sequence[int]) -> Pairs:
    """The pairs of one cell, or of all, counted: both right, only A, only B, neither."""
    both, only_a, only_b, neither = counts
    of = sum(counts)
    where = _place(cell)
    interval = paired_interval(both, only_a, only_b, neither)
    if not of or interval is None:
        return where
    rate = (both + only_a) / of
    alike = min(max(correlation(both, only_a, only_b, neither), 0.0), 0.95)
    return msgspec.structs.replace(
        where,
        both=both,
        only_a=only_a,
        only_b=only_b,
        neither=neither,
        rate_a=rate,
        rate_b=(both + only_b) / of,
        low=interval[0],
        high=interval[1],
        p=_chance(only_a, only_b),
        smallest=smallest_difference(max(rate, 1 - rate), of, alike),
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


def _chance(only_a: int, only_b: int) -> float:
    if only_a + only_b < LARGE:
        return mcnemar_mid(only_a, only_b)
    return many_signs([1.0] * only_b + [-1.0] * only_a)
