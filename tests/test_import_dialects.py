"""The many shapes in which people write the same: each is taken, and read as what it means."""

import json

import pytest

from audition.case_file import BadCases, find_format, load_suites

SKILL = "---\nname: bill\ndescription: Writes bills. Use when somebody asks for one.\n---\nDo it.\n"


@pytest.fixture
def skill(tmp_path):
    """A skill with a folder for its evals."""
    folder = tmp_path / "bill"
    (folder / "evals").mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)
    return folder


def write(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return path


def load(path):
    found = find_format(path, named=False)
    assert found is not None, f"{path.name} is not taken"
    (suite,) = load_suites([path])
    return suite


def asked(suite):
    return [(each.prompt, bool(each.expected)) for each in suite.cases]


def said(suite, severity="warning"):
    return [each.message for each in suite.losses if each.severity == severity]


BOTH = [("Bill ACME", True), ("What is a bill?", False)]
FLAGGED = [
    {"query": "Bill ACME", "should_trigger": True},
    {"query": "What is a bill?", "should_trigger": False},
]
LAB = [
    {"id": 1, "type": "implicit", "prompt": "Bill ACME", "expected": "trigger"},
    {"id": 2, "type": "negative", "prompt": "What is a bill?", "expected": "no_trigger"},
]
LISTS = {"should_trigger": ["Bill ACME"], "should_not_trigger": ["What is a bill?"]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("any.json", FLAGGED),
        ("any.json", {"skill_name": "bill", "queries": FLAGGED}),
        ("any.json", {"test_cases": FLAGGED}),
        ("any.json", {"trigger_evals": FLAGGED}),
        ("any.json", LISTS),
        ("any.json", {"trigger_tests": LISTS}),
        ("any.json", [{"query": q, "shouldTrigger": t} for q, t in BOTH]),
        ("any.json", LAB),
        ("any.jsonl", "\n".join(["", *map(json.dumps, FLAGGED), ""])),
        ("any.yaml", "- query: Bill ACME\n  should_trigger: yes\n- query: What is a bill?\n  should_trigger: no\n"),
        ("any.yaml", "# waza\nskill: bill\nshouldTriggerPrompts:\n- Bill ACME\nshouldNotTriggerPrompts:\n- What is a bill?\n"),
        ("any.yaml", "skill: bill\nshould_trigger_prompts:\n- prompt: Bill ACME\n  confidence: high\nshould_not_trigger_prompts:\n- prompt: What is a bill?\n"),
        ("any.yaml", "positive_triggers:\n- input: Bill ACME\n  expected: trigger\nnegative_triggers:\n- input: What is a bill?\n  expected: no_trigger\n"),
        ("any.yaml", "skill: bill\ntest_cases:\n- {id: a, type: explicit, prompt: Bill ACME, expected: trigger}\n- {id: b, type: negative, prompt: What is a bill?, expected: no_trigger}\n"),
        ("any.yaml", "skill: bill\nscenarios:\n- name: one\n  given:\n  - skill: bill\n  when:\n  - prompt: Bill ACME\n  - trigger_type: implicit\n  then:\n  - skill_triggered: true\n- when: {prompt: What is a bill?}\n  then: {skill_triggered: false}\n"),
        ("triggers.json", {"positive": ["Bill ACME"], "negative": ["What is a bill?"]}),
    ],
)  # fmt: skip
def test_a_trigger_set_is_one_in_every_shape(skill, name, content):
    suite = load(write(skill, f"evals/{name}", content))
    assert (suite.format, asked(suite)) == ("triggers", BOTH)
    assert {each.skill for each in suite.cases} == {"bill"}
    assert said(suite) == []


def test_skill_lab_s_further_expectations_are_checks_or_are_reported(skill):
    text = """\
skill: bill
test_cases:
  - id: explicit-1
    type: explicit
    prompt: $bill
    expected: trigger
    files_created: [bill.pdf]
    exit_code: 0
    commands_include: [pdf]
"""
    suite = load(write(skill, "tests/triggers.yaml", text))
    (case,) = suite.cases
    assert [each.name for each in case.checks] == ["file_exists", "exit_code"]
    assert case.tags == ("explicit",)
    assert [(each.line, each.field) for each in suite.losses] == [
        (9, "test_cases[0].commands_include")
    ]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        # should_trigger, the label → which skill, whether it should be called
        ([{"query": "q", "should_trigger": False, "expected_skill": ""}], ("bill", False)),
        ([{"query": "q", "should_trigger": False, "expected_skill": None}], ("bill", False)),
        ([{"query": "q", "should_trigger": False, "expected_skill": "none"}], ("bill", False)),
        ([{"query": "q", "should_trigger": True, "expected_skill": None}], ("bill", True)),
        ([{"query": "q", "should_trigger": True, "expected_skill": "other"}], ("other", True)),
        ([{"query": "q", "should_trigger": False, "expected_skill": "other"}], ("bill", False)),
    ],
)
def test_a_route_label_beside_a_flag(skill, content, expected):
    (case,) = load(write(skill, "evals/trigger-eval.json", content)).cases
    assert (case.skill, case.should_trigger) == expected


