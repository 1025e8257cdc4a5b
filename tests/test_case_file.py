"""Case files are found, given to the right format, and read all at once."""

import json
import os
from pathlib import Path

import pytest

from audition.case_file import BadCases, CaseFormat, find_format, formats, load_suites
from audition.cli import run_words
from audition.errors import BadFile, UnknownName, UsageError
from audition.model import Case, Suite
from audition.yaml_file import Node, field_name, guess, parse_yaml

CASES = "cases: [{id: a, prompt: x, skill: none}]\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    (tmp_path / "skills/greet").mkdir(parents=True)
    (tmp_path / "skills/greet/SKILL.md").write_text("---\nname: greet\ndescription: d\n---\n")
    monkeypatch.chdir(tmp_path)


def put(name: str, text: str = CASES) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    if "/" in name:
        text = f"skills: []\n{text}"
    path.write_text(text)
    return path


def files(*paths: str) -> list[str]:
    return [each.file for each in load_suites([Path(each) for each in paths])]


# Finding.


def test_case_files_below_a_folder_are_found_by_name_in_order():
    for name in ("cases.yaml", "b.cases.yml", "deep/er/cases.yml", "a/x.cases.yaml"):
        put(name)
    for name in ("other.yaml", "a/mycases.yaml", "x.cases.yaml.bak"):
        put(name)
    assert files() == ["b.cases.yml", "cases.yaml", "a/x.cases.yaml", "deep/er/cases.yml"]
    assert files("a") == ["a/x.cases.yaml"]


@pytest.mark.parametrize("folder", [".hidden", "node_modules", "artifacts", ".venv"])
def test_what_is_not_the_users_is_passed_by_unless_it_is_named(folder):
    put("cases.yaml")
    put(f"{folder}/cases.yaml")
    assert files(".") == ["cases.yaml"]
    assert files(folder) == [f"{folder}/cases.yaml"]


def test_a_file_is_read_once():
    put("cases.yaml")
    Path("link.cases.yaml").symlink_to("cases.yaml")
    assert files("cases.yaml", ".", "./cases.yaml") == ["cases.yaml"]


def test_a_named_file_may_have_any_name_when_it_holds_cases():
    put("other.yaml")
    assert files("other.yaml") == ["other.yaml"]


def test_a_named_file_that_no_format_claims_is_an_error_with_the_formats():
    put("notes.yaml", "a: 1\n")
    put("cases.yaml", "a: 1\n")
    with pytest.raises(BadCases, match="no case format claims") as caught:
        files("notes.yaml")
    assert "`yaml`" in caught.value.findings[0].hint


def test_a_path_that_does_not_exist_is_an_error_with_the_nearest():
    put("cases.yaml")
    with pytest.raises(UsageError, match="does not exist") as caught:
        files("case.yaml")
    assert caught.value.hint == "did you mean `cases.yaml`?"


def test_a_suite_that_is_no_file_is_told_of_and_not_passed_by():
    put("cases.yaml")
    Path("gone.cases.yaml").symlink_to("/nowhere")
    os.mkfifo("pipe.cases.yml")
    os.mkfifo("pipe.yaml")
    with pytest.raises(BadCases) as caught:
        files(".")
    told = {each.path: each.message for each in caught.value.findings}
    assert list(told) == ["gone.cases.yaml", "pipe.cases.yml"]
    assert "No such file" in told["gone.cases.yaml"]
    assert "a pipe" in told["pipe.cases.yml"]


@pytest.mark.parametrize("path", ["x" * 5000, "a\0b"])
def test_a_path_that_cannot_be_is_an_error(path):
    with pytest.raises(UsageError, match="does not exist"):
        files(path)


def test_no_case_file_is_an_error_that_names_init():
    put("other.yaml")
    with pytest.raises(BadFile, match="no case files") as caught:
        files()
    assert "audition init" in caught.value.hint


def test_mistakes_of_all_files_are_told_at_once():
    put("a.cases.yaml", "cases: [{}]")
    put("b.cases.yaml", "cases: x")
    put("c.cases.yaml")
    with pytest.raises(BadCases) as caught:
        files(".")
    assert {each.path for each in caught.value.findings} == {"a.cases.yaml", "b.cases.yaml"}
    assert str(caught.value).startswith(f"{len(caught.value.findings)} mistakes in 2 case files\n")


def test_a_warning_is_no_mistake_and_says_what_it_is():
    odd = "wehn: x"
    put("a.cases.yaml", f"{odd}\ncases: [{{id: a, prompt: x, skill: none, trials: x, {odd}}}]")
    put("b.cases.yaml", f"{odd}\ncases: [{{id: a, prompt: x, skill: none, {odd}}}]")
    with pytest.raises(BadCases) as caught:
        files(".")
    head, *told = str(caught.value).splitlines()
    assert head == "1 mistake in 1 case file"
    told = [each.split(":")[0] for each in told if not each.startswith(" ")]
    assert told == ["warning", "a.cases.yaml", "warning"]


def test_a_file_of_warnings_alone_has_no_cases():
    Path("evals.json").write_text("[]")
    with pytest.raises(BadCases, match=r"no cases in 1 case file\nwarning: evals\.json:1:1: "):
        files("evals.json")


