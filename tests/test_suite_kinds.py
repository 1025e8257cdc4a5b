"""`--suite`, `--smoke-first`, and cases made for skills that have none."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from audition.case_file import load_suites
from audition.cases.generated import generate_cases
from audition.commands.smoke import run_smoke_first
from audition.model import Case, Record, Skill, Suite, Trial
from audition.selection import keep_kind, representatives

FIXTURES = Path(__file__).parent / "fixtures" / "formats"


def audition(*words, good=(0, 1)):
    argv = [sys.executable, "-m", "audition", *map(str, words)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode in good, done.stderr
    return done


def records(*words, good=(0, 1)):
    done = audition("run", *words, "-q", "--no-fsync", "--output-format", "jsonl", good=good)
    return [json.loads(line) for line in done.stdout.splitlines()]


def ids(suites):
    return [case.id for suite in suites for case in suite.cases]


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("smoke", ["greeting-1", "status-1", "negative-1"]),
        ("explicit", ["greeting-1", "status-1"]),
        ("positive", ["greeting-1", "status-1"]),
        ("negative", ["negative-1", "edge-empty", "7"]),
    ],
)
def test_cases_of_one_kind(kind, kept):
    suites = load_suites([FIXTURES / "cat"])
    found = ids(keep_kind(suites, kind))
    if kind == "explicit":
        assert found == ["greeting-1"]
    else:
        assert found == kept


def test_pkbllm_takes_its_first_case_where_none_is_called_explicit():
    one = Case(id="a", prompt="p", skill="x")
    other = Case(id="b", prompt="p", skill="x")
    suite = Suite(file="f", format="pkbllm", cases=(one, other))
    assert ids(keep_kind([suite], "explicit")) == ["a"]
    named = Suite(file="f", format="pkbllm", cases=(one, Case(id="e2e-explicit", prompt="p", skill="x")))  # fmt: skip
    assert ids(keep_kind([named], "explicit")) == ["e2e-explicit"]


def test_representatives_are_the_first_of_their_kind():
    cases = [
        Case(id="n1", prompt="p", should_trigger=False, file="f"),
        Case(id="i1", prompt="p", skill="x", file="f"),
        Case(id="n2", prompt="p", should_trigger=False, file="f"),
        Case(id="e1", prompt="/x go", skill="x", file="f"),
    ]
    assert [each.id for each in representatives(cases)] == ["n1", "i1", "e1"]


@pytest.mark.parametrize("place", ["tasks/{}.json", "tasks/{}/task.md"])
def test_files_of_one_case_each_are_represented_together(place):
    cases = [
        Case(id=f"{kind}{n}", prompt="p", skill="x", should_trigger=kind != "n", file=place.format(f"{kind}{n}"))
        for n in range(3)
        for kind in "in"
    ]  # fmt: skip
    assert [each.id for each in representatives(cases)] == ["i0", "n0"]


def trial(number, case):
    return Trial(id=f"{case.id}/{number}", place="", index=0, case=case, agent="a", delivery="native", model=None, number=number, skills=())  # fmt: skip


def record(each, status):
    return Record(
        id=each.id, skill=None, case=each.case.id, agent="a", delivery="native", model=None,
        trial=1, should_trigger=False, status=status,
    )  # fmt: skip


@pytest.mark.parametrize(("status", "asked"), [("error", 1), ("fail", 4), ("pass", 4)])
def test_smoke_first_spares_the_rest_only_if_nothing_works(status, asked):
    cases = [Case(id=name, prompt="p", should_trigger=False, file="f") for name in "ab"]
    trials = [trial(number, case) for number in (1, 2) for case in cases]

    def go(some):
        yield from (record(each, status) for each in some)

    told = [each.id for each in run_smoke_first(trials, set(), go)]
    assert told == ["a/1", "b/1", "a/2", "b/2"][:asked]


def test_smoke_first_spares_the_rest_where_a_faithful_policy_knows_no_errors(tmp_path):
    words = ("-a", "acp:/bin/false", "--out", tmp_path, "--smoke-first")
    told = records(FIXTURES / "cat", *words)
    assert {(each["policy"], each["strict"]) for each in told} == {("cat", "error")}
    assert len(told) == 3


def test_made_cases_are_one_of_each_kind():
    made = generate_cases(Skill(name="x", description="Does things.", path="/x"))
    assert [(each.id, each.should_trigger) for each in made] == [
        ("smoke-explicit", True),
        ("smoke-implicit", True),
        ("smoke-negative", False),
    ]


def test_a_pkbllm_repository_gets_cases_for_what_has_none(tmp_path):
    found = records(FIXTURES / "pkbllm", "--out", tmp_path, "--suite", "negative")
    assert {(each["skill"], each["case"]) for each in found} == {
        ("uv-greeting", "negative-1"),
        ("uv-code-style", "smoke-negative"),
    }


def test_a_report_names_the_policy_that_came_with_the_format(tmp_path):
    for style in ("text", "markdown", "github", "html"):
        done = audition("run", FIXTURES / "cat", "--out", tmp_path, "--output-format", style)
        assert "policy cat" in done.stdout
    ours = audition("run", FIXTURES / "cat", "--out", tmp_path, "--policy", "default")
    assert "policy" not in ours.stdout


def test_the_understudy_reports_its_skill_where_a_schema_asks_for_it(tmp_path):
    found = {each["case"]: each for each in records(FIXTURES / "pkbllm", "--out", tmp_path)}
    made = found["smoke-explicit"]
    assert made["grades"][0] == {
        **made["grades"][0],
        "by": "activation",
        "status": "pass",
        "reason": "the answer reports as invoked: `uv-code-style`",
    }
    assert found["negative-1"]["status"] == "pass"


def test_other_repositories_get_them_only_where_asked(tmp_path):
    plain = records(FIXTURES / "skilljack/tasks/greeting.json", "--out", tmp_path)
    assert {each["skill"] for each in plain} == {"greeting"}
    skills = FIXTURES / "skilljack/skills"
    made = records(skills, "--out", tmp_path, "--generate-missing")
    assert len(made) == 6


def test_pkbllm_s_words_are_understood(tmp_path):
    words = ("--run-id", "r", "--out", tmp_path)
    told = records(FIXTURES / "cat", *words, "--write-progress", "--no-judge", "--max-cases", "1", "--suite", "positive")  # fmt: skip
    assert len(told) == 2
    assert "r is finished" in audition("run", "--status", *words).stdout
    assert audition("run", FIXTURES / "cat", *words, good=(2,)).returncode == 2


def test_a_suite_without_skills_is_not_asked(tmp_path):
    path = tmp_path / "test_cases.json"
    path.write_text('{"test_cases": [{"id": "n", "skill": null, "prompt": "p"}]}')
    done = audition("run", path, "--out", tmp_path / "out", good=(2,))
    assert "no skills" in done.stderr


def test_a_suite_s_environment_names_its_workspace_and_its_repository(tmp_path):
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "evals"
    folder.mkdir()
    (folder / "cases.yaml").write_text(
        f"skills: [{FIXTURES}/skilljack/skills]\n"
        "env: {ROOT: '{repo}', HERE: '{workspace}/x'}\n"
        "cases:\n- {id: a, prompt: p, skill: none, checks: [exit_code: {code: 0}]}\n"
    )
    (tmp_path / "audition.toml").write_text(
        '[agents.mine]\nlike = "understudy"\ncommand = ["sh", "-c", "env > env.txt; test -d $HERE && echo made >> env.txt; echo {}"]\n'
    )
    out = tmp_path / "out"
    words = ("-m", "audition", "run", "evals", "-a", "mine", "-q", "--run-id", "r", "--out", out)
    argv = [sys.executable, *map(str, words), "-r", "2", "--max-runs", "1"]
    subprocess.run(argv, cwd=tmp_path, capture_output=True, check=False)
    # The folder to go on from may be another one than that of the files.
    (elsewhere := tmp_path / "elsewhere").mkdir()
    (elsewhere / "audition.toml").write_text((tmp_path / "audition.toml").read_text())
    argv = [
        sys.executable,
        *map(str, words[:3]),
        *map(str, words[6:]),
        "--resume",
        "--max-runs",
        "9",
    ]
    subprocess.run(argv, cwd=elsewhere, capture_output=True, check=False)
    kept = list(out.glob("r/work/*/*/*/*/files/env.txt"))
    assert len(kept) == 2
    for path in kept:
        told = dict(line.split("=", 1) for line in path.read_text().splitlines() if "=" in line)
        assert told["ROOT"] == str(tmp_path)
        assert told["HERE"].endswith("/work/x")
        assert "made" in path.read_text()