def test_a_flag_that_contradicts_its_list_is_reported(skill):
    content = {"should_trigger": [{"query": "a", "should_trigger": False}], "should_not_trigger": ["b"]}  # fmt: skip
    suite = load(write(skill, "evals/triggers.json", content))
    assert asked(suite) == [("a", True), ("b", False)]
    assert said(suite) == ["its flag and the list it stands in differ; the list decides"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("evals/evals.json", [{"prompt": "p", "expected_output": "o"}]),
        ("evals/ref.json", [{"query": "p", "expected_behavior": "It bills."}]),
        ("evals/x.json", [{"question": "p", "expected_skill": "bill", "ground_truth": "g"}]),
        ("x.json", {"skill": "bill", "output_evals": [{"prompt": "p", "expected_behaviors": ["b"]}]}),
        ("x.json", {"skill_name": "bill", "behavior_evals": [{"prompt": "p", "checks": ["c"]}]}),
        ("x.json", {"evals": [{"query": "p", "expected_skill": "bill"}]}),
    ],
)  # fmt: skip
def test_evals_are_taken_in_every_dialect(skill, name, content):
    suite = load(write(skill, name, content))
    assert (suite.format, asked(suite)) == ("evals-json", [("p", True)])
    assert suite.cases[0].skill == "bill"
    assert said(suite) == []


def test_evals_and_triggers_of_one_file_are_all_cases(skill):
    content = {
        "skill_name": "bill",
        "version": "1",
        "last_validated": None,
        "behavior_evals": [{"id": 1, "prompt": "p", "checks": ["c"]}],
        "trigger_evals": FLAGGED,
    }
    suite = load(write(skill, "evals/evals.json", content))
    assert asked(suite) == [("p", True), *BOTH]
    assert said(suite) == []


@pytest.mark.parametrize("prompt", [["a", "b"], {"text": "a"}, None])
def test_an_eval_without_a_text_for_a_prompt_is_dropped_and_reported(skill, prompt):
    content = {"evals": [{"id": 1, "prompt": prompt}, {"id": 2, "prompt": "p"}]}
    suite = load(write(skill, "evals/evals.json", content))
    assert [each.id for each in suite.cases] == ["2"]
    (message,) = said(suite)
    assert "the case is dropped" in message