def test_an_error_shows_no_control_characters():
    put("cases.yaml", 'cases: [{id: a, prompt: x, skill: "\\e[31m"}]')
    with pytest.raises(BadCases) as caught:
        files()
    assert "\x1b" not in str(caught.value)
    assert "\\x1b[31m" in str(caught.value)


def test_a_file_whose_name_is_not_utf8_is_refused():
    put("caf\udce9.cases.yaml")
    with pytest.raises(BadCases, match="not UTF-8"):
        files()


# Formats.


@pytest.fixture
def _others(monkeypatch):
    """Two more formats on the shelf, as plug-ins would put them there."""

    def read(path: Path) -> Suite:
        return Suite(file=str(path), format="other", cases=(Case(id="a", prompt="x"),))

    shelf = {
        "named": CaseFormat(name="named", claims=lambda path, _: path.suffix == ".json", read=read),
        "told": CaseFormat(name="told", claims=lambda _, head: b'"told"' in head, read=read),
        "yaml": formats["yaml"],
    }
    monkeypatch.setattr("audition.case_file.formats", shelf)


@pytest.mark.usefixtures("_others")
@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("x.json", "{}", "named"),
        ("x.json", '{"told": 1}', "told"),
        ("cases.yaml", '{"told": 1}', "told"),
        ("cases.yaml", "", "yaml"),
    ],
)
def test_content_tells_the_format_before_the_name_does(name, text, wanted):
    found = find_format(put(name, text))
    assert found is not None
    assert found.name == wanted


@pytest.mark.usefixtures("_others")
def test_a_wanted_format_reads_a_named_file_whatever_it_holds():
    path = put("x.json", "{}")
    assert load_suites([path], "told")[0].format == "other"
    with pytest.raises(BadFile, match="no case files"):
        load_suites([Path()], "told")


def test_an_unknown_format_is_an_error_with_the_nearest():
    put("cases.yaml")
    with pytest.raises(UnknownName) as caught:
        load_suites([Path()], "yml")
    assert caught.value.hint == "did you mean `yaml`?"


# Marked YAML.


def test_every_value_knows_its_place_and_its_text():
    marked = parse_yaml(b"a:\n  - b: 1\n    c: no\n  - 'x'\n", "f.yaml")
    assert marked.value == {"a": [{"b": 1, "c": False}, "x"]}
    places = {
        field_name(field): (place.line, place.column, place.text)
        for field, place in marked.places.items()
    }
    assert places == {
        "": (1, 1, None),
        "a": (2, 3, None),
        "a[0]": (2, 5, None),
        "a[0].b": (2, 8, "1"),
        "a[0].c": (3, 8, "no"),
        "a[1]": (4, 5, "x"),
    }
    assert Node(marked).at("a").at(0).written() == {"b": "1", "c": "no"}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", None),
        ("~", None),
        ("null", None),
        ("Yes", True),
        ("off", False),
        ("oFF", "oFF"),
        ("y", "y"),
        ("12", 12),
        ("-3", -3),
        ("010", "010"),
        ("0x10", "0x10"),
        ("1_000", "1_000"),
        ("1:30:00", "1:30:00"),
        ("2024-01-01", "2024-01-01"),
        ("1.5", 1.5),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1e999", "1e999"),
        (".nan", ".nan"),
        (".inf", ".inf"),
        ("9" * 5000, "9" * 5000),
    ],
)
def test_what_an_unquoted_scalar_is(text, value):
    assert guess(text) == value
    assert type(guess(text)) is type(value)


def test_thousands_of_mistakes_are_cut_short():
    marked = parse_yaml(b"a: 1\n" * 100_000, "f.yaml")
    assert 50 < len(marked.findings) < 200


# The command.


def test_the_command_prints_json(capsys):
    put("cases.yaml", f"colour: red\n{CASES}")
    assert run_words(["cases", "--output-format", "json"]) == 0
    (suite,) = json.loads(capsys.readouterr().out)
    assert (suite["file"], suite["format"], suite["policy"]) == ("cases.yaml", "yaml", "default")
    assert [(each["id"], each["should_trigger"]) for each in suite["cases"]] == [("a", False)]
    (loss,) = suite["losses"]
    assert (loss["field"], loss["line"]) == ("colour", 1)
    assert "unknown key" in loss["what"]


def test_strict_fails_on_any_loss_and_not_on_a_note(capsys):
    put("cases.yaml", "cases: [{id: no, prompt: x, skill: none}]")
    assert run_words(["cases", "--strict"]) == 0
    put("cases.yaml", f"colour: red\n{CASES}")
    assert run_words(["cases"]) == 0
    assert "colour" in capsys.readouterr().out
    assert run_words(["cases", "--strict"]) == 1


def test_the_text_counts_positives_and_negatives(capsys):
    more = "- {id: b, prompt: x, skill: greet}\n- {id: c, prompt: x, skill: none}\n"
    put("cases.yaml", f"cases:\n- {{id: a, prompt: x, skill: none}}\n{more}")
    assert run_words(["cases"]) == 0
    assert "3 cases: 1 positive, 2 negative" in capsys.readouterr().out


def test_mistakes_end_with_exit_code_2(capsys):
    put("cases.yaml", "cases: [{id: a, prompt: x, skill: gret}]")
    assert run_words(["cases"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert "cases.yaml:1:35: cases[0].skill: unknown skill `gret`" in told.err
    assert "did you mean `greet`?" in told.err
