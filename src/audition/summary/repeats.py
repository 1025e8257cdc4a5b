"""What asking the same cases again says: pass@k, pass^k, flaky cases and those not seen.

In: how often each case of a cell passed, of how many graded trials. Out: Repeats.
Must not know: records, files, formats.
"""

from collections.abc import Collection

from audition.model import Value
from audition.stats.repeats import flake_unseen, mean_known, pass_all, pass_at

MOST = 10
"""Up to this k pass@k and pass^k are told."""
FLAKE = 0.9
"""The flake that is asked for: it passes nine times of ten."""


class Repeats(Value, frozen=True, kw_only=True):
    """The cases of one cell, each tried several times."""

    skill: str | None
    agent: str
    delivery: str
    model: str | None
    positives: bool
    cases: int
    fewest: int
    """Graded trials of the case that has the fewest."""
    always_passed: int
    never_passed: int
    flaky: int
    """Cases of which both outcomes were seen: at least so many are flaky."""
    unseen_flake: float
    """The chance that a case which passes nine times of ten looks steady in `fewest` trials."""
    pass_at: dict[str, float] = {}
    """By k: the chance that one of k tries passes, the mean over cases, without bias."""
    pass_all: dict[str, float] = {}
    """By k: the chance that k tries all pass; k goes to `fewest`, ten at most."""


Key = tuple[str | None, str, str, str | None, bool]


def find_repeats(key: Key, counts: Collection[tuple[int, int]]) -> Repeats:
    """What the counts of its cases (passed, graded) say of one cell; at least one is needed."""
    skill, agent, delivery, model, positives = key
    fewest = min(of for _, of in counts)
    tries = range(1, min(fewest, MOST) + 1)
    at = {str(k): mean_known([pass_at(k, *each) for each in counts]) for k in tries}
    every = {str(k): mean_known([pass_all(k, *each) for each in counts]) for k in tries}
    return Repeats(
        skill=skill,
        agent=agent,
        delivery=delivery,
        model=model,
        positives=positives,
        cases=len(counts),
        fewest=fewest,
        always_passed=sum(passed == of for passed, of in counts),
        never_passed=sum(passed == 0 for passed, _ in counts),
        flaky=sum(0 < passed < of for passed, of in counts),
        unseen_flake=flake_unseen(FLAKE, fewest),
        pass_at={k: value for k, value in at.items() if value is not None},
        pass_all={k: value for k, value in every.items() if value is not None},
    )
