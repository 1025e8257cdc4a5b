"""`audition trace` from outside: what it prints, and how it fails."""

import json
import os
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest
from click.testing import CliRunner

from audition import agent as agent_room
from audition import trace_file
from audition.commands.trace import trace
from audition.trace_file import Cut, numbered_lines

TRACES = Path(__file__).parent / "traces" / "claude" / "2.1.327"
KEYS = ["agent", "events", "skills", "end", "usage", "answer", "turns", "commands", "unread"]


def audition(*words, stdin=b""):
    done = subprocess.run(
        [sys.executable, "-m", "audition", "trace", *map(str, words)],
        input=stdin,
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def as_json(*words):
    done = CliRunner().invoke(trace, [*map(str, words), "--output-format", "json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.output)


@pytest.fixture
def skills(tmp_path):
    for name in ("greeting", "configurator"):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        text = f"---\nname: {name}\ndescription: Does {name}.\n---\n\n# {name}\n"
        (folder / "SKILL.md").write_text(text)
    (tmp_path / "skills/configurator/templates").mkdir()
    (tmp_path / "skills/configurator/templates/config.json").write_text("{}")
    return tmp_path / "skills"


def test_json_has_all_that_the_contract_names(skills):
    found = as_json(TRACES / "03_resource_load.jsonl", "--agent", "claude", "--skills", skills)
    assert set(KEYS) <= set(found)
    assert found["agent"] == "claude"
    assert found["end"] == {"status": "completed", "reason": ""}
    assert found["usage"]["input_tokens"] == 400
    assert found["commands"] == {"total": 0, "effective": 0}
    assert found["unread"] == 0
    by_name = {each["skill"]: each for each in found["skills"]}
    assert by_name["configurator"]["rung"] == "read"
    assert by_name["configurator"]["resources"] == ["templates/config.json"]
    assert by_name["greeting"]["rung"] == "none"
    assert {each["kind"] for each in found["events"]} >= {"call", "result", "message", "end"}


def test_usage_that_is_unknown_is_null():
    assert as_json(TRACES / "36_sigterm.jsonl", "--agent", "claude")["usage"] is None


def test_a_prompt_may_name_a_skill(skills):
    file = TRACES / "29_slash_invocation.jsonl"
    found = as_json(file, "--agent", "claude", "--skills", skills, "--prompt", "/greeting Ada")
    (greeting,) = [each for each in found["skills"] if each["skill"] == "greeting"]
    assert (greeting["rung"], greeting["how"]) == ("loaded", "injected")


def test_text_marks_the_lines_that_prove_something():
    code, out, _ = audition(TRACES / "01_activation.jsonl", "--agent", "claude")
    assert code == 0
    assert "    3 call Skill  ◀ skill `greeting` loaded (skill-tool)" in out
    assert "end: completed" in out


def test_control_characters_never_reach_the_screen(tmp_path):
    text = "\x1b[2J\x1b]0;x\x07 \u202e"
    block = {"type": "text", "text": text}
    file = tmp_path / "evil.jsonl"
    file.write_text(json.dumps({"type": "assistant", "message": {"content": [block]}}))
    _, out, _ = audition(file, "--agent", "claude")
    assert "\x1b" not in out
    assert "\x07" not in out
    assert "\u202e" not in out


def test_a_dash_reads_standard_input():
    raw = (TRACES / "02_no_activation.jsonl").read_bytes()
    code, out, _ = audition("-", "--agent", "claude", "--output-format", "json", stdin=raw)
    assert (code, json.loads(out)["answer"]) == (0, "2 + 2 is 4.")


def test_a_pipe_is_read_as_a_file_is(tmp_path):
    pipe, file = tmp_path / "pipe", TRACES / "02_no_activation.jsonl"
    os.mkfifo(pipe)
    with subprocess.Popen(["cp", str(file), str(pipe)]) as writer:
        said = audition(pipe, "--agent", "claude")
        assert writer.wait(timeout=30) == 0
    assert said == audition(file, "--agent", "claude")


def test_a_file_that_is_not_there_is_an_error_with_the_nearest_name():
    code, out, err = audition(TRACES / "01_activaton.jsonl", "--agent", "claude")
    assert (code, out) == (2, "")
    assert "is not there" in err
    assert "01_activation.jsonl" in err


def test_a_folder_is_no_session():
    code, _, err = audition(TRACES, "--agent", "claude")
    assert code == 2
    assert "is a folder" in err


def test_an_unknown_agent_is_an_error_with_the_nearest_name():
    code, _, err = audition(TRACES / "01_activation.jsonl", "--agent", "cluade")
    assert code == 2
    assert "`claude`" in err


@pytest.mark.parametrize("text", ["# hello\n\nworld\n", "hello", '{"x": 1}', "{half\n", "{a\n{b"])
def test_what_is_no_session_is_an_error(tmp_path, text):
    file = tmp_path / "notes.md"
    file.write_text(text)
    code, out, err = audition(file, "--agent", "claude")
    assert (code, out) == (2, "")
    assert "nothing is understood" in err


@pytest.mark.parametrize(("text", "unread"), [("", 0), ("\n\n", 0), ('{"type":"system","subt', 1)])
def test_a_session_cut_off_before_its_first_event_has_no_end(tmp_path, text, unread):
    file = tmp_path / "session.jsonl"
    file.write_text(text)
    code, out, err = audition(file, "--agent", "claude", "--output-format", "json")
    told = json.loads(out)
    assert code == 0
    assert (told["events"], told["unread"], told["usage"]) == ([], unread, None)
    assert told["end"] == {"status": "interrupted", "reason": "no terminal event"}
    assert ("is empty" in err) is (unread == 0)


def test_an_agent_that_is_made_with_a_command_reads_without_it(tmp_path):
    file = tmp_path / "session.jsonl"
    update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Hi"}}
    said = {"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}}
    file.write_text(json.dumps({"t": 1.0, "dir": "in", "msg": said}) + "\n")
    code, out, _ = audition(file, "--agent", "acp", "--output-format", "json")
    assert code == 0
    assert json.loads(out)["agent"] == "acp"


def test_another_agent_that_understands_is_named():
    code, _, err = audition(TRACES / "01_activation.jsonl", "--agent", "understudy")
    assert code == 2
    assert "--agent claude" in err


def test_skills_that_are_not_there_are_an_error(tmp_path):
    file = TRACES / "01_activation.jsonl"
    code, _, err = audition(file, "--agent", "claude", "--skills", tmp_path / "nope")
    assert code == 2
    assert "no folder" in err


def test_a_line_longer_than_the_cap_is_cut_and_the_next_one_is_whole(tmp_path):
    file = tmp_path / "long"
    file.write_bytes(b"a" * 5000 + b"\n" + b"b" * 100 + b"\n" + b"c" * 101 + b"\nend")
    cut = Cut()
    lines = list(numbered_lines(file, cut, 100))
    assert cut.happened
    assert [(number, raw[:1]) for number, raw in lines] == [
        (1, b"a"),
        (2, b"b"),
        (3, b"c"),
        (4, b"e"),
    ]
    assert lines[1][1] == b"b" * 100 + b"\n"


def test_a_line_of_just_the_cap_is_whole(tmp_path):
    file = tmp_path / "fits"
    file.write_bytes(b"a" * 100 + b"\n" + b"b" * 100)
    cut = Cut()
    assert [len(raw) for _, raw in numbered_lines(file, cut, 100)] == [101, 100]
    assert not cut.happened


def test_a_huge_line_is_not_held(tmp_path):
    file = tmp_path / "huge"
    with file.open("wb") as stream:
        stream.truncate(600 * 1024 * 1024)  # a sparse file: one line of zeros
    tracemalloc.start()
    try:
        lines = sum(1 for _ in numbered_lines(file))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lines == 1
    assert peak < 3 * trace_file.LINE_CAP


def test_the_two_caps_are_one():
    assert agent_room.LINE_CAP == trace_file.LINE_CAP
