"""The native format: what it understands, and that every mistake is told with its place."""

import json
from pathlib import Path

import fastjsonschema
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audition.case_file import BadCases, load_suites
from audition.cases.keys import CASE, SHARED, SUITE
from audition.cases.native import read
from audition.cases.schema import case_schema
from audition.check import checks
from audition.cli import run_words
from audition.model import CheckSpec, Criterion

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    for name in ("greet", "style", "no"):
        folder = tmp_path / "skills" / name
        folder.mkdir(parents=True)
        (folder / "SKILL.md").write_text(f'---\nname: "{name}"\ndescription: {name}s.\n---\n')
    (tmp_path / "files").mkdir()
    (tmp_path / "files/answer.json").write_text('{"type": "object"}')
    monkeypatch.chdir(tmp_path)


def suite(text: str, name: str = "cases.yaml"):
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(text)
    return read(Path(name))


def one(text: str):
    """The one case of a suite, given what follows its id and prompt."""
    if not {"skill", "any_of", "should_trigger"} & {
        each.split(":")[0] for each in text.split("\n")
    }:
        text += "\nskill: none"
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    (case,) = suite(f"cases:\n  - id: a\n    prompt: hi\n{lines}").cases
    return case


def findings(text: str) -> list[tuple[str, str]]:
    """Where and what is wrong: `line:column field`, message and hint."""
    with pytest.raises(BadCases) as caught:
        suite(text)
    return [
        (f"{each.line}:{each.column} {each.field}", f"{each.message}; {each.hint}")
        for each in caught.value.findings
    ]


# What is understood.


def test_a_suite_in_braces_is_ours_whatever_words_it_shares_with_other_formats():
    cases = [
        {"id": "a", "skill": "greet", "prompts": ["hi", "and bye"]},
        {"id": "b", "prompt": "hi", "should_trigger": False, "skill": "greet"},
    ]
    for whole in ({"skills": ["skills"], "cases": cases}, {"cases": cases, "skills": ["skills"]}):
        Path("cases.yaml").write_text(json.dumps(whole))
        (found,) = load_suites([Path("cases.yaml")])
        assert (found.format, [each.id for each in found.cases]) == ("yaml", ["a", "b"])


def test_a_whole_case_is_read():
    case = one(
        "skill: greet\ntags: [x, 1]\ntrials: 3\ntimeout_s: 2.5\njudge: true\nfixture: files\n"
        "env: {A: 1, B: no}\nsettings: {effort: high, max_turns: 9}\nmax_turns: 4\n"
        "allowed_tools: Read\npermission_mode: plan\nsystem_prompt: s\n"
        "append_system_prompt: t\nsandbox: read-only\noutput_schema: files/answer.json\n"
        "solution: python3 files/answer.json 'a b'"
    )
    here = Path.cwd()
    assert (case.skill, case.should_trigger, case.expected) == ("greet", True, ("greet",))
    assert (case.tags, case.trials, case.timeout_s, case.judge) == (("x", "1"), 3, 2.5, True)
    assert case.fixture == str(here / "files")
    assert case.env == {"A": "1", "B": "no"}
    assert case.settings == {
        "effort": "high",
        "max_turns": 4,
        "allowed_tools": ["Read"],
        "permission_mode": "plan",
        "system_prompt": "s",
        "append_system_prompt": "t",
        "sandbox": "read-only",
        "output_schema": str(here / "files/answer.json"),
        "solution": [f"python3 {here / 'files/answer.json'} 'a b'"],
    }
    assert (case.file, case.line, case.node) == ("cases.yaml", 2, "cases.yaml::a")


@pytest.mark.parametrize(
    ("expected", "skill", "any_of", "should_trigger"),
    [
        ("skill: greet", "greet", (), True),
        ("skill: none", None, (), False),
        ("skill: ~", None, (), False),
        ("any_of: []", None, (), False),
        ("any_of: [greet, style]", None, ("greet", "style"), True),
        ("skill: greet\nshould_trigger: false", "greet", (), False),
        ("should_trigger: false", None, (), False),
    ],
)
def test_what_is_expected(expected, skill, any_of, should_trigger):
    case = one(expected)
    assert (case.skill, case.any_of, case.should_trigger) == (skill, any_of, should_trigger)


def test_several_turns_become_the_prompt_and_what_follows():
    (case,) = suite("cases: [{id: a, prompts: [one, two, 3], skill: greet}]").cases
    assert (case.prompt, case.then) == ("one", ("two", "3"))


