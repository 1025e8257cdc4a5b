"""Patterns run on RE2; what it refuses is named."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.pattern import BadPattern, compile_pattern, excerpt, find_pattern


@pytest.mark.parametrize(
    ("pattern", "named"),
    [
        ("a(?=b)", "lookahead"),
        ("a(?!b)", "lookahead"),
        ("(?<=a)b", "lookbehind"),
        ("(?<!a)b", "lookbehind"),
        (r"(a)\1", "backreference"),
        ("(?P<n>a)(?P=n)", "backreference"),
        ("(?>a)b", "atomic group"),
        ("(a)(?(1)b|c)", "conditional group"),
        ("[", "missing ]"),
        ("a{2000}", "repetition"),
    ],
)
def test_a_refused_pattern_names_what_is_refused_and_where_to_read(pattern, named):
    with pytest.raises(BadPattern, match="RE2") as caught:
        compile_pattern(pattern)
    assert named in str(caught.value)
    assert "re2/wiki/Syntax" in caught.value.hint


def test_places_are_counted_in_characters_not_bytes():
    assert find_pattern("b+", "äö€bb") == (3, 5)


def test_a_lone_surrogate_in_the_text_keeps_the_places():
    assert find_pattern("b", "a\ud800b") == (2, 3)


def test_a_pattern_that_would_hang_a_backtracker_ends_at_once():
    began = time.monotonic()
    assert find_pattern("(a|aa)+$", "a" * 50_000 + "!") is None
    assert time.monotonic() - began < 5


@given(st.text(max_size=400), st.integers(0, 400), st.integers(0, 400))
def test_an_excerpt_is_short_and_all_of_it_is_visible(text, start, end):
    shown = excerpt(text, start, end)
    assert len(shown) <= 120
    assert shown.isprintable()


def test_an_excerpt_holds_what_was_found():
    text = "x" * 500 + "needle" + "y" * 500
    assert "needle" in excerpt(text, 500, 506)


@given(st.text(max_size=30))
def test_any_pattern_compiles_or_is_a_bad_pattern(pattern):
    said = ""
    try:
        compile_pattern(pattern)
    except BadPattern as error:
        said = str(error)
    assert said.isprintable()
