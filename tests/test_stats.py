import itertools
import random
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats as theirs

from audition.stats.difference import compare_rates
from audition.stats.duel import duel_chances, judge_both_ways, judge_pairs, make_duel
from audition.stats.labels import (
    NONE,
    Labels,
    add_to_matrix,
    balanced_accuracy,
    f1,
    false_positive_rate,
    mcc,
    precision,
    recall,
    specificity,
    thefts,
)
from audition.stats.paired import (
    false_discovery,
    mcnemar,
    mcnemar_mid,
    sign_flip,
    smallest_p,
)
from audition.stats.power import smallest_difference, trials_needed
from audition.stats.repeats import (
    flake_unseen,
    mean_known,
    pass_all,
    pass_at,
    trials_to_see_both,
)
from audition.stats.waiting import Wait, mean_wait, median_wait, survival

SMALL = st.integers(0, 60)


@given(st.integers(1, 6), st.floats(0.001, 0.999), st.integers(0, 10))
def test_pass_at_k_and_pass_all_k_are_unbiased(k, rate, more):
    of = k + more
    weights = theirs.binom.pmf(range(of + 1), of, rate)
    at = sum(w * pass_at(k, c, of) for c, w in enumerate(weights))
    every = sum(w * pass_all(k, c, of) for c, w in enumerate(weights))
    assert at == pytest.approx(1 - (1 - rate) ** k, abs=1e-9)
    assert every == pytest.approx(rate**k, abs=1e-9)


def test_too_few_trials_for_k_say_nothing():
    assert pass_at(3, 2, 2) is None
    assert pass_all(3, 2, 2) is None
    assert mean_known([0.5, None]) is None
    assert mean_known([]) is None
    assert mean_known([0.5, 1.0]) == 0.75


def test_flakes_hide_from_few_trials():
    assert flake_unseen(0.9, 3) == pytest.approx(0.73)
    assert flake_unseen(0.9, 10) == pytest.approx(0.349, abs=0.001)
    assert flake_unseen(0.5, 0) == 1.0
    assert [round(trials_to_see_both(p), 1) for p in (0.5, 0.9, 0.95)] == [3.0, 10.1, 20.1]
    assert trials_to_see_both(1.0) is None


@given(SMALL, SMALL, SMALL, SMALL)
def test_labels_agree_with_their_definitions(tp, fp, fn, tn):
    labels = Labels(tp, fp, fn, tn)
    pairs = [
        (precision, tp, tp + fp),
        (recall, tp, tp + fn),
        (specificity, tn, tn + fp),
        (false_positive_rate, fp, fp + tn),
        (f1, 2 * tp, 2 * tp + fp + fn),
    ]
    for measure, part, whole in pairs:
        found = measure(labels)
        assert (found is None) == (whole == 0)
        if found:
            assert found.value == pytest.approx(part / whole, abs=1e-12)
            assert 0 <= found.low <= found.value <= found.high <= 1
    both = balanced_accuracy(labels)
    if both:
        assert both.value == pytest.approx((recall(labels).value + specificity(labels).value) / 2)
        assert -1e-12 <= both.low <= both.value <= both.high <= 1 + 1e-12


