"""The index: it may be deleted, broken or old, and answers the same."""

import csv
import io
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
import pytest
import stored

from audition.cli import run_words
from audition.commands.history import COLUMNS, as_csv, as_table, kept_runs, read_since, row_of
from audition.errors import UsageError
from audition.index import Kept, Rates, read_rates, update_index
from audition.model import Skill
from audition.report.trends import make_badge, trend_lines
from audition.store import list_runs, read_records


@pytest.fixture
def runs(tmp_path):
    for number in range(3):
        began = f"2026-01-0{number + 1}T00:00:00+00:00"
        stored.make_run(tmp_path, f"run-{number}", count=24, began=began)
    return tmp_path


def told_rates(out, **more):
    said = []
    return read_rates(out, kept_runs(out), tell=said.append, **more), said


def counted_by_hand(out):
    """(run, skill) to the counts, the slow and plain way."""
    counts = {}
    for run in list_runs(out):
        for each in read_records(run):
            here = counts.setdefault((run.name, each.skill), dict.fromkeys(range(5), 0))
            side = 0 if each.should_trigger else 2
            here[side] += each.status == "pass"
            here[side + 1] += each.status in ("pass", "fail")
            here[4] += each.status == "error"
    return {key: tuple(value.values()) for key, value in counts.items()}


def test_rates_are_what_counting_the_records_gives_the_oldest_first(runs):
    found, said = told_rates(runs)
    assert said == []
    assert [each.run_id for each in found] == sorted(each.run_id for each in found)
    assert counted_by_hand(runs) == {
        (each.run_id, each.skill): (
            each.positives_passed,
            each.positives_of,
            each.negatives_passed,
            each.negatives_of,
            each.errors,
        )
        for each in found
    }
    assert any(each.negatives_of for each in found)
    assert found[0].skill_digest == "digest-skill-0"
    assert found[0].dollars is None
    assert found[0].seconds == 0.5 * sum(
        each.skill == "skill-0" for each in read_records(runs / "run-0")
    )


def test_updating_twice_changes_nothing(runs):
    before, _ = told_rates(runs)
    for _ in range(2):
        update_index(runs, "run-1", kept_runs(runs))
    rows = sqlite3.connect(runs / "history.db")
    assert rows.execute("SELECT count(*) FROM trials").fetchone() == (72,)
    rows.close()
    assert told_rates(runs)[0] == before


def overwrite_the_middle(path):
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xa5" * (path.stat().st_size - 8192))


def age(path):
    rows = sqlite3.connect(path)
    rows.execute("PRAGMA user_version = 999")
    rows.close()


def make_foreign(path):
    path.unlink()
    rows = sqlite3.connect(path)
    rows.execute("CREATE TABLE trials (a)")
    rows.close()


@pytest.mark.parametrize(
    ("harm", "noted"),
    [
        (Path.unlink, False),
        (lambda path: path.write_bytes(b""), False),
        (lambda path: path.write_bytes(b"no database at all\n" * 300), True),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), True),
        (overwrite_the_middle, True),
        (age, True),
        (make_foreign, True),
    ],
    ids=["deleted", "empty", "nonsense", "cut", "overwritten", "of another version", "foreign"],
)
def test_a_harmed_index_is_made_again_and_says_so(runs, harm, noted):
    before, _ = told_rates(runs)
    harm(runs / "history.db")
    after, said = told_rates(runs)
    assert after == before
    assert any("made again" in each for each in said) == noted
    assert told_rates(runs) == (before, [])


def test_runs_that_came_went_or_changed_are_noticed(runs):
    told_rates(runs)
    shutil.rmtree(runs / "run-0")
    path = runs / "run-1" / "work" / stored.plan(1)[0].place / "grade.json"
    record = next(read_records(runs / "run-1"))
    time.sleep(0.02)
    path.write_bytes(msgspec.json.encode(msgspec.structs.replace(record, status="error")))
    os.utime(runs / "run-1" / "results.json")
    stored.make_run(runs, "run-3", count=5, began="2026-02-01T00:00:00+00:00")
    found, _ = told_rates(runs)
    assert {each.run_id for each in found} == {"run-1", "run-2", "run-3"}
    assert counted_by_hand(runs)["run-1", "skill-0"][4] == next(
        each.errors for each in found if (each.run_id, each.skill) == ("run-1", "skill-0")
    )


def test_a_damaged_run_is_left_out_and_named(runs):
    (runs / "run-1" / "run.json").write_text("{")
    found, said = told_rates(runs)
    assert {each.run_id for each in found} == {"run-0", "run-2"}
    assert any("run-1" in each for each in said)


def test_an_index_that_cannot_be_written_is_done_without(runs):
    before, _ = told_rates(runs)
    (runs / "history.db").unlink()
    (runs / "history.db").mkdir()
    found, said = told_rates(runs)
    assert found == before
    assert any("cannot be used" in each for each in said)
    said = []
    update_index(runs, "run-0", kept_runs(runs), said.append)
    assert any("was not updated" in each for each in said)


