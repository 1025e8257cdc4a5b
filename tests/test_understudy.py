"""The embedded agents, each really started in a workspace written by hand."""

import json
import os
import resource
import subprocess
import sys

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.agent import Ask, find_agent, read_trace
from audition.errors import UsageError
from audition.model import Call, Case, CheckSpec, Message, Offer, Result, Usage
from audition.session_text import usage_in_words
from audition.understudy.act import find_resources, recite
from audition.understudy.choice import THRESHOLD, choose, find_explicit, score
from audition.understudy.example import fit_schema, match_pattern
from audition.understudy.front import read_plain, split_front
from audition.understudy.oracle import toss
from audition.understudy.shown import find_shown, read_index

GREETING = """---
name: greeting
description: Greets a guest or a new colleague warmly.
---
Salute everybody.

```say
★ SALVE ★ {{prompt}}
```
"""
REPORT = """---
name: report
description: >
  Writes the weekly report
  from a template.
---
Read [the template](templates/week.md), `notes/a.txt` and ./scripts/run.sh but not missing.md.

```file:out/week.md
${resource:templates/week.md}for {{prompt}}
```
Then stop.
"""
PRIVATE = """---
name: private
description: Deploys everything to production at once.
disable-model-invocation: true
---
SECRET-BODY
"""


@pytest.fixture
def workspace(tmp_path):
    lay(tmp_path, ".agents/skills/greeting/SKILL.md", GREETING)
    lay(tmp_path, ".agents/skills/report/SKILL.md", REPORT)
    lay(tmp_path, ".agents/skills/report/templates/week.md", "WEEK-TEMPLATE\n")
    lay(tmp_path, ".agents/skills/report/notes/a.txt", "note\n")
    lay(tmp_path, ".agents/skills/report/scripts/run.sh", "touch ran-it\n")
    lay(tmp_path, ".agents/skills/private/SKILL.md", PRIVATE)
    return tmp_path


def lay(root, path, text):
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")


def start(workspace, case, agent="understudy", trial="t/1", code=0):
    """The trace of a real session."""
    if isinstance(case, str):
        case = Case(id="case", prompt=case)
    agent = find_agent(agent)
    ask = Ask(
        case=case, model=None, delivery="native", workspace=str(workspace), home=str(workspace)
    )
    command = agent.command(ask)
    env = {"PATH": os.environ["PATH"], "AUDITION_TRIAL_ID": trial}
    done = subprocess.run(
        command.argv, cwd=workspace, env=env, input=command.stdin, capture_output=True, check=False
    )
    assert done.stderr == b""
    assert done.returncode == code
    trace = read_trace(agent, list(enumerate(done.stdout.splitlines(), start=1)))
    assert trace.unread_count == 0
    return trace


def called(trace, does="skill"):
    return [each for each in trace.events if isinstance(each, Call) and each.does == does]


def check(name, **arguments):
    return CheckSpec(name=name, arguments=arguments)


def test_it_offers_what_the_model_may_invoke_and_numbers_its_lines(workspace):
    trace = start(workspace, "What is the time?")
    offers = [each for each in trace.events if isinstance(each, Offer)]
    assert [each.skill for each in offers] == ["greeting", "report"]
    assert offers[1].of_chars == len("report" + "Writes the weekly report from a template.")
    assert [each.line for each in trace.events] == list(range(1, len(trace.events) + 1))


def test_it_loads_the_skill_that_fits_and_says_what_the_body_says(workspace):
    trace = start(workspace, "Greet our new colleague")
    [call] = called(trace)
    assert (call.skill, call.tool) == ("greeting", "skill")
    [result] = [each for each in trace.events if isinstance(each, Result)]
    assert result.id == call.id
    assert not result.failed
    assert "Salute everybody." in result.output
    assert trace.answer == "★ SALVE ★ Greet our new colleague"
    assert trace.end.status == "completed"
    assert trace.turns == 2


def test_when_nothing_fits_it_answers_plainly_and_repeats_no_skill(workspace):
    trace = start(workspace, "How high is the Zugspitze?")
    assert not called(trace)
    assert trace.answer
    for word in ("SALVE", "Salute", "guest", "weekly", "SECRET"):
        assert word not in trace.answer


