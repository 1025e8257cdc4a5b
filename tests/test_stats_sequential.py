import random
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.stats.fixed import (
    Fixed,
    fixed_design,
    forced,
    judge_counts,
    trials_to_prove,
)
from audition.stats.sequential import (
    MIX,
    SHIPPED,
    Design,
    bounds,
    chances,
    decide,
    find_design,
    mean_runs,
    ratio,
    runs_to_go,
    search_design,
    worst_runs,
)

MEASURED = [
    # unacceptable, target, cap, A, B; fixed n; errors; runs at each; worst; on the mix
    ((0.6, 0.9, 30, 3.0, -2.7), 24, (0.043, 0.049), (9.3, 12.7), 16.0, 9.7),
    ((0.7, 0.9, 52, 3.3, -3.0), 41, (0.042, 0.045), (20.1, 26.4), 33.2, 17.6),
    ((0.75, 0.9, 84, 3.3, -3.3), 70, (0.040, 0.046), (34.8, 42.7), 55.6, 25.6),
    ((0.8, 0.95, 63, 3.0, -3.0), 50, (0.049, 0.043), (22.8, 29.8), 37.8, 21.5),
]


@pytest.mark.parametrize(("words", "fixed", "errors", "runs", "worst", "mix"), MEASURED)
def test_designs_do_what_was_measured_of_them(words, fixed, errors, runs, worst, mix):
    design = Design(*words)
    bad, good = chances(design, design.unacceptable), chances(design, design.target)
    assert fixed_design(design.unacceptable, design.target).trials == fixed
    assert (bad.passes, good.fails) == pytest.approx(errors, abs=0.0006)
    # They were measured without curtailment, which spares some trials and changes no error.
    for measured, spent in zip(
        (*runs, worst, mix),
        (bad.runs, good.runs, worst_runs(design), mean_runs(design)),
        strict=True,
    ):
        assert 0.97 * measured - 0.1 < spent < measured + 0.06
    assert mean_runs(design) < 0.45 * fixed


def test_a_test_cut_at_the_fixed_number_breaks_its_promise():
    wald = Design(0.7, 0.9, 41, 2.944, -2.944)
    assert chances(wald, 0.7).passes == pytest.approx(0.062, abs=0.001)


@pytest.mark.parametrize("pair", SHIPPED)
def test_what_is_shipped_is_what_the_search_finds(pair):
    assert SHIPPED[pair] == find_design(*pair) == search_design(*pair, 0.05, 0.05)


@pytest.mark.parametrize("pair", [*SHIPPED, (0.5, 0.8), (0.3, 0.6), (0.85, 0.95)])
@pytest.mark.parametrize("error", [0.05, 0.1])
def test_every_design_keeps_both_promises_exactly(pair, error):
    design = find_design(*pair, error, error)
    assert chances(design, pair[0]).passes <= error
    assert chances(design, pair[1]).fails <= error


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.7, 0.9, 1.0])
def test_the_exact_chances_are_those_of_trying_every_sequence(rate):
    design = Design(0.5, 0.8, 12, 1.2, -1.2)
    passes = fails = runs = 0.0
    for outcomes in product((True, False), repeat=design.cap):
        weight = prod(rate if each else 1 - rate for each in outcomes)
        end = decide(design, outcomes)
        passes += weight * (end.word == "pass")
        fails += weight * (end.word == "fail")
        runs += weight * end.at
    assert chances(design, rate) == pytest.approx((passes, fails, runs), abs=1e-12)


def decide_to_the_end(design, outcomes):
    """The rule as it is written down: Wald's bounds, and at the cap the sign of the ratio."""
    for of in range(1, design.cap):
        so_far = ratio(design, sum(outcomes[:of]), of)
        if so_far >= design.upper or so_far <= design.lower:
            return "pass" if so_far > 0 else "fail", of
    return "pass" if ratio(design, sum(outcomes), design.cap) >= 0 else "fail", design.cap


