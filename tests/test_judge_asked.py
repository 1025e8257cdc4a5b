"""Judges are asked about real trials: scripted programs, each with a habit of its own."""

import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

FAKES = Path(__file__).with_name("fakes")
SKILL = """---
name: greeting
description: How to greet a person by name.
---
Answer with exactly:

```say
SALVE Ada
```
"""
RUBRIC = [
    {"id": "says", "question": "Does it say SALVE?"},
    {"id": "never", "question": "Does it never say PIZZA?"},
    {"id": "soft", "question": "Does it say kindly?", "severity": "should"},
]


def judge_words(name, *words):
    return shlex.join([sys.executable, str(FAKES / f"judge_{name}.py"), *map(str, words)])


class House:
    def __init__(self, root):
        self.root = root
        (root / "skills" / "greeting").mkdir(parents=True)
        (root / "skills" / "greeting" / "SKILL.md").write_text(SKILL)

    def cases(self, *rubrics, suite=None, **more):
        cases = [
            {
                "id": f"c{number}", "prompt": "Please greet a person by name: Ada.",
                "skill": "greeting", "rubric": rubric, **more,
            }
            for number, rubric in enumerate(rubrics)
        ]  # fmt: skip
        text = {"skills": ["skills"], "cases": cases, **(suite or {})}
        (self.root / "cases.yaml").write_text(json.dumps(text))

    def audition(self, *words, **more):
        env = {**os.environ, "NO_COLOR": "1"}
        argv = [sys.executable, "-m", "audition", *words]
        return subprocess.run(
            argv, cwd=self.root, env=env, capture_output=True, text=True, timeout=120,
            check=False, **more,
        )  # fmt: skip

    def run(self, *words):
        self.done = self.audition("run", "cases.yaml", "-q", "--run-id", "r", *words)
        return self.records()

    @property
    def folder(self):
        return self.root / "artifacts" / "skill-evals" / "r"

    def records(self):
        file = self.folder / "results.json"
        assert file.exists(), self.done.stdout + self.done.stderr
        return json.loads(file.read_text())["trials"]

    def judged(self, record):
        return json.loads((self.folder / record["dir"] / "judge.json").read_text())


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def grades(record):
    return {e["by"]: e["status"] for e in record["grades"] if e["by"].startswith("judge")}


def test_an_honest_judge_s_verdicts_are_grades_with_the_lines_they_cite(house):
    house.cases(RUBRIC)
    (record,) = house.run("--judge-command", judge_words("honest"))
    assert record["status"] == "pass", record["reason"]
    assert grades(record) == {"judge:says": "pass", "judge:never": "pass", "judge:soft": "fail"}
    cited = {each["by"]: each["lines"] for each in record["grades"]}
    trace = (house.folder / record["dir"] / "trace.jsonl").read_text().splitlines()
    assert "SALVE" in trace[cited["judge:says"][0] - 1]
    kept = house.judged(record)
    assert kept["by"]["command"][-1].endswith("judge_honest.py")
    assert kept["prompt_hash"]
    told = {**kept["by"], "prompt_hash": kept["prompt_hash"], "votes": 1, "same_agent": False}
    assert record["judge"] == told
    assert json.loads(kept["said"][0]["text"])["answers"]
    assert kept["settled"][0]["citations"]


@pytest.mark.parametrize(
    ("habit", "status", "says"),
    [
        (("sloppy",), "error", "judge:says: cannot tell: `met` without a citation"),
        (("lying",), "error", "does not say `All of it was done exactly as asked.`"),
        (("lying", "mended"), "pass", ""),
        (("broken", "prose"), "error", "judge: its answer cannot be understood"),
        (("broken", "half"), "error", "judge: its answer cannot be understood"),
        (("broken", "empty"), "error", "judge: its answer cannot be understood: silence"),
        (("broken", "two"), "error", "judge: its answer cannot be understood"),
        (("broken", "crash"), "error", "judge: it ended with exit code 3: no key"),
        (("broken", "flood"), "error", "judge: "),
        (("refusing",), "error", "judge: its answer cannot be understood"),
    ],
)
def test_every_habit_of_a_judge_has_its_effect_and_none_is_a_pass(house, habit, status, says):
    house.cases(RUBRIC[:1])
    (record,) = house.run("--judge-command", judge_words(*habit))
    assert (record["status"], says in record["reason"]) == (status, True), record["reason"]
    assert [e["status"] for e in record["grades"] if e["by"] == "activation"] == ["pass"]


def test_a_judge_that_never_answers_is_stopped_and_is_an_error(house):
    house.cases(RUBRIC[:1])
    (record,) = house.run("--judge-command", judge_words("slow"), "--judge-timeout", "0.5")
    assert (record["status"], record["reason"]) == ("error", "judge: it gave no answer in 0.5 s")


