import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as theirs
from scipy.stats import binomtest

from audition.stats import clopper_pearson, clustered, jeffreys, wilson
from audition.stats.curves import (
    beta_cdf,
    beta_quantile,
    binomial_at_least,
    binomial_at_most,
    normal_quantile,
    t_quantile,
)
from audition.stats.rates import design_effect, proven_at_least, proven_at_most

COUNTS = st.integers(1, 5000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


@given(COUNTS)
def test_wilson_agrees_with_scipy(counts):
    passed, of = counts
    found = binomtest(passed, of).proportion_ci(method="wilson")
    assert wilson(passed, of) == pytest.approx((found.low, found.high), abs=1e-9)


@given(COUNTS)
def test_clopper_pearson_agrees_with_scipy(counts):
    passed, of = counts
    found = binomtest(passed, of).proportion_ci(method="exact")
    assert clopper_pearson(passed, of) == pytest.approx((found.low, found.high), abs=1e-9)


@given(COUNTS)
def test_jeffreys_agrees_with_scipy(counts):
    passed, of = counts
    low, high = theirs.beta.ppf([0.025, 0.975], passed + 0.5, of - passed + 0.5)
    expected = (0.0 if passed == 0 else low, 1.0 if passed == of else high)
    assert jeffreys(passed, of) == pytest.approx(expected, abs=1e-9)


@given(st.floats(1e-6, 1 - 1e-6), st.floats(0.1, 3000), st.floats(0.1, 3000))
def test_the_beta_distribution_agrees_with_scipy(x, a, b):
    assert beta_cdf(x, a, b) == pytest.approx(theirs.beta.cdf(x, a, b), abs=1e-10)


@given(st.floats(0.001, 0.999), st.floats(0.5, 500), st.floats(0.5, 500))
def test_beta_quantiles_agree_with_scipy(p, a, b):
    assert beta_quantile(p, a, b) == pytest.approx(theirs.beta.ppf(p, a, b), abs=1e-10)


@given(st.floats(1e-6, 1 - 1e-6), st.integers(1, 2000))
def test_normal_and_t_quantiles_agree_with_scipy(p, freedom):
    assert normal_quantile(p) == pytest.approx(theirs.norm.ppf(p), abs=1e-9)
    if 0.001 < p < 0.999:
        assert t_quantile(p, freedom) == pytest.approx(theirs.t.ppf(p, freedom), rel=1e-9, abs=1e-9)


@given(COUNTS, st.floats(0.001, 0.999))
def test_binomial_tails_agree_with_scipy(counts, rate):
    passed, of = counts
    assert binomial_at_most(passed, of, rate) == pytest.approx(
        theirs.binom.cdf(passed, of, rate), abs=1e-9
    )
    assert binomial_at_least(passed, of, rate) == pytest.approx(
        theirs.binom.sf(passed - 1, of, rate), abs=1e-9
    )


def test_what_a_few_passes_in_a_row_prove():
    found = [proven_at_least(n, n) for n in (3, 5, 10, 20, 29, 59)]
    assert found == pytest.approx([0.05 ** (1 / n) for n in (3, 5, 10, 20, 29, 59)], abs=1e-12)
    assert [round(each, 2) for each in found] == [0.37, 0.55, 0.74, 0.86, 0.9, 0.95]
    assert proven_at_most(0, 3) == pytest.approx(1 - 0.05 ** (1 / 3))


def test_one_trial_a_case_needs_no_correction_but_the_t():
    cases = [(1, 1)] * 30 + [(0, 1)] * 10
    found = clustered(cases)
    assert found.effective == 40
    assert (found.low, found.high) == pytest.approx(
        wilson(30, 40, theirs.t.ppf(0.975, 39)), abs=1e-9
    )


def test_trials_that_agree_within_each_case_count_once():
    cases = [(5, 5)] * 6 + [(0, 5)] * 4
    assert design_effect(cases) == 5
    assert clustered(cases).effective == 10


def test_where_all_agree_half_way_is_assumed():
    assert design_effect([(5, 5)] * 8) == 3
    assert clustered([(5, 5)] * 8).effective == pytest.approx(40 / 3)


def test_one_case_says_nothing_of_others():
    assert clustered([(5, 9)]) is None
    assert clustered([]) is None


@pytest.mark.parametrize(
    ("cases", "trials", "share"), [(8, 5, 0.983), (20, 3, 0.938), (10, 10, 0.907)]
)
def test_the_interval_over_clusters_holds_the_truth_as_often_as_measured(cases, trials, share):
    import numpy as np

    dice = np.random.default_rng(7)
    # A beta with mean .85 whose trials of one case correlate by .5.
    rates = dice.beta(0.85, 0.15, size=(3000, cases))
    passed = dice.binomial(trials, rates)
    held = sum(
        found.low <= 0.85 <= found.high
        for row in passed.tolist()
        if (found := clustered([(each, trials) for each in row]))
    )
    assert held / 3000 == pytest.approx(share, abs=0.02)


def test_nothing_is_said_of_no_trials():
    assert wilson(0, 0) is None


@pytest.mark.parametrize("of", [1, 3, 7, 49, 1000])
def test_the_ends_are_exact(of):
    assert wilson(0, of)[0] == 0.0
    assert wilson(of, of)[1] == 1.0


@pytest.mark.parametrize(("passed", "of"), [(4, 3), (-1, 3), (0, -1)])
def test_an_impossible_count_is_refused(passed, of):
    with pytest.raises(ValueError, match="is no count"):
        wilson(passed, of)


@pytest.mark.parametrize("of", [1, 10, 1000, 10**5, 10**7])
@pytest.mark.parametrize("share", [0.0, 1e-6, 0.3, 0.5, 0.999, 1.0])
def test_however_many_trials_there_are_intervals_and_tails_agree_with_scipy(of, share):
    passed = round(of * share)
    for found, method in (
        (wilson(passed, of), "wilson"),
        (clopper_pearson(passed, of), "exact"),
    ):
        theirs_ = binomtest(passed, of).proportion_ci(method=method)
        assert found == pytest.approx((theirs_.low, theirs_.high), rel=1e-9, abs=1e-9)
    for rate in (1e-6, 0.3, 0.5, 0.9, 0.999):
        at_most = theirs.binom.cdf(passed, of, rate)
        assert binomial_at_most(passed, of, rate) == pytest.approx(at_most, rel=1e-9, abs=1e-9)
        at_least = theirs.binom.sf(passed - 1, of, rate)
        assert binomial_at_least(passed, of, rate) == pytest.approx(at_least, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("p", [1e-12, 1e-6, 0.025, 0.5, 0.975, 1 - 1e-9])
def test_normal_quantiles_far_out_agree_with_scipy(p):
    assert normal_quantile(p) == pytest.approx(theirs.norm.ppf(p), rel=1e-9, abs=1e-9)