def test_an_empty_prompt_is_allowed_and_one_that_was_perhaps_forgotten_is_named():
    for text, told in (('""', []), ("", [("cases[0].prompt", "warning")])):
        found = suite(f"cases:\n  - id: a\n    skill: greet\n    prompt: {text}\n")
        assert found.cases[0].prompt == ""
        assert [(each.field, each.severity) for each in found.losses] == told


@pytest.mark.parametrize("text", ["1", "007", "1.50", "2024-01-01", "1:30:00", "0x10", "1e3"])
def test_text_is_taken_as_it_is_written(text):
    found = suite(
        f"cases:\n  - id: {text}\n    prompt: {text}\n    skill: none\n    tags: [{text}]"
    )
    assert (found.cases[0].id, found.cases[0].prompt) == (text, text)
    assert found.cases[0].tags == (text,)
    assert found.losses == ()


def test_text_that_yaml_takes_for_something_else_is_kept_and_noted():
    found = suite("cases:\n  - id: no\n    prompt: hi\n    skill: no\n")
    assert (found.cases[0].id, found.cases[0].skill) == ("no", "no")
    noted = [(each.line, each.column, each.severity, each.message) for each in found.losses]
    assert noted[0] == (2, 9, "note", "`no` is read as text")


@pytest.mark.parametrize("name", ["x" * 300, "../../x", "a/b::c", " ", "ünïcode ✓"])
def test_an_odd_id_is_kept_as_it_is(name):
    if not name.strip():
        assert findings(f'cases: [{{id: "{name}", prompt: x, skill: none}}]')
    else:
        assert suite(f'cases: [{{id: "{name}", prompt: x, skill: none}}]').cases[0].id == name


def test_ids_that_differ_only_in_case_are_only_a_note():
    found = suite("cases: [{id: a, prompt: x, skill: none}, {id: A, prompt: x, skill: none}]")
    assert [each.id for each in found.cases] == ["a", "A"]
    assert [each.severity for each in found.losses] == ["note"]


def test_checks_in_their_three_spellings():
    case = one(
        "checks:\n  - answer_contains: {text: a, where: all}\n  - answer_contains: b\n"
        "  - answer_contains: no\n  - answer_contains:\n      text: 1.50\n  - json_valid\n"
        "  - answer_lacks: sorry\n  - resource_read: a.md\n  - json_valid: files/answer.json"
    )
    assert case.checks == (
        CheckSpec(name="answer_contains", arguments={"text": "a", "where": "all"}),
        CheckSpec(name="answer_contains", arguments={"text": "b"}),
        CheckSpec(name="answer_contains", arguments={"text": "no"}),
        CheckSpec(name="answer_contains", arguments={"text": "1.50"}),
        CheckSpec(name="json_valid"),
        CheckSpec(name="answer_lacks", arguments={"text": "sorry"}),
        CheckSpec(name="resource_read", arguments={"path": "a.md"}),
        CheckSpec(name="json_valid", arguments={"schema": str(Path.cwd() / "files/answer.json")}),
    )


@pytest.mark.parametrize("written", ["no", "404", "1.5", "true", "2024-01-01", "'no'"])
@pytest.mark.parametrize("name", ["answer_contains", "answer_lacks", "resource_read"])
def test_a_text_for_the_first_argument_is_taken_as_it_is_written(name, written):
    (found,) = one(f"checks: [{name}: {written}]").checks
    assert list(found.arguments.values()) == [written.strip("'")]


@pytest.mark.parametrize(
    "check",
    ["max_tokens: {total: -1}", "max_tokens: {totl: 1}", "max_tokens: {input: many}",
     "answer_lacks: {text: ''}", "layout: {files: 1}", "layout: {file: a}"],
)  # fmt: skip
def test_what_is_missing_only_since_it_was_refused_is_no_second_mistake(check):
    with pytest.raises(BadCases) as caught:
        one(f"checks: [{check}]")
    assert len(caught.value.findings) == 1


def test_a_schema_file_is_found_beside_the_case_file():
    case = one("checks: [json_valid: {schema: files/answer.json}]")
    assert case.checks[0].arguments == {"schema": str(Path.cwd() / "files/answer.json")}


def test_a_rubric_in_its_spellings():
    assert one("rubric: Is it kind?").rubric == (Criterion(id="1", question="Is it kind?"),)
    case = one("rubric:\n  - Is it kind?\n  - {id: 7, question: Short?, severity: should}")
    assert case.rubric == (
        Criterion(id="1", question="Is it kind?"),
        Criterion(id="7", question="Short?", severity="should"),
    )


