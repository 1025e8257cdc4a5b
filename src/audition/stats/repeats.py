"""What repeating one case says: pass@k, pass^k, and flakes that were not seen.

In: how often a case passed and how often it was tried. Out: chances, or None where there
were too few trials. Must not know: skills, trials, records.
"""

from collections.abc import Sequence
from math import comb


def pass_at(k: int, passed: int, of: int) -> float | None:
    """pass@k: the chance that one of k tries passes, without bias; None below k trials."""
    if k < 1 or of < k:
        return None
    return 1 - comb(of - passed, k) / comb(of, k)


def pass_all(k: int, passed: int, of: int) -> float | None:
    """pass^k: the chance that k tries all pass, without bias; None below k trials."""
    if k < 1 or of < k:
        return None
    return comb(passed, k) / comb(of, k)


def mean_known(values: Sequence[float | None]) -> float | None:
    """The mean over cases; None where one of them is unknown or there is none."""
    known = [each for each in values if each is not None]
    if not known or len(known) < len(values):
        return None
    return sum(known) / len(known)


def flake_unseen(rate: float, trials: int) -> float:
    """The chance that a case which passes at this rate shows only one side in so many trials."""
    return rate**trials + (1 - rate) ** trials if trials else 1.0


def trials_to_see_both(rate: float) -> float | None:
    """How many trials it takes on average to see a case both pass and fail; None if it never does."""
    if not 0 < rate < 1:
        return None
    return 1 / rate + 1 / (1 - rate) - 1