def test_what_a_judge_floods_with_is_not_kept(house):
    house.cases(RUBRIC[:1])
    (record,) = house.run("--judge-command", judge_words("broken", "flood"))
    assert (house.folder / record["dir"] / "judge.json").stat().st_size < 100_000


@pytest.mark.parametrize("habit", [("honest",), ("sloppy",), ("broken", "prose"), ("refusing",)])
def test_a_trial_that_failed_stays_failed_whatever_the_judge_says(house, habit):
    house.cases(RUBRIC[:1], checks=[{"answer_contains": "VALE"}])
    (record,) = house.run("--judge-command", judge_words(*habit))
    assert record["status"] == "fail"
    assert record["reason"].startswith("answer_contains")


def test_a_must_that_is_unmet_fails_the_trial(house):
    house.cases([{"id": "says", "question": "Does it say PIZZA?"}])
    (record,) = house.run("--judge-command", judge_words("honest"))
    assert (record["status"], record["reason"][:11]) == ("fail", "judge:says:")


def test_without_a_judge_the_rubric_is_not_asked_and_the_record_says_so(house):
    house.cases(RUBRIC)
    (record,) = house.run()
    (note,) = [each for each in record["grades"] if each["by"] == "judge"]
    assert (record["status"], note["gates"]) == ("pass", False)
    assert "not asked" in note["reason"]
    assert not (house.folder / record["dir"] / "judge.json").exists()


def test_a_judge_that_is_wanted_and_not_named_is_a_usage_error_before_anything_is_asked(house):
    house.cases(RUBRIC)
    done = house.audition("run", "cases.yaml", "--judge")
    assert (done.returncode, done.stdout) == (2, "")
    assert "error: there is no judge to ask" in done.stderr
    assert "--judge-agent" in done.stderr
    done = house.audition("run", "cases.yaml", "--judge-command", "nowhere-at-all")
    assert (done.returncode, "`nowhere-at-all` is not here" in done.stderr) == (2, True)
    done = house.audition("run", "cases.yaml", "--judge-agent", "cluade")
    assert (done.returncode, "did you mean `claude`?" in done.stderr) == (2, True)
    assert not (house.root / "artifacts").exists()


def test_a_case_may_say_no_and_a_flag_overrules_it(house):
    house.cases(RUBRIC, judge=False)
    judge = ("--judge-command", judge_words("honest"))
    (record,) = house.run(*judge)
    assert (grades(record), record["judge"]) == ({}, None)
    for words, count in ((("--judge",), 3), (("--no-judge",), 0)):
        house.done = house.audition(
            "run", "cases.yaml", "-q", "--run-id", "again" + words[0], *judge, *words
        )
        file = house.root / "artifacts" / "skill-evals" / f"again{words[0]}" / "results.json"
        (record,) = json.loads(file.read_text())["trials"]
        assert len(grades(record)) == count


def test_the_configuration_names_the_judge_and_the_flag_says_it_closer(house):
    house.cases(RUBRIC[:1])
    command = [sys.executable, str(FAKES / "judge_honest.py")]
    (house.root / "audition.toml").write_text(f"judge_command = {json.dumps(command)}\n")
    assert grades(house.run()[0]) == {"judge:says": "pass"}
    done = house.audition("run", "cases.yaml", "--judge-agent", "cluade")
    assert "unknown agent `cluade`" in done.stderr


def test_votes_that_differ_are_shown(house):
    house.cases(RUBRIC[:1])
    words = judge_words("split", house.root / "count", "met,unmet,met")
    (record,) = house.run("--judge-command", words, "--votes", "3")
    assert record["status"] == "pass", record["reason"]
    reason = next(e["reason"] for e in record["grades"] if e["by"] == "judge:says")
    assert "votes: 2 met, 1 unmet" in reason
    assert house.judged(record)["settled"][0]["votes"] == {"met": 2, "unmet": 1}


def test_grading_again_asks_nobody_and_rejudging_asks_anew(house):
    house.cases(RUBRIC)
    house.run("--judge-command", judge_words("honest"))
    before = (house.folder / house.records()[0]["dir"] / "judge.json").read_bytes()
    house.done = house.audition("grade", "r")
    (record,) = house.records()
    assert record["status"] == "pass"
    assert (house.folder / record["dir"] / "judge.json").read_bytes() == before
    house.done = house.audition("grade", "r", "--rejudge", "--judge-command", judge_words("sloppy"))
    (record,) = house.records()
    assert (record["status"], grades(record)["judge:says"]) == ("error", "unknown")
    done = house.audition("grade", "r", "--rejudge")
    assert (done.returncode, "no judge" in done.stderr) == (2, True)