def test_harnesses_that_end_at_the_same_time_all_get_in(runs):
    program = (
        "import sys; from pathlib import Path; from audition.index import update_index\n"
        "from audition.commands.history import kept_runs\n"
        "for _ in range(20): update_index(Path(sys.argv[1]), sys.argv[2], kept_runs(Path(sys.argv[1])))"
    )
    works = [
        subprocess.Popen(
            [sys.executable, "-c", program, runs, f"run-{number % 3}"], stderr=subprocess.PIPE
        )
        for number in range(5)
    ]
    for work in works:
        _, talk = work.communicate(timeout=120)
        assert (work.returncode, talk) == (0, b"")
    rows = sqlite3.connect(runs / "history.db")
    assert rows.execute("SELECT count(*) FROM trials").fetchone() == (72,)
    rows.close()


def test_a_killed_update_leaves_the_run_whole_or_out(runs):
    expected, _ = told_rates(runs)
    program = (
        "import sys; from pathlib import Path; from audition.index import update_index\n"
        "from audition.commands.history import kept_runs\n"
        "print('go', flush=True)\n"
        "while True: update_index(Path(sys.argv[1]), 'run-1', kept_runs(Path(sys.argv[1])))"
    )
    for number in range(8):
        work = subprocess.Popen([sys.executable, "-c", program, runs], stdout=subprocess.PIPE)
        work.stdout.readline()
        time.sleep(0.01 * number)
        work.kill()
        work.communicate()
        assert told_rates(runs) == (expected, [])


def test_skills_and_dates_narrow_what_is_told(runs):
    found, _ = told_rates(runs, skill="skill-1", since="2026-01-02")
    assert {(each.run_id, each.skill) for each in found} == {
        ("run-1", "skill-1"),
        ("run-2", "skill-1"),
    }


@pytest.mark.parametrize(
    ("words", "moment"),
    [
        ("2026-01-31", "2026-01-31T00:00:00+00:00"),
        ("2026-01-31T10:00:00+02:00", "2026-01-31T08:00:00+00:00"),
    ],
)
def test_since_takes_dates(words, moment):
    assert read_since(words) == moment


def test_since_takes_spans_and_refuses_the_rest():
    assert read_since("2d") < read_since("1d") < read_since("1h")
    for words in ("yesterday", "5x", "-3d", ""):
        with pytest.raises(UsageError, match="no date and no span"):
            read_since(words)


def history(out, capfd, *words):
    code = run_words(["history", "--out", str(out), *words])
    said, talk = capfd.readouterr()
    return code, said, talk


def test_history_in_every_format_tells_the_same(runs, capfd):
    code, text, _ = history(runs, capfd)
    assert code == 0
    table, _, trends = text.partition("\n\n")
    assert len(table.splitlines()) == 1 + 9
    assert table.splitlines()[-1].startswith("run-2")
    sides = [each.split("  ")[0] for each in trends.splitlines()]
    assert sides == [
        f"skill-{number} on stub+native, {side}"
        for number, side in ((0, "called"), (0, "quiet"), (1, "called"), (2, "called"))
    ]
    assert all(set("▁▂▃▄▅▆▇█") & set(each) for each in trends.splitlines())
    _, told, _ = history(runs, capfd, "--output-format", "json")
    rows = json.loads(told)["history"]
    _, told, _ = history(runs, capfd, "--output-format", "csv")
    table = list(csv.DictReader(io.StringIO(told)))
    assert [each["run"] for each in table] == [each["run"] for each in rows]
    assert tuple(rows[0]) == COLUMNS
    assert float(table[0]["positives_rate"]) == rows[0]["positives_rate"]
    assert rows[0]["positives_low"] < rows[0]["positives_rate"] < rows[0]["positives_high"]
    assert rows[0]["dollars"] is None
    assert table[0]["dollars"] == ""


def test_history_of_an_unknown_skill_names_the_nearest(runs, capfd):
    code, said, talk = history(runs, capfd, "--skill", "skil-1")
    assert (code, said) == (2, "")
    assert "did you mean `skill-1`?" in talk


def test_history_without_any_run_says_so(tmp_path, capfd):
    code, said, talk = history(tmp_path, capfd)
    assert (code, said) == (0, "")
    assert "no finished run" in talk
    code, said, talk = history(tmp_path / "nowhere", capfd, "--output-format", "json")
    assert (code, json.loads(said)["history"], talk) == (0, [], "")
    assert not (tmp_path / "nowhere").exists()