def test_a_case_comes_before_the_defaults_and_they_before_the_suite():
    found = suite(
        "env: {A: suite, B: suite, C: suite}\n"
        "defaults:\n  skill: greet\n  trials: 2\n  tags: [d]\n  max_turns: 3\n"
        "  settings: {x: 1, y: 1}\n  env: {B: default, C: default}\n"
        "cases:\n  - {id: a, prompt: x}\n"
        "  - {id: b, prompt: x, any_of: [style], trials: 5, tags: [],"
        " settings: {y: 2}, env: {C: case}}\n"
        "  - {id: c, prompt: x, should_trigger: false}\n"
    )
    a, b, c = found.cases
    assert (a.skill, a.trials, a.tags) == ("greet", 2, ("d",))
    assert (b.skill, b.any_of, b.trials, b.tags) == (None, ("style",), 5, ())
    assert b.settings == {"x": 1, "y": 2, "max_turns": 3}
    assert b.env == {"A": "suite", "B": "default", "C": "case"}
    assert (c.skill, c.should_trigger) == ("greet", False)


# Which skills are on offer.

CASE_TEXT = "cases: [{id: a, prompt: x, skill: none}]\n"


def names(found) -> list[str]:
    return [each.name for each in found.skills]


@pytest.mark.parametrize(
    ("file", "found"),
    [
        ("cases.yaml", ["greet", "no", "style"]),
        ("evals/cases.yaml", ["greet", "no", "style"]),
        ("skills/greet/evals/cases.yaml", ["greet"]),
        ("skills/greet/cases.yaml", ["greet"]),
    ],
)
def test_skills_near_the_file_are_on_offer_where_it_names_none(file, found):
    assert names(suite(CASE_TEXT, file)) == found


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("[skills/style, skills/greet]", ["style", "greet"]),
        ("skills", ["greet", "no", "style"]),
        ("['skills/*e*']", ["greet", "style"]),
        ("['**/style']", ["style"]),
        ("[skills/greet, skills]", ["greet", "no", "style"]),
        ("[skills/greet/SKILL.md]", ["greet"]),
        ("[]", []),
    ],
)
def test_named_skills_keep_their_order(asked, found):
    assert names(suite(f"skills: {asked}\n{CASE_TEXT}")) == found


def test_two_skills_of_one_name_are_a_warning_where_the_file_names_none():
    twin = Path("skills/twin")
    twin.mkdir()
    (twin / "SKILL.md").write_text("---\nname: greet\ndescription: x\n---\n")
    found = suite("cases: [{id: a, prompt: x, skill: greet}]")
    assert ["two skills are named `greet`" in each.message for each in found.losses] == [True]


def test_two_skills_of_one_name_are_a_warning():
    Path("more/greet").mkdir(parents=True)
    Path("more/greet/SKILL.md").write_text(Path("skills/greet/SKILL.md").read_text())
    found = suite(f"skills: [skills, more]\n{CASE_TEXT}")
    assert [each.severity for each in found.losses] == ["warning"]


# Mistakes.