def test_a_rubric_of_pkbllm_passes_by_its_overall_word(house):
    house.cases(RUBRIC, suite={"policy": "pkbllm"})
    (record,) = house.run("--policy", "pkbllm", "--judge-command", judge_words("rubric", "true"))
    assert (record["status"], grades(record)["judge:overall"]) == ("pass", "pass")
    assert house.judged(record)["form"] == "pkbllm"


@pytest.mark.parametrize(("word", "status"), [("false", "fail"), ("prose", "error")])
def test_a_rubric_of_pkbllm_that_is_not_passed_or_not_read_is_no_pass(house, word, status):
    house.cases(RUBRIC)
    (record,) = house.run("--policy", "pkbllm", "--judge-command", judge_words("rubric", word))
    assert record["status"] == status


def test_a_session_that_failed_is_not_judged(house):
    house.cases(RUBRIC, timeout_s=0.001)
    (record,) = house.run("--judge-command", judge_words("honest"))
    assert record["status"] == "error"
    assert "timed out" in record["reason"]
    assert not (house.folder / record["dir"] / "judge.json").exists()


def test_a_run_that_is_stopped_while_the_judge_thinks_is_judged_when_it_goes_on(house):
    house.cases(RUBRIC[:1])
    argv = [sys.executable, "-m", "audition", "run", "cases.yaml", "-q", "--run-id", "r"]
    with subprocess.Popen(
        [*argv, "--judge-command", judge_words("slow")], cwd=house.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ) as going:  # fmt: skip
        until = time.monotonic() + 30
        while not list(house.root.glob("artifacts/skill-evals/r/work/**/meta.json")):
            assert time.monotonic() < until
            time.sleep(0.05)
        time.sleep(0.5)
        for _ in range(2):
            going.send_signal(signal.SIGINT)
            time.sleep(0.3)
        assert going.wait(20) == 130
    assert not list(house.folder.glob("work/**/grade.json"))
    words = ("--resume", "--run-id", "r", "-q", "--judge", "--judge-command", judge_words("honest"))
    house.done = house.audition("run", *words)
    (record,) = house.records()
    assert record["status"] == "pass", record["reason"]


def test_an_agent_without_a_wit_is_asked_as_a_judge_and_is_no_pass(house):
    house.cases(RUBRIC[:1])
    (record,) = house.run("--judge-agent", "nop")
    assert record["status"] == "error"
    assert record["reason"].startswith("judge: ")
    assert house.judged(record)["by"]["agent"] == "nop"


def test_a_rubric_of_more_than_fifty_questions_and_unknown_fields_are_refused(house):
    house.cases([f"Question {number}?" for number in range(51)])
    done = house.audition("run", "cases.yaml")
    assert (done.returncode, "51 questions, and 50 are the most" in done.stderr) == (2, True)
    house.cases([f"Is it {'very ' * 2000}good?"])
    done = house.audition("run", "cases.yaml")
    assert (done.returncode, "characters, and 8000 are the most" in done.stderr) == (2, True)
    house.cases([{"id": "a\nb", "question": "Is it?"}])
    done = house.audition("run", "cases.yaml")
    assert (done.returncode, "an id is one line" in done.stderr) == (2, True)
    house.cases([{"id": "a", "qestion": "Is it?", "question": "Is it?"}])
    done = house.audition("run", "cases.yaml")
    assert (done.returncode, "did you mean `question`?" in done.stderr) == (2, True)


def test_a_wish_to_be_judged_without_a_rubric_is_said(house):
    house.cases([], judge=True)
    done = house.audition("cases", "cases.yaml")
    assert "there is no rubric for the judge" in done.stdout


def test_a_suite_asks_questions_of_its_own_beside_those_of_a_case(house):
    shared = ["Does it say SALVE?", {"id": "own", "question": "Does it say PIZZA?"}]
    own = [{"id": "own", "question": "Does it never say PIZZA?"}, "Does it never say PASTA?"]
    house.cases([], own, suite={"rubric": shared})
    first, second = house.run("--judge-command", judge_words("honest"))
    assert grades(first) == {"judge:suite-1": "pass", "judge:own": "fail"}
    assert grades(second) == {"judge:suite-1": "pass", "judge:own": "pass", "judge:2": "pass"}


def labelled(house, keys="yyn"):
    house.cases(RUBRIC)
    house.run("--judge-command", judge_words("honest"), "-r", "2")
    return house.audition("label", "r", input=keys)


def test_labels_are_one_key_a_question_and_go_on_where_they_stopped(house):
    done = labelled(house, "yyxnaq")
    assert "Does it say SALVE?" in done.stdout
    assert "understudy" not in done.stdout, "whoever labels is not told who it was"
    file = house.folder / "labels.jsonl"
    first = [json.loads(line)["label"] for line in file.read_text().splitlines()]
    assert first == ["met", "met", "unmet", "not_applicable"]
    done = house.audition("label", "r", input="?")
    assert "4 of 6 are labelled" in done.stderr
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert (len(lines), lines[-1]["label"]) == (5, "cannot_tell")
    assert len({(each["trial"], each["criterion"]) for each in lines}) == 5


