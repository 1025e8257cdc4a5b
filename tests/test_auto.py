"""Whole runs with `--trials auto` and caps: agents whose true rate is known get the right word."""

import json
import subprocess
import sys

import pytest

from audition.stats.fixed import fixed_design

SKILL = "---\nname: {0}\ndescription: {1}\n---\nSay SALVE.\n"
CASES = [
    {"id": "a", "prompt": "please do a greeting for Ada", "skill": "greeting"},
    {"id": "b", "prompt": "please do a greeting for Bob", "skill": "greeting"},
]
NEGATIVE = {"id": "n", "prompt": "what is 2 + 2", "skill": "greeting", "should_trigger": False}


@pytest.fixture
def house(tmp_path):
    plant(tmp_path, greeting="How to do a greeting.")
    (tmp_path / "audition.toml").write_text("fsync = false\n")
    return tmp_path


def plant(house, **skills):
    for name, description in skills.items():
        folder = house / "skills" / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "SKILL.md").write_text(SKILL.format(name, description))


def write_cases(house, cases, **more):
    (house / "cases.yaml").write_text(json.dumps({"skills": ["skills"], **more, "cases": cases}))


def audition(house, *words):
    argv = [sys.executable, "-m", "audition", "run", "-q", *words]
    return subprocess.run(argv, check=False, cwd=house, capture_output=True, text=True, timeout=200)


def summary(house, run="r"):
    path = house / "artifacts" / "skill-evals" / run / "summary.json"
    return json.loads(path.read_text())


def status(house, run="r"):
    argv = [sys.executable, "-m", "audition", "status", run, "--output-format", "json"]
    return json.loads(subprocess.run(argv, check=True, cwd=house, capture_output=True).stdout)


def only(found, *, positives=True):
    (cell,) = [each for each in found["cells"] if each["positives"] == positives]
    return cell


def test_a_perfect_agent_is_asked_just_as_often_as_its_verdict_needs(house):
    write_cases(house, [*CASES, NEGATIVE])
    done = audition(house, "-a", "coin:1:1", "--trials", "auto", "--run-id", "r", "-j", "1")
    assert done.returncode == 0, done.stderr
    found = summary(house)
    assert (found["totals"]["trials"], found["planned"], found["spared"]) == (27, 95, 68)
    assert only(found)["decided_at"] == 14
    assert only(found, positives=False)["decided_at"] == 13
    assert found["skills"]["greeting"]["verdict"] == "pass"
    state = status(house)
    assert (state["state"], state["done"], state["left"]) == ("finished", 27, 0)
    assert "not been run" not in done.stdout


def test_a_run_that_was_cut_goes_on_to_the_same_verdict(house):
    write_cases(house, [*CASES, NEGATIVE])
    words = ["-a", "coin:0.9:3", "--trials", "auto", "-j", "1"]
    audition(house, *words, "--run-id", "whole")
    cut = audition(house, *words, "--run-id", "r", "--max-runs", "5")
    assert cut.returncode == 1
    assert "--max-runs 5 is reached" in cut.stdout
    found = summary(house)
    assert found["totals"]["trials"] == 5
    assert found["cut"]["why"] == "budget"
    assert only(found)["verdict"] == "inconclusive"
    assert only(found)["reason"].startswith("budget: ")
    assert found["skills"]["greeting"]["verdict"] == "inconclusive"
    assert status(house)["state"] == "stopped"
    audition(house, "--resume", "--run-id", "r", "--max-runs", "500", "-j", "1")
    assert summary(house)["cells"] == summary(house, "whole")["cells"]
    assert status(house)["state"] == "finished"


def planted(house, agent):
    audition(house, "-a", agent, "--trials", "auto", "--run-id", "r")
    return only(summary(house))


def test_a_skill_that_never_fires_fails(house):
    write_cases(house, CASES)
    cell = planted(house, "nop")
    assert (cell["verdict"], cell["passed"], cell["decided_at"]) == ("fail", 0, 3)


def test_a_skill_that_fires_and_is_useless_fails(house):
    useless = {"checks": [{"answer_contains": {"text": "a thing that nobody says"}}]}
    write_cases(house, [{**each, **useless} for each in CASES])
    cell = planted(house, "understudy")
    assert cell["verdict"] == "fail"
    assert summary(house)["skills"]["greeting"]["funnel"]["loaded"] == cell["of"]


def test_a_skill_whose_prompts_a_neighbour_takes_fails(house):
    plant(house, thief="please do a greeting for Ada, please do a greeting for Bob")
    write_cases(house, CASES)
    assert planted(house, "understudy")["verdict"] == "fail"