MISTAKES = [
    # (the line put into the case at line 4, place, field, what is said)
    ("trials: 0", "4:13 cases[0].trials", "whole number from 1"),
    ("trials: 1.5", "4:13 cases[0].trials", "whole number, found the number 1.5"),
    ("trials: yes", "4:13 cases[0].trials", "whole number, found `yes`"),
    ("timeout_s: soon", "4:16 cases[0].timeout_s", "number of seconds, found the text `soon`"),
    ("timeout_s: -1", "4:16 cases[0].timeout_s", "above 0"),
    ("timeout_s: 1:30:00", "4:16 cases[0].timeout_s", "found the text `1:30:00`"),
    ("tags: {a: 1}", "4:11 cases[0].tags", "list of texts, found a mapping"),
    ("tags: [[a]]", "4:12 cases[0].tags[0]", "expected text, found a list"),
    ("judge: maybe", "4:12 cases[0].judge", "true or false"),
    ("env: [A]", "4:10 cases[0].env", "mapping"),
    ("env: {A: [1]}", "4:14 cases[0].env.A", "expected text"),
    ("env: {A=B: 1}", "4:11 cases[0].env.A=B", "cannot be a variable's name"),
    ("settings: 3", "4:15 cases[0].settings", "expected a mapping"),
    ("fixture: filse", "4:14 cases[0].fixture", "did you mean `files`?"),
    ("fixture: cases.yaml", "4:14 cases[0].fixture", "is a file, and a folder is wanted"),
    ("files: {a: skills}", "4:16 cases[0].files.a", "is a folder, and a file is wanted"),
    ("skill: style\n    any_of: [greet]", "2:5 cases[0]", "leaves out `style`"),
    ("solution: make 'x", "4:15 cases[0].solution", "close the quote"),
    ("output_schema: files/anser.json", "4:20 cases[0].output_schema", "`answer.json`?"),
    ("max_turns: many", "4:16 cases[0].max_turns", "whole number"),
    ("any_of: [greet, styel]", "4:21 cases[0].any_of[1]", "did you mean `style`?"),
    ("any_of: yes", "4:13 cases[0].any_of", "unknown skill `yes`"),
    ("any_of: 5", "4:13 cases[0].any_of", "unknown skill `5`"),
    ("any_of: null", "4:13 cases[0].any_of", "unknown skill `null`"),
    ("trials: 5000000", "4:13 cases[0].trials", "to 1,000,000, found 5000000"),
    ("timeout_s: 1e20", "4:16 cases[0].timeout_s", "1,000,000,000 at most"),
    ("any_of: [greet]\n    should_trigger: false", "2:5 cases[0]", "needs one `skill`"),
    ("any_of: []\n    should_trigger: true", "2:5 cases[0]", "names no skill"),
    ("prompts: [a]", "4:5 cases[0].prompts", "keep one of them"),
    ("checks: {exit_code: 0}", "4:13 cases[0].checks", "begin each check with `- `"),
    ("checks: [exit_coed: 0]", "4:14 cases[0].checks[0].exit_coed", "did you mean `exit_code`?"),
    ("checks: [nope]", "4:14 cases[0].checks[0]", "unknown check `nope`"),
    ("checks: [{json_valid: , exit_code: 0}]", "4:14 cases[0].checks[0]", "expected one check"),
    ("checks: [exit_code: x]", "4:25 cases[0].checks[0].exit_code", "Expected a whole number"),
    (
        "checks: [answer_contains: {text: a, wehre: all}]",
        "4:41 cases[0].checks[0].answer_contains.wehre",
        "did you mean `where`?",
    ),
    (
        "checks: [answer_contains: {text: a, where: al}]",
        "4:48 cases[0].checks[0].answer_contains.where",
        "did you mean `all`?",
    ),
    ("checks: [answer_contains]", "4:14 cases[0].checks[0]", "needs `text`"),
    ("checks: [activation]", "4:14 cases[0].checks[0]", "leave it out"),
    ("checks: [max_tokens: many]", "4:26 cases[0].checks[0].max_tokens", "by name"),
    (
        "checks: [resource_read: {skill: gret}]",
        "4:37 cases[0].checks[0].resource_read.skill",
        "did you mean `greet`?",
    ),
    (
        "checks: [resource_read: {path: ../x.md}]",
        "4:36 cases[0].checks[0].resource_read.path",
        "leads out of the skill",
    ),
    ("checks: [file_matches: x]", "4:28 cases[0].checks[0].file_matches", "`path`, `pattern`"),
    ("checks: [answer_matches: '(?=x)']", "4:30 cases[0].checks[0].answer_matches", "RE2"),
    (
        "checks: [json_valid: {schema: nowhere.json}]",
        "4:35 cases[0].checks[0].json_valid.schema",
        "does not exist",
    ),
    (
        "checks: [program: {command: [pythn3, x]}]",
        "4:34 cases[0].checks[0].program.command[0]",
        "did you mean `python3`?",
    ),
    ("checks: [program: files/answer.json]", "4:23 cases[0].checks[0].program", "not executable"),
    ("checks: [program: files]", "4:23 cases[0].checks[0].program", "that is a folder"),
    ("checks: [program: ~/check]", "4:23 cases[0].checks[0].program", "no shell"),
    ("checks: [program: cd a && b]", "4:23 cases[0].checks[0].program", "no shell"),
    ("checks: [program: A=1 python3 b]", "4:23 cases[0].checks[0].program", "no shell"),
    ("rubric: [{id: a}]", "4:14 cases[0].rubric[0]", "has no `question`"),
    ("rubric: [{question: q, severity: shoud}]", "4:38 cases[0].rubric[0].severity", "`should`?"),
    ("rubric: [{question: a, id: 2}, b]", "4:36 cases[0].rubric[1]", "two questions"),
    ("tags: &x [a]", "4:11 cases[0].tags", "anchors"),
    ("tags: *x", "4:11 cases[0].tags", "aliases"),
    ("tags: !!python/name:os.system", "4:11 cases[0].tags", "tags ("),
    ("prompt: again", "4:5 cases[0].prompt", "given twice; the first is on line 3"),
]


