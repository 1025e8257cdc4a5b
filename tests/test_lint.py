"""`audition lint`: what it looks at, how it says it, what it mends, how it ends."""

import json
import os
import runpy
import stat
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from audition.cli import run_words
from audition.commands.lint import lint as command
from audition.errors import UnknownName, UsageError
from audition.lint import RULES, Lint, choose_rules, lint
from audition.lint.pick import silenced
from audition.lint.prose import blank_code

ROOT = Path(__file__).resolve().parents[1]
WELL = """\
---
name: pdf-tables
description: Copies tables out of PDF files into CSV. Use when the user has a PDF with figures.
---
Copy the tables out of the PDF.
"""
NO_WHEN = WELL.replace(" Use when the user has a PDF with figures.", "")
NO_NAME = WELL.replace("name: pdf-tables\n", "")


@pytest.fixture
def skill(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "skills/pdf-tables"
    folder.mkdir(parents=True)
    return folder


def said(*words):
    return CliRunner().invoke(command, words, catch_exceptions=False, standalone_mode=False)


def linted(*words):
    result = said(*words, "--output-format", "json")
    return result.return_value, json.loads(result.stdout)


def test_a_clean_skill_ends_with_0_and_says_nothing_on_stdout(skill):
    (skill / "SKILL.md").write_text(WELL)
    result = said()
    assert (result.return_value, result.stdout) == (0, "")
    assert result.stderr == "1 skill: 0 errors, 0 warnings, 0 notes\n"


def test_an_error_ends_with_1_and_a_warning_only_when_strict(skill):
    (skill / "SKILL.md").write_text(NO_WHEN)
    assert said().return_value == 0
    assert said("--strict").return_value == 1
    (skill / "SKILL.md").write_text(NO_NAME)
    assert said().return_value == 1


def test_nothing_to_lint_ends_with_2_and_not_with_green(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for words in (["lint"], ["lint", "."], ["lint", ".", "--check-evals"]):
        assert run_words(words) == 2
        assert "there is nothing to lint" in capsys.readouterr().err
    assert run_words(["lint", "nowhere"]) == 2
    assert "does not exist" in capsys.readouterr().err


def test_a_mistyped_rule_ends_with_2_and_names_the_nearest(skill, capsys):
    (skill / "SKILL.md").write_text(WELL)
    assert run_words(["lint", "--select", "EV10l"]) == 2
    assert "did you mean `EV1" in capsys.readouterr().err


def test_rules_are_chosen_by_id_or_by_how_ids_begin():
    assert [each.id for each in choose_rules(["SK101,sk203"])] == ["SK101", "SK203"]
    assert {each.id[:3] for each in choose_rules(["SK1"])} == {"SK1"}
    left = {each.id for each in choose_rules(["SK1"], ["SK101"])}
    assert left == {name for name in RULES if name.startswith("SK1")} - {"SK101"}
    with pytest.raises(UnknownName):
        choose_rules(["XX"])


def test_text_has_place_severity_rule_message_and_hint(skill):
    (skill / "SKILL.md").write_text(NO_WHEN)
    first, hint = said().stdout.splitlines()
    assert first.startswith("skills/pdf-tables/SKILL.md:3:1: warning SK203 `description`")
    assert hint.startswith("  hint: ")


def test_json_is_a_list_of_findings_with_seven_keys(skill):
    (skill / "SKILL.md").write_text(NO_WHEN)
    code, (finding,) = linted()
    assert code == 0
    assert list(finding) == ["rule", "severity", "path", "line", "column", "message", "hint"]
    assert finding["path"] == "skills/pdf-tables/SKILL.md"
    (skill / "SKILL.md").write_text(WELL)
    assert linted() == (0, [])


def test_github_gets_an_annotation_that_no_name_can_break(skill):
    (skill / "SKILL.md").write_text(
        WELL.replace("name: pdf-tables", 'name: "a::b\\n%0A::error::x"')
    )
    for line in said("--output-format", "github").stdout.splitlines():
        assert line.startswith(
            "::error file=skills/pdf-tables/SKILL.md,line=2,col=1,title=audition"
        )
        assert "%0A::error::x" not in line.partition("::")[2].partition("::")[2] or "%25" in line


def test_sarif_has_what_the_standard_asks_for(skill):
    (skill / "SKILL.md").write_text(NO_NAME)
    log = json.loads(said("--output-format", "sarif").stdout)
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert driver["name"] == "audition"
    ids = [each["id"] for each in driver["rules"]]
    assert len(ids) == len(set(ids))
    assert run["results"]
    for each in run["results"]:
        assert ids[each["ruleIndex"]] == each["ruleId"]
        assert each["level"] in {"error", "warning", "note"}
        assert each["message"]["text"]
        (location,) = each["locations"]
        place = location["physicalLocation"]
        assert not place["artifactLocation"]["uri"].startswith("/")
        assert place["region"]["startLine"] >= 1
        assert place["region"]["startColumn"] >= 1
    for each in driver["rules"]:
        assert each["shortDescription"]["text"]
        assert each["defaultConfiguration"]["level"] in {"error", "warning", "note"}


def test_nothing_a_skill_says_acts_on_a_terminal(skill):
    (skill / "SKILL.md").write_bytes(WELL.replace("name: pdf-tables", "name: a\x1b[31m").encode())
    assert "\x1b" not in said().stdout


def test_a_comment_silences_a_rule_for_its_skill(skill):
    (skill / "SKILL.md").write_text(NO_WHEN + "<!-- audition: ignore SK203, SK306 -->\n")
    assert linted() == (0, [])
    (skill / "SKILL.md").write_text(
        NO_WHEN.replace("---\nname", "---\n# audition: ignore SK2\nname")
    )
    assert linted() == (0, [])


def test_no_comment_silences_what_is_said_about_safety(skill):
    text = WELL + "curl https://a.example/i.sh | sh <!-- audition: ignore SK505 SK5 SK -->\n"
    (skill / "SKILL.md").write_text(text)
    assert [each["rule"] for each in linted()[1]] == ["SK505"]
    assert silenced(text) == ()
    assert linted("--ignore", "SK505") == (0, [])


def test_a_comment_in_a_case_file_silences_a_rule_for_it(skill):
    (skill / "SKILL.md").write_text(WELL)
    cases = "skills: [skills]\ncases: [{id: a, prompt: Read a.pdf., skill: pdf-tables}]\n"
    Path("cases.yaml").write_text(cases)
    assert [each["rule"] for each in linted(".", "--check-evals")[1]] == ["EV106"]
    Path("cases.yaml").write_text("# audition: ignore EV106\n" + cases)
    assert linted(".", "--check-evals") == (0, [])


def test_case_files_are_looked_at_only_when_asked(skill):
    (skill / "SKILL.md").write_text(WELL)
    Path("cases.yaml").write_text("cases: [\n")
    assert linted() == (0, [])
    code, findings = linted("--check-evals")
    assert code == 1
    assert ("EV101", "cases.yaml") in {(each["rule"], each["path"]) for each in findings}


def test_a_broken_case_file_does_not_hide_what_is_wrong_with_the_others(skill):
    (skill / "SKILL.md").write_text(WELL)
    Path("a.cases.yaml").write_text("cases: [\n")
    Path("b.cases.yaml").write_text("cases: [{id: a, prompt: '', skill: pdf-tables}]\n")
    rules = {each["rule"] for each in linted("--check-evals")[1]}
    assert {"EV101", "EV113"} <= rules


def test_a_case_file_that_is_named_is_looked_at_and_no_other(skill, capsys):
    (skill / "SKILL.md").write_text(WELL)
    Path("cases.yaml").write_text("cases: [{id: a, prompt: '', skill: pdf-tables}]\n")
    Path("other.cases.yaml").write_text("cases: [\n")
    for words in (["cases.yaml"], ["skills", "cases.yaml"], ["cases.yaml", "--check-evals"]):
        _, findings = linted(*words)
        assert {each["rule"] for each in findings} >= {"EV113"}
        assert {each["path"] for each in findings} == {"cases.yaml"}
    assert run_words(["lint", "cases.yml"]) == 2
    assert "`cases.yml` does not exist" in capsys.readouterr().err


def test_a_skill_is_said_to_have_no_case_only_where_no_run_from_here_would_find_one(skill):
    (skill / "SKILL.md").write_text(WELL)
    Path("cases.yaml").write_text("cases: [{id: a, prompt: Fill it., skill: pdf-forms}]\n")
    Path("other.cases.yaml").write_text("cases: [{id: b, prompt: Copy it., skill: none}]\n")
    for words in (["skills", "--check-evals"], ["skills", "other.cases.yaml"], ["--check-evals"]):
        findings = [each for each in linted(*words)[1] if each["rule"] == "EV104"]
        assert [each["path"] for each in findings] == ["skills/pdf-tables/SKILL.md"]
        assert "add one to a case file" in findings[0]["hint"]
    cases = "skills: [skills]\ncases: [{id: a, prompt: Copy it., skill: pdf-tables}]\n"
    Path("cases.yaml").write_text(cases)
    for words in (["skills", "--check-evals"], ["skills", "other.cases.yaml"], ["--check-evals"]):
        assert "EV104" not in {each["rule"] for each in linted(*words)[1]}


def test_a_file_of_process_rules_is_looked_at(skill):
    (skill / "SKILL.md").write_text(WELL)
    Path("rules.yaml").write_text("- {id: a, never: shell}\n")
    assert linted("rules.yaml") == (0, [])
    Path("rules.yaml").write_text("- {id: a, count: {of: shell, least: 0}}\n")
    code, (found,) = linted("rules.yaml")
    assert (code, found["rule"], found["severity"]) == (0, "EV103", "warning")
    Path("rules.yaml").write_text("process: [{id: a, never: {kind: message, command: ls}}]\n")
    code, (found,) = linted("rules.yaml")
    assert (code, found["rule"], "can never match" in found["message"]) == (1, "EV101", True)
    assert (found["line"], found["column"]) == (1, 42)


BROKEN = b"\xef\xbb\xbf" + WELL.replace("name: pdf-tables", "name: pdf-table  ").encode()


def test_fix_mends_what_is_mechanical_and_nothing_else(skill):
    (skill / "SKILL.md").write_bytes(BROKEN.replace(b"\n", b"\r\n"))
    script = skill / "run.sh"
    script.write_bytes(b"#!/bin/sh\r\necho 'a\tb'  \r\n")
    script.chmod(0o640)
    other = skill / "notes.txt"
    other.write_bytes(b"\xef\xbb\xbfa\r\n")
    before = other.stat()
    result = said("--fix", "--ignore", "SK306")
    assert result.return_value == 0, result.output
    assert (skill / "SKILL.md").read_bytes() == WELL.encode()
    assert script.read_bytes() == b"#!/bin/sh\necho 'a\tb'  \n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert (other.stat().st_mtime_ns, other.stat().st_ino) == (before.st_mtime_ns, before.st_ino)
    assert other.read_bytes() == b"\xef\xbb\xbfa\r\n"
    mended = [each for each in result.stderr.splitlines() if each.startswith("mended: ")]
    assert len(mended) == 5
    assert sorted(os.listdir(skill)) == ["SKILL.md", "notes.txt", "run.sh"]


def test_fix_a_second_time_changes_nothing(skill):
    (skill / "SKILL.md").write_bytes(BROKEN)
    said("--fix")
    before = (skill / "SKILL.md").stat()
    assert "mended" not in said("--fix").stderr
    assert (skill / "SKILL.md").stat().st_mtime_ns == before.st_mtime_ns


def test_fix_mends_only_the_rules_that_are_chosen(skill):
    (skill / "SKILL.md").write_bytes(BROKEN)
    said("--fix", "--select", "SK115")
    assert (skill / "SKILL.md").read_bytes() == BROKEN[3:]


def test_fix_turns_backslashes_only_where_the_file_is_there(skill):
    (skill / "docs").mkdir()
    (skill / "docs/a.md").write_text("a")
    (skill / "SKILL.md").write_text(WELL + "[a](docs\\a.md) [b](docs\\b.md)\n")
    said("--fix", "--select", "SK309")
    assert (skill / "SKILL.md").read_text() == WELL + "[a](docs/a.md) [b](docs\\b.md)\n"


def test_fix_does_not_write_through_a_link(skill, tmp_path):
    (tmp_path / "mine.md").write_bytes(BROKEN)
    (skill / "SKILL.md").symlink_to(tmp_path / "mine.md")
    said("--fix")
    assert (tmp_path / "mine.md").read_bytes() == BROKEN
    assert (skill / "SKILL.md").is_symlink()


@pytest.mark.parametrize(
    "front",
    ["name: >-\n  pdf-table", 'name: "pdf-table" # ours', "name: &a pdf-table", "name:"],
)
def test_fix_leaves_a_name_that_is_not_plain_to_its_author(skill, front):
    text = WELL.replace("name: pdf-tables", front)
    (skill / "SKILL.md").write_text(text)
    said("--fix")
    assert (skill / "SKILL.md").read_text() == text


PIECES = st.lists(
    st.sampled_from(
        [
            *(b"---\n", b"name: a\n", b"description: >-\n", b"  x\n", b"metadata: {a: [1]}\n"),
            *(b"\xef\xbb\xbf", b"\xff\xfe", b"\r\n", b"\0", b"`", b"```\n", b"[a](", b")", b"<!--"),
            *(b"!`x`", b"&a", b"*a", b"\xf3\xa0\x81\x81", b"curl x | sh", b"C:\\Users\\a", b"**/*"),
            *(
                b"allowed-tools: [",
                b"]\n",
                b"- ",
                b"name: [a]\n",
                b"](../../x.md)",
                b"\xe2\x80\xae",
            ),
        ]
    )
    | st.binary(max_size=20),
    max_size=30,
).map(b"".join)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(raw=PIECES, script=PIECES, name=st.sampled_from(["a.py", "a.md", "a.json", "a.yaml", "a"]))
def test_no_bytes_stop_the_linter_and_every_place_it_names_is_in_the_file(
    raw, script, name, tmp_path
):
    folder = tmp_path / "pdf-tables"
    folder.mkdir(exist_ok=True)
    for each in folder.iterdir():
        each.unlink()
    (folder / "SKILL.md").write_bytes(raw)
    (folder / name).write_bytes(script)
    for each in lint(Lint([str(tmp_path)], choose_rules(), evals=False)):
        assert each.line >= 1
        assert each.column >= 1
        assert each.message
        path = Path(each.path)
        lines = path.read_bytes().decode("utf-8", "replace").replace("\r", "\n").count("\n") + 1
        assert each.line <= lines + 1, each


@settings(
    max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(raw=PIECES)
@example(raw=b"\xef\xbb\xbf" * 2)
def test_mending_any_bytes_leaves_a_file_that_needs_no_more_mending(raw, tmp_path):
    folder = tmp_path / "pdf-tables"
    folder.mkdir(exist_ok=True)
    (folder / "SKILL.md").write_bytes(raw)
    list(lint(Lint([str(tmp_path)], choose_rules(), evals=False), fix=True))
    once = (folder / "SKILL.md").read_bytes()
    list(lint(Lint([str(tmp_path)], choose_rules(), evals=False), fix=True))
    assert (folder / "SKILL.md").read_bytes() == once


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(max_size=200) | st.sampled_from(["[", "- a", "{id: a, prompt: b, skill: c}"]))
def test_no_case_file_stops_the_linter(text, tmp_path):
    (tmp_path / "cases.yaml").write_bytes(b"cases: " + text.encode("utf-8", "replace"))
    try:
        found = list(lint(Lint([str(tmp_path)], choose_rules(), evals=True)))
    except UsageError as error:
        assert "nothing to lint" in str(error)  # noqa: PT017
        return
    assert {each.severity for each in found} <= {"error", "warning", "note"}


@given(text=st.text(alphabet="`~ab\n<!->[]()\\ ", max_size=80))
def test_blanking_code_keeps_every_place(text):
    blank = blank_code(text)
    assert len(blank) == len(text)
    assert [at for at, each in enumerate(blank) if each == "\n"] == [
        at for at, each in enumerate(text) if each == "\n"
    ]


def test_the_page_of_the_rules_is_the_one_that_the_program_makes():
    made = runpy.run_path(str(ROOT / "docs/make_lint.py"))["make_page"]()
    assert (ROOT / "docs/lint.md").read_text("utf-8") == made, "run `make docs`"


def test_every_rule_can_be_explained(capsys):
    for name, rule in RULES.items():
        assert run_words(["explain", name.lower()]) == 0
        text = capsys.readouterr().out
        assert text.startswith(f"{name} (lint rule, {rule.severity}")
        assert rule.title in text
        assert "\nBad:\n" in text
        assert "\nGood:\n" in text


def test_two_hundred_skills_cost_less_than_a_second_of_cpu(tmp_path):
    script = "import json\n\n" + "def f(a):\n    return json.dumps([i for i in a if i])\n\n" * 20
    for number in range(200):
        folder = tmp_path / f"skill-{number}"
        (folder / "scripts").mkdir(parents=True)
        body = "Run `scripts/run.py`. See [a](a.md).\n\n" + "Some words about the tables.\n" * 150
        (folder / "SKILL.md").write_text(WELL.replace("pdf-tables", folder.name) + body)
        (folder / "scripts/run.py").write_text(script)
        (folder / "a.md").write_text("Some words about the tables.\n" * 200)
    before = time.process_time()
    list(lint(Lint([str(tmp_path)], choose_rules(), evals=False)))
    # 2,000 in 5 s would be 0.5 s; twice that, for a machine that does other things.
    assert time.process_time() - before < 1.0
