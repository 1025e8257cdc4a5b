"""Agreement beyond chance, checked against gradients taken by hand and against simulation."""

import random
from collections import Counter
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.stats.agreement import ac1, agreed, kappa

LABELS = ("met", "unmet", "cannot_tell")


def of_shares(shares, chance_of):
    observed = sum(share for (one, two), share in shares.items() if one == two)
    chance = chance_of(shares)
    return (observed - chance) / (1 - chance)


def cohen(shares):
    rows, columns = Counter(), Counter()
    for (one, two), share in shares.items():
        rows[one] += share
        columns[two] += share
    return sum(rows[each] * columns[each] for each in rows)


def gwet(shares):
    both = Counter()
    for pair, share in shares.items():
        for each in pair:
            both[each] += share / 2
    whole = sum(shares.values())
    labels = len([each for each in both if both[each]])
    return sum(each * (whole - each) for each in both.values()) / (labels - 1)


def deviation(pairs, chance_of):
    """The standard deviation by the delta method, its gradient taken by differences."""
    shares = {cell: number / len(pairs) for cell, number in Counter(pairs).items()}
    step, slopes = 1e-6, {}
    for cell in shares:
        # Along the simplex: towards this cell and away from all others alike.
        up = {c: s * (1 - step) + step * (c == cell) for c, s in shares.items()}
        down = {c: s * (1 + step) - step * (c == cell) for c, s in shares.items()}
        slopes[cell] = (of_shares(up, chance_of) - of_shares(down, chance_of)) / (2 * step)
    mean = sum(shares[cell] * slopes[cell] for cell in shares)
    spread = sum(shares[cell] * (slopes[cell] - mean) ** 2 for cell in shares)
    return sqrt(spread / len(pairs))


def table(a, b, c, d):
    yes, no = "met", "unmet"
    return [(yes, yes)] * a + [(yes, no)] * b + [(no, yes)] * c + [(no, no)] * d


def test_kappa_of_a_textbook_table():
    found = kappa(table(20, 5, 10, 15))
    assert found.value == pytest.approx(0.4)
    assert (found.high - found.value) / 1.959964 == pytest.approx(0.1271, abs=2e-4)


PAIRS = st.lists(st.tuples(st.sampled_from(LABELS), st.sampled_from(LABELS)), min_size=2)


@settings(max_examples=100, deadline=None)
@given(PAIRS)
def test_values_and_widths_are_those_of_the_definition(pairs):
    same = all(one == two for one, two in pairs)
    shares = {cell: number / len(pairs) for cell, number in Counter(pairs).items()}
    for measure, chance_of, per in ((kappa, cohen, 1), (ac1, gwet, len(pairs) - 1)):
        found = measure(pairs)
        if len({each for pair in pairs for each in pair}) < 2:
            assert found is None
            continue
        assert found.low <= found.value <= found.high
        assert found.value == pytest.approx(of_shares(shares, chance_of))
        if same or found.low == -1 or found.high == 1:
            continue
        wanted = deviation(pairs, chance_of) * (sqrt(len(pairs) / per) if per > 1 else 1)
        assert (found.high - found.value) / 1.959964 == pytest.approx(wanted, abs=2e-3)


@given(PAIRS)
def test_who_is_named_first_does_not_matter(pairs):
    turned = [(two, one) for one, two in pairs]
    for measure in (agreed, kappa, ac1):
        assert measure(pairs) == pytest.approx(measure(turned))


def test_perfect_agreement_on_few_pairs_leaves_doubt():
    found = kappa(table(3, 0, 0, 3))
    assert found.value == found.high == 1
    assert found.low < 0.5
    assert kappa(table(60, 0, 0, 60)).low > 0.9


def test_nothing_can_be_said_of_nothing_or_of_one_label():
    assert kappa([]) is ac1([]) is agreed([]) is None
    assert kappa(table(9, 0, 0, 0)) is None


def test_kappa_falls_where_one_label_is_rare_and_ac1_does_not():
    rare = table(90, 4, 4, 2)
    assert kappa(rare).value < 0.5
    assert ac1(rare).value > 0.85


def test_the_interval_holds_the_truth_about_as_often_as_it_says():
    random.seed(7)
    cells, shares = [("met", "met"), ("met", "unmet"), ("unmet", "met"), ("unmet", "unmet")], (
        0.45, 0.07, 0.08, 0.40,
    )  # fmt: skip
    true = of_shares(dict(zip(cells, shares, strict=True)), cohen)
    held = 0
    for _ in range(1000):
        found = kappa(random.choices(cells, shares, k=100))
        held += found.low <= true <= found.high
    assert 0.92 <= held / 1000 <= 0.975


def test_raters_who_always_agree_leave_the_doubt_of_few_labels():
    few = [("met", "met"), ("unmet", "unmet")] * 3
    for measure in (kappa, ac1):
        found = measure(few)
        assert found.value == found.high == 1
        assert found.low < 0.3
        assert measure(few * 50).low > 0.95