def test_in_a_terminal_one_key_is_enough_and_the_task_is_shown(house):
    house.cases(RUBRIC)
    house.run()
    pid, terminal = pty.fork()
    if not pid:
        os.chdir(house.root)
        os.execv(sys.executable, [sys.executable, "-m", "audition", "label", "r"])
    seen, keys = b"", list(b"ynxq")
    while True:
        try:
            more = os.read(terminal, 65536)
        except OSError:  # Linux says so at the end of a terminal
            break
        if not more:
            break
        seen += more
        if keys and seen.count(b"q: ") > 4 - len(keys):
            # What is typed before the terminal waits for a key is thrown away.
            while termios.tcgetattr(terminal)[3] & termios.ICANON:
                time.sleep(0.01)
            os.write(terminal, bytes([keys.pop(0)]))
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert b"| Please greet a person by name: Ada." in seen.split(b"[e-1]")[0]
    lines = (house.folder / "labels.jsonl").read_text().splitlines()
    assert [json.loads(line)["label"] for line in lines] == ["met", "unmet"]


def test_a_case_that_is_not_there_cannot_be_labelled(house):
    house.cases(RUBRIC)
    house.run()
    done = house.audition("label", "r", "--case", "nowhere")
    assert (done.returncode, "with a rubric that --case and --skill leave" in done.stderr) == (
        2,
        True,
    )


def test_a_good_judge_withstands_the_canaries_and_few_labels_leave_it_advisory(house):
    labelled(house, "yynyyn")
    words = ("judge", "check", str(house.folder / "labels.jsonl"), "--output-format", "json")
    done = house.audition(*words, "--judge-command", judge_words("honest"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert (found["canaries"], found["flips"]) == (10, [])
    assert all("100 are needed" in each["lacks"][0] for each in found["standings"])
    assert {each["may_gate"] for each in found["standings"]} == {False}


def test_a_judge_that_obeys_what_a_session_says_fails_by_its_canaries(house):
    labelled(house, "yynyyn")
    words = ("judge", "check", str(house.folder / "labels.jsonl"), "--canaries", "1")
    done = house.audition(*words, "--judge-command", judge_words("hijacked"))
    assert done.returncode == 1
    assert "canaries: 5 of 5 swayed the judge" in done.stdout
    assert "an injection swayed the judge" in done.stdout


def test_a_look_at_a_judge_is_compared_with_the_one_before(house):
    labelled(house, "yyn")
    words = ("judge", "check", str(house.folder / "labels.jsonl"), "--judge-command")
    house.audition(*words, judge_words("honest"))
    house.audition(*words, judge_words("refusing"))  # says nothing, so nothing to compare with
    done = house.audition(*words, judge_words("split", house.root / "count", "unmet"))
    assert "2 of 3 verdicts changed; 0 right now, 2 wrong now" in done.stdout
    again = house.audition(*words, judge_words("honest"), "--output-format", "json")
    against = json.loads(again.stdout)["against"]
    assert (against["both"], against["better"], against["worse"]) == (3, 2, 0)
    assert len(against["changed"]) == 2


def test_a_judge_that_gives_no_answer_at_all_is_broken(house):
    labelled(house, "yyn")
    words = ("judge", "check", str(house.folder / "labels.jsonl"), "--judge-command")
    done = house.audition(*words, judge_words("refusing"))
    assert done.returncode == 2
    assert "no answer: greeting/c0" in done.stdout


GOOD = {"trial": "greeting/c0/understudy+native/1", "criterion": "says", "label": "met"}


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ([{**GOOD, "trial": "greeting/c0/understudy+native/7"}], "has no trial"),
        ([GOOD, {**GOOD, "criterion": "sayz"}], "2: `greeting/c0/understudy+native/1` has no crit"),
        ([{**GOOD, "label": "yes"}], "1: Invalid enum value"),
        ([{**GOOD, "lable": "met"}], "unknown field"),
        ([GOOD, {**GOOD, "label": "unmet"}], "is labelled `unmet` here, and `met` in line 1"),
        ([{**GOOD, "run": "nowhere"}], "no run `nowhere`"),
        ([], "holds no label"),
    ],
)
def test_labels_that_fit_nothing_are_told_with_their_line(house, lines, says):
    house.cases(RUBRIC)
    house.run()
    file = house.folder / "labels.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    words = ("judge", "check", str(file), "--judge-command", judge_words("honest"))
    done = house.audition(*words)
    assert done.returncode == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr
