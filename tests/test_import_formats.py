"""Every format: recognised by its content, read whole, and nothing lost without a word."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audition.case_file import BadCases, find_format, formats, load_suites
from audition.cases.marked_json import parse_json
from audition.errors import AuditionError

FIXTURES = Path(__file__).parent / "fixtures" / "formats"
FILES = {
    "cat": "cat/tests/eval/test_cases.json",
    "evals-json": "evals-json/greeting/evals/evals.json",
    "pkbllm": "pkbllm/evals/skills/uv-greeting/prompts.csv",
    "promptfoo": "promptfoo/greeting/promptfooconfig.yaml",
    "skillgrade": "skillgrade/greeting/eval.yaml",
    "skilljack": "skilljack/tasks/code-style.json",
    "skilljack-evals": "skilljack-evals/tasks.yaml",
    "skilljack-task": "skilljack-tasks/tasks/greet-file/task.md",
    "tessl": "tessl/greeting/evals/scenario-1/criteria.json",
    "trigger-csv": "triggers/greeting/evals/greeting.prompts.csv",
    "triggers": "triggers/greeting/evals/trigger-eval.json",
    "waza": "waza/greeting/eval.yaml",
}
POLICIES = {
    "cat": "cat",
    "pkbllm": "pkbllm",
    "skilljack": "skilljack",
    "skilljack-evals": "skilljack-evals",
    "skilljack-task": "skilljack-evals",
}


def load(path, name=None):
    (suite,) = load_suites([path], name)
    return suite


def case(suite, name):
    return next(each for each in suite.cases if each.id == name)


def checks(each):
    return [(spec.name, spec.arguments) for spec in each.checks]


def lost(suite, severity=("error", "warning")):
    return [(each.line, each.field) for each in suite.losses if each.severity in severity]


def test_every_format_on_the_shelf_has_an_example():
    assert set(formats) == {*FILES, "yaml"}


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_recognised_by_its_content_whatever_its_folder(name):
    path = FIXTURES / FILES[name]
    assert find_format(path, named=False).name == name
    assert load(path).format == name


@pytest.mark.parametrize("name", FILES)
def test_a_format_s_rules_come_with_it(name):
    assert load(FIXTURES / FILES[name]).policy == POLICIES.get(name, "default")


@pytest.mark.parametrize("name", FILES)
def test_the_skills_are_found_where_the_harness_has_them(name):
    suite = load(FIXTURES / FILES[name])
    expected = {skill for each in suite.cases for skill in each.expected}
    assert expected
    assert expected <= {each.name for each in suite.skills}


@pytest.mark.parametrize("name", FILES)
def test_every_loss_names_its_line(name):
    path = FIXTURES / FILES[name]
    losses = load(path).losses
    assert losses
    for each in losses:
        lines = Path(each.path).read_text("utf-8-sig").splitlines()
        assert 1 <= each.line <= len(lines)
        key = each.field.rpartition(".")[2].partition("[")[0]
        if each.message.endswith("is not used") and path.suffix != ".csv":
            assert key in lines[each.line - 1]


def test_a_tree_of_all_formats_is_read_at_once():
    suites = load_suites([FIXTURES])
    assert {each.format for each in suites} == set(FILES)
    assert not any("skill_inventory" in each.file or "schema" in each.file for each in suites)


def test_a_format_may_be_forced(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text('{"prompt": "Hi", "evalConfig": {"expectedSkillName": "x"}}')
    assert load(path, "skilljack").cases[0].skill == "x"


def test_skilljack_maps_its_output_and_its_resource():
    each = load(FIXTURES / FILES["skilljack"]).cases[0]
    assert (each.id, each.skill) == ("code-style", "code-style")
    assert checks(each) == [
        ("answer_contains", {"text": "style-rules-8", "ignore_case": True}),
        ("resource_read", {}),
    ]
    assert each.settings == {"append_system_prompt": "You are terse."}
    suite = load(FIXTURES / FILES["skilljack"])
    assert lost(suite) == [(4, "owner"), (9, "evalConfig.retries")]
    assert [skill.name for skill in suite.skills] == ["code-style", "greeting"]


def test_skilljack_evals_tells_negatives_from_defaults():
    suite = load(FIXTURES / FILES["skilljack-evals"])
    first, second, third = suite.cases
    assert (first.skill, first.should_trigger) == ("greeting", True)
    assert [each.id for each in first.rubric] == ["output", "checklist-1"]
    assert ("tool_unused", {"tool": "Write"}) in checks(first)
    assert (second.skill, second.should_trigger) == (None, False)
    assert (third.id, third.skill) == ("3", "code-style")
    assert (27, "tasks[1].fixture.setup") in lost(suite)


def test_a_skilljack_task_package_brings_its_workspace_and_its_verifier():
    each = load(FIXTURES / FILES["skilljack-task"]).cases[0]
    assert each.prompt == "Tom starts today. Please welcome him."
    assert Path(each.fixture, "names.txt").is_file()
    assert each.checks[-1].name == "program"
    assert each.timeout_s == 60
    other = load(FIXTURES / "skilljack-tasks/tasks/no-greet/task.md").cases[0]
    assert (other.skill, other.should_trigger, other.id) == ("greeting", False, "no-greet")


def test_pkbllm_splits_lists_and_keeps_cells_of_several_lines():
    suite = load(FIXTURES / FILES["pkbllm"])
    first = case(suite, "explicit-1")
    assert first.prompt == 'Use the uv-greeting skill.\nSay "hello" to Ana.'
    assert checks(first) == [
        ("max_commands", {"count": 0}),
        ("max_tokens", {"total": 60000}),
        ("answer_matches", {"pattern": r"(?im)welcome-\d+"}),
        ("answer_matches", {"pattern": "(?im)^WELCOME"}),
        ("answer_lacks", {"pattern": "(?im)sorry"}),
        ("answer_lacks", {"pattern": "(?im)cannot"}),
    ]
    second = case(suite, "implicit-1")
    assert (second.line, second.judge, len(second.rubric)) == (4, True, 4)
    # `--judge` asks it of every case there, also of one that does not wish it.
    assert (first.judge, [each.id for each in first.rubric]) == (
        False,
        ["trigger", "outcome", "process", "efficiency"],
    )
    assert first.rubric[0].question == "Was the skill `uv-greeting` used?"
    assert Path(second.fixture, "notes/in.txt").is_file()
    assert second.settings["output_schema"].endswith("evals/schemas/skill_response.schema.json")
    assert second.env["HUMAN_MATERIAL_PATH"] == "{workspace}/human_materials"
    assert case(suite, "negative-1").should_trigger is False


def test_a_pattern_that_re2_refuses_is_looked_for_by_a_program_as_its_harness_does(tmp_path):
    suite = load(FIXTURES / FILES["pkbllm"])
    ((name, arguments),) = checks(case(suite, "e2e-1"))
    (refused,) = [each for each in suite.losses if "lookahead" in each.message]
    assert (refused.line, refused.severity) == (6, "note")
    assert name == "program"
    answer = tmp_path / "answer"
    for text, code in (("LOOK here", 0), ("nothing", 1)):
        answer.write_text(text, "utf-8")
        done = subprocess.run(
            arguments["command"],
            env={**os.environ, "AUDITION_ANSWER": str(answer)},
            capture_output=True,
            check=False,
        )
        assert done.returncode == code


def test_a_pattern_that_nothing_takes_stays_a_check_and_is_an_error(tmp_path):
    path = tmp_path / "prompts.csv"
    path.write_text("id,should_trigger,prompt,must_include\na,true,x,(never closed\n")
    suite = load(path)
    assert checks(suite.cases[0]) == [("answer_matches", {"pattern": "(?im)(never closed"})]
    assert [each.line for each in suite.losses if each.severity == "error"] == [2]


def test_a_row_without_an_id_is_dropped_with_a_word():
    suite = load(FIXTURES / FILES["pkbllm"])
    assert len(suite.cases) == 4
    assert (7, "[4]") in lost(suite)


def test_cat_keeps_empty_prompts_and_numbers_for_ids():
    suite = load(FIXTURES / FILES["cat"])
    assert case(suite, "edge-empty").prompt == ""
    assert case(suite, "7").prompt == "\U0001f600"
    assert case(suite, "status-1").skill == "status"
    assert [each.should_trigger for each in suite.cases] == [True, True, False, False, False]


def test_evals_json_finds_files_from_the_skill_s_folder():
    suite = load(FIXTURES / FILES["evals-json"])
    first = case(suite, "1")
    assert first.files == {
        "names.csv": str((FIXTURES / "evals-json/greeting/evals/files/names.csv").resolve())
    }
    assert ("answer_matches", {"pattern": r"WELCOME-\d+"}) in checks(first)
    assert [each.id for each in first.rubric] == ["expected_output", "1", "kind"]
    assert case(suite, "quiet").should_trigger is False
    assert case(suite, "quiet-1").prompt == "Add 2 and 2."
    assert (12, "evals[2].files[0]") in lost(suite)


@pytest.mark.parametrize("where", ["bare/evals.json", "flat/evals/evals.json"])
def test_bare_and_flat_lists_are_evals_too(where):
    suite = load(FIXTURES / "evals-json" / where)
    assert suite.format == "evals-json"
    assert suite.cases[0].expected == (suite.skills[0].name,)


def test_a_flat_eval_may_expect_no_skill():
    assert load(FIXTURES / "evals-json/flat/evals/evals.json").cases[1].expected == ()


def test_a_trigger_set_keeps_empty_queries_and_reports_the_route():
    suite = load(FIXTURES / FILES["triggers"])
    assert [each.should_trigger for each in suite.cases] == [True, False, False, False]
    assert suite.cases[3].prompt == ""
    assert {each.skill for each in suite.cases} == {"greeting"}
    assert (4, "[2].expected_skill") in lost(suite)


def test_two_lists_are_a_trigger_set():
    suite = load(FIXTURES / "triggers/greeting/evals/trigger_tests.yaml")
    assert [(each.should_trigger, each.tags) for each in suite.cases] == [
        (True, ("high",)),
        (False, ()),
    ]


def test_a_csv_row_of_two_lines_moves_those_behind_it():
    suite = load(FIXTURES / FILES["trigger-csv"])
    assert [each.line for each in suite.cases] == [2, 4]
    assert suite.cases[0].skill == "greeting"


def test_waza_shares_its_graders_among_its_tasks():
    suite = load(FIXTURES / FILES["waza"])
    (each,) = suite.cases
    assert ("answer_matches", {"pattern": r"WELCOME-\d+"}) in checks(each)
    assert [one.id for one in each.rubric] == ["kind"]
    assert each.files.keys() == {"names.csv"}
    assert any(one.path.endswith("first.yaml") and one.line == 13 for one in suite.losses)


def test_skillgrade_s_grader_is_a_program_that_reads_its_score():
    each = load(FIXTURES / FILES["skillgrade"]).cases[0]
    command = each.checks[0].arguments["command"]
    assert command[-2:] == ["sh graders/check.sh", "0.5"]
    assert each.files.keys() == {"in.txt"}


def test_tessl_s_checklist_becomes_questions():
    each = load(FIXTURES / FILES["tessl"]).cases[0]
    assert each.prompt.endswith("Please welcome Tom, who starts today.")
    assert [one.question for one in each.rubric] == ["It has the marker.", "It is warm."]


def test_promptfoo_fills_its_prompts_and_maps_what_it_can():
    first, second = load(FIXTURES / FILES["promptfoo"]).cases
    assert first.prompt == "Please welcome Tom, who starts today."
    assert first.expected == ("greeting",)
    assert (second.skill, second.should_trigger) == ("greeting", False)
    assert ("answer_lacks", {"pattern": "(?:sorry)"}) in checks(second)


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path):
    for name in ("cat", "pkbllm", "skilljack-evals", "skilljack-task"):
        path = tmp_path / name / Path(FILES[name]).relative_to(Path(FILES[name]).parts[0])
        shutil.copytree(FIXTURES / Path(FILES[name]).parts[0], tmp_path / name)
        before = load(path)
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
        assert load(path).cases == before.cases


def test_two_cases_of_one_id_are_told_apart_and_reported(tmp_path):
    path = tmp_path / "test_cases.json"
    twin = {"id": "a", "skill": None, "prompt": "x", "category": "negative"}
    path.write_text(json.dumps({"test_cases": [twin, twin, {**twin, "id": "a-2"}]}))
    suite = load(path)
    assert [each.id for each in suite.cases] == ["a", "a-3", "a-2"]
    assert any("is taken" in each.message for each in suite.losses)


# What nobody may lose without a word: keys that the formats do not know.

KEYS = st.text("abcdefxyz_", min_size=3, max_size=8).map(lambda text: f"zz_{text}")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner, max_size=2),
    max_leaves=4,
)


def mappings(value, found):
    if isinstance(value, dict):
        found.append(value)
        for each in value.values():
            mappings(each, found)
    elif isinstance(value, list):
        for each in value:
            mappings(each, found)
    return found


JSON_FORMATS = [name for name, file in FILES.items() if file.endswith(".json")]


@pytest.mark.parametrize("name", JSON_FORMATS)
@settings(deadline=None, max_examples=30, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_key_that_is_added_anywhere_is_kept_or_reported(name, data, tmp_path_factory):
    source = FIXTURES / FILES[name]
    tree = json.loads(source.read_text("utf-8"))
    place = data.draw(st.sampled_from(mappings(tree, [])))
    key = data.draw(KEYS)
    place[key] = data.draw(VALUES)
    folder = tmp_path_factory.mktemp("extra")
    path = folder / source.name
    path.write_text(json.dumps(tree, indent=1), "utf-8")
    if (task := source.with_name("task.md")).exists():
        shutil.copy(task, folder)
    suite = load(path, name)
    told = [each.field + each.message for each in suite.losses]
    kept = msgspec.json.encode(suite.cases).decode()
    assert key in kept or any(key in each for each in told)


@pytest.mark.parametrize("name", ["pkbllm", "trigger-csv"])
@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(key=KEYS, cell=st.text('abc ,"\n', min_size=1, max_size=8))
def test_a_column_that_is_added_is_reported_for_every_row(name, key, cell, tmp_path_factory):
    import csv
    import io

    source = FIXTURES / FILES[name]
    rows = list(csv.reader(io.StringIO(source.read_text("utf-8"), newline="")))
    rows = [[*rows[0], key], *([*row, cell] for row in rows[1:])]
    path = tmp_path_factory.mktemp("extra") / "prompts.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    suite = load(path, name)
    dropped = sum("row is dropped" in each.message for each in suite.losses)
    assert sum(each.field.endswith(f".{key}") for each in suite.losses) + dropped == len(rows) - 1


@pytest.mark.parametrize("name", sorted(FILES))
@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_bytes_crash_an_importer(name, data, tmp_path_factory):
    source = FIXTURES / FILES[name]
    raw = source.read_bytes()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 40)))
    raw = raw[:start] + data.draw(st.binary(max_size=12)) + raw[end:]
    folder = tmp_path_factory.mktemp("bytes")
    path = folder / source.name
    path.write_bytes(raw)
    (folder / "task.md").exists() or shutil.copy(FIXTURES / FILES["skilljack-task"], folder)
    for each in formats:
        formats[each].claims(path, raw)
    findings = ()
    try:
        suite = formats[name].read(path)
    except BadCases as error:
        findings = error.findings
    except AuditionError:
        return
    assert findings or suite.cases or suite.losses
    assert findings or msgspec.json.encode(suite)


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))  # fmt: skip
def test_json_is_read_as_the_library_reads_it(value):
    text = json.dumps(value)
    marked = parse_json(text.encode(), "x.json")
    assert marked.value == json.loads(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("{", 1),
        ('{"a":\n}', 2),
        ("[1,\n2,]", 2),
        ("nul", 1),
        ('{"a": 01}', 1),
        ("[" * 99, 1),
    ],
)
def test_what_is_no_json_is_refused_at_its_place(text, line):
    marked = parse_json(text.encode(), "x.json")
    assert marked.value is None
    assert marked.findings[-1].line == line


def test_of_a_key_given_twice_the_last_counts_and_the_first_is_reported():
    marked = parse_json(b'{"a": {"b": 1},\n "a": 2}', "x.json")
    assert marked.value == {"a": 2}
    assert ("a", "b") not in marked.places
    assert [(each.line, each.field) for each in marked.findings] == [(2, "a")]


@pytest.mark.parametrize(
    "filler", ["\n", " ", "\t", "\r\n", " \n", "#\n", "\n #", "- ", "- \n", "{ "]
)
@pytest.mark.parametrize("begins", ["", "skill: x\ntasks:", '{"test_cases": [', "[ "])
def test_whatever_a_file_is_filled_with_it_is_soon_known(begins, filler, tmp_path):
    began = time.process_time()
    for name in ("x.json", "x.yaml", "task.md", "x.csv"):
        (tmp_path / name).write_text(begins + filler * (65536 // len(filler)))
        find_format(tmp_path / name, named=False)
    # 24 s for one of them where blanks are looked for in the raw bytes.
    assert time.process_time() - began < 2