@given(SMALL, SMALL, SMALL, SMALL)
def test_mcc_is_the_correlation_of_expected_and_called(tp, fp, fn, tn):
    assume((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    expected = [1] * (tp + fn) + [0] * (fp + tn)
    called = [1] * tp + [0] * fn + [1] * fp + [0] * tn
    found = mcc(Labels(tp, fp, fn, tn))
    assert found.value == pytest.approx(np.corrcoef(expected, called)[0, 1], abs=1e-9)
    assert found.low <= found.value + 1e-12
    assert found.value <= found.high + 1e-12
    assert -1 - 1e-9 <= found.low <= found.high <= 1 + 1e-9


@pytest.mark.parametrize("labels", [Labels(3, 0, 0, 0), Labels(0, 0, 3, 4), Labels(0, 0, 0, 0)])
def test_mcc_without_a_margin_is_unknown(labels):
    assert mcc(labels) is None


@pytest.mark.parametrize(("measure", "floor"), [(f1, 0.93), (balanced_accuracy, 0.93), (mcc, 0.94)])
def test_intervals_of_scores_hold_the_truth(measure, floor):
    dice = np.random.default_rng(1)
    held = told = 0
    for _ in range(3000):
        tp, tn = int(dice.binomial(30, 0.85)), int(dice.binomial(20, 0.9))
        found = measure(Labels(tp, 20 - tn, 30 - tp, tn))
        truth = measure(Labels(8500 * 3, 1000 * 2, 1500 * 3, 9000 * 2)).value
        if found:
            told += 1
            held += found.low <= truth <= found.high
    assert held / told > floor


def test_the_matrix_has_a_row_and_a_column_for_none():
    matrix = {}
    trials = [
        (["a"], ["a"]),
        (["a"], ["b"]),
        (["a"], []),
        ([], ["b"]),
        ([], []),
        (["a", "b"], ["b"]),
    ]
    for expected, called in trials:
        add_to_matrix(matrix, expected, called)
    assert matrix == {
        "a": {"a": 1, "b": 1, NONE: 1},
        NONE: {"b": 1, NONE: 1},
        "b": {"b": 1},
    }
    worst, other = thefts(trials)
    assert (worst.owner, worst.thief, worst.trials, worst.of) == ("a", "b", 1, 3)
    assert (other.owner, other.thief, other.of) == (NONE, "b", 2)


def test_a_right_call_with_another_beside_it_is_no_theft():
    assert thefts([(["a"], ["a", "b"])]) == []


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_agrees_with_scipy(a, b):
    exact = theirs.binomtest(min(a, b), a + b, 0.5).pvalue if a + b else 1.0
    assert mcnemar(a, b) == pytest.approx(exact, abs=1e-9)
    mid = 2 * theirs.binom.cdf(min(a, b), a + b, 0.5) - theirs.binom.pmf(min(a, b), a + b, 0.5)
    assert mcnemar_mid(a, b) == pytest.approx(mid, abs=1e-9)
    assert mcnemar_mid(a, b) <= mcnemar(a, b)


@pytest.mark.parametrize(
    ("a", "b"), [(0, 0), (999, 0), (999, 1), (600, 400), (700, 800), (5000, 5100), (10**6, 10**6)]
)
def test_many_discordant_pairs_have_the_exact_mid_p_too(a, b):
    mid = 2 * theirs.binom.cdf(min(a, b), a + b, 0.5) - theirs.binom.pmf(min(a, b), a + b, 0.5)
    assert compare_rates(7, a, b, 5).p == pytest.approx(mid, rel=1e-9, abs=1e-12)


@given(
    st.lists(
        st.lists(st.integers(-5, 5).map(float), min_size=1, max_size=4), min_size=6, max_size=10
    )
)
def test_sign_flips_agree_with_scipy(by_case):
    means = np.array([np.mean(each) for each in by_case])
    found = theirs.permutation_test(
        (means,), np.mean, permutation_type="samples", n_resamples=np.inf
    )
    assert sign_flip(by_case) == pytest.approx(min(1.0, found.pvalue), abs=1e-9)


def test_many_cases_are_drawn_by_a_seed_and_come_close_to_the_exact_p():
    dice = random.Random(4)
    by_case = [[dice.gauss(0.4, 1)] for _ in range(18)]
    assert sign_flip(by_case, 1) == sign_flip(by_case, 1)
    means = np.array([each[0] for each in by_case])
    exact = theirs.permutation_test(
        (means,), np.mean, permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert sign_flip(by_case, 1) == pytest.approx(exact, abs=0.01)


def test_a_handful_of_cases_cannot_be_significant():
    assert sign_flip([[1.0]] * 5) is None
    assert smallest_p(5) > 0.05
    assert sign_flip([[1.0]] * 6) == smallest_p(6) == 2 / 64


@given(st.lists(st.floats(0, 1), max_size=30))
def test_false_discovery_agrees_with_scipy(p_values):
    expected = theirs.false_discovery_control(p_values) if p_values else []
    assert false_discovery(p_values) == pytest.approx(list(expected), abs=1e-9)


def test_the_smallest_difference_is_as_measured():
    found = [smallest_difference(0.8, pairs) for pairs in (10, 20, 30, 50, 100, 200)]
    assert [round(each, 2) for each in found] == [0.53, 0.4, 0.33, 0.25, 0.18, 0.12]
    assert smallest_difference(0.8, 1) is None
    assert smallest_difference(0.8, 0) is None


@given(st.floats(0.3, 0.95), st.integers(20, 2000), st.floats(0, 0.8))
def test_the_trials_needed_for_the_smallest_difference_are_those_there_are(rate, of, correlation):
    found = smallest_difference(rate, of, correlation)
    if found is not None:
        assert trials_needed(rate, min(rate, found), correlation) == pytest.approx(of, abs=1)


def test_pairs_that_resemble_each_other_need_fewer():
    assert trials_needed(0.8, 0.1, 0.5) < 0.6 * trials_needed(0.8, 0.1)
    with pytest.raises(ValueError, match="impossible"):
        trials_needed(0.5, 0.6)


WAITS = st.lists(
    st.builds(Wait, st.integers(1, 20).map(float), st.booleans()), min_size=1, max_size=40
)


@given(WAITS)
def test_waits_agree_with_scipy(waits):
    data = theirs.CensoredData.right_censored([w.time for w in waits], [not w.came for w in waits])
    curve = theirs.ecdf(data).sf
    for time, waiting in survival(waits):
        assert waiting == pytest.approx(curve.evaluate(time), abs=1e-9)
    grid = sorted({0.0, 25.0, *(w.time for w in waits)})
    area = sum((b - a) * curve.evaluate(a) for a, b in itertools.pairwise(grid))
    assert mean_wait(waits, 25.0) == pytest.approx(area, abs=1e-9)


def test_who_never_came_waited_to_the_horizon():
    assert mean_wait([], 10) is None
    assert mean_wait([Wait(2, True)], 10) == 2
    assert mean_wait([Wait(2, True), Wait(10, False)], 10) == 6
    assert median_wait([Wait(2, True), Wait(10, False), Wait(10, False)]) is None
    assert median_wait([Wait(2, True), Wait(3, True), Wait(10, False)]) == 3


def test_a_duel_is_wrong_as_rarely_and_as_cheap_as_measured():
    duel, dice = make_duel(0.6, 0.2), random.Random(1)
    for effect, word, share, pairs in (
        (0.0, "no difference", 0.957, 67),
        (0.2, "better", 0.912, 70),
    ):
        ends = [
            judge_both_ways(
                duel, [(dice.random() < 0.6, dice.random() < 0.6 + effect) for _ in range(duel.cap)]
            )
            for _ in range(1500)
        ]
        assert sum(end.word == word for end in ends) / 1500 == pytest.approx(share, abs=0.025)
        assert sum(end.at for end in ends) / 1500 == pytest.approx(pairs, abs=5)


def test_the_exact_chances_of_a_duel_are_those_of_many_duels():
    duel, dice = make_duel(0.6, 0.3), random.Random(2)
    exact = duel_chances(duel, 0.45, 0.6)
    ends = []
    for _ in range(4000):
        draws = [dice.random() for _ in range(duel.cap)]
        pairs = [(0.27 <= x < 0.45, x < 0.27) for x in draws]
        ends.append(judge_pairs(duel, pairs))
    better = sum(end.word == "better" for end in ends) / 4000
    assert better == pytest.approx(exact.better, abs=4 * sqrt(0.25 / 4000))
    assert sum(end.at for end in ends) / 4000 == pytest.approx(exact.pairs, rel=0.05)


def test_a_duel_of_twins_ends_as_soon_as_a_rise_would_have_shown():
    duel = make_duel(0.6, 0.2)
    assert judge_pairs(duel, [(True, True)] * 22) is None
    assert judge_pairs(duel, [(True, True)] * 23) == ("no better", 23, False)


@pytest.mark.parametrize(("rate", "effect"), [(0.7, 0.2), (0.6, 0.2), (0.75, 0.15), (0.5, 0.4)])
def test_a_duel_is_exactly_as_rarely_wrong_as_it_says(rate, effect):
    duel = make_duel(rate, effect)
    for discordant in (0.02, 0.1, 0.3, 0.5, 0.9):
        assert duel_chances(duel, discordant, 0.5).better <= 0.025
    risen = rate + effect
    only_b, only_a = risen * (1 - rate), rate * (1 - risen)
    found = duel_chances(duel, only_a + only_b, only_b / (only_a + only_b))
    assert found.better >= 0.9
    assert duel_chances(duel, 0.0, 0.5) == (0.0, judge_pairs(duel, [(True, True)] * duel.cap).at)