@pytest.mark.parametrize(("line", "place", "said"), MISTAKES, ids=[each[0] for each in MISTAKES])
def test_a_mistake_is_told_with_its_place_and_a_hint(line, place, said):
    expected = "" if line.startswith(("any_of", "skill")) else "    skill: none\n"
    found = findings(f"cases:\n  - id: a\n    prompt: hi\n    {line}\n{expected}")
    assert [each[0] for each in found] == [place]
    assert said in found[0][1]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no `#!` line"),
        ("echo hi\n", "has no `#!` line"),
        ("#!\n", "wants an interpreter"),
        ("#!/no/such -x\n", "wants an interpreter"),
        ("#!/bin/sh\r\necho\r\n", "carriage return"),
        ("#!/usr/bin/env nosuch\n", "wants `nosuch`"),
        ("#!/usr/bin/env -S python3 -u\n", ""),
        ("#!/usr/bin/env python3\n", ""),
        ("#! /bin/sh -e\n", ""),
        ("\x7fELF\x02\x01", ""),
    ],
)
def test_a_program_that_the_kernel_would_refuse_is_a_mistake(text, why):
    Path("files/check").write_text(text, newline="")
    Path("files/check").chmod(0o755)
    line = "checks: [program: files/check --all]"
    whole = f"cases:\n  - id: a\n    prompt: hi\n    skill: none\n    {line}"
    if why:
        assert why in findings(whole)[0][1]
    else:
        suite(whole)


@pytest.mark.parametrize(
    "command",
    [
        "python3 made.py",
        "python3 -m made",
        "python3 -c 'print(1)'",
        "./build/out --fast",
        "files/run",
        "check.sh a b",
        "./check.sh",
        '[bash, -c, "cd x && ./y"]',
        "env A=1 python3 made.py",
        "[true]",
        "true",
    ],
)
def test_a_program_that_is_here_or_that_the_agent_may_make_is_no_mistake(command):
    Path("check.sh").write_text("#!/bin/sh\n")
    Path("check.sh").chmod(0o755)
    text = f"cases:\n  - id: a\n    prompt: hi\n    skill: none\n    checks: [program: {command}]"
    assert not suite(text).losses


@pytest.mark.parametrize(
    ("given", "words", "hint"),
    [
        ("api.md", "brings the file `api.md`", "`refs/api.md`"),
        ("{path: ./refs/ap.md}", "brings the file `refs/ap.md`", "`refs/api.md`"),
        ("{path: SKILL.md, skill: greet}", "is no resource", "in every case"),
        ("./refs/api.md", "", ""),
        ("{skill: greet}", "", ""),
    ],
)
def test_a_resource_that_no_skill_brings_is_doubted(given, words, hint):
    Path("skills/greet/refs").mkdir()
    Path("skills/greet/refs/api.md").write_text("x")
    checks = f"checks: [resource_read: {given}]"
    found = suite(f"cases:\n  - id: a\n    prompt: hi\n    skill: greet\n    {checks}").losses
    assert [each.severity for each in found] == ["warning"] * bool(words)
    assert all(words in each.message and hint in each.hint for each in found)


@pytest.mark.parametrize("command", ["./chek.sh", "python3 chek.sh", "[bash, chek.sh]"])
def test_a_program_of_the_workspace_is_doubted_where_its_like_is_beside_the_case(command):
    Path("check.sh").write_text("#!/bin/sh\n")
    text = f"cases:\n  - id: a\n    prompt: hi\n    skill: none\n    checks: [program: {command}]"
    (found,) = suite(text).losses
    assert (found.severity, found.line) == ("warning", 5)
    assert "check.sh`?" in found.hint


def test_a_program_is_named_as_it_is_written():
    text = "cases:\n  - {id: a, prompt: hi, skill: none, checks: [program: {command: [null, x]}]}"
    (found,) = suite(text).losses
    assert found.message.startswith("program `null` is neither beside")
    assert one("checks: [program: [true]]").checks[0].arguments == {"command": ["true"]}


@pytest.mark.parametrize("command", ["nosuch -x", "/no/such"])
def test_a_program_that_this_machine_does_not_have_is_a_warning(command):
    text = f"cases:\n  - id: a\n    prompt: hi\n    skill: none\n    checks: [program: {command}]"
    (found,) = suite(text).losses
    assert (found.severity, found.line) == ("warning", 5)
    assert f"`{command.split()[0]}`" in found.message
    assert "install it" in found.hint