LOOK_ALIKES = [
    ("package.json", {"name": "a", "scripts": {"test": "x"}, "tasks": ["a.yaml"]}),
    ("results.json", [{"test_id": "a", "expected_skill": "bill", "actual_skill": None, "prompt": "p", "passed": False}]),
    ("results.json", [{"query": "q", "should_trigger": True, "trigger_rate": 0.5, "pass": True}]),
    ("schema.json", {"properties": {"should_trigger": {"type": "boolean"}, "query": {"type": "string"}}}),
    ("suite.json", {"test_cases": [{"name": "adds", "input": [1, 2], "expected": 3}]}),
    ("data.json", [{"id": 1, "prompt": "x", "expected_output": "y"}]),
    ("chat.json", [{"prompt": "hi", "completion": "there"}]),
    ("words.json", {"positive": ["good"], "negative": ["bad"]}),
    ("Taskfile.yaml", "version: '3'\ntasks:\n  build:\n    cmds: [go build]\n"),
    ("rules.yaml", "test_cases:\n  true_positives:\n  - input: x\n    expected: trigger\n"),
    ("alerts.yaml", "should_trigger: [a]\nname: x\n"),
    ("openapi.yaml", "openapi: 3.0.0\ntags:\n- name: skill\npaths: {}\n"),
    ("prompts.yaml", "prompts:\n- a\ntests:\n- b\n"),
    ("prompts.csv", "act,prompt\nLinux,act\n"),
    ("task.md", "# A task\nskill: x\n"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content"), LOOK_ALIKES)
def test_what_only_looks_alike_is_left_alone(tmp_path, name, content):
    assert find_format(write(tmp_path, name, content), named=False) is None


def test_a_file_without_cases_does_not_stop_the_others(skill):
    write(skill, "evals/evals.json", {"skill_name": "bill", "evals": []})
    write(skill, "evals/triggers.json", FLAGGED)
    empty, filled = load_suites([skill])
    assert (empty.cases, said(empty)) == ((), ["there are no cases in it"])
    assert len(filled.cases) == 2


def test_nothing_but_files_without_cases_is_a_mistake(skill):
    write(skill, "evals/evals.json", {"skill_name": "bill", "evals": []})
    with pytest.raises(BadCases) as caught:
        load_suites([skill])
    assert "there are no cases in it" in str(caught.value)


PROMPTFOO = """\
prompts: ['{{prompt}}']
providers: [anthropic:claude-agent-sdk]
defaultTest:
  assert: [{type: skill-used, value: bill}]
"""


def promptfoo(skill, tests):
    return load(write(skill, "promptfooconfig.yaml", PROMPTFOO + tests))


def checks(case):
    return [(each.name, each.arguments) for each in case.checks]


def test_promptfoo_makes_a_test_of_each_value_of_a_variable(skill):
    suite = promptfoo(skill, "tests:\n- vars: {prompt: [one, two], who: Tom}\n")
    assert [(each.id, each.prompt) for each in suite.cases] == [
        ("test-1 [1]", "one"),
        ("test-1 [2]", "two"),
    ]


def test_promptfoo_fills_the_templates_of_assertions(skill):
    tests = (
        "tests:\n- vars: {prompt: p, who: Tom}\n  assert: [{type: contains, value: 'Hi {{who}}'}]\n"
    )
    assert checks(promptfoo(skill, tests).cases[0]) == [("answer_contains", {"text": "Hi Tom"})]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("more.yaml", "- vars: {prompt: hello}\n  assert: [{type: contains, value: hi}]\n"),
        (
            "more.json",
            [{"vars": {"prompt": "hello"}, "assert": [{"type": "contains", "value": "hi"}]}],
        ),
        ("more.csv", "prompt,__expected,__description\nhello,contains: hi,\n"),
    ],
)
@pytest.mark.parametrize("named", ["tests: file://{}\n", "tests:\n- file://{}\n", "tests: {}\n"])
def test_promptfoo_reads_tests_in_files_of_their_own(skill, name, content, named):
    write(skill, name, content)
    suite = promptfoo(skill, named.format(name))
    (case,) = suite.cases
    assert (case.prompt, case.expected) == ("hello", ("bill",))
    assert checks(case) == [("answer_contains", {"text": "hi"})]
    assert case.file.endswith(name)


def test_promptfoo_s_losses_name_the_file_they_are_in(skill):
    write(skill, "more.yaml", "- vars: {prompt: hello}\n  odd: 1\n")
    suite = promptfoo(skill, "tests: [file://more.yaml, file://gone.yaml, file://make.js]\n")
    told = [
        (each.path.rpartition("/")[2], each.line) for each in suite.losses if "odd" in each.field
    ]
    assert told == [("more.yaml", 2)]
    assert sum("no tests are read" in each for each in said(suite)) == 2


@pytest.mark.parametrize(
    ("assertion", "expected"),
    [
        ("{type: contains, value: a}", ("answer_contains", {"text": "a"})),
        ("{type: icontains, value: a}", ("answer_contains", {"text": "a", "ignore_case": True})),
        ("{type: not-contains, value: a.}", ("answer_lacks", {"pattern": r"(?:a\.)"})),
        ("{type: not-icontains, value: a}", ("answer_lacks", {"pattern": "(?i)(?:a)"})),
        ("{type: contains-any, value: 'a, b'}", ("answer_matches", {"pattern": "(?:a|b)"})),
        ("{type: not-icontains-any, value: [a, b]}", ("answer_lacks", {"pattern": "(?i)(?:a|b)"})),
        ("{type: regex, value: 'a+'}", ("answer_matches", {"pattern": "a+"})),
        ("{type: not-regex, value: 'a+'}", ("answer_lacks", {"pattern": "a+"})),
        ("{type: equals, value: 5}", ("answer_matches", {"pattern": r"\A(?:5)\z"})),
        ("{type: is-json}", ("json_valid", {})),
        ("{type: is-json, value: {type: object}}", ("json_valid", {"schema": {"type": "object"}})),
        ("{type: latency, threshold: 1500}", ("max_seconds", {"seconds": 1.5})),
        ("{type: cost, threshold: 0.5}", ("max_dollars", {"dollars": 0.5})),
        ("{type: 'trajectory:tool-used', value: Bash}", ("tool_used", {"tool": "Bash"})),
        (
            "{type: assert-set, assert: [{type: contains, value: in}]}",
            ("answer_contains", {"text": "in"}),
        ),
    ],
)
def test_promptfoo_s_assertions_as_checks(skill, assertion, expected):
    (case,) = promptfoo(skill, f"tests:\n- vars: {{prompt: p}}\n  assert: [{assertion}]\n").cases
    assert checks(case) == [expected]


