import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from audition.stats import wilson


@given(st.integers(1, 5000).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_wilson_agrees_with_scipy(counts):
    passed, of = counts
    theirs = binomtest(passed, of).proportion_ci(method="wilson")
    assert wilson(passed, of) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


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