def test_it_reads_the_resources_that_the_body_points_to_and_runs_no_script(workspace):
    trace = start(workspace, "the weekly report")
    assert [each.paths[0] for each in called(trace, "read")] == [
        ".agents/skills/report/templates/week.md",
        ".agents/skills/report/notes/a.txt",
        ".agents/skills/report/scripts/run.sh",
    ]
    assert not (workspace / "ran-it").exists()


def test_it_writes_the_file_blocks_and_recites_the_rest(workspace):
    trace = start(workspace, "the weekly report")
    assert (workspace / "out/week.md").read_text(
        "utf-8"
    ) == "WEEK-TEMPLATE\nfor the weekly report\n"
    assert called(trace, "write")[0].paths == ("out/week.md",)
    assert trace.answer.startswith("Read [the template]")
    assert trace.answer.endswith("Then stop.")
    assert "file:" not in trace.answer


@pytest.mark.parametrize("path", ["../gone.txt", "/tmp/understudy-gone.txt", "link/gone.txt", "."])
def test_a_file_outside_the_workspace_is_refused(tmp_path, path):
    inside = tmp_path / "inside"
    outside = tmp_path / "outside"
    outside.mkdir()
    lay(inside, ".agents/skills/bad/SKILL.md", f"Bad words here\n```file:{path}\nx\n```\n")
    (inside / "link").symlink_to(outside)
    trace = start(inside, "$bad")
    failed = [each.failed for each in trace.events if isinstance(each, Result)]
    assert failed == [True]
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == []
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("prompt", ["/private now", "please $private", "$private."])
def test_a_skill_called_by_name_is_put_in_without_a_call(workspace, prompt):
    trace = start(workspace, prompt)
    assert not called(trace)
    [put] = [each for each in trace.events if isinstance(each, Message) and each.skill]
    assert (put.role, put.skill, put.text) == ("system", "private", "SECRET-BODY")
    assert trace.answer == "SECRET-BODY"


def test_what_the_model_may_not_invoke_stays_quiet(workspace):
    trace = start(workspace, "Deploy everything to production at once, use the private skill")
    assert "private" not in {each.skill for each in called(trace)}
    assert "SECRET" not in trace.answer


def test_what_the_user_may_not_invoke_is_not_put_in(tmp_path):
    lay(tmp_path, ".agents/skills/shy/SKILL.md", "---\nuser-invocable: false\n---\nSHY\n")
    trace = start(tmp_path, "/shy")
    assert not [each for each in trace.events if isinstance(each, Message) and each.skill]


def test_an_index_in_the_instructions_is_followed_by_reading_the_file(tmp_path):
    lay(tmp_path, "skills/greeting/SKILL.md", GREETING)
    index = (
        "# Skills\n\n- **greeting**: Greets a guest warmly. (file: `skills/greeting/SKILL.md`)\n"
    )
    lay(tmp_path, "AGENTS.md", index)
    trace = start(tmp_path, "Greet the guest")
    [call] = called(trace, "read")
    assert call.paths == ("skills/greeting/SKILL.md",)
    assert not called(trace)
    assert trace.answer.startswith("★ SALVE ★")


@pytest.mark.parametrize(
    "line",
    [
        "- greeting: Greets a guest (file: .skills/greeting/SKILL.md)",
        "* `greeting` — Greets a guest: `skills/greeting/SKILL.md`",
        "- [greeting](skills/greeting/SKILL.md): Greets a guest",
        "- **greeting** (`skills/greeting/SKILL.md`): Greets a guest",
    ],
)
def test_an_index_may_be_written_in_several_ways(line):
    [skill] = read_index(f"Before.\n{line}\nAfter.\n")
    assert (skill.name, skill.folder.lstrip(".")) == ("greeting", "skills/greeting")
    assert skill.description.rstrip(" :") == "Greets a guest"
    assert not skill.native


def test_later_prompts_are_handled_one_after_another(workspace):
    case = Case(id="two", prompt="How high is it?", then=("Greet the guest", "the weekly report"))
    trace = start(workspace, case)
    assert [each.skill for each in called(trace)] == ["greeting", "report"]
    assert len([each for each in trace.events if isinstance(each, Usage)]) == 3


@pytest.mark.parametrize(("turns", "status"), [(1, "limited"), (2, "completed")])
def test_a_session_ends_as_limited_when_its_turns_are_used_up(workspace, turns, status):
    case = Case(id="x", prompt="Greet the guest", settings={"max_turns": turns})
    trace = start(workspace, case)
    assert trace.end.status == status
    assert trace.end.turns == turns


def test_usage_is_a_quarter_of_the_characters(tmp_path):
    trace = start(tmp_path, "x" * 40)
    assert (trace.usage.input_tokens, trace.usage.output_tokens) == (10, -(-len(trace.answer) // 4))


@pytest.mark.parametrize("agent", ["understudy", "oracle", "nop", "coin:1"])
def test_what_asks_no_model_costs_nothing(workspace, agent):
    usage = start(workspace, Case(id="c", prompt="Greet the guest", skill="greeting"), agent).usage
    assert usage.dollars == 0
    assert usage_in_words(usage).endswith(" out, cost $0")


def test_two_sessions_are_the_same_to_the_byte(workspace):
    one, two = (start(workspace, "the weekly report for the guest") for _ in range(2))
    assert one == two


def test_what_the_case_expects_is_told_to_referees_only(workspace):
    case = Case(id="c", prompt="hello", skill="the-expected-one")
    ask = Ask(case=case, model=None, delivery="native", workspace="/w", home="/h")
    for name, told in (("understudy", False), ("nop", False), ("oracle", True)):
        assert (b"the-expected-one" in find_agent(name).command(ask).stdin) is told


@pytest.mark.parametrize(
    ("argument", "stdin"), [("understudy", b"{"), ("understood", b"{}"), ("nop", b"[]")]
)
def test_a_bad_request_is_a_fault_and_a_failed_end(tmp_path, argument, stdin):
    argv = [sys.executable, "-I", "-m", "audition.understudy", argument]
    done = subprocess.run(argv, cwd=tmp_path, input=stdin, capture_output=True, check=False)
    trace = read_trace(find_agent("nop"), enumerate(done.stdout.splitlines(), start=1))
    assert (done.returncode, trace.end.status) == (2, "failed")


def test_a_module_in_the_workspace_is_not_imported(workspace):
    lay(workspace, "json.py", "raise SystemExit('fooled')")
    lay(workspace, "audition/__init__.py", "raise SystemExit('fooled')")
    assert start(workspace, "Greet the guest").end.status == "completed"


def test_hostile_skills_do_not_stop_it(workspace):
    bad = workspace / ".agents/skills/bad/SKILL.md"
    bad.parent.mkdir()
    bad.write_bytes(b"\xff\xfe\x00---\nname: [\n\x80")
    (workspace / ".agents/skills/empty").mkdir()
    (workspace / ".agents/skills/file").write_text("x")
    assert start(workspace, "Greet the guest \x00 …").answer.startswith("★ SALVE")


def test_it_starts_fast(tmp_path, capsys):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    for _ in range(5):
        start(tmp_path, "x")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    with capsys.disabled():
        print(f" {spent * 200:.0f} ms CPU a session", end="")
    heavy = "import audition.understudy.__main__, sys; print(*sys.modules)"
    argv = [sys.executable, "-I", "-c", heavy]
    loaded = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split()
    assert not {"msgspec", "yaml", "pathlib", "inspect", "dataclasses", "hashlib"} & set(loaded)


# The choice


def test_the_closest_description_wins_and_ties_go_by_name():
    offered = {"b": "bake bread", "a": "bake bread", "c": "mend shoes"}
    assert choose("Bake some bread", offered) == "a"
    assert choose("my shoes need mending", offered) == "c"
    assert choose("fly to the moon", offered) is None
    assert choose("bake", {}) is None
    assert choose("", offered) is None


def test_one_shared_word_in_a_long_prompt_is_no_match():
    offered = {"greeting": "Say hello to a guest, or welcome new colleagues"}
    prompt = "hello galaxy planets orbit around stars with gravity and angular momentum forever"
    assert 0 < score(prompt, offered)["greeting"] < THRESHOLD


@given(st.text(), st.dictionaries(st.text(), st.text(), max_size=4))
def test_a_choice_is_on_offer_and_does_not_depend_on_the_order(prompt, offered):
    chosen = choose(prompt, offered)
    assert chosen is None or chosen in offered
    assert chosen == choose(prompt, dict(reversed(offered.items())))
    assert all(0 <= each <= 1.000001 for each in score(prompt, offered).values())


def test_only_a_whole_word_calls_a_skill_by_name():
    names = {"deploy", "a:b"}
    assert find_explicit("/deploy now", names) == "deploy"
    assert find_explicit("run $a:b, then go", names) == "a:b"
    assert find_explicit("see /deploy in the path", names) is None
    assert find_explicit("look in x/deploy and a$deploy", names) is None
    assert find_explicit("/unknown", names) is None


# The workspace and the body


def test_front_matter_is_read_leniently(tmp_path):
    text = "\ufeff---\r\nname: 'one two'\r\ndescription: Use it: often\r\n---\r\nBody\r\n"
    lay(tmp_path, ".agents/skills/x/SKILL.md", text)
    [skill] = find_shown(str(tmp_path)).values()
    assert (skill.name, skill.description) == ("one two", "Use it: often")


@given(st.text())
def test_any_text_is_a_body(text):
    read_plain(split_front("---\n" + text)[0])
    read_plain(text)
    recite(text, "prompt", {})
    read_index(text)


def test_a_resource_is_named_by_its_whole_path():
    body = "See `a/b.md`, [x](./c.txt), and d.json. Not a/b.md.bak, nor other/c.txt."
    known = ("a/b.md", "b.md", "c.txt", "d.json", "bak")
    assert find_resources(body, known) == ("a/b.md", "c.txt", "d.json")


def test_a_longer_fence_holds_a_shorter_one():
    assert recite("````say\n```\nx\n```\n````\n", "", {}) == "```\nx\n```"


# The referees


def test_the_oracle_loads_reads_writes_and_answers_what_the_case_wants(workspace):
    case = Case(
        id="c",
        prompt="nothing that fits",
        skill="report",
        checks=(
            check("answer_contains", text="MARK"),
            check("answer_matches", pattern=r"[A-Z]{3}-\d+ (ok|fine)"),
            check("answer_lacks", text="template"),
            check("resource_read", path="notes/a.txt"),
            check("file_exists", path="new/empty.txt"),
            check("file_matches", path="out/week.md", pattern=r"(?m)^total: \d{2}$"),
            check(
                "json_valid",
                path="x.json",
                schema={"required": ["n"], "properties": {"n": {"type": "integer"}}},
            ),
        ),
    )
    trace = start(workspace, case, "oracle")
    assert [each.skill for each in called(trace)] == ["report"]
    assert "MARK" in trace.answer
    assert "template" not in trace.answer
    assert ".agents/skills/report/notes/a.txt" in [each.paths[0] for each in called(trace, "read")]
    assert (workspace / "new/empty.txt").exists()
    assert (workspace / "out/week.md").read_text("utf-8").startswith("WEEK-TEMPLATE\n")
    assert "\ntotal: 11" in (workspace / "out/week.md").read_text("utf-8")
    assert json.loads((workspace / "x.json").read_text("utf-8")) == {"n": 1}


def test_the_oracle_fits_schemas_that_lie_in_files(workspace, tmp_path_factory):
    schema = tmp_path_factory.mktemp("schemas") / "answer.json"
    properties = {"name": {"type": "string"}, "invoked_skills": {"type": "array"}}
    schema.write_text(json.dumps({"required": ["name"], "properties": properties}))
    asked = Case(id="c", prompt="x", skill="report", settings={"output_schema": str(schema)})
    answer = json.loads(start(workspace, asked, "oracle").answer)
    assert (set(answer), answer["invoked_skills"]) == ({"name", "invoked_skills"}, ["report"])
    checks = (check("json_valid", path="y.json", schema=str(schema)),)
    start(workspace, Case(id="c", prompt="x", skill="report", checks=checks), "oracle")
    assert "name" in json.loads((workspace / "y.json").read_text("utf-8"))


def test_the_oracle_runs_the_solution_of_the_case_and_nobody_else_does(workspace):
    lines = ["touch 'made by it'", "ls no-such-file", "no-such-program"]
    case = Case(id="c", prompt="x", skill="report", settings={"solution": lines})
    start(workspace, case, "understudy")
    assert not (workspace / "made by it").exists()
    trace = start(workspace, case, "oracle")
    assert (workspace / "made by it").exists()
    ran = called(trace, "shell")
    assert [each.command for each in ran] == lines
    results = {each.id: each.failed for each in trace.events if isinstance(each, Result)}
    assert [results[each.id] for each in ran] == [False, True, True]


def test_the_oracle_adds_files_that_fit_the_globs_of_the_case(workspace):
    globs = ["new/*.md", "**/deep?.txt", "v[12]/a.csv"]
    checks = (check("files_added", paths=globs),)
    start(workspace, Case(id="c", prompt="x", skill="report", checks=checks), "oracle")
    for name in ("new/x.md", "deepx.txt", "v1/a.csv"):
        assert (workspace / name).is_file(), name


def test_the_oracle_stays_quiet_on_a_negative(workspace):
    case = Case(
        id="c",
        prompt="Greet the new colleague",
        skill="greeting",
        should_trigger=False,
        checks=(check("answer_lacks", text="skill"),),
    )
    trace = start(workspace, case, "oracle")
    assert not called(trace)
    assert "skill" not in trace.answer


def test_the_oracle_can_end_as_the_case_wants(workspace):
    case = Case(id="c", prompt="x", should_trigger=False, checks=(check("exit_code", code=3),))
    start(workspace, case, "oracle", code=3)


def test_nop_does_nothing(workspace):
    before = sorted(workspace.rglob("*"))
    trace = start(workspace, "/greeting", "nop")
    assert trace.answer == "I did nothing."
    assert not [each for each in trace.events if isinstance(each, Call)]
    assert not [each for each in trace.events if isinstance(each, Message) and each.skill]
    assert sorted(workspace.rglob("*")) == before


@pytest.mark.parametrize("positive", [True, False])
def test_a_coin_that_always_or_never_falls_right(workspace, positive):
    case = Case(id="c", prompt="nothing fits", skill="greeting", should_trigger=positive)
    assert bool(called(start(workspace, case, "coin:1"))) is positive
    assert bool(called(start(workspace, case, "coin:0"))) is not positive


def test_a_coin_without_its_skill_is_never_right(tmp_path):
    case = Case(id="c", prompt="x", skill="greeting", checks=(check("answer_contains", text="HI"),))
    assert "HI" not in start(tmp_path, case, "coin:1").answer


def test_a_coin_falls_as_often_as_it_says_and_always_the_same_way():
    falls = [toss(0.8, "s", "case", str(trial)) for trial in range(5000)]
    assert falls == [toss(0.8, "s", "case", str(trial)) for trial in range(5000)]
    assert falls != [toss(0.8, "t", "case", str(trial)) for trial in range(5000)]
    assert 0.77 < sum(falls) / 5000 < 0.83


def test_a_coin_is_named_with_its_rate_and_differs_by_trial(workspace):
    case = Case(id="c", prompt="x", skill="greeting")
    sides = {bool(called(start(workspace, case, "coin:0.5:7", f"t/{n}"))) for n in range(12)}
    assert sides == {True, False}
    assert find_agent("coin:0.5:7").name == "coin:0.5:7"
    for bad in ("coin", "coin:2", "coin:often", "coin:nan"):
        with pytest.raises(UsageError):
            find_agent(bad)


@pytest.mark.parametrize(
    "pattern",
    [
        "abc",
        "^a+b?c{2,}$",
        "[^a]x",
        r"\d\s\w\.",
        "(one|two) three",
        "(?i)Hello.*",
        "[0-9a-f]{4}",
        r"\Aend\z",
    ],
)
def test_an_example_matches_its_pattern(pattern):
    assert match_pattern(pattern) is not None


def test_what_has_no_example_is_none():
    assert match_pattern("(") is None
    assert match_pattern(r"a(?=b)") is None


def test_a_schema_gets_a_fitting_value():
    import fastjsonschema

    schema = {
        "type": "object",
        "required": ["a", "b", "c"],
        "properties": {
            "a": {"enum": ["x", "y"]},
            "b": {"type": "array", "items": {"type": "number", "minimum": 3}, "minItems": 2},
            "c": {"type": "string", "pattern": "^v[0-9]+$"},
        },
    }
    fastjsonschema.validate(schema, fit_schema(schema))


@given(st.binary())
def test_no_line_is_fatal_to_the_reader(raw):
    agent = find_agent("understudy")
    assert agent.read(1, raw) is None or msgspec.json.decode(raw)["kind"]
