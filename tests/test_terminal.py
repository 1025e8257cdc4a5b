import io
import os
import pty
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from records import make_inputs, make_record

from audition.report.columns import aligned, cell_width, columns, plain
from audition.report.text import lay_out, write_text
from audition.summary.tally import summarise
from audition.terminal import Progress, print_summary, trial_line

HERE = str(Path(__file__).parent)
INPUTS = make_inputs("greeting", "style")
RECORDS = [
    *(make_record("pass", n) for n in range(8)),
    make_record("fail", 9, reason="it was not called \x1b[2J"),
    make_record("pass", 1, case="quiet", should_trigger=False),
    make_record("pass", 1, skill="style"),
    make_record("error", 2, skill="style", reason="rate limit"),
]
SUMMARY = summarise(RECORDS, INPUTS)

PAINT = """
import sys
from test_terminal import RECORDS, SUMMARY
from audition.terminal import Progress, print_summary
with Progress(total=len(RECORDS)) as progress:
    for record in RECORDS:
        progress.tell(record)
print_summary(SUMMARY, RECORDS)
print("rich", "rich" in sys.modules, file=sys.stderr)
"""


def on_a_terminal(env, program=PAINT):
    """What a program writes on a real pseudo-terminal, 100 columns wide."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ
        | {"PYTHONPATH": HERE, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40"}
        | env,
    )
    os.close(theirs)
    seen = b""
    try:
        while block := os.read(ours, 65536):
            seen += block
    except OSError:  # Linux says EIO when the other end is closed.
        pass
    os.close(ours)
    assert child.wait() == 0
    return seen.decode()


def test_a_terminal_gets_colour_and_no_control_character_of_a_stranger():
    seen = on_a_terminal({})
    assert "\x1b[32m" in seen
    assert "\x1b[2J" not in seen
    assert "\\x1b[2J" in seen
    assert "rich True" in seen


def test_no_color_is_obeyed_on_a_terminal():
    seen = on_a_terminal({"NO_COLOR": "1"})
    assert "\x1b[32m" not in seen
    assert "1 of 11 graded trials failed" in seen


def test_a_dumb_terminal_gets_plain_lines():
    assert "\x1b" not in on_a_terminal({"TERM": "dumb"})


def test_a_pipe_gets_plain_text_and_costs_no_import_of_rich():
    done = subprocess.run(
        [sys.executable, "-c", PAINT],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": HERE},
    )
    assert "rich False" in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert "PASS greeting/explicit/understudy+native/0  0.1 s\n" in done.stderr
    assert "ERROR style/explicit/understudy+native/2  0.1 s  rate limit\n" in done.stderr
    assert done.stdout.startswith("20260102-030405  12 trials  10 passed  1 failed  1 in error")


@pytest.mark.parametrize("width", [60, 80, 100, 120])
def test_no_line_but_names_and_commands_is_wider_than_the_terminal(width):
    for line in map(plain, lay_out(SUMMARY, RECORDS, width)):
        if "::" not in line and "understudy+native/" not in line:
            assert cell_width(line) <= width


def test_a_sentence_stays_on_one_line_where_no_terminal_shows_it():
    reason = " ".join(f"word-{number}" for number in range(30))
    record = make_record("fail", reason=reason)
    stream = io.StringIO()
    print_summary(summarise([record], make_inputs()), [record], stream=stream)
    assert reason in stream.getvalue()
    assert reason in write_text(summarise([record], make_inputs()), [record])


def test_positives_and_negatives_stand_apart_in_every_width():
    for width in (60, 80, 120):
        text = "\n".join(map(plain, lay_out(SUMMARY, RECORDS, width)))
        assert "POSITIVES" in text or "positives" in text
        assert re.search(r"8/9 +89%  \[56–99%\]", text)
        assert "1/1  100%" in text


def test_columns_stand_below_one_another_also_for_wide_characters():
    rows = [[("世界", ""), ("x", "")], [("abcdef", ""), ("y", "")]]
    first, second = map(plain, aligned(rows))
    assert cell_width(first[: first.index("x")]) == second.index("y")


def test_a_plain_table_has_its_columns_below_one_another_also_for_wide_characters():
    first, second = columns([("世界", "x"), ("abcdef", "y")]).splitlines()
    assert cell_width(first[: first.index("x")]) == second.index("y")


def test_a_stream_that_knows_only_ascii_gets_ascii():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    print_summary(SUMMARY, RECORDS, stream=stream)
    stream.flush()
    assert b"[56-99%]" in stream.buffer.getvalue()


def test_progress_counts_from_many_threads():
    stream = io.StringIO()
    with Progress(total=200, stream=stream) as progress:
        threads = [
            threading.Thread(
                target=lambda: [progress.tell(make_record("pass", n)) for n in range(50)]
            )
            for _ in range(4)
        ]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        assert "200/200" in plain(progress.lay_out(80)[0])
    assert stream.getvalue().count("\n") == 200


def test_failures_told_from_many_threads_never_block_the_live_table():
    program = """
import threading
from records import make_record
from audition.terminal import Progress
def tell():
    for number in range(150):
        progress.tell(make_record("fail", number))
with Progress(total=600) as progress:
    threads = [threading.Thread(target=tell) for _ in range(4)]
    [each.start() for each in threads]
    [each.join() for each in threads]
"""
    assert on_a_terminal({}, program).count("it was fail") == 600


def test_quiet_progress_says_nothing():
    stream = io.StringIO()
    with Progress(total=1, quiet=True, stream=stream) as progress:
        progress.tell(make_record())
    assert stream.getvalue() == ""


def test_a_resumed_run_tells_its_time_left_from_what_it_did_itself():
    with Progress(total=10, done=9, quiet=True, stream=io.StringIO()) as progress:
        assert progress.eta() is None
        progress.tell(make_record())
        assert progress.eta() == 0


def test_a_trial_without_a_time_claims_none():
    line = plain(trial_line(make_record("ineligible", seconds=None, reason="no MCP here")))
    assert line == "INELIGIBLE greeting/explicit/understudy+native/1  no MCP here"