@given(
    st.floats(0.01, 0.97), st.floats(0.02, 0.99), st.integers(1, 300), st.floats(0.1, 5),
    st.floats(0.1, 5),
)  # fmt: skip
def test_bounds_are_the_first_counts_whose_ratio_reaches_them(low, gap, cap, upper, lower):
    design = Design(low, low + (0.99 - low) * gap, cap, upper, -lower)
    limits = bounds(design)
    for of in {0, 1, cap // 2, cap - 1} - {cap}:
        left = cap - of
        enough = sum(ratio(design, passed, cap) < -1e-12 for passed in range(cap + 1))
        ratios = [ratio(design, passed, of) for passed in range(of + 1)]
        passing = min(sum(each < upper - 1e-12 for each in ratios), enough)
        failing = max(sum(each <= -lower + 1e-12 for each in ratios) - 1, enough - 1 - left)
        assert limits[of] == (failing, passing)
    assert limits[cap] == (enough - 1, enough)


@given(st.floats(0.4, 1), st.randoms(use_true_random=False))
def test_a_decision_is_that_of_the_written_rule_as_soon_as_it_is_forced(rate, dice):
    design = find_design(0.7, 0.9)
    outcomes = [dice.random() < rate for _ in range(design.cap)]
    end = decide(design, outcomes)
    word, at = decide_to_the_end(design, outcomes)
    assert end.word == word
    assert end.at <= at
    assert decide(design, outcomes[: end.at - 1]) is None
    left = design.cap - end.at
    for rest in (True, False):
        assert decide_to_the_end(design, [*outcomes[: end.at], *[rest] * left])[0] == word
    before, left = outcomes[: end.at - 1], left + 1
    words = {decide_to_the_end(design, [*before, *[rest] * left])[0] for rest in (True, False)}
    assert len(words) == 2, "one trial before it was not forced yet"


def test_a_perfect_skill_passes_after_14_and_a_dead_one_fails_after_3():
    design = find_design(0.7, 0.9)
    assert decide(design, [True] * 52) == ("pass", 14, False)
    assert decide(design, [False] * 52) == ("fail", 3, False)
    assert runs_to_go(design, []) == (14, 3)
    assert runs_to_go(design, [True] * 14) is None


def test_a_skill_that_never_fires_at_a_negative_passes_after_13():
    design = find_design(0.75, 0.95)
    assert fixed_design(0.75, 0.95).trials == 34
    assert chances(design, 1.0).runs == 13
    assert chances(design, 0.5).runs == pytest.approx(5.1, abs=0.5)


def test_at_the_cap_there_is_always_a_decision():
    for failing, passing in (bounds(find_design(*pair))[-1] for pair in SHIPPED):
        assert passing == failing + 1


@pytest.mark.parametrize("pair", [(0.9, 0.7), (0.7, 0.7), (0, 0.9), (0.7, 1)])
def test_rates_that_cannot_be_told_apart_are_refused(pair):
    with pytest.raises(ValueError, match="0 < unacceptable < target < 1"):
        find_design(*pair)
    with pytest.raises(ValueError, match="0 < unacceptable < target < 1"):
        fixed_design(*pair)


def mixed(design, order, wrong):
    """How often a run over cases of these rates, asked in this order, ends in a word."""
    dice = random.Random(3)
    ends = [decide(design, (dice.random() < rate for rate in order())).word for _ in range(4000)]
    return ends.count(wrong) / len(ends)


def test_asking_case_by_case_breaks_the_promise_and_round_robin_keeps_it():
    design = find_design(0.7, 0.9)
    cases = [0.9] * 6 + [0.1] * 2
    dice = random.Random(5)

    def in_rounds():
        return (rate for _ in range(7) for rate in dice.sample(cases, len(cases)))

    def by_case():
        return (rate for rate in dice.sample(cases, len(cases)) for _ in range(7))

    assert mixed(design, in_rounds, "pass") <= 0.05
    assert mixed(design, by_case, "pass") > 0.15


def test_the_verdict_on_the_assumed_mix_is_rarely_wrong_and_takes_half_the_runs():
    design, dice = find_design(0.7, 0.9), random.Random(11)
    runs = []
    wrong = {"good": [], "bad": []}
    for _ in range(8000):
        (rate,) = dice.choices([rate for rate, _ in MIX], [share for _, share in MIX])
        end = decide(design, (dice.random() < rate for _ in range(52)))
        runs.append(end.at)
        if rate >= 0.9:
            wrong["good"].append(end.word == "fail")
        elif rate <= 0.7:
            wrong["bad"].append(end.word == "pass")
    assert all(sum(each) / len(each) <= 0.05 for each in wrong.values())
    assert sum(runs) / len(runs) == pytest.approx(17.5, abs=0.5)
    assert sum(runs) / len(runs) <= fixed_design(0.7, 0.9).trials / 2


@settings(deadline=None)
@given(st.integers(1, 80), st.data())
def test_a_fixed_number_of_trials_judges_with_errors_of_5_percent_at_most(trials, data):
    low = data.draw(st.floats(0.05, 0.85))
    high = data.draw(st.floats(low + 0.05, 0.97))
    from scipy.stats import binom

    words = [judge_counts(passed, trials, low, high) for passed in range(trials + 1)]
    wrong_pass = sum(binom.pmf(k, trials, low) for k, word in enumerate(words) if word == "pass")
    wrong_fail = sum(binom.pmf(k, trials, high) for k, word in enumerate(words) if word == "fail")
    assert wrong_pass <= 0.05 + 1e-9
    assert wrong_fail <= 0.05 + 1e-9
    order = {"fail": 0, None: 1, "pass": 2}
    assert words == sorted(words, key=order.get)


def test_the_fixed_design_always_decides_and_one_trial_fewer_does_not():
    for pair in [*SHIPPED, (0.5, 0.8)]:
        trials = fixed_design(*pair).trials
        assert None not in [judge_counts(k, trials, *pair) for k in range(trials + 1)]
        assert None in [judge_counts(k, trials - 1, *pair) for k in range(trials)]


def test_few_passes_prove_nothing_and_nine_in_a_row_do():
    assert judge_counts(0, 0, 0.7, 0.9) is None
    assert judge_counts(3, 3, 0.7, 0.9) is None
    assert judge_counts(9, 9, 0.7, 0.9) == "pass"
    assert judge_counts(0, 2, 0.7, 0.9) == "fail"
    assert trials_to_prove(0.7) == 9


def test_curtailment_stops_only_where_the_rest_cannot_change_the_outcome():
    fixed = fixed_design(0.7, 0.9)
    assert fixed == Fixed(41, 34)
    saved = []
    dice = random.Random(2)
    for rate in (0.98, 0.9, 0.7, 0.5):
        for _ in range(500):
            outcomes = [dice.random() < rate for _ in range(fixed.trials)]
            at = next(
                n
                for n in range(1, fixed.trials + 1)
                if forced(fixed, sum(outcomes[:n]), n - sum(outcomes[:n]))
            )
            word = forced(fixed, sum(outcomes[:at]), at - sum(outcomes[:at]))
            assert word == ("pass" if sum(outcomes) >= fixed.accept else "fail")
            saved.append(1 - at / fixed.trials)
    assert sum(saved) / len(saved) > 0.2
