"""Gates: what is established lets a run pass or stops it, never a single trial."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import make_inputs, make_record

from audition.config import load_config
from audition.errors import BadFile
from audition.summary.gates import judge_rate
from audition.summary.tally import summarise

SKILL = "---\nname: greeting\ndescription: How to do a greeting.\n---\nSay SALVE.\n"


def gates(records, **gate):
    inputs = make_inputs("greeting")
    inputs = type(inputs)(run_id="r", skills=inputs.skills, settings={"gate": gate})
    return summarise(records, inputs).gates


def passing(passed, of, **more):
    return [
        make_record("pass" if number < passed else "fail", number, case=f"c{number}", **more)
        for number in range(of)
    ]


@pytest.mark.parametrize(
    ("passed", "of", "word"),
    [
        (3, 3, "inconclusive"),
        (20, 20, "pass"),
        (2, 10, "fail"),
        (29, 30, "pass"),
        (0, 0, "inconclusive"),
    ],
)
def test_a_rate_must_be_proven(passed, of, word):
    assert judge_rate(0.8, passed, of)[0] == word


@given(st.integers(0, 40), st.integers(0, 40), st.floats(0.05, 0.95))
def test_one_more_pass_never_makes_a_rate_worse(passed, failed, wanted):
    order = ["fail", "inconclusive", "pass"]
    of = passed + failed + 1
    less, more = judge_rate(wanted, passed, of)[0], judge_rate(wanted, passed + 1, of)[0]
    assert order.index(less) <= order.index(more)


def test_one_failing_trial_of_thirty_stops_nothing():
    (found,) = gates(passing(29, 30), positives=0.8)
    assert (found.gate, found.status, found.lets_pass) == ("positives", "pass", True)


@pytest.mark.parametrize(("word", "lets_pass"), [("fail", False), ("warn", True), ("pass", True)])
def test_what_becomes_of_an_open_gate_is_said_by_its_owner(word, lets_pass):
    (found,) = gates(passing(3, 3), positives=0.8, inconclusive=word)
    assert (found.status, found.lets_pass) == ("inconclusive", lets_pass)


def test_a_skill_s_own_gate_wins_and_one_that_was_not_tried_is_open():
    found = gates(
        passing(20, 20), positives=0.8, skills={"greeting": {"positives": 0.99}, "lost": {}}
    )
    assert [(each.gate, each.status) for each in found] == [
        ("positives", "inconclusive"),
        ("skill", "inconclusive"),
    ]


def test_a_lift_without_a_baseline_and_a_cost_without_prices_are_open_not_green():
    found = gates(passing(20, 20), lift=0.1, cost=5)
    assert {each.gate: each.status for each in found} == {
        "lift": "inconclusive",
        "cost": "inconclusive",
    }


def test_a_mistake_in_a_gate_is_named(tmp_path):
    for text, said in (
        ("[gate]\npositive = 0.5\n", "unknown key `gate.positive`"),
        ("[gate]\npositives = 5\n", "positives"),
        ('[gate]\ninconclusive = "maybe"\n', "maybe"),
    ):
        (tmp_path / "audition.toml").write_text(text)
        with pytest.raises(BadFile, match=said):
            load_config(tmp_path)


@pytest.fixture
def house(tmp_path):
    (tmp_path / "skills" / "greeting").mkdir(parents=True)
    (tmp_path / "skills" / "greeting" / "SKILL.md").write_text(SKILL)
    cases = [
        {"id": f"c{n}", "prompt": f"please do a greeting for {n}", "skill": "greeting"}
        for n in range(5)
    ]
    (tmp_path / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))
    (tmp_path / "audition.toml").write_text("fsync = false\n")
    return tmp_path


def run(house, *words):
    argv = [sys.executable, "-m", "audition", "run", "-q", "--run-id", "r", *words]
    return subprocess.run(argv, check=False, cwd=house, capture_output=True, text=True, timeout=200)


def test_a_real_run_with_a_gate_passes_though_a_trial_failed_and_grade_asks_the_new_gate(house):
    (house / "audition.toml").write_text("fsync = false\n[gate]\npositives = 0.6\n")
    done = run(house, "-a", "coin:0.9:4", "-r", "6")
    found = json.loads((house / "artifacts/skill-evals/r/summary.json").read_text())
    assert found["totals"]["fail"] > 0
    assert (done.returncode, found["gates"][0]["status"]) == (0, "pass"), done.stdout
    assert "gate positives: greeting on coin:0.9:4+native: pass" in done.stdout
    (house / "audition.toml").write_text("fsync = false\n[gate]\npositives = 0.99\n")
    argv = [sys.executable, "-m", "audition", "grade", "r"]
    again = subprocess.run(argv, check=False, cwd=house, capture_output=True, text=True)
    assert again.returncode == 1


def test_what_embedded_agents_cost_is_known_to_be_nothing(house):
    (house / "audition.toml").write_text("fsync = false\n[gate]\ncost = 0.01\n")
    assert run(house, "-a", "oracle").returncode == 0
    (found,) = json.loads((house / "artifacts/skill-evals/r/summary.json").read_text())["gates"]
    assert (found["gate"], found["status"]) == ("cost", "pass")


def test_fail_under_stops_a_run_of_which_too_little_is_known(house):
    assert run(house, "--fail-under", "0.9").returncode == 1
    assert run(house, "--fail-under", "0.4", "--run-id", "s").returncode == 0
