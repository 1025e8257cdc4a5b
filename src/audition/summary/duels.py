"""Whether a skill and its baseline are told apart, pair by pair, as soon as it is known.

In: what came of pairs so far, in the order of the plan. Out: how their duel ended.
Must not know: files, the screen. Whose turn it is and what is reported go by this
one rule, so that both always agree.
"""

from collections.abc import Iterable, Mapping
from typing import Literal

from audition.model import Record, Value
from audition.stats.duel import BothEnd, Duel, judge_both_ways
from audition.verdict import GIVE_UP

Pair = tuple[str, int]
"""A case, by its node, and the number of its trial."""
ASIDE = ("activation", "answer")
"""Grades that say nothing of whether the job was done."""
Outcomes = Mapping[Pair, bool | None]
"""Whether a trial was right; None where that could not be told. A missing one is still out."""


class PairTest(Value, frozen=True, kw_only=True):
    """How a sequential comparison with a baseline ended."""

    word: Literal["better", "worse", "no difference", "open"]
    at: int | None
    """After how many pairs."""
    cap: int
    effect: float
    """The difference that it looks for; `no difference` means none as large as this."""


def judge_duel(
    duel: Duel, order: Iterable[Pair], skill: Outcomes, baseline: Outcomes
) -> BothEnd | Literal["errors"] | None:
    """Where a duel first ends; None while it must go on.

    Pairs behind the first that is still out are not looked at, as in `stop_at`. Too many in a
    row of which nothing can be told end it.
    """
    told: list[tuple[bool, bool]] = []
    troubles = 0
    for pair in order:
        if pair not in skill or pair not in baseline:
            break
        a, b = baseline[pair], skill[pair]
        if a is None or b is None:
            troubles += 1
            if troubles >= GIVE_UP:
                return judge_both_ways(duel, told) or "errors"
            continue
        troubles = 0
        told.append((a, b))
    return judge_both_ways(duel, told)


def tell_duel(duel: Duel, ended: BothEnd | Literal["errors"] | None) -> PairTest:
    """The end of a duel, as it is reported."""
    end = ended if isinstance(ended, BothEnd) else None
    return PairTest(
        word=end.word if end else "open",
        at=end.at if end else None,
        cap=duel.cap,
        effect=round(duel.effect, 9),
    )


def did_the_job(record: Record) -> bool | None:
    """Whether the case's own checks passed; None where it has none, or they could not tell."""
    if record.status not in ("pass", "fail"):
        return None
    own = [grade.status for grade in record.grades if grade.gates and grade.by not in ASIDE]
    if not own or {"error", "unknown"} & set(own):
        return None
    return "fail" not in own
