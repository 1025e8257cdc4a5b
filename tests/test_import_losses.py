"""What an import defaults, drops or reads differently is said, with its line; nothing is passed by."""

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from audition.case_file import BadCases, load_suites, read_suites

FIXTURES = Path(__file__).parent / "fixtures" / "formats"
SKILL = "---\nname: {0}\ndescription: Writes {0}s. Use for one.\n---\nDo it.\n"


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return path


@pytest.fixture
def bill(tmp_path):
    write(tmp_path, "bill/SKILL.md", SKILL.format("bill"))
    return tmp_path / "bill"


def said(suite, line=None, field=None):
    return [
        f"{each.severity}: {each.message}"
        for each in suite.losses
        if line in (None, each.line) and field in (None, each.field)
    ]


def load(path):
    (suite,) = load_suites([path])
    return suite


@pytest.mark.parametrize(
    ("name", "content", "lines"),
    [
        ("evals/evals.json", {"evals": [{"id": 1, "prompt": "a"}, {"prompt": "b"}]}, {7: "eval-2"}),
        ("t.json", {"test_cases": [{"skill": "bill", "prompt": "a"}]}, {3: "case-1"}),
        ("q.csv", "id,should_trigger,prompt\n1,true,a\n,false,b\n", {3: "row-2"}),
        ("triggers.json", [{"query": "a", "should_trigger": True}] * 2, {2: "query-1"}),
        ("tasks.yaml", "skill: bill\ntasks:\n- id: a\n  prompt: a\n- prompt: b\n", {5: "task-2"}),
    ],
)  # fmt: skip
def test_a_case_without_an_id_is_said_to_be_called_by_its_place(bill, name, content, lines):
    suite = load(write(bill, name, content))
    words = {each.line: each.message for each in suite.losses if "called `" in each.message}
    assert words.keys() == lines.keys()
    assert all(f"`{name}`" in words[line] for line, name in lines.items())


def test_columns_that_are_not_there_have_their_defaults_said(tmp_path):
    write(tmp_path, "human/bill/SKILL.md", SKILL.format("bill"))
    path = write(tmp_path, "evals/skills/bill/prompts.csv", "id,should_trigger,prompt\na,true,x\n")
    words = said(load(path), 1)
    assert any("no column `sandbox`: workspace-write" in each for each in words)
    assert any("no column `timeout_s`: 180" in each for each in words)
    path.write_text("id,should_trigger,prompt,sandbox,timeout_s\na,true,x,read-only,9\nb,true,y\n")
    words = said(load(path), 3)
    assert len(words) == 2
    assert all("is empty" in each for each in words)


def test_what_skilljack_evals_says_twice_or_elsewhere(bill):
    text = """skill: bill
version: 2
tasks:
- id: a
  prompt: x
  expected_skill_load: none
  deterministic: {expect_skill_activation: true}
"""
    path = write(bill, "tasks.yaml", text)
    write(bill, "eval.config.yaml", "runner: {timeout_ms: 1000}\n")
    suite = load(path)
    assert not suite.cases[0].expected
    (words,) = said(suite, 7, "tasks[0].deterministic.expect_skill_activation")
    assert "which decides" in words
    assert said(suite, 2, "version")
    assert any("eval.config.yaml" in each for each in said(suite))


def test_cat_s_prefix_in_what_is_expected_is_said(tmp_path):
    write(tmp_path, "skills/work/SKILL.md", "---\ndescription: Works.\n---\n")
    case = {"id": "a", "skill": "cat:work", "prompt": "x"}
    suite = load(write(tmp_path, "test_cases.json", {"test_cases": [case]}))
    assert suite.cases[0].skill == "work"
    (words,) = said(suite, 5, "test_cases[0].skill")
    assert words.startswith("warning: `cat:work` is read as `work`")


def test_a_case_of_cat_that_is_said_to_be_positive_without_a_skill_is_said_to_be_negative(tmp_path):
    rows = [
        {"id": "a", "prompt": "Clean this", "category": "explicit"},
        {"id": "b", "prompt": "Clean that", "category": "implicit", "skill": None},
        {"id": "c", "prompt": "", "category": "negative", "skill": None},
    ]
    suite = load(write(tmp_path, "test_cases.json", {"test_cases": rows}))
    assert [case.should_trigger for case in suite.cases] == [False] * 3
    for number in (0, 1):
        assert said(suite, field=f"test_cases[{number}].category")
    assert not said(suite, field="test_cases[2].category")


def test_evals_are_read_as_the_skill_s_they_lie_in_whatever_they_call_it(bill):
    evals = {"skill_name": "Bill Writer", "evals": [{"id": 1, "prompt": "a"}]}
    suite = load(write(bill, "evals/evals.json", evals))
    assert suite.cases[0].skill == "bill"
    (words,) = said(suite, 2, "skill_name")
    assert "read as the one it lies in" in words
    assert any("should be called, too" in each for each in said(suite))
    both = [{"id": 1, "prompt": "a", "assertions": ["x"], "expectations": ["y"]}]
    words = said(load(write(bill, "evals/evals.json", both)))
    assert any(each.startswith("warning") and "side by side" in each for each in words)