def test_history_says_on_stderr_that_the_index_was_made_again(runs, capfd):
    (runs / "history.db").write_bytes(b"nonsense" * 1000)
    code, said, talk = history(runs, capfd, "--output-format", "json")
    assert (code, len(json.loads(said)["history"])) == (0, 9)
    assert "made again" in talk


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_no_cell_of_a_table_is_a_formula(cell):
    row = {**dict.fromkeys(COLUMNS), "skill": cell, "seconds": -0.5}
    (found,) = csv.DictReader(io.StringIO(as_csv([row]), newline=""))
    assert found["skill"] == "'" + cell
    assert found["seconds"] == "-0.5"


def test_the_time_of_history_over_many_trials_is_told(tmp_path, capsys):
    """Printed, not asserted: times belong to the benchmark."""
    trials = stored.plan(2000)
    records = [stored.record(trial) for trial in trials]
    asked = stored.inputs(trials)
    kept = Kept(
        stamps={f"run-{number}": 1 for number in range(50)}, read=lambda name: (asked, records)
    )
    read_rates(tmp_path, kept)
    began = time.perf_counter()
    found = read_rates(tmp_path, kept)
    took = time.perf_counter() - began
    with capsys.disabled():
        print(f"\nhistory over 100,000 trials: {1000 * took:.1f} ms")
    assert len(found) == 150


def test_another_version_is_marked_where_it_begins(tmp_path, capfd):
    for number, digest in enumerate(("one", "one", "two")):
        skills = {
            name: Skill(name=name, path=f"/skills/{name}", digest=f"{digest}-{name}")
            for name in ("skill-0", "skill-1", "skill-2")
        }
        stored.make_run(
            tmp_path, f"run-{number}", 12, began=f"2026-01-0{number + 1}", skills=skills
        )
    _, text, _ = history(tmp_path, capfd, "--skill", "skill-0")
    *_, called, quiet, mark = text.splitlines()
    for trend, side in ((called, "called"), (quiet, "quiet")):
        assert trend.startswith(f"skill-0 on stub+native, {side}")
        assert trend.split("  ")[1][2] == "|"
    assert mark == "  | run-2: skill one-skill- → two-skill-"


def test_a_badge_is_json_or_svg_and_nothing_else(runs, tmp_path, capfd):
    for name in ("badge.json", "badge.svg"):
        assert history(runs, capfd, "--badge", str(tmp_path / name))[0] == 0
    badge = json.loads((tmp_path / "badge.json").read_text())
    assert badge["schemaVersion"] == 1
    assert badge["message"] == "11/16 called, 1/2 quiet"
    svg = ET.fromstring((tmp_path / "badge.svg").read_text())
    assert badge["message"] in "".join(svg.itertext())
    assert history(runs, capfd, "--badge", str(tmp_path / "badge.png"))[0] == 2


def rates(run="r", called=(0, 0), quiet=(0, 0)):
    return Rates(
        run_id=run,
        began="",
        skill="greeting",
        agent="claude",
        delivery="native",
        model=None,
        policy="default",
        skill_digest="",
        agent_version="",
        positives_passed=called[0],
        positives_of=called[1],
        negatives_passed=quiet[0],
        negatives_of=quiet[1],
        errors=0,
        ineligible=0,
        seconds=None,
        dollars=None,
    )


def test_a_skill_that_is_never_called_gets_no_credit_for_its_negatives():
    found = [rates("a", called=(0, 3), quiet=(1, 1)), rates("b", called=(1, 3), quiet=(0, 1))]
    assert list(trend_lines(found)) == [
        "greeting on claude+native, called  ▁▃  0% → 33%",
        "greeting on claude+native, quiet  █▁  100% → 0%",
    ]
    assert make_badge(found[:1], "skills")["message"] == "0/3 called, 1/1 quiet"


def test_no_trend_and_no_row_of_history_says_100_percent_where_one_failed():
    found = rates("a", called=(399, 400), quiet=(1, 400))
    (called, quiet) = trend_lines([found, rates("b", called=(1, 1), quiet=(0, 1))])
    assert called.endswith("99% → 100%")
    assert quiet.endswith("1% → 0%")
    assert "399/400 99% [98–100%]" in as_table([row_of(found)])


@pytest.mark.parametrize(
    ("called", "quiet", "color"),
    [
        ((40, 40), (40, 40), "brightgreen"),
        ((40, 40), (0, 0), "brightgreen"),
        ((40, 40), (3, 3), "yellow"),
        ((9, 9), (3, 3), "yellow"),
        ((40, 40), (5, 40), "red"),
        ((0, 40), (40, 40), "red"),
        ((0, 0), (0, 0), "lightgrey"),
    ],
)
def test_a_badge_is_green_only_where_both_sides_are_surely_good(called, quiet, color):
    assert make_badge([rates(called=called, quiet=quiet)], "skills")["color"] == color


def test_a_badge_of_nothing_says_unknown(tmp_path, capfd):
    history(tmp_path, capfd, "--badge", str(tmp_path / "badge.json"))
    assert json.loads((tmp_path / "badge.json").read_text())["message"] == "unknown"
