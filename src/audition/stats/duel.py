"""Is B better than A, told as soon as it is known: a sequential test of discordant pairs.

In: pairs of outcomes one by one. Out: better, no better, or go on; and the exact chances.
Must not know: skills, trials, records.

Only pairs in which one of the two was right say anything. Each adds ln(q / .5) where B was
right, ln((1 - q) / .5) where A was, with q the share that B would win if it were better by
the effect in question. Its strength is to stop soon where there is no difference, which is
what most edits make. The cap is twice the fixed number of pairs:
with that number itself a fifth of the real differences are missed.

Where hardly any pair is discordant it would still go on to its cap: two arms that are always
right never differ. But a rise by the effect needs at least that share of pairs that only B
wins, so a second test ends it where such pairs are too rare for that.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import log
from typing import Literal, NamedTuple

from audition.stats.power import trials_needed

ALPHA = 0.025
"""Each way, so that both ways together are wrong in at most 5 % where nothing differs."""
BETA = 0.1
FUTILE = 0.02
"""How often a real rise may be given up because B's wins were too rare."""
RARE = 0.25
"""Wins as common as this share of the effect are what that test takes for none."""


class Duel(NamedTuple):
    """A sequential test of whether B wins more of the discordant pairs."""

    wins: float
    """The share of discordant pairs that B wins if it is better by the effect."""
    upper: float
    lower: float
    effect: float
    cap: int
    """At most so many pairs, concordant ones among them."""


class DuelEnd(NamedTuple):
    """How it ended, and after how many pairs."""

    word: Literal["better", "no better"]
    at: int
    by_cap: bool


class BothEnd(NamedTuple):
    """How a duel both ways ended, and after how many pairs."""

    word: Literal["better", "worse", "no difference"]
    at: int


class DuelChances(NamedTuple):
    """What a duel does, exactly."""

    better: float
    pairs: float


def make_duel(rate: float, effect: float, alpha: float = ALPHA, beta: float = BETA) -> Duel:
    """The duel that looks for a rise by an effect from a rate; turn A and B round for a fall."""
    risen = rate + effect
    only_b, only_a = risen * (1 - rate), rate * (1 - risen)
    # A fall from `risen` to `rate` and the rise are the same difference.
    pairs = trials_needed(risen, effect, alpha=2 * alpha, power=1 - beta)
    return Duel(
        wins=only_b / (only_b + only_a),
        upper=log((1 - beta) / alpha),
        lower=log(beta / (1 - alpha)),
        effect=effect,
        cap=2 * pairs,
    )


def judge_pairs(duel: Duel, pairs: Iterable[tuple[bool, bool]]) -> DuelEnd | None:
    """Where pairs (A right, B right), in order, first end the duel; None while it must go on."""
    wins = lost = 0
    for of, (a, b) in enumerate(pairs, 1):
        wins, lost = wins + (b and not a), lost + (a and not b)
        so_far = _ratio(duel, wins, lost)
        if so_far >= duel.upper:
            return DuelEnd("better", of, by_cap=False)
        if so_far <= duel.lower or _too_rare(duel, wins, of):
            return DuelEnd("no better", of, by_cap=False)
        if of >= duel.cap:
            return DuelEnd("no better", of, by_cap=True)
    return None


def judge_both_ways(duel: Duel, pairs: Iterable[tuple[bool, bool]]) -> BothEnd | None:
    """The same for both directions at once: better, worse, or no difference worth the effect."""
    held = list(pairs)
    up = judge_pairs(duel, held)
    down = judge_pairs(duel, ((b, a) for a, b in held))
    # B cannot be found better both ways: who is found better has refuted the other way before.
    if up and up.word == "better":
        return BothEnd("better", up.at)
    if down and down.word == "better":
        return BothEnd("worse", down.at)
    return BothEnd("no difference", max(up.at, down.at)) if up and down else None


def _ratio(duel: Duel, wins: int, lost: int) -> float:
    return wins * log(2 * duel.wins) + lost * log(2 * (1 - duel.wins))


def _too_rare(duel: Duel, wins: int, of: int) -> bool:
    """Whether too few of so many pairs were won by B alone for a rise by the effect."""
    common, rare = duel.effect, duel.effect * RARE
    so_far = wins * log(common / rare) + (of - wins) * log((1 - common) / (1 - rare))
    return so_far <= log(FUTILE)


@lru_cache
def duel_chances(duel: Duel, discordant: float, wins: float) -> DuelChances:
    """The exact chance of "better", and the pairs it takes on average.

    `discordant` is the share of pairs in which only one was right, `wins` B's share of those.
    """
    steps = ((1, 0, discordant * wins), (0, 1, discordant * (1 - wins)), (0, 0, 1 - discordant))
    live = {(0, 0): 1.0}
    better = pairs = 0.0
    for of in range(1, duel.cap + 1):
        after: dict[tuple[int, int], float] = {}
        for (won, lost), weight in live.items():
            pairs += weight
            for up, down, chance in steps:
                place = (won + up, lost + down)
                after[place] = after.get(place, 0.0) + weight * chance
        live = {}
        for (won, lost), weight in after.items():
            so_far = _ratio(duel, won, lost)
            if so_far >= duel.upper:
                better += weight
            elif so_far > duel.lower and not _too_rare(duel, won, of):
                live[won, lost] = weight
    return DuelChances(better, pairs)