WHOLE = [
    # (the file, places, what is said)
    ("", ["1:1 "], "expected a mapping"),
    ("- a", ["1:1 "], "expected a mapping"),
    ("just words", ["1:1 "], "expected a mapping"),
    ("skills: skills", ["1:1 "], "no cases"),
    ("cases: []", ["1:1 cases"], "no cases"),
    ("cases:\n", ["1:1 cases"], "no cases"),
    ("cases: {a: 1}", ["1:8 cases"], "list of cases, found a mapping"),
    ("cases: [a]", ["1:9 cases[0]"], "expected a mapping with `id`"),
    ("cases:\n - prompt: x\n   skill: none", ["2:4 cases[0]"], "has no `id`"),
    ("cases:\n - id: a\n   skill: none", ["2:4 cases[0]"], "has no `prompt`"),
    ("cases:\n - id:\n   prompt: x\n   skill: none", ["2:4 cases[0].id"], "is empty"),
    ("cases:\n - id: a\n   prompt: x\n   skill:\n", ["4:4 cases[0].skill"], "skill: none"),
    ("cases:\n - id: a\n   prompt: x\n   skill: gret\n", ["4:11 cases[0].skill"], "`greet`?"),
    ("cases:\n - id: a\n   prompt: x\n", ["2:4 cases[0]"], "does not say which skill"),
    (
        "cases:\n - {id: a, prompt: x, checks: [exit_code: 0]}",
        ["2:4 cases[0]"],
        "`skill: none` if all",
    ),
    (
        "cases:\n - id: a\n   prompt: x\n   skill: none\n   should_trigger: true",
        ["2:4 cases[0]"],
        "names no skill",
    ),
    (
        "cases:\n - {id: a, prompt: x, skill: none, any_of: [greet]}",
        ["2:4 cases[0]"],
        "contradict",
    ),
    (
        "cases:\n - {id: a, prompt: x, skill: none}\n - {id: a, prompt: y, skill: none}",
        ["3:9 cases[1].id"],
        "taken; it is the case's on line 2",
    ),
    (f"skills: [skils]\n{CASE_TEXT}", ["1:10 skills[0]"], "did you mean `skills`?"),
    (f"skills: [files]\n{CASE_TEXT}", ["1:10 skills[0]"], "no SKILL.md"),
    (f"skills: ['']\n{CASE_TEXT}", ["1:10 skills[0]"], "names no folder"),
    (f'skills: ["a\\0"]\n{CASE_TEXT}', ["1:10 skills[0]"], "holds a NUL"),
    (f"policy: defalut\n{CASE_TEXT}", ["1:9 policy"], "did you mean `default`?"),
    (f"skills: {{a: b}}\n{CASE_TEXT}", ["1:9 skills"], "expected a list of texts"),
    (f"defaults: []\n{CASE_TEXT}", ["1:11 defaults"], "expected a mapping"),
    (f"defaults: {{trials: x}}\n{CASE_TEXT}", ["1:20 defaults.trials"], "whole number"),
    (f"defaults: {{skill: gret}}\n{CASE_TEXT}", ["1:19 defaults.skill"], "`greet`?"),
    ("cases:\n\t- a", ["2:1 "], "by spaces, not by tabs"),
    ("cases: [\n", ["2:1 "], "not YAML"),
    ("cases: \x07", ["1:8 "], "control character"),
    (f"{CASE_TEXT}---\nmore", ["2:1 "], "second document"),
    ("[" * 100_000, ["1:52 "], "deeper"),
    (f"{CASE_TEXT}x: {'y' * 1024 * 1024}", ["1:1 "], "larger"),
]


@pytest.mark.parametrize(("text", "places", "said"), WHOLE, ids=[each[0][:30] for each in WHOLE])
def test_a_mistake_of_the_whole_file_is_told(text, places, said):
    found = findings(text)
    assert [each[0].partition("[" * 99)[0] for each in found][: len(places)] == places
    assert len(found) == len(places)
    assert said in found[0][1]


def test_bytes_that_are_not_utf8_are_refused_at_their_place():
    Path("cases.yaml").write_bytes(b"cases:\n - id: caf\xe9\n")
    with pytest.raises(BadCases) as caught:
        read(Path("cases.yaml"))
    assert [(each.line, each.column) for each in caught.value.findings] == [(2, 11)]


def test_all_mistakes_are_told_at_once_in_the_order_of_the_file():
    text = "colour: red\ndefaults:\n  timeouts: 3\ncases:\n  - id: a\n    prompt: hi\n"
    lines = [line for line, *_ in MISTAKES if "\n" not in line and "prompt" not in line]
    used: set[str] = set()
    asked = 0
    for line in lines:
        key = line.partition(":")[0]
        if key not in used and "*x" not in line:
            used.add(key)
            text += f"    {line}\n"
            asked += 1
    found = findings(text)
    assert len(found) == asked + 2 > 12
    places = [tuple(map(int, each[0].split(" ")[0].split(":"))) for each in found]
    assert places == sorted(places)


def test_a_yaml_bomb_is_refused_at_once():
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for this, that in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{that}: &{that} [{', '.join([f'*{this}'] * 9)}]\n"
    assert any("aliases" in each[1] for each in findings(bomb + CASE_TEXT))


