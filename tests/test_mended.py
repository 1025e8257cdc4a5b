"""A check that is mended in its case file is applied to sessions that are there already."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

OUT = Path("artifacts") / "skill-evals"
GREETING = "---\nname: greeting\ndescription: Greet a person warmly.\n---\n```say\nSALVE\n```\n"
SUITE = """\
skills: [greeting]
cases:
  - {id: one, prompt: greet a person, skill: greeting, checks: [answer_contains: SALVE]}
  - {id: two, prompt: warmly greet a person, skill: greeting}
"""


@pytest.fixture
def house(tmp_path):
    (tmp_path / "greeting").mkdir()
    (tmp_path / "greeting" / "SKILL.md").write_text(GREETING)
    write(tmp_path, SUITE)
    assert audition(tmp_path, "run", "-q", "--run-id", "r").returncode == 0
    return tmp_path


def write(house, text):
    (house / "cases.yaml").write_text(text)


def audition(house, *words):
    return subprocess.run(
        [sys.executable, "-m", "audition", *words],
        cwd=house, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def statuses(house):
    found = json.loads((house / OUT / "r" / "results.json").read_bytes())["trials"]
    return {each["case"]: each["status"] for each in found}


def test_a_mended_check_grades_what_is_kept(house):
    write(house, SUITE.replace("SALVE", "VALE"))
    done = audition(house, "grade")
    assert done.returncode == 1
    assert "cases.yaml: 1 case has other checks than when asked" in done.stderr
    assert statuses(house) == {"one": "fail", "two": "pass"}
    assert json.loads((house / OUT / "r" / "mended.json").read_bytes()).keys() == {
        "cases.yaml::one"
    }


def test_a_check_may_be_added_and_a_rule_too(house):
    added = SUITE.replace(
        "prompt: greet", "process: [{id: a, never: {skill: greeting}}], prompt: greet"
    )
    write(house, added.replace("prompt: warmly", "checks: [answer_lacks: SALVE], prompt: warmly"))
    done = audition(house, "grade")
    assert "2 cases have other checks" in done.stderr
    assert statuses(house) == {"one": "fail", "two": "fail"}


def test_the_checks_of_the_day_it_was_asked_can_be_had_back(house):
    write(house, SUITE.replace("SALVE", "VALE"))
    audition(house, "grade")
    done = audition(house, "grade", "--as-planned")
    assert (done.returncode, "other checks" in done.stderr) == (0, False)
    assert statuses(house) == {"one": "pass", "two": "pass"}
    assert not (house / OUT / "r" / "mended.json").exists()


def test_what_was_applied_stays_when_the_case_file_is_gone(house):
    write(house, SUITE.replace("SALVE", "VALE"))
    audition(house, "grade")
    (house / "cases.yaml").unlink()
    for words in (["grade"], ["grade", "--fresh"]):
        assert audition(house, *words).returncode == 1
        assert statuses(house) == {"one": "fail", "two": "pass"}


def test_a_file_with_its_old_bytes_back_is_the_old_one(house):
    write(house, SUITE.replace("SALVE", "VALE"))
    audition(house, "grade")
    write(house, SUITE)
    assert audition(house, "grade").returncode == 0
    assert not (house / OUT / "r" / "mended.json").exists()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("prompt: greet a person", "prompt: greet two persons"),
        ("skill: greeting, checks", "skill: none, checks"),
        ("id: one", "id: other"),
        ("checks: [answer", "rubric: [Is it polite?], checks: [answer"),
        ("id: one", "id: one, settings: {max_turns: 3}"),
    ],
)
def test_a_session_answers_no_question_but_its_own(house, old, new):
    write(house, SUITE.replace(old, new).replace("SALVE", "VALE"))
    done = audition(house, "grade")
    assert "1 case is gone or asks something else today: graded as planned" in done.stderr
    assert (done.returncode, statuses(house)) == (0, {"one": "pass", "two": "pass"})


def test_what_is_no_check_may_change_without_a_word(house):
    write(house, f"# mended\n{SUITE.replace('id: one', 'id: one, tags: [a], trials: 3')}")
    done = audition(house, "grade")
    assert (done.returncode, "note:" in done.stderr) == (0, False)


def test_a_file_that_cannot_be_understood_any_more_stops_and_changes_nothing(house):
    write(house, SUITE.replace("answer_contains", "answer_contain"))
    done = audition(house, "grade")
    assert done.returncode == 2
    assert "`answer_contains`?" in done.stderr
    assert "--as-planned" in done.stderr
    assert audition(house, "grade", "--as-planned").returncode == 0


def test_a_run_in_another_folder_finds_its_case_files_where_it_was_started(house, tmp_path_factory):
    write(house, SUITE.replace("SALVE", "VALE"))
    done = audition(tmp_path_factory.mktemp("else"), "grade", str(house / OUT / "r"))
    assert (done.returncode, "other checks" in done.stderr) == (1, True)


def test_a_baseline_with_a_skill_of_another_name_keeps_what_it_expects(house):
    old = house / "old" / "greeter"
    old.mkdir(parents=True)
    (old / "SKILL.md").write_text(GREETING.replace("name: greeting", "name: greeter"))
    only = "\n".join(SUITE.splitlines()[:3]) + "\n"
    write(house, only.replace("SALVE", "VALE"))
    for words in (["--baseline", "old"], ["--baseline", "old", "--baseline", "none"]):
        write(house, only.replace("SALVE", "VALE"))
        audition(house, "run", "-q", "--run-id", f"b{len(words)}", *words)
        write(house, only)
        done = audition(house, "grade", f"b{len(words)}")
        assert "1 case has other checks" in done.stderr
        found = json.loads((house / OUT / f"b{len(words)}" / "results.json").read_bytes())
        told = {each["variant"]: each["status"] for each in found["trials"]}
        assert {told.pop(""), told.pop("old")} == {"pass"}
        assert set(told.values()) <= {"fail"}  # without any skill


def test_what_is_no_suite_by_itself_stays_as_planned(house):
    (house / "cases.yaml").unlink()
    assert audition(house, "run", "-q", "--generate-missing", "--run-id", "g", ".").returncode < 2
    with (house / "greeting" / "SKILL.md").open("a") as file:
        file.write("more\n")
    assert audition(house, "grade", "g").returncode < 2


def test_a_file_is_read_again_as_the_format_it_was_read_as(house):
    (house / "cases.yaml").rename(house / "suite.txt")
    assert (
        audition(house, "run", "-q", "suite.txt", "--format", "yaml", "--run-id", "f").returncode
        == 0
    )
    (house / "suite.txt").write_text(SUITE.replace("SALVE", "VALE"))
    done = audition(house, "grade", "f")
    assert (done.returncode, "1 case has other checks" in done.stderr) == (1, True)
