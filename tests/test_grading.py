"""A sealed trial to its record: trouble first, then proof, then what could not be told."""

import sys
import threading
import time

import pytest

from audition.checks.program import _trouble
from audition.errors import Interrupted
from audition.faithful import conclude
from audition.grading import mark_followed, spent
from audition.model import Case, CheckSpec, Evidence, Grade, Spent, Usage
from audition.verifying import verify

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


def ran(tmp_path, code, seconds=60, stop=None):
    (tmp_path / "work").mkdir()
    return verify([sys.executable, "-c", code], b"", seconds, tmp_path, {}, stop)


def test_a_verifier_that_we_ended_for_its_output_says_nothing_by_its_exit_code(tmp_path):
    found = ran(
        tmp_path,
        "import signal, sys\nsignal.signal(15, lambda *_: sys.exit(0))\n"
        "while True: print('no' * 100_000)",
    )
    assert found.too_long
    assert "printed more than is kept" in _trouble(found, 60)


def test_a_talkative_verifier_is_heard_out(tmp_path):
    found = ran(
        tmp_path,
        "import sys\nsys.stderr.write('x' * 3_000_000)\nprint('well', 'y' * 3_000_000)",
    )
    assert (found.exit_code, _trouble(found, 60), found.output[:6]) == (0, "", "well y")


def test_a_verifier_ends_when_everything_is_to_end_now(tmp_path):
    halting = threading.Event()
    threading.Timer(0.3, halting.set).start()
    began = time.monotonic()
    with pytest.raises(Interrupted):
        ran(tmp_path, "import time; time.sleep(60)", stop=halting.is_set)
    assert time.monotonic() - began < 30
