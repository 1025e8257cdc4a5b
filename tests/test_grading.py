"""A sealed trial to its record: trouble first, then proof, then what could not be told."""

import pytest

from audition.faithful import conclude
from audition.grading import mark_followed, spent
from audition.model import Case, CheckSpec, Evidence, Grade, Spent, Usage

PASS = Grade(by="activation", status="pass")
CHECK = Grade(by="answer_contains", status="pass", lines=(7,))
CASE = Case(id="a", prompt="p", skill="x", checks=(CheckSpec(name="answer_contains"),))


@pytest.mark.parametrize(
    ("trouble", "statuses", "verdict"),
    [
        ("", ("pass", "pass"), "pass"),
        ("", ("pass", "fail"), "fail"),
        ("", ("error", "fail"), "fail"),
        ("", ("pass", "error"), "error"),
        ("", ("pass", "unknown"), "error"),
        ("", ("pass", "vacuous"), "error"),
        ("", (), "error"),
        ("timed out", ("pass",), "error"),
        ("timed out", ("fail",), "error"),
    ],
)
def test_the_verdict_is_green_only_when_everything_is(trouble, statuses, verdict):
    grades = [Grade(by="check", status=each, reason="why") for each in statuses]
    assert conclude(trouble, grades)[0] == verdict


def test_the_reason_is_that_of_the_first_failure():
    grades = [
        Grade(by="max_tokens", status="error", reason="no usage"),
        Grade(by="activation", status="fail", reason="no skill was called"),
    ]
    assert conclude("", grades) == ("fail", "activation: no skill was called")


def rung(evidence, grades, case=CASE):
    return mark_followed([evidence], case, grades)[0]


def test_a_loaded_skill_whose_checks_hold_was_followed():
    found = rung(Evidence(skill="x", rung="loaded", lines=(3,)), [PASS, CHECK])
    assert (found.rung, found.lines) == ("followed", (3, 7))


@pytest.mark.parametrize(
    ("evidence", "grades"),
    [
        (Evidence(skill="x", rung="asked"), [PASS, CHECK]),
        (Evidence(skill="y", rung="loaded"), [PASS, CHECK]),
        (Evidence(skill="x", rung="loaded"), [PASS]),
        (Evidence(skill="x", rung="loaded"), [PASS, Grade(by="c", status="fail")]),
        (Evidence(skill="x", rung="loaded"), [Grade(by="activation", status="fail"), CHECK]),
    ],
)
def test_nothing_else_was_followed(evidence, grades):
    assert rung(evidence, grades).rung == evidence.rung


def test_unknown_usage_stays_unknown():
    assert spent(None) == Spent()
    assert spent(Usage(input_tokens=3)).output_tokens is None