@pytest.mark.parametrize("name", ["trigger-eval.json", "iteration-1/eval_queries.json"])
def test_what_lies_in_a_skill_s_workspace_is_about_that_skill(bill, name):
    write(bill.parent, "other/SKILL.md", SKILL.format("other"))
    queries = [{"query": "a", "should_trigger": True}]
    suite = load(write(bill.parent, f"bill-workspace/{name}", queries))
    assert [each.name for each in suite.skills] == ["bill"]
    assert suite.cases[0].skill == "bill"


@pytest.mark.parametrize("content", ["{}", "[]", '{"tests": []}', '{"evals": {}}'])
def test_evals_in_their_place_that_say_nothing_are_not_passed_by(bill, content):
    write(bill, "evals/evals.json", content)
    ((suite,), findings) = read_suites([bill])
    assert not findings
    assert (suite.format, suite.cases) == ("evals-json", ())
    assert any("no cases" in each.message for each in suite.losses)


def test_an_empty_file_where_cases_belong_is_a_mistake(bill, tmp_path):
    write(bill, "evals/evals.json", "")
    with pytest.raises(BadCases, match="ends too early"):
        load_suites([bill])
    write(tmp_path, "human/x/SKILL.md", SKILL.format("x"))
    write(tmp_path, "evals/skills/x/prompts.csv", "")
    suites, _ = read_suites([tmp_path / "evals" / "skills"])
    assert [each.format for each in suites] == ["pkbllm"]


@pytest.mark.parametrize("hidden", [".claude", ".agents", ".github"])
def test_a_project_s_own_skills_bring_their_cases(tmp_path, hidden):
    write(tmp_path, f"{hidden}/skills/bill/SKILL.md", SKILL.format("bill"))
    write(tmp_path, f"{hidden}/skills/bill/evals/evals.json", {"evals": [{"prompt": "a"}]})
    write(tmp_path, f"{hidden}/other/evals.json", {"evals": [{"prompt": "a"}]})
    write(tmp_path, ".git/skills/evals.json", {"evals": [{"prompt": "a"}]})
    (tmp_path / ".codex").symlink_to(hidden)
    suites = load_suites([tmp_path])
    assert [each.cases[0].skill for each in suites] == ["bill"]


@pytest.mark.parametrize(
    ("name", "head", "row"),
    [
        ("test_cases.json", '{"test_cases": [', '{"id": "a", "skill": "x", "prompt": "p"}'),
        ("prompts.csv", "id,should_trigger,prompt,sandbox,timeout_s\n", "a,true,x,,0\n"),
    ],
)
def test_a_file_of_many_cases_of_one_id_is_read_in_time(tmp_path, name, head, row):
    most = 6000
    end = "]}" if name.endswith("json") else ""
    path = write(tmp_path, name, head + (", " if end else "").join([row] * most) + end)
    began = time.process_time()
    suite = load(path)
    assert time.process_time() - began < 4
    assert len({each.id for each in suite.cases}) == most


def cases(*words, good=(0,)):
    argv = [sys.executable, "-m", "audition", "cases", *map(str, words)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode in good, done.stderr
    return done


def test_a_file_without_cases_is_no_hindrance_to_a_conversion(bill, tmp_path):
    write(bill, "evals/evals.json", {"evals": []})
    write(bill, "triggers.json", [{"query": "a", "should_trigger": True}])
    done = cases(bill, "--to", "yaml")
    assert "there are no cases in it" in done.stderr
    assert "prompt: a" in done.stdout


def test_a_conversion_says_what_it_leaves_behind(tmp_path):
    done = cases(FIXTURES / "waza", "--to", "yaml", "--into", tmp_path)
    assert "warning: " in done.stderr
    assert "is not carried over" in done.stderr
    assert "note: " not in done.stderr


def test_the_cases_that_pkbllm_makes_itself_are_shown_and_converted(tmp_path):
    shown = json.loads(cases(FIXTURES / "pkbllm", "--output-format", "json").stdout)
    made = next(each for each in shown if each["format"] == "generated")
    assert {each["id"] for each in made["cases"]} == {
        *("smoke-explicit", "smoke-implicit", "smoke-negative"),
    }
    assert all(each["settings"]["output_schema"] for each in made["cases"])
    assert "are generated" in made["losses"][0]["what"]
    files = cases(FIXTURES / "pkbllm", "--to", "yaml", "--into", tmp_path).stdout.split()
    assert len(files) == 2


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("promptfooconfig.json", {"prompts": ["a"], "tests": [{"vars": {}}]}),
        ("promptfooconfig.yaml", "prompts: [a]\nscenarios: []\n"),
        ("eval.yaml", "skill: bill\ntasks:\n- instruction: a\n  graders: []\n"),
    ],
)
def test_a_file_is_known_however_it_is_laid_out(bill, name, content):
    path = write(bill, name, content)
    (suite,), _ = read_suites([bill])
    assert suite.file == str(path)
