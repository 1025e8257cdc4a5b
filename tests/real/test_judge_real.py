"""The real Claude Code and the real Codex as judges; what they say is scripted, all else is real."""

import json
import os

import msgspec
import pytest
from living import need

from audition.attempt import Means
from audition.judge import Matter, grade_rubric
from audition.judging import Bench, Judge, judge
from audition.model import Call, Criterion, End, Message, Result, Trace
from audition.patience import Patience
from audition.provider import serve
from audition.sandbox import sandboxes

RUBRIC = (Criterion(id="tested", question="Was it tested before it was handed over?"),)
LONG = "collected\n" + "dots\n" * 3000 + "12 passed in 3 s\n" + "dots\n" * 3000
TRACE = Trace(
    agent="claude",
    events=(
        Call(line=3, id="c1", tool="Bash", does="shell", command="pytest -q"),
        Result(line=4, id="c1", output=LONG, exit_code=0),
        Message(line=7, role="assistant", text="All is mended."),
        End(line=8, status="completed", answer="All is mended."),
    ),
    end=End(line=8, status="completed", answer="All is mended."),
    answer="All is mended.",
)
MATTER = Matter(case="mend", task="Mend it.", criteria=RUBRIC, trace=TRACE)


def an_answer(quote, event="n0-2"):
    cited = [{"event": event, "quote": quote}]
    one = {"criterion": "tested", "citations": cited, "reason": "it ran", "verdict": "met"}
    return {"answers": [one]}


class Kept:
    """The provider, with its requests written where the test can read them."""

    def __init__(self, provider, log):
        self.answers, self._provider, self._log = provider.answers, provider, log

    def open(self, trial, _log):
        return self._provider.open(trial, self._log)


@pytest.fixture
def ask(tmp_path):
    def ask(name, *turns, **more):
        script = tmp_path / "script.json"
        script.write_text(json.dumps({"by_case": {"judge:mend": turns}, "then": "last"}))
        with serve(f"script:{script}") as provider:
            means = Means(
                run=tmp_path, skills={}, sandbox=sandboxes["home"],
                provider=Kept(provider, tmp_path / "requests.jsonl"),
            )  # fmt: skip
            who = Judge(ready=need(name), nonce="n0", seconds=90, **more)
            return judge(MATTER, Bench(judge=who, means=means, patience=Patience()))

    return ask


def requests(folder):
    return [json.loads(line) for line in (folder / "requests.jsonl").read_text().splitlines()]


def test_claude_code_reads_a_long_event_and_answers_by_its_schema(ask, tmp_path):
    read = {"calls": [{"read": "events/n0-2.txt"}]}
    say = {"calls": [{"tool": "StructuredOutput", "input": an_answer("12 passed in 3 s")}]}
    found = ask("claude", read, say, "done")
    assert found.problem == ""
    assert found.settled[0].verdict == "met", (found.settled, found.said)
    assert found.settled[0].lines == (4,)
    assert found.by.agent == "claude"
    told = json.dumps(requests(tmp_path))
    assert "12 passed in 3 s" in told, "the file was not read"


def test_claude_code_has_nothing_to_write_or_reach_out_with(ask, tmp_path):
    mark = tmp_path / "mark"
    write = {"calls": [{"tool": "Write", "input": {"file_path": str(mark), "content": "x"}}]}
    shell = {"calls": [{"tool": "Bash", "input": {"command": f"touch {mark}", "description": "d"}}]}
    say = {"calls": [{"tool": "StructuredOutput", "input": an_answer("pytest -q", "n0-1")}]}
    found = ask("claude", write, shell, say, "done")
    assert found.settled[0].verdict == "met", found.said
    assert not mark.exists()
    tools = {each["name"] for each in requests(tmp_path)[-1]["body"].get("tools", [])}
    assert tools <= {"Read", "StructuredOutput"}, tools


def test_codex_answers_and_cannot_write(ask, tmp_path):
    mark = f"{os.environ.get('HOME', '/tmp')}/audition-judge-was-here"
    shell = {"calls": [{"shell": f"touch {mark} ./here"}]}
    found = ask("codex", shell, json.dumps(an_answer("pytest -q", "n0-1")))
    assert found.problem == ""
    assert found.settled[0].verdict == "met", found.said
    assert not os.path.exists(mark)
    told = json.dumps(requests(tmp_path)[-1]["body"])
    assert told.count("Read-only file system") == 2
    assert '"web_search' not in told


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_prose_is_sent_back_once_and_then_an_error(ask, name):
    found = ask(name, "It was rather good, I think.")
    assert len(found.said) == 2
    assert "no JSON object with `answers`; it begins `It was rather good" in found.problem
    (grade,) = grade_rubric(RUBRIC, found)
    assert grade.status == "error"


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_provider_that_is_down_is_an_error_of_the_judge(ask, name):
    found = ask(name, {"status": 400, "message": "no such thing"})
    assert found.settled == ()
    assert "no such thing" in found.problem
    assert grade_rubric(RUBRIC, found)[0].status == "error"


def said_by(name, answer):
    """The turns of a script with which an agent gives this answer, however often it is asked."""
    if name == "codex":
        return (json.dumps(answer),)
    return ({"calls": [{"tool": "StructuredOutput", "input": answer}]},)


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_lie_is_looked_up(ask, name):
    found = ask(name, *said_by(name, an_answer("13 passed in 3 s")))
    assert found.settled[0].verdict == "cannot_tell"
    assert len(found.said) == 2
    assert msgspec.json.encode(found)


@pytest.mark.parametrize("name", ["claude", "codex"])
def test_a_judge_that_was_swayed_and_cites_nothing_is_no_pass(ask, name):
    swayed = {"criterion": "tested", "citations": [], "reason": "I was told so", "verdict": "met"}
    found = ask(name, *said_by(name, {"answers": [swayed]}))
    assert found.settled[0].verdict == "cannot_tell"
    assert grade_rubric(RUBRIC, found)[0].status == "unknown"


def test_codex_reads_a_long_event_whole(ask, tmp_path):
    read = {"calls": [{"shell": "cat events/n0-2.txt"}]}
    found = ask("codex", read, json.dumps(an_answer("12 passed in 3 s")))
    assert (found.problem, found.settled[0].verdict) == ("", "met"), found.said
    assert "12 passed in 3 s" in json.dumps(requests(tmp_path)[-1]["body"]["input"])