def test_an_unknown_key_is_kept_as_a_warning_with_the_nearest():
    found = suite("polcy: x\ncases:\n  - {id: a, prompt: x, skill: none, chekcs: []}\n")
    told = [(each.line, each.column, each.field, each.severity) for each in found.losses]
    assert told == [(1, 1, "polcy", "warning"), (3, 37, "cases[0].chekcs", "warning")]
    assert "`policy`" in found.losses[0].hint
    assert "`checks`" in found.losses[1].hint
    assert found.cases[0].settings == {"unknown_keys": {"chekcs": []}}


def test_a_policy_is_kept():
    assert suite(CASE_TEXT).policy == "default"
    assert suite(f"policy: skilljack\n{CASE_TEXT}").policy == "skilljack"


# Whatever is in the file.

PIECES = st.sampled_from(
    ["cases:\n", "  - id: a\n", "    prompt: x\n", "    skill: ", "greet", "none", "[", "]", "{", "}",
     ": ", "- ", "\n", "    ", "checks:\n", "answer_contains", "&a ", "*a", "!!x ", "? ", "'", '"',
     "defaults:\n", "skills: ", "*", "/", "..", "1", "no", "~", "rubric: ", "env: ", "\t", "|", ">",
     "fixture: ", "\x00", "json_valid", "schema: ", "any_of: ", "settings: ", "<<", "=", "---\n"]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(
    st.one_of(st.binary(max_size=100), st.lists(PIECES, max_size=40).map("".join).map(str.encode))
)
@example(b'cases:\n  - {id: a, prompt: x, skill: none, fixture: "\\0"}')
@example(b"cases:\n  - {id: a, prompt: x, skill: none, checks: [{[a]: b}]}")
@example(b'skills: ["**"]\ncases: [{id: a, prompt: x, skill: "\\x1b"}]')
@example(b"cases:\n  - {? : a}\n")
@example(b'{"": 1, "": 2, cases: [{"": {"": 3}}]}')
def test_no_bytes_crash_the_reader(raw):
    Path("any.cases.yaml").write_bytes(raw)
    told: tuple = ()
    try:
        told = read(Path("any.cases.yaml")).cases
    except BadCases as error:
        told = error.findings
    assert told


# The schema.


def test_the_schema_is_valid_and_names_every_key_and_check():
    schema = case_schema()
    fastjsonschema.compile({**schema, "$schema": "http://json-schema.org/draft-07/schema#"})
    assert set(schema["properties"]) == set(SUITE)
    assert set(schema["$defs"]["case"]["properties"]) == set(CASE)
    assert set(schema["$defs"]["defaults"]["properties"]) == set(SHARED)
    named = schema["$defs"]["checks"]["items"]["anyOf"][0]["properties"]
    assert set(named) == set(checks)
    for each in (schema, schema["$defs"]["case"], {"properties": named}):
        for key, told in each["properties"].items():
            assert told["title"] == key
            assert told["description"]


@pytest.mark.parametrize(
    ("line", "fits"),
    [
        ("skill: none", True),
        ("skill: ~", True),
        ("skill: [a]", False),
        ("checks: [exit_code: {code: 0}, exit_code: 0, json_valid, answer_contains: x]", True),
        ("checks: [exit_code: {coed: 0}]", False),
        ("checks: [nope]", False),
        ("checks: [answer_contains: {where: all}]", False),
        ("checks: [answer_lacks: no, resource_read: 404, answer_lacks: 1.5]", True),
        ("trials: 0", False),
        ("colour: red", False),
        ("rubric: [a, {question: b}]", True),
        ("env: {A: 1}", True),
    ],
)
def test_the_schema_agrees_with_the_reader(line, fits):
    text = f"cases:\n  - id: a\n    prompt: hi\n    {line}\n"
    schema = {**case_schema(), "$schema": "http://json-schema.org/draft-07/schema#"}
    check = fastjsonschema.compile(schema)
    if fits:
        check(yaml.safe_load(text))
    else:
        with pytest.raises(fastjsonschema.JsonSchemaException):
            check(yaml.safe_load(text))


LOOKED_UP = {"skill", "any_of", "fixture", "files", "output_schema", "checks", "process"}
"""Keys whose values must be there, which no schema can know."""
VALUES = [True, False, 0, 1, -1, 1.5, 2_000_000, 1e10, "", " ", "x", "7", [], ["x"], [1], [[]], [""],
          {}, {"a": "b"}, {"a": 1}, {"a": [1]}, {"": "x"}, [{"question": "q"}], [{"question": ""}],
          [{"question": "q", "severity": "most"}], [{"id": 1, "question": True}]]  # fmt: skip


@pytest.mark.parametrize("key", sorted(CASE.keys() - LOOKED_UP))
def test_the_schema_and_the_reader_take_and_refuse_the_same(key):
    schema = {**case_schema(), "$schema": "http://json-schema.org/draft-07/schema#"}
    check = fastjsonschema.compile(schema)
    for value in VALUES:
        case = {"id": "a", "prompt": "x", "skill": "greet", key: value}
        if key == "prompts":
            del case["prompt"]
        asked = {"cases": [case]}
        refusing = (check, lambda asked: suite(json.dumps(asked)))
        assert [refuses(each, asked) for each in refusing] in ([True] * 2, [False] * 2), value


def refuses(read, asked):
    try:
        read(asked)
    except (BadCases, fastjsonschema.JsonSchemaException):
        return True
    return False


def test_the_reference_names_every_key():
    page = (DOCS / "case-file.md").read_text()
    missing = [name for name in {**SUITE, **CASE} if f"`{name}`" not in page]
    assert not missing


# The commands.


def test_the_schema_command_prints_it(capsys):
    assert run_words(["schema"]) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(case_schema()))


