"""The command line means what it says, and a slip names the nearest."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.errors import UnknownName, UsageError, did_you_mean
from audition.model import Case, Skill, Suite
from audition.selection import Wanted, choose, parse_expression


def suites():
    def case(name, skill, *tags, **more):
        return Case(id=name, prompt="p", skill=skill, tags=tags, file="/s/a.cases.yaml", **more)

    one = Suite(
        file="/s/a.cases.yaml",
        skills=(Skill(name="work", path="/s/work"), Skill(name="idle", path="/s/idle")),
        cases=(
            case("explicit", "work", "smoke"),
            case("implicit", "work"),
            case("quiet", None, should_trigger=False),
            case("rest", "idle"),
        ),
    )
    two = Suite(
        file="/s/b.cases.yaml",
        cases=(Case(id="implicit", prompt="p", skill="other", file="/s/b.cases.yaml"),),
    )
    return [one, two]


def ids(wanted):
    return [(s.file[-12:-11], c.id) for s in choose(suites(), wanted) for c in s.cases]


def test_nothing_asked_for_means_all():
    assert len(ids(Wanted())) == 5


def test_by_skill_case_node_and_words():
    assert ids(Wanted(skills=("work",))) == [("a", "explicit"), ("a", "implicit")]
    assert ids(Wanted(cases=("implicit",))) == [("a", "implicit"), ("b", "implicit")]
    of_b = Wanted(nodes=(({"/s/b.cases.yaml"}, "implicit"),), cases=("implicit",))
    assert ids(of_b)[-1] == ("b", "implicit")
    of_a = Wanted(nodes=(({"/s/a.cases.yaml"}, "rest"),), skills=("idle",))
    assert ids(of_a) == [("a", "rest")]
    assert ids(Wanted(expression="work and not smoke")) == [("a", "implicit")]
    assert ids(Wanted(expression="(idle or other)")) == [("a", "rest"), ("b", "implicit")]


def test_caps_are_per_skill():
    assert ids(Wanted(max_cases=1)) == [
        ("a", "explicit"),
        ("a", "quiet"),
        ("a", "rest"),
        ("b", "implicit"),
    ]
    assert ids(Wanted(max_skills=1)) == [("a", "explicit"), ("a", "implicit"), ("a", "quiet")]


@pytest.mark.parametrize(
    ("wanted", "near"),
    [
        (Wanted(skills=("wrok",)), "`work`"),
        (Wanted(cases=("implict",)), "`implicit`"),
        (Wanted(cases=("IMPLICIT",)), "`implicit`"),
        (Wanted(nodes=(({"/s/b.cases.yaml"}, "implcit"),)), "`implicit`"),
    ],
)
def test_a_mistyped_name_is_an_error_that_names_the_nearest(wanted, near):
    with pytest.raises(UnknownName) as caught:
        choose(suites(), wanted)
    assert near in caught.value.hint


def test_a_long_name_among_those_that_are_known_is_cut():
    assert did_you_mean("?", ["a" * 300, "b"]) == f"known: `{'a' * 79}…`, `b`"


def test_a_selection_that_matches_nothing_is_an_error():
    with pytest.raises(UsageError, match="matches none of 5 cases"):
        choose(suites(), Wanted(expression="nowhere"))


def test_a_selection_among_those_that_failed_last_names_them():
    wanted = Wanted(cases=("explicit",), only=(("/s/b.cases.yaml", "implicit"), ("/s/x", "gone")))
    with pytest.raises(
        UsageError, match="none of the 2 cases that failed in the last run"
    ) as caught:
        choose(suites(), wanted)
    assert "`implicit`, `gone`; run without `--lf`" in caught.value.hint


@pytest.mark.parametrize("text", ["and", "not", "(a", "a)", "a or", "a b", "( )"])
def test_a_broken_expression_says_what_is_wrong(text):
    with pytest.raises(UsageError, match="-k"):
        parse_expression(text)


def test_a_word_that_begins_like_an_operator_is_a_word():
    for word in ("not-triggered", "or-else", "and.then", "note"):
        assert parse_expression(word)(f"x {word} y") is True
        assert parse_expression(word)("x") is False
        assert parse_expression(f"not {word}")(f"x {word} y") is False


def test_an_expression_that_nests_too_deep_is_refused_in_words():
    for text in ("(" * 5000, "not " * 5000 + "a", "a" + " and a" * 5000):
        with pytest.raises(UsageError, match="200 are the most"):
            parse_expression(text)
    assert parse_expression("(" * 90 + "a" + ")" * 90)("a") is True


@given(st.text(max_size=30), st.text(max_size=30))
def test_no_expression_crashes(text, hay):
    with contextlib.suppress(UsageError):
        assert parse_expression(text)(hay) in (True, False)
