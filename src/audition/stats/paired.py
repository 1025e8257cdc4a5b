"""Is B better than A: tests of pairs, and what to do about many of them.

In: pairs of outcomes, or differences by case. Out: p-values, None where none can be had.
Must not know: skills, trials, records.
"""

from collections.abc import Iterable, Iterator, Sequence
from math import comb, isclose

EXACT_CASES = 14
"""Up to so many cases every sign is tried: 16,384 of them."""
FEWEST_CASES = 6
"""Below, even the clearest difference has a p of 2 / 2^5 = .06."""
DRAWS = 20_000


def mcnemar(only_a: int, only_b: int) -> float:
    """The exact two-sided p of so many pairs in which only A, and only B, was right."""
    return min(1.0, 2 * _at_most_half(min(only_a, only_b), only_a + only_b))


def mcnemar_mid(only_a: int, only_b: int) -> float:
    """McNemar's mid-p: less shy than the exact p, and right on average."""
    of, fewer = only_a + only_b, min(only_a, only_b)
    return 2 * _at_most_half(fewer, of) - comb(of, fewer) / (1 << of)


def _at_most_half(number: int, of: int) -> float:
    return sum(comb(of, each) for each in range(number + 1)) / (1 << of)


def sign_flip(by_case: Sequence[Sequence[float]], seed: int = 0) -> float | None:
    """The two-sided p of differences that are no more one way than the other, case by case.

    Differences of one case are averaged first: its trials are no independent witnesses.
    Every sign is tried up to fourteen cases, beyond them 20,000 drawn by the seed. None below
    six cases: they cannot be significant (see `smallest_p`).
    """
    means = [sum(each) / len(each) for each in by_case if each]
    if len(means) < FEWEST_CASES:
        return None
    seen = abs(sum(means))
    sums = _all_sums(means) if len(means) <= EXACT_CASES else _drawn_sums(means, seed)
    far = total = 0
    for found in sums:
        total += 1
        far += abs(found) > seen or isclose(abs(found), seen, rel_tol=1e-9, abs_tol=1e-12)
    if len(means) <= EXACT_CASES:
        return far / total
    # The data are one of the draws, or p could be 0.
    return (far + 1) / (total + 1)


def _all_sums(means: Sequence[float]) -> Iterator[float]:
    """The sum under every choice of signs, each from the one before by one flip."""
    signed = list(means)
    yield sum(signed)
    for number in range(1, 2 ** len(signed)):
        place = (number & -number).bit_length() - 1
        signed[place] = -signed[place]
        yield sum(signed)


def _drawn_sums(means: Sequence[float], seed: int) -> Iterator[float]:
    from random import Random

    bits = Random(seed)  # noqa: S311  reproducible, no secret
    for _ in range(DRAWS):
        signs = bits.getrandbits(len(means))
        yield sum(each if signs >> place & 1 else -each for place, each in enumerate(means))


def smallest_p(cases: int) -> float:
    """The smallest p that a sign-flip test of so many cases can have."""
    return min(1.0, 2 / (1 << cases))


def false_discovery(p_values: Iterable[float]) -> list[float]:
    """Benjamini and Hochberg's adjusted p-values, in the order given.

    Calling all at or below q different makes a share of at most q of the calls false. Give
    it mid-p values: with exact ones it is far too shy.
    """
    given = list(p_values)
    order = sorted(range(len(given)), key=lambda place: given[place], reverse=True)
    adjusted = [1.0] * len(given)
    least = 1.0
    for rank, place in zip(range(len(given), 0, -1), order, strict=True):
        least = min(least, given[place] * len(given) / rank)
        adjusted[place] = least
    return adjusted
