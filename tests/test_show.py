"""`audition show`: a run, or one session with its evidence; nothing an agent says acts."""

import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pytest
import stored
from hypothesis import given
from hypothesis import strategies as st

from audition.cli import run_words
from audition.model import (
    Call,
    Changes,
    Denial,
    End,
    Evidence,
    Fault,
    Grade,
    Message,
    Offer,
    Result,
    Trace,
    Usage,
)
from audition.session_text import (
    SHOWN_CHARS,
    Session,
    code,
    fence,
    make_steps,
    session_as_markdown,
    session_as_text,
    visible,
)

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A real run of the bundled examples, asked of the embedded agent."""
    out = tmp_path_factory.mktemp("shown")
    words = ["run", str(EXAMPLES), "--skill", "greeting", "--run-id", "r", "--out", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "audition", *words], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return out


@pytest.fixture
def copy(made, tmp_path):
    shutil.copytree(made / "r", tmp_path / "r")
    return tmp_path


def show(out, capfd, *words):
    exit_code = run_words(["show", "--out", str(out), *words])
    said, talk = capfd.readouterr()
    return exit_code, said, talk


def first_trial(out):
    return json.loads((out / "r" / "results.json").read_text())["trials"][0]


def test_a_run_is_shown_as_its_summary(made, capfd):
    exit_code, said, _ = show(made, capfd)
    assert exit_code == 0
    assert "greeting" in said
    assert show(made, capfd, "last")[1] == show(made, capfd, "r")[1] == said
    _, told, _ = show(made, capfd, "r", "--output-format", "json")
    assert json.loads(told) == json.loads((made / "r" / "summary.json").read_text())
    _, lines, _ = show(made, capfd, "r", "--output-format", "jsonl")
    assert [json.loads(line)["id"] for line in lines.splitlines()] == [
        each["id"] for each in json.loads((made / "r" / "results.json").read_text())["trials"]
    ]


def test_a_trial_is_shown_with_its_evidence_at_its_lines(made, capfd):
    trial = first_trial(made)
    exit_code, said, _ = show(made, capfd, f"r::{trial['id']}")
    assert exit_code == 0
    assert said.startswith(trial["id"] + "\npass\n")
    (evidence,) = (each for each in trial["skills"] if each["skill"] == "greeting")
    marked = next(
        line for line in said.splitlines() if line.startswith(f"{evidence['lines'][0]:>5} ")
    )
    assert f"◀ skill `greeting` {evidence['rung']} (skill-tool)" in marked
    assert "activation: pass" in marked
    prompt = next(
        json.loads(line)["case"]["prompt"]
        for line in (made / "r" / "plan.jsonl").read_text().splitlines()
        if json.loads(line)["id"] == trial["id"]
    )
    assert prompt.splitlines()[0] in said


def test_an_agent_that_did_not_run_took_no_time(capfd, tmp_path):
    text = f"skills: ['{EXAMPLES}/skills/greeting']\ncases: [{{id: a, prompt: x, skill: greeting}}]"
    (tmp_path / "cases.yaml").write_text(text)
    words = ["run", str(tmp_path / "cases.yaml"), "-d", "mcp", "--run-id", "r"]
    assert run_words([*words, "--out", str(tmp_path)]) == 2
    capfd.readouterr()
    _, said, _ = show(tmp_path, capfd, "r::a")
    assert "ineligible: understudy does not take the delivery `mcp`" in said
    assert "(the agent did not run)\n" in said
    assert "0.0 s" not in said


def test_a_trial_is_shown_as_markdown_and_as_json(made, capfd):
    trial = first_trial(made)
    _, text, _ = show(made, capfd, f"r::{trial['id']}", "--output-format", "markdown")
    assert text.startswith(f"# `{trial['id']}`\n")
    assert "◀ ``skill `greeting`" in text
    _, told, _ = show(made, capfd, f"r::{trial['id']}", "--output-format", "json")
    told = json.loads(told)
    assert told["record"] == trial
    assert {each["kind"] for each in told["trace"]["events"]} >= {
        "message",
        "call",
        "result",
        "end",
    }


def test_a_part_of_a_trial_s_name_is_enough_where_only_one_has_it(made, capfd):
    case = first_trial(made)["case"]
    assert (
        show(made, capfd, f"r::{case}/")[:2]
        == show(made, capfd, f"r::{first_trial(made)['id']}")[:2]
    )
    exit_code, said, talk = show(made, capfd, "r::greeting")
    assert (exit_code, said) == (2, "")
    assert re.search(r"may be \d+ trials", talk)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("r::greting/greeting-explicit/understudy+native/1", "did you mean `greeting/greeting-exp"),
        ("r::greeting-explict", "did you mean `greeting-explicit`"),
        ("rr", "did you mean `r`"),
    ],
)
def test_an_unknown_name_gets_the_nearest(made, capfd, what, words):
    exit_code, said, talk = show(made, capfd, what)
    assert (exit_code, said) == (2, "")
    assert words in talk


def test_the_whole_name_of_a_case_is_no_part_of_another_one(tmp_path, capfd):
    cases = [{"id": each, "prompt": "x", "skill": "greeting"} for each in ("a", "ab", "b-a")]
    suite = {"skills": [str(EXAMPLES / "skills/greeting")], "cases": cases}
    (tmp_path / "cases.yaml").write_text(json.dumps(suite))
    words = ["run", str(tmp_path / "cases.yaml"), "-a", "nop", "--run-id", "r"]
    run_words([*words, "--out", str(tmp_path)])
    capfd.readouterr()
    for name in ("r::a", "r/::a", "r::greeting/a"):
        assert show(tmp_path, capfd, name)[1].startswith("greeting/a/nop+native/1\n")


def test_a_trial_of_the_skill_itself_is_meant_before_one_of_a_baseline(tmp_path, capfd):
    words = ["run", str(EXAMPLES / "greeting.cases.yaml"), "--baseline", "none"]
    run_words([*words, "--case", "greeting-explicit", "--run-id", "r", "--out", str(tmp_path)])
    capfd.readouterr()
    found = {
        words: show(tmp_path, capfd, f"r::{words}")[1].partition("\n")[0]
        for words in ("greeting-explicit", "understudy+n", "none@none")
    }
    assert found == {
        "greeting-explicit": "greeting/greeting-explicit/understudy+native/1",
        "understudy+n": "greeting/greeting-explicit/understudy+native/1",
        "none@none": "greeting/greeting-explicit/understudy+none@none/1",
    }


def test_a_case_that_two_files_have_is_not_taken_for_one(tmp_path, capfd):
    case = {"id": "same", "prompt": "x", "skill": "greeting"}
    suite = {"skills": [str(EXAMPLES / "skills/greeting")], "cases": [case]}
    for name in ("a", "b"):
        (tmp_path / f"{name}.cases.yaml").write_text(json.dumps(suite))
    run_words(["run", str(tmp_path), "-a", "nop", "--run-id", "r", "--out", str(tmp_path)])
    capfd.readouterr()
    exit_code, _, talk = show(tmp_path, capfd, "r::same")
    assert (exit_code, "`same` may be 2 trials" in talk) == (2, True)
    assert show(tmp_path, capfd, "r::greeting/same/nop+native/1")[0] == 0


def test_a_format_that_a_trial_has_not_is_refused(made, capfd):
    exit_code, _, talk = show(
        made, capfd, f"r::{first_trial(made)['id']}", "--output-format", "junit"
    )
    assert exit_code == 2
    assert "text, json or markdown" in talk


def test_a_damaged_grade_is_named_and_the_rest_is_shown(copy, capfd):
    trial = first_trial(copy)
    time.sleep(0.02)
    (copy / "r" / trial["dir"] / "grade.json").write_text("{")
    exit_code, said, talk = show(copy, capfd, "r")
    assert exit_code == 0
    assert f"{trial['dir']}/grade.json cannot be understood" in talk
    assert "greeting" in said
    exit_code, said, talk = show(copy, capfd, f"r::{trial['id']}")
    assert exit_code == 0
    assert "not graded" in said
    assert "cannot be understood" in talk


@pytest.mark.parametrize("file", ["meta.json", "trace.jsonl"])
def test_a_trial_that_misses_a_file_is_shown_as_far_as_it_goes_or_refused(copy, capfd, file):
    trial = first_trial(copy)
    (copy / "r" / trial["dir"] / file).unlink()
    exit_code, said, talk = show(copy, capfd, f"r::{trial['id']}")
    if file == "meta.json":
        assert exit_code == 2
        assert "holds no meta.json" in talk
    else:
        assert exit_code == 0
        assert "no trace was kept" in said


def test_a_folder_that_is_no_run_is_refused(tmp_path, capfd):
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "run.json").write_text("nonsense")
    exit_code, _, talk = show(tmp_path, capfd, "r")
    assert exit_code == 2
    assert "run.json cannot be understood" in talk


def session(*events, stderr="", **more):
    trial = stored.plan(1)[0]
    words = {"skills": (), "grades": (), **more}
    return Session(
        sealed=stored.sealed(trial),
        trace=Trace(agent="stub", events=events),
        record=stored.record(trial, **words),
        stderr=stderr,
    )


EVERYTHING = (
    Offer(line=1, skill="greeting", offered="full"),
    Message(line=2, role="user", text="hello"),
    Message(line=3, role="system", text="body", skill="greeting"),
    Call(line=4, tool="Skill", does="skill", input={"skill": "greeting", "n": 3}),
    Result(line=5, output="fine"),
    Call(line=6, tool="Bash", does="shell", command="ls -l", sub="helper"),
    Result(line=7, output="no", failed=True, exit_code=3),
    Denial(line=8, tool="Write", reason="not allowed"),
    Fault(line=9, what="rate_limit", text="slow down", retrying=True),
    Usage(line=10, input_tokens=5),
    Message(line=11, text="Hello, Ada"),
    End(line=12, status="completed"),
)


def test_every_kind_of_event_is_told():
    text = session_as_text(session(*EVERYTHING, stderr="warning: old\n"))
    for words in (
        *("    1 offered `greeting` (full)", "    2 user", "    3 system (skill `greeting`)"),
        *("    4 call Skill", "skill: greeting", "n: 3", "    5 result: ok", "fine"),
        *("    6 [helper] call Bash", "ls -l", "    7 result: failed, exit code 3"),
        *("    8 denied Write", "not allowed", "    9 fault: rate_limit, trying again"),
        *("   11 assistant", "Hello, Ada", "stderr, the end of it", "warning: old"),
        *("usage: unknown", "end: interrupted: no terminal event (exit code 0, 0.5 s)"),
    ):
        assert words in text


def test_marks_stand_at_their_lines_a_call_before_a_message():
    steps = make_steps(
        session(
            Message(line=1, text="I will"),
            Call(line=1, tool="Skill", sub="helper"),
            Result(line=2, output="ok"),
            skills=(
                Evidence(skill="a", rung="loaded", how="skill-tool", lines=(1, 2)),
                Evidence(skill="b", rung="offered", lines=(1,)),
            ),
            grades=(
                Grade(by="max_turns", status="fail", lines=(2, 9)),
                Grade(by="exit_code", status="pass"),
            ),
        )
    )
    assert [each.marks for each in steps] == [
        (),
        ("skill `a` loaded (skill-tool)",),
        ("skill `a`", "max_turns: fail", "max_turns: fail (line 9)"),
    ]


def test_what_the_agent_did_to_files_and_how_it_was_stopped_is_told():
    made = session()
    sealed = msgspec.structs.replace(
        made.sealed,
        stopped="timeout",
        exit_code=None,
        truncated=True,
        changes=Changes(added=("a",)),
    )
    text = session_as_text(msgspec.structs.replace(made, sealed=sealed))
    assert "exit code unknown, stopped by us (timeout)" in text
    assert "files added: a" in text
    assert "cut: " in text


def test_long_results_are_cut_and_say_so():
    text = session_as_text(session(Result(line=1, output="x" * 100_000)))
    assert len(text) < SHOWN_CHARS + 1000
    assert f"… {100_000 - SHOWN_CHARS:,} more characters" in text
    assert "… " in session_as_text(session(Result(line=1, output="x\n" * 500)))


HOSTILE = "\x1b[2J\x1b]0;owned\x07\r\b\x7f\x9b31m\u202egnp\u2028\u2066\ufeff\x00"


def every_text(text):
    return session(
        Message(line=1, text=text, skill=text, sub=text),
        Call(line=2, tool=text, input={text: text}),
        Call(line=3, tool=text, command=text),
        Result(line=4, output=text),
        Denial(line=5, tool=text, reason=text),
        Fault(line=6, text=text),
        Offer(line=7, skill=text),
        End(line=8, reason=text),
        stderr=text,
        reason=text,
        skills=(Evidence(skill=text, rung="loaded", lines=(2,)),),
        grades=(Grade(by=text, status="fail", reason=text, lines=(3,)),),
    )


@given(st.text(max_size=60) | st.just(HOSTILE))
def test_nothing_that_acts_on_a_terminal_gets_through(text):
    for write in (session_as_text, session_as_markdown):
        shown = write(every_text(text))
        shown.encode()
        assert not [
            each
            for each in shown
            if not each.isprintable() and each not in "\n\t\u200c\u200d" and not each.isspace()
        ]
        assert not set(shown) & set("\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")


def test_hidden_characters_are_shown_by_their_escapes():
    assert visible("a\x1b[31mb\u202ec\r\nd\re") == "a\\x1b[31mb\\u202ec\nd\\re"
    assert visible("tab\tné 😀 汉字\n") == "tab\tné 😀 汉字\n"


@given(st.text(alphabet="`~ \na", max_size=40))
def test_no_text_can_close_its_fence(text):
    block = fence(text).rstrip("\n").split("\n")
    marks = block[0].removesuffix("text")
    assert set(marks) == {"`"}
    assert block[-1] == marks
    assert not [line for line in block[1:-1] if marks in line]


@given(st.text(alphabet="`~ \na*|<", max_size=40))
def test_no_text_can_close_its_code_span(text):
    span = code(text)
    assert "\n" not in span
    if span:
        marks = re.match("`+", span)[0]
        assert re.findall(r"`+", span).count(marks) == 2
        assert span.endswith(marks)


def test_the_time_to_show_a_run_of_10000_trials_is_told(tmp_path, capsys):
    """Printed, not asserted: times belong to the benchmark."""
    stored.make_run(tmp_path, count=10_000, cases=1000)
    for words in (["show", "r"], ["status", "r"]):
        argv = [sys.executable, "-m", "audition", *words, "--out", str(tmp_path)]
        began = time.perf_counter()
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        took = time.perf_counter() - began
        assert done.returncode == 0, done.stderr
        assert "10000" in done.stdout.replace(",", "")
        with capsys.disabled():
            print(f"\n`{words[0]}` on 10,000 trials: {took:.2f} s")
