"""Whole runs of real processes: every trial ends with the right word, and nothing is lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

FAKE = Path(__file__).parent / "fakes" / "claude_like.py"

SKILL = "---\nname: {0}\ndescription: How to do a {0}.\n---\nSay SALVE.\n"


@pytest.fixture
def house(tmp_path):
    """A folder with two skills, an agent of bad habits, and room for runs."""
    for name in ("greeting", "farewell"):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(SKILL.format(name))
    (tmp_path / "audition.toml").write_text(
        f'fsync = false\ntimeout = 20\n[agents.fake]\nlike = "claude"\n'
        f"command = [{sys.executable!r}, {str(FAKE)!r}]\n"
    )
    return tmp_path


def write_cases(house, cases):
    (house / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))


def audition(house, *words, **more):
    argv = [sys.executable, "-m", "audition", *words]
    settings = {"cwd": house, "capture_output": True, "text": True, "timeout": 120, **more}
    return subprocess.run(argv, check=False, **settings)


def results(house, run="r"):
    path = house / "artifacts" / "skill-evals" / run / "results.json"
    return {each["case"]: each for each in json.loads(path.read_text())["trials"]}


def case(habit, **more):
    return {"id": habit, "prompt": f"{habit} please", "skill": "greeting", **more}


HABITS = [
    ("good", "pass", ""),
    ("quiet", "fail", "no skill was called"),
    ("wrong", "fail", "`farewell`"),
    ("refused", "fail", "greeting"),
    ("hang", "error", "timed out after 2 s"),
    ("stubborn", "error", "timed out after 2 s"),
    ("daemon", "pass", ""),
    ("deaf", "pass", ""),
    ("silent", "fail", "no answer"),
    ("unended", "error", "no end"),
    ("crash", "error", "said nothing (exit code 3)"),
    ("mute", "error", "said nothing"),
    ("junk", "pass", ""),
    ("flood", "error", "more than is kept"),
    ("badkey", "error", "not signed in"),
    ("turns", "fail", "no skill was called"),
    ("unspeakable", "error", "output not understood (version 9.9.9"),
    (
        "renamed",
        "error",
        "output not understood (version 9.9.9 (Fake Code); known 2.1.327): 1 line",
    ),
    ("nousage", "pass", ""),
    ("outside", "pass", ""),
    ("vanish", "pass", ""),
]


def test_every_bad_habit_ends_with_the_right_word_and_the_rest_goes_on(house):
    write_cases(house, [case(habit, timeout_s=2 if habit in ("hang", "stubborn") else 20)
                        for habit, _, _ in HABITS])  # fmt: skip
    done = audition(house, "run", "-a", "fake", "-j", "4", "--run-id", "r", "-q")
    assert done.returncode == 1, done.stderr
    found = results(house)
    wrong = [
        (habit, found[habit]["status"], found[habit]["reason"])
        for habit, status, words in HABITS
        if found[habit]["status"] != status or words not in found[habit]["reason"]
    ]
    assert not wrong
    assert not leftovers(house)
    unread = {habit: each["unread"] for habit, each in found.items() if each["unread"]}
    assert unread == {"junk": 4, "renamed": 1, "unspeakable": 5, "flood": 1024}
    assert "met 1034 lines it does not know" in done.stdout


def leftovers(house):
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True)
    return [
        line for line in listed.stdout.splitlines() if str(house) in line and "ps -eo" not in line
    ]


@pytest.mark.parametrize(
    "habit", ["crash", "mute", "badkey", "hang", "unended", "unspeakable", "silent"]
)
def test_trouble_never_lets_a_negative_case_pass(house, habit):
    negative = {"id": "n", "prompt": habit, "skill": "none", "timeout_s": 1}
    write_cases(house, [negative])
    done = audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    assert done.returncode in (1, 2), done.stderr
    assert results(house)["n"]["status"] != "pass"


def test_a_run_of_nothing_but_errors_exits_2(house):
    write_cases(house, [case("crash"), case("mute")])
    assert audition(house, "run", "-a", "fake", "-q").returncode == 2


def test_missing_usage_never_passes_a_cap(house):
    write_cases(house, [case("nousage", checks=[{"max_tokens": {"total": 1000}}])])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    assert results(house)["nousage"]["status"] == "error"


def test_grading_again_in_several_processes_is_grading_in_one(house):
    write_cases(house, [case(habit) for habit in ("good", "quiet", "junk", "crash", "refused")])
    audition(house, "run", "-a", "fake", "-j", "4", "--run-id", "r", "-q")
    run = house / "artifacts" / "skill-evals" / "r"
    names = ("results.json", "summary.json", "summary.md")
    before = [(run / name).read_bytes() for name in names]
    good = next(run.glob("work/*/good/*/*"))
    trace = good / "trace.jsonl"
    kept = trace.read_bytes()
    for at_once in ("1", "2", "3", "9"):
        done = audition(house, "grade", "r", "-j", at_once, "--fresh")
        assert "graded 5 trials again; 0 verdicts changed" in done.stderr
        assert [(run / name).read_bytes() for name in names] == before
        trace.write_bytes(b"")
        done = audition(house, "grade", "r", "-j", at_once)
        assert "4 stand as they were, 1 graded again; 1 verdict changed" in done.stderr
        assert results(house)["good"]["status"] == "error"
        assert json.loads((run / "summary.json").read_text())["totals"]["pass"] == 1
        trace.write_bytes(kept)
        assert "1 verdict changed" in audition(house, "grade", "r", "-j", at_once).stderr
        told = json.loads((run / "results.json").read_text())["trials"]
        assert told == json.loads(before[0])["trials"]
        before[0] = (run / "results.json").read_bytes()  # when it ended has changed
    (good / "meta.json").unlink()
    done = audition(house, "grade", "r", "-j", "2")
    assert "5 trials: 4 stand as they were, 1 graded again; 1 verdict changed" in done.stderr


def test_grading_again_changes_nothing(house):
    checks = [{"file_exists": {"path": "report.md"}}, {"answer_contains": {"text": "SALVE"}}]
    write_cases(house, [case("good", checks=checks), case("quiet"), case("crash")])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    before = results(house)
    done = audition(house, "grade", "r")
    assert "0 verdicts changed" in done.stderr
    assert results(house) == before


def test_a_trial_whose_fixture_leaves_its_folder_is_an_error_and_the_rest_goes_on(house):
    (house / "fixture").mkdir()
    (house / "fixture" / "out").symlink_to("/etc")
    write_cases(house, [case("good", fixture="fixture"), {**case("good"), "id": "other"}])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    found = results(house)
    assert found["good"]["status"] == "error"
    assert "out" in found["good"]["reason"]
    assert found["other"]["status"] == "pass"


def verdicts(house, run="r"):
    return {key: (each["status"], each["reason"]) for key, each in results(house, run).items()}


def many(count):
    habits = ("good", "quiet", "wrong", "crash")
    return [{**case(habits[n % 4]), "id": f"c{n}"} for n in range(count)]


@pytest.mark.parametrize("at_once", ["1", "8", "32"])
def test_scores_are_the_same_however_many_run_at_once(house, at_once):
    write_cases(house, many(16))
    audition(house, "run", "-a", "fake", "-j", at_once, "--run-id", "r", "-q")
    expected = ["pass", "fail", "fail", "error"] * 4
    assert [status for status, _ in verdicts(house).values()] == expected


def test_kill_9_at_any_moment_loses_no_finished_trial_and_resume_runs_only_the_rest(house):
    write_cases(house, many(100))
    argv = [sys.executable, "-m", "audition", "run", "-j", "4", "--run-id", "r", "-q"]
    began = time.monotonic()
    audition(house, "run", "-a", "fake", "-j", "4", "--run-id", "whole", "-q")
    # Where the machine is busy, all of the moments would be before the first trial.
    slow = min(5.0, max(1.0, (time.monotonic() - began) / 2))
    progress = house / "artifacts" / "skill-evals" / "r" / "progress.jsonl"
    seen: dict[str, float] = {}
    for kill in range(50):
        more = ["--resume"] if (progress.parent / "run.json").exists() else ["-a", "fake"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        child = subprocess.Popen([*argv, *more], cwd=house, **quiet)
        if not kill:
            wait_for(progress, lines=1)
        time.sleep(slow * (0.2 + 0.03 * (kill * 7 % 23)))
        child.send_signal(signal.SIGKILL)
        child.wait()
        for grade in progress.parent.glob("work/*/*/*/*/grade.json"):
            stamp = grade.parent.joinpath("trace.jsonl").stat().st_mtime
            assert seen.setdefault(str(grade), stamp) == stamp, "a finished trial was asked again"
    assert seen, "nothing was finished before a kill"
    for path in seen:
        assert os.path.exists(path), "a finished trial is gone"
    done = audition(house, *argv[3:], "--resume")
    assert done.returncode == 1, done.stderr
    assert verdicts(house) == verdicts(house, "whole")
    for path, stamp in seen.items():
        assert Path(path).with_name("trace.jsonl").stat().st_mtime == stamp


def test_ctrl_c_once_keeps_what_is_done_and_says_how_to_go_on(house):
    write_cases(house, [{**case("slow"), "id": f"s{n}"} for n in range(30)])
    argv = [sys.executable, "-m", "audition", "run", "-a", "fake", "-j", "2", "--run-id", "r"]
    child = subprocess.Popen(
        argv, cwd=house, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(house / "artifacts" / "skill-evals" / "r" / "progress.jsonl", lines=2)
    child.send_signal(signal.SIGINT)
    _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "audition run --resume --run-id r" in said
    done = len(results(house))
    assert 2 <= done < 30
    assert audition(house, "run", "--resume", "--run-id", "r", "-q").returncode == 0
    assert len(results(house)) == 30


def test_ctrl_c_twice_ends_the_agents_at_once(house):
    write_cases(house, [case("good"), {**case("hang"), "timeout_s": 60}])
    argv = [sys.executable, "-m", "audition", "run", "-a", "fake", "-j", "1", "--run-id", "r"]
    child = subprocess.Popen(
        argv, cwd=house, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for(house / "artifacts" / "skill-evals" / "r" / "progress.jsonl", lines=1)
    time.sleep(0.5)
    began = time.monotonic()
    child.send_signal(signal.SIGINT)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)
    assert child.returncode == 130
    assert time.monotonic() - began < 15
    assert set(results(house)) == {"good"}
    assert not leftovers(house)


def wait_for(path, lines):
    for _ in range(400):
        if path.exists() and len(path.read_text().splitlines()) >= lines:
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} never came")


def test_the_last_failures_run_again_alone(house):
    write_cases(house, [case("good"), case("quiet"), case("crash")])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    audition(house, "run", "-a", "fake", "--run-id", "again", "--lf", "-q")
    assert set(results(house, "again")) == {"quiet", "crash"}
    audition(house, "run", "-a", "fake", "--run-id", "z", "--case", "good", "-q")
    done = audition(house, "run", "-a", "fake", "--lf")
    assert done.returncode == 2
    assert done.stderr == ("error: nothing failed in the last run, z\n\nhint: run without `--lf`\n")


def elsewhere(house, *words):
    """The same, started in another folder."""
    (house / "sub").mkdir(exist_ok=True)
    return audition(house, *words, "--out", "../artifacts/skill-evals", cwd=house / "sub")


def test_the_last_failures_run_again_from_another_folder_too(house):
    write_cases(house, [case("good"), case("quiet")])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    elsewhere(house, "run", "../cases.yaml", "-a", "fake", "--run-id", "again", "--lf", "-q")
    assert set(results(house, "again")) == {"quiet"}


@pytest.mark.parametrize("words", [["grade", "r"], ["run", "--run-id", "r", "--resume", "-q"]])
def test_what_lies_beside_the_case_file_is_found_from_another_folder_too(house, words):
    (house / "verify.py").write_text(
        "import os; assert os.path.exists(os.environ['AUDITION_CASE_DIR'] + '/cases.yaml')"
    )
    (house / "any.json").write_text('{"type": "object"}')
    checks = [
        {"program": {"command": f"{sys.executable} verify.py"}},
        {"json_valid": {"schema": "any.json"}},
    ]
    write_cases(house, [case("good", checks=checks[:1]), case("quiet", checks=checks[1:])])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    before = verdicts(house)
    assert before["good"][0] == "pass"
    for grade in (house / "artifacts/skill-evals/r").rglob("grade.json"):
        grade.unlink()
    elsewhere(house, *words)
    assert verdicts(house) == before


@pytest.mark.parametrize(
    "node", ["./cases.yaml::good", ".::good", "{0}::good", "sub/../cases.yaml::good", "::good"]
)
def test_a_case_is_named_however_its_file_or_folder_is_spelled(house, node):
    (house / "sub").mkdir()
    write_cases(house, [case("good"), case("quiet")])
    words = ("run", node.format(house), "-a", "fake", "--dry-run", "--output-format", "json")
    trials = json.loads(audition(house, *words).stdout)["trials"]
    assert [each["case"] for each in trials] == ["good"]


@pytest.mark.parametrize(
    ("paths", "cases"),
    [
        (["../sub/..::good", "../cases.yaml::quiet"], ["good", "quiet"]),
        (["../cases.yaml::good", "../cases.yaml"], ["good", "quiet", "third"]),
        (["../cases.yaml::good", "../link.cases.yaml"], ["good", "quiet", "third"]),
        (["../link.cases.yaml::third"], ["third"]),
    ],
)
def test_paths_that_name_one_file_in_several_ways_mean_all_they_say(house, paths, cases):
    (house / "sub").mkdir()
    write_cases(house, [case("good"), case("quiet"), case("third")])
    (house / "link.cases.yaml").symlink_to("cases.yaml")
    words = ("run", *paths, "-a", "fake", "--dry-run", "--output-format", "json")
    done = audition(house, *words, cwd=house / "sub")
    assert [each["case"] for each in json.loads(done.stdout)["trials"]] == cases


def test_a_key_that_nobody_reads_is_named_when_the_cases_are_run(house):
    write_cases(house, [case("good", check=[{"answer_contains": "gone"}])])
    for more in ([], ["--dry-run"]):
        done = audition(house, "run", "-a", "fake", "-q", *more)
        assert done.returncode == 0
        assert "warning: cases.yaml:1:" in done.stderr
        assert "unknown key `check`" in done.stderr
        assert "\n  hint: did you mean `checks`?" in done.stderr


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--timeout nan", "`nan` is no number"),
        ("--timeout inf", "`inf` is no number"),
        ("--budget nan", "`nan` is no number"),
        ("--fail-under nan", "`nan` is no number"),
        ("-r often", "neither a number nor `auto`"),
        ("-r 9999999", "1<=x<=1000000"),
        ("-r 600000", "1,200,000 trials, and 1,000,000 are the most"),
        ("-j 5000", "0<=x<=1024"),
        ("--suite smok", "did you mean `smoke`?"),
        ("--output-format jso", "did you mean `json`?"),
        ("--trails 3", "no such option `--trails`\n\nhint: did you mean `--trials`?"),
    ],
)
def test_an_option_that_cannot_be_meant_is_refused_before_anything_is_asked(house, words, told):
    write_cases(house, [case("good"), case("quiet")])
    done = audition(house, "run", "-a", "fake", *words.split())
    assert done.returncode == 2
    assert told in done.stderr
    assert not (house / "artifacts").exists()


@pytest.mark.parametrize(("habit", "code"), [("quiet", 1), ("crash", 2)])
def test_the_first_failure_or_error_ends_a_run_with_x(house, habit, code):
    write_cases(house, [case(habit), *many(20)])
    done = audition(house, "run", "-a", "fake", "-x", "-j", "1", "--run-id", "r", "-q")
    assert done.returncode == code
    assert list(results(house)) == [habit]
    ended = house / "artifacts" / "skill-evals" / "r" / "ended.json"
    assert json.loads(ended.read_text())["why"] == "failure"


def test_a_mark_on_github_names_the_file_as_the_repository_does(house):
    (house / "below").mkdir()
    write_cases(house, [{**case("good"), "skill": "none"}])
    (house / "cases.yaml").rename(house / "below" / "cases.yaml")
    (house / "skills").rename(house / "below" / "skills")
    env = {**os.environ, "GITHUB_WORKSPACE": str(house)}
    for file, cwd in (("cases.yaml", house / "below"), (str(house / "below/cases.yaml"), house)):
        words = ("run", file, "-a", "fake", "-q", "--output-format", "github")
        done = audition(house, *words, cwd=cwd, env=env)
        assert "::error file=below/cases.yaml,line=1," in done.stdout, done.stderr


def test_a_trial_is_shown_by_the_name_of_its_case_however_odd(house):
    odd = ["my first case", "a::b", "../../x", "ünï"]
    write_cases(house, [{**case("good"), "id": each} for each in odd])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    for each in odd:
        done = audition(house, "show", f"r::{each}", "--output-format", "json")
        assert json.loads(done.stdout)["record"]["case"] == each, done.stderr


@pytest.mark.parametrize(
    ("file", "text", "reason"),
    [
        ("trace.jsonl", None, "damaged: trace.jsonl is missing; remove the trial's folder"),
        ("meta.json", None, "damaged: meta.json is missing; remove the trial's folder"),
        ("meta.json", "{", "damaged: meta.json cannot be understood; remove the trial's folder"),
    ],
)
def test_a_damaged_trial_is_an_error_in_every_file_and_the_others_are_graded(
    house, file, text, reason
):
    write_cases(house, [case("good"), case("quiet"), case("deaf")])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    run = house / "artifacts/skill-evals/r"
    harmed = next(run.glob(f"work/*/good/*/*/{file}"))
    kept = harmed.read_bytes()
    harmed.unlink()
    if text:
        harmed.write_text(text)
    for said in ("2 stand as they were, 1 graded again; 1 verdict changed", "0 verdicts changed"):
        done = audition(house, "grade", "r")
        assert (done.returncode, said in done.stderr) == (1, True), done.stderr
        assert "3 trials  1 passed  1 failed  1 in error" in done.stdout
        assert reason in done.stdout
    lines = [json.loads(line) for line in (run / "progress.jsonl").read_text().splitlines()]
    assert {each["case"]: each for each in lines} == results(house)
    assert {name: each["status"] for name, each in results(house).items()} == {
        "good": "error",
        "quiet": "fail",
        "deaf": "pass",
    }
    assert audition(house, "show", "r").stdout == done.stdout
    harmed.write_bytes(kept)
    audition(house, "grade", "r")
    assert results(house)["good"]["status"] == "pass"


def test_a_trial_of_which_nothing_can_be_read_stops_grading_with_what_to_do(house):
    write_cases(house, [case("good"), case("quiet")])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    folder = next((house / "artifacts/skill-evals/r").glob("work/*/good/*/*"))
    (folder / "meta.json").write_text("{")
    (folder / "grade.json").unlink()
    done = audition(house, "grade", "r")
    assert done.returncode == 2
    assert (
        f"remove {folder.relative_to(house)} and `--resume`: the trial is asked again"
        in done.stderr
    )


def test_a_run_that_does_not_say_its_agents_is_graded_by_its_plan(house):
    write_cases(house, [case("good"), case("quiet")])
    audition(house, "run", "-a", "fake", "--run-id", "r", "-q")
    path = house / "artifacts/skill-evals/r/run.json"
    told = json.loads(path.read_text())
    path.write_text(json.dumps({key: told[key] for key in ("version", "run_id", "skills")}))
    done = audition(house, "grade", "r")
    assert (done.returncode, "0 verdicts changed" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [
        ("> /dev/full", 2, "error: the system refuses: No space left on device\n"),
        (">&-", 0, ""),
        (">&- 2>&-", 0, ""),
        ("<&-", 0, ""),
        ("--out gone; mkdir x; cd x; rmdir ../x; audition run", 2, "is the folder you stand in"),
    ],
)
def test_a_stream_or_a_folder_that_is_gone_is_no_defect_of_ours(house, redirected, code, said):
    write_cases(house, [case("good")])
    words = f"{sys.executable} -m audition"
    line = redirected.replace("audition", words)
    done = subprocess.run(
        f"{words} run -a fake -q --run-id r {line}", shell=True, cwd=house, capture_output=True,
        text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == code
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    where = "gone" if "gone" in redirected else "artifacts/skill-evals"
    kept = json.loads((house / where / "r/results.json").read_text())["trials"]
    assert [each["status"] for each in kept] == ["pass"]


def test_a_run_says_first_what_it_will_ask(house):
    write_cases(house, [case("good"), case("quiet")])
    words = ("run", "-a", "fake", "-a", "nop", "-d", "native", "-r", "2", "-j", "3")
    said = audition(house, *words).stderr.splitlines()
    assert said[0] == "8 trials: 2 cases, fake+native, nop+native; 3 at once"
    assert audition(house, *words, "-q").stderr == ""


def test_a_rubric_without_a_judge_is_said_before_anybody_is_asked(house):
    write_cases(house, [{**case("good"), "rubric": ["Is it polite?"]}])
    for more in ([], ["--dry-run"], ["-q"]):
        done = audition(house, "run", "-a", "fake", *more)
        assert ("1 case has a rubric, and no judge is named" in done.stderr) is (more != ["-q"])
    assert "rubric" not in audition(house, "run", "-a", "fake", "--no-judge").stderr


def test_a_dry_run_says_which_programs_are_missing(house):
    write_cases(house, [case("good")])
    (house / "audition.toml").write_text("[agents.gone]\nlike = 'claude'\ncommand = ['no-such']\n")
    done = audition(house, "run", "-a", "gone", "--dry-run")
    assert done.returncode == 0
    assert "warning:" in done.stderr
    assert "no-such" in done.stderr


def test_nobody_to_ask_is_an_error(house):
    write_cases(house, [case("good")])
    (house / "audition.toml").write_text("agent = []\n")
    done = audition(house, "run", "--dry-run")
    assert (done.returncode, "nobody to ask" in done.stderr) == (2, True)


def test_a_dry_run_asks_nobody_and_shows_the_plan(house):
    write_cases(house, many(4))
    done = audition(house, "run", "-a", "fake", "-r", "3", "--dry-run", "--output-format", "json")
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["trials"]) == 12
    assert not (house / "artifacts").exists()


def test_a_background_run_is_followed_by_status(house):
    write_cases(house, many(4))
    done = audition(house, "run", "-a", "fake", "--run-id", "bg", "--background")
    assert done.stdout.strip() == "bg"
    run = house / "artifacts" / "skill-evals" / "bg"
    wait_for(run / "progress.jsonl", lines=4)
    for _ in range(100):
        state = json.loads(audition(house, "status", "bg", "--output-format", "json").stdout)
        if state["state"] == "finished":
            break
        time.sleep(0.1)
    assert state["state"] == "finished"
    assert (run / "runner.log").exists()


def test_the_jsonl_report_is_one_record_a_line(house):
    write_cases(house, many(4))
    done = audition(house, "run", "-a", "fake", "-q", "--output-format", "jsonl")
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [each["case"] for each in records] == ["c0", "c1", "c2", "c3"]
    keys = {"id", "skill", "case", "agent", "delivery", "model", "trial", "should_trigger", "status",
            "reason", "skills", "grades", "usage", "commands", "seconds", "dir"}  # fmt: skip
    assert keys <= set(records[0])


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (["run", "--agent", "fak"], "unknown agent `fak`", "fake"),
        (["run", "-a", "fake", "--skill", "greting"], "unknown skill", "greeting"),
        (["run", "-a", "fake", "--case", "goood"], "unknown case", "good"),
        (["run", "-a", "fake", "-d", "nativ"], "unknown delivery", "native"),
        (["run", "-a", "fake", "--sandbox", "hom"], "unknown sandbox", "home"),
        (["run", "-a", "fake", "--policy", "skiljack"], "policy", "skilljack"),
        (["run", "-a", "fake", "--trails", "3"], "--trails", "--trials"),
        (["run", "nowhere"], "nowhere", ""),
        (["run", "-a", "fake", "-k", "nowhere"], "matches none", "audition cases"),
        (["rnu"], "no such command `rnu`", "run"),
        (["show", "nope"], "nope", ""),
        (["run", "--resume", "--run-id", "nope"], "nope", ""),
    ],
)
def test_a_slip_of_the_pen_is_an_error_that_helps(house, words, said, hint):
    write_cases(house, [case("good")])
    done = audition(house, *words)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert hint in done.stderr.partition("hint:")[2]
    assert "Traceback" not in done.stderr