@pytest.mark.parametrize(
    "kind", ["javascript", "python", "not-is-json", "not-contains-all", "similar", "not-javascript"]
)
def test_what_promptfoo_asserts_and_nothing_here_does_is_reported(skill, kind):
    tests = f"tests:\n- vars: {{prompt: p}}\n  assert:\n  - type: {kind}\n    value: x\n"
    suite = promptfoo(skill, tests)
    told = [each for each in suite.losses if f"`{kind}` is not carried over" in each.message]
    assert [(each.line, each.field) for each in told] == [(8, "tests[0].assert[0]")]
    assert suite.cases[0].checks == ()


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("{type: skill-used, value: bill}", True),
        ("{type: not-skill-used, value: bill}", False),
        ("{type: skill-used, value: {name: bill, count: 0}}", False),
        ("{type: skill-used, value: {name: bill, max: 0}}", False),
        ("{type: skill-used, value: {name: 'plugin:bill', min: 1}}", True),
    ],
)
def test_promptfoo_says_which_skill_is_used(skill, value, expected):
    text = PROMPTFOO.partition("defaultTest")[0]
    tests = f"tests:\n- vars: {{prompt: p}}\n  assert: [{value}]\n"
    (case,) = load(write(skill, "promptfooconfig.yaml", text + tests)).cases
    assert (case.skill, case.should_trigger) == ("bill", expected)


def test_a_negated_rubric_asks_the_opposite(skill):
    tests = "tests:\n- vars: {prompt: p}\n  assert: [{type: not-llm-rubric, value: It is rude.}]\n"
    (case,) = promptfoo(skill, tests).cases
    assert [each.question for each in case.rubric] == ["It is not so that this holds: It is rude."]


ALIASES = """\
skill: bill
tasks:
  - &first
    id: a
    prompt: &asked Bill ACME
    deterministic: &rules
      expect_marker: total
      expect_tool_calls: [Skill]
  - id: b
    prompt: *asked
    deterministic: *rules
  - <<: *first
    id: c
    deterministic:
      <<: [*rules, {expect_marker: lost, expect_no_tool_calls: [Bash]}]
      expect_tool_calls: [Read]
      odd: 1
"""


def test_aliases_and_merged_keys_are_written_out(skill):
    suite = load(write(skill, "tasks.yaml", ALIASES))
    assert [(each.id, each.prompt, each.line) for each in suite.cases] == [
        ("a", "Bill ACME", 3),
        ("b", "Bill ACME", 9),
        ("c", "Bill ACME", 12),
    ]
    told = [[(c.name, *c.arguments.values()) for c in each.checks] for each in suite.cases]
    marker = ("answer_contains", "total", True)
    assert told[0] == told[1] == [marker, ("tool_used", "Skill")]
    assert told[2] == [marker, ("tool_used", "Read"), ("tool_unused", "Bash")]
    assert [each.line for each in suite.losses if each.severity != "note"] == [17]


def test_aliases_that_multiply_stop_and_an_alias_of_nothing_is_refused(skill):
    levels = [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 20)}]" for n in range(1, 9)]
    bomb = "\n".join(["skill: bill", "l0: &l0 [x]", *levels, ALIASES[12:]])
    with pytest.raises(BadCases, match="more than 50000 values"):
        load(write(skill, "tasks.yaml", bomb))
    text = ALIASES.replace("*asked", "*nobody").replace("&first", "&first\n    own: *first")
    suite = load(write(skill, "tasks.yaml", text))
    assert sum("are refused" in each.message for each in suite.losses) == 2


def test_odd_bytes_of_a_yaml_file_are_replaced_and_said(skill):
    path = write(skill, "tasks.yaml", "")
    path.write_bytes(ALIASES.replace("ACME", "Caf\xe9").encode("latin-1"))
    suite = load(path)
    assert suite.cases[0].prompt == "Bill Caf\ufffd"
    assert "not UTF-8" in said(suite)[0]