def test_init_writes_cases_that_are_understood_and_the_schema_they_name(capsys):
    assert run_words(["init", "greet"]) == 0
    (found,) = load_suites([Path("cases.yaml")])
    assert [each.expected for each in found.cases] == [("greet",), ("greet",), ()]
    assert found.losses == ()
    first = Path("cases.yaml").read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    named = Path(first.partition("=")[2])
    assert json.loads(named.read_text())["title"] == "audition cases"
    check = fastjsonschema.compile(
        {**case_schema(), "$schema": "http://json-schema.org/draft-07/schema#"}
    )
    check(yaml.safe_load(Path("cases.yaml").read_text()))
    assert "audition run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("flags", "expected", "findings"),
    [
        ("", [("quay",), ("quay",), ()], set()),
        ("user-invocable: false", [("quay",), ("quay",), ()], set()),
        ("disable-model-invocation: true", [("quay",), (), ()], set()),
        ("disable-model-invocation: true\nuser-invocable: false", [(), (), ()], {"EV105"}),
    ],
)
def test_init_expects_a_call_by_whom_the_skill_lets_call_it(capsys, flags, expected, findings):
    Path("skills/quay").mkdir()
    words = "Counts the moored boats. Use it when somebody wants to know how full the harbour is."
    front = f"name: quay\ndescription: {words}\n{flags}"
    Path("skills/quay/SKILL.md").write_text(f"---\n{front.rstrip()}\n---\nCount.\n")
    assert run_words(["init", "quay"]) == 0
    (found,) = load_suites([Path("cases.yaml")])
    assert [each.expected for each in found.cases] == expected
    by_user = flags == "disable-model-invocation: true"
    assert found.cases[0].prompt.startswith("/quay ") is by_user
    text = Path("cases.yaml").read_text()
    assert ("is not delivered at all" in text) is any(expected)
    capsys.readouterr()
    run_words(["lint", "cases.yaml", "--output-format", "json"])
    assert {each["rule"] for each in json.loads(capsys.readouterr().out)} == findings
    assert run_words(["run", "cases.yaml", "--agent", "oracle"]) == 0


def test_init_replaces_nothing_without_force(capsys):
    Path("cases.yaml").write_text("mine")
    assert run_words(["init", "greet"]) == 2
    assert Path("cases.yaml").read_text() == "mine"
    assert "--force" in capsys.readouterr().err
    assert run_words(["init", "skills/greet", "--force"]) == 0
    assert Path("cases.yaml").read_text() != "mine"


def test_init_says_what_it_cannot_write(capsys):
    Path(".audition").write_text("in the way")
    assert run_words(["init", "greet"]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_init_names_the_skills_where_there_are_several_and_the_nearest_name(capsys):
    assert run_words(["init"]) == 2
    assert "`skills/greet`" in capsys.readouterr().err
    assert run_words(["init", "gret"]) == 2
    assert "did you mean `greet`?" in capsys.readouterr().err


@pytest.mark.parametrize("name", ['a "b": {c} \\', "x: &y", "- é\u200b", "{0}", "no"])
def test_init_writes_any_name_and_description(name):
    folder = Path("other/it")
    folder.mkdir(parents=True)
    Path(folder / "SKILL.md").write_text(
        f"---\nname: {json.dumps(name)}\ndescription: {json.dumps(name * 20)}\n"
        "disable-model-invocation: true\n---\n"
    )
    assert run_words(["init", "other/it"]) == 0
    (found,) = load_suites([Path("cases.yaml")])
    assert {each.skill for each in found.cases} == {name}
    # Only what is one word can be called by `/name`.
    assert [each.should_trigger for each in found.cases] == [name == "no", False, False]