def test_a_skill_that_is_flaky_at_80_percent_fails_a_stricter_suite(house):
    write_cases(house, CASES, target=0.95, unacceptable=0.85)
    cell = planted(house, "coin:0.8:5")
    assert (cell["verdict"], cell["target"], cell["unacceptable"]) == ("fail", 0.95, 0.85)


def test_through_the_whole_harness_the_mix_gets_right_words_for_half_the_trials(house):
    write_cases(house, CASES)
    rates = [0.98] * 4 + [0.93] * 2 + [0.85, 0.75, 0.5, 0.2]
    agents = [word for n, rate in enumerate(rates) for word in ("-a", f"coin:{rate}:{n}")]
    audition(house, *agents, "--trials", "auto", "--run-id", "r")
    cells = summary(house)["cells"]
    assert len(cells) == 10
    right = {0.98: "pass", 0.93: "pass", 0.5: "fail", 0.2: "fail"}
    wrong = [
        each["agent"]
        for each in cells
        if right.get(float(each["agent"].split(":")[1]), each["verdict"]) != each["verdict"]
    ]
    assert not wrong
    assert sum(each["of"] for each in cells) / 10 <= fixed_design(0.7, 0.9).trials / 2


def test_a_dry_run_quotes_runs_and_says_what_it_does_not_know(house):
    write_cases(house, CASES)
    words = ["-a", "claude", "--trials", "auto", "--dry-run"]
    text = audition(house, *words).stdout
    assert "cost unknown" in text
    assert "at most 52 trials planned" in text
    quote = json.loads(audition(house, *words, "--output-format", "json").stdout)["quote"]
    (cell,) = quote["cells"]
    assert (cell["worst_runs"], cell["expected_dollars"]) == (52, None)
    assert cell["expected_runs"] == pytest.approx(17.6, abs=0.1)
    assert cell["basis"].startswith("assumed: ")
    assert quote["trials_for_10_points"] == 197


def test_a_quote_rests_on_what_trials_took_before(house):
    write_cases(house, CASES)
    audition(house, "-a", "oracle", "--run-id", "r")
    words = ["-a", "oracle", "-r", "3", "--dry-run", "--output-format", "json"]
    (cell,) = json.loads(audition(house, *words).stdout)["quote"]["cells"]
    assert cell["basis"] == "2 earlier trials"
    assert (cell["expected_runs"], cell["worst_runs"], cell["worst_dollars"]) == (6, 6, 0)


def test_a_quote_does_not_rest_on_trials_for_which_another_model_answered(house):
    write_cases(house, CASES)
    audition(house, "-a", "oracle", "--run-id", "r", "--provider", "understudy")
    words = ["-a", "oracle", "--dry-run", "--output-format", "json"]
    bases = [
        json.loads(audition(house, *words, *more).stdout)["quote"]["cells"][0]["basis"]
        for more in ([], ["--provider", "understudy"])
    ]
    assert [each.startswith("assumed: ") for each in bases] == [True, False]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--trials", "often"], "often"),
        (["--target", "1.5"], "1.5"),
        (["--target", "0.6"], "is not above"),
        (["--target", "0.9", "--unacceptable", "0.8999"], "further apart"),
    ],
)
def test_rates_and_numbers_that_make_no_sense_are_refused(house, words, said):
    write_cases(house, CASES)
    done = audition(house, "-a", "oracle", *words)
    assert done.returncode == 2
    assert said in done.stderr


def test_a_failed_trial_of_a_skill_that_passes_is_no_failed_run_and_a_verdict_that_is_out_is(house):
    write_cases(house, [*CASES, NEGATIVE])
    words = ["-a", "coin:0.95:1", "--trials", "auto", "-j", "1", "--run-id"]
    done = audition(house, *words, "r")
    found = summary(house)
    assert found["totals"]["fail"] > 0
    assert {each["verdict"] for each in found["cells"]} == {"pass"}
    assert done.returncode == 0
    assert "Every verdict is pass" in done.stdout
    assert audition(house, *words, "s", "--max-runs", "9").returncode == 1
    assert audition(house, "-a", "coin:0.2:1", *words[2:], "t").returncode == 1


def test_the_tokens_that_an_embedded_agent_tells_are_capped_too(house):
    write_cases(house, CASES)
    words = ("-a", "coin:1:1", "-r", "20", "-j", "1", "--run-id", "r", "--max-tokens", "60")
    done = audition(house, *words)
    found = summary(house)
    assert (done.returncode, found["cut"]["why"]) == (1, "budget")
    (took,) = found["distributions"]
    assert 60 <= took["trials"] * took["tokens"]["least"] < 60 + took["tokens"]["most"]
