"""The checks on the shelf: each passes, fails and errs where it should, with its lines."""

import json
import sys

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from outcomes import an_outcome

from audition.check import BadArguments, bind, checks, grade_check
from audition.checks.schemas import compile_schema
from audition.model import (
    Call,
    Case,
    Changes,
    CheckSpec,
    Commands,
    Denial,
    End,
    Evidence,
    Message,
    Result,
    Usage,
)

A_CASE = {"id": "one", "prompt": "Do it."}


def grade(outcome, name, **arguments):
    found = grade_check(outcome, CheckSpec(name=name, arguments=arguments))
    assert found.by == name
    assert found.reason.isprintable(), found.reason
    found.reason.encode()
    return found


def said(*texts, **more):
    return an_outcome(
        *(Message(line=index, text=text) for index, text in enumerate(texts, 1)), **more
    )


def refused(name, **arguments):
    with pytest.raises(BadArguments) as caught:
        bind(CheckSpec(name=name, arguments=arguments))
    return caught.value


# what the agent said


def test_the_last_message_contains_the_text_and_its_line_proves_it():
    found = grade(said("first", "the code is X-1."), "answer_contains", text="X-1")
    assert (found.status, found.lines) == ("pass", (2,))
    assert "the code is X-1." in found.reason


def test_an_earlier_message_counts_only_with_all():
    outcome = said("X-1", "done")
    assert grade(outcome, "answer_contains", text="X-1").status == "fail"
    found = grade(outcome, "answer_contains", text="X-1", where="all")
    assert (found.status, found.lines) == ("pass", (1,))


def test_a_sub_agent_s_message_counts_only_with_all():
    outcome = an_outcome(Message(line=1, text="done"), Message(line=2, text="X-1", sub="s"))
    assert grade(outcome, "answer_contains", text="X-1").status == "fail"
    assert grade(outcome, "answer_contains", text="X-1", where="all").lines == (2,)


@pytest.mark.parametrize("role", ["user", "system", "thought"])
def test_what_the_agent_did_not_say_never_counts(role):
    outcome = an_outcome(Message(line=1, text="X-1", role=role), Message(line=2, text="done"))
    assert grade(outcome, "answer_contains", text="X-1", where="all").status == "fail"


def test_the_answer_of_the_last_line_counts_and_is_proved_by_it():
    end = End(status="completed", line=7, answer="X-1")
    outcome = said("other", end=end, answer="X-1")
    assert grade(outcome, "answer_contains", text="X-1").lines == (7,)
    assert grade(outcome, "answer_contains", text="X-1", where="all").lines == (7,)


def test_case_is_ignored_only_where_asked():
    outcome = said("STRASSE Ä")
    assert grade(outcome, "answer_contains", text="straße ä").status == "fail"
    assert grade(outcome, "answer_contains", text="straße ä", ignore_case=True).status == "pass"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("answer_contains", {"text": "x"}),
        ("answer_matches", {"pattern": "^$"}),
        ("answer_lacks", {"text": "x"}),
        ("answer_lacks", {"pattern": "x", "where": "all"}),
        ("json_valid", {}),
    ],
)
def test_silence_proves_nothing(name, arguments):
    assert grade(said(), name, **arguments).status == "fail"
    assert grade(said("  \n"), name, **arguments).status == "fail"


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("answer_contains", {"text": "x"}),
        ("answer_matches", {"pattern": "x"}),
        ("answer_lacks", {"text": "x"}),
        ("tool_used", {"tool": "Bash"}),
        ("tool_unused", {"tool": "Bash"}),
        ("resource_read", {"path": "a.md"}),
        ("max_commands", {"count": 1}),
        ("max_turns", {"turns": 5}),
    ],
)
@pytest.mark.parametrize("where", ["trace", "sealed"])
def test_what_is_missing_in_a_cut_trace_is_undecided(name, arguments, where):
    cut = {"truncated": True} if where == "trace" else {"sealed": {"truncated": True}}
    assert grade(said("hello", turns=1, **cut), name, **arguments).status == "error"


def test_what_is_found_in_a_cut_trace_is_found():
    assert grade(said("x", truncated=True), "answer_contains", text="x").status == "pass"
    assert grade(said("x", truncated=True), "answer_lacks", text="x").status == "fail"


def test_an_answer_told_at_the_end_is_whole_in_a_cut_trace():
    end = End(status="completed", line=7, answer="hello")
    outcome = said(end=end, answer="hello", truncated=True)
    assert grade(outcome, "answer_lacks", text="x").status == "pass"
    assert grade(outcome, "answer_lacks", text="x", where="all").status == "error"


def test_a_pattern_matches_anywhere_and_the_excerpt_shows_control_characters():
    found = grade(said("one\x1b[31m\nversion 12.5"), "answer_matches", pattern=r"version \d+\.\d")
    assert (found.status, found.lines) == ("pass", (1,))
    assert r"\x1b" in found.reason
    assert grade(said("versions"), "answer_matches", pattern=r"version \d").status == "fail"


def test_reasons_are_short():
    found = grade(said("y" * 9000), "answer_contains", text="x" * 9000)
    assert len(found.reason) < 250


def test_answer_lacks_takes_exactly_one_of_text_and_pattern():
    assert "either" in str(refused("answer_lacks"))
    assert "either" in str(refused("answer_lacks", text="a", pattern="b"))


def test_a_verdict_on_an_answer_names_the_lines_that_were_looked_through():
    outcome = said("fine", "good")
    for where, lines in (("last", (2,)), ("all", (1, 2))):
        found = grade(outcome, "answer_lacks", text="x", where=where)
        assert (found.status, found.lines) == ("pass", lines)
        found = grade(outcome, "answer_contains", text="x", where=where)
        assert (found.status, found.lines) == ("fail", lines)
        found = grade(outcome, "answer_matches", pattern="x", where=where)
        assert (found.status, found.lines) == ("fail", lines)


def test_silence_is_proved_by_the_end_of_the_session():
    for name in ("answer_lacks", "answer_contains"):
        assert grade(an_outcome(), name, text="x").lines == (99,)


def test_answer_lacks_fails_with_the_line_of_what_it_says():
    found = grade(said("bad x", "fine"), "answer_lacks", pattern="x", where="all")
    assert (found.status, found.lines) == ("fail", (1,))


def test_an_empty_text_is_refused_since_it_is_in_every_answer():
    assert refused("answer_contains", text="").field == "text"
    assert refused("answer_matches", pattern="").field == "pattern"


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("answer_matches", {}),
        ("answer_lacks", {}),
        ("file_matches", {"path": "a"}),
        ("file_lacks", {"path": "a"}),
    ],
)
def test_a_pattern_that_re2_refuses_fails_before_anything_runs(name, more):
    error = refused(name, pattern="(?=a)", **more)
    assert error.field == "pattern"
    assert "RE2" in str(error)
    assert "lookahead" in str(error)


# files

FILE_CHECKS = [
    ("file_exists", {}),
    ("file_matches", {"pattern": "x"}),
    ("file_lacks", {"pattern": "x"}),
    ("json_valid", {}),
]


def test_a_file_that_is_there_is_proved_by_the_call_that_wrote_it(tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.md").touch()
    wrote = Call(line=4, tool="Write", does="write", paths=("/w/out/a.md",))
    other = Call(line=5, tool="Write", does="write", paths=("/w/b.md", "/w/xout/a.md"))
    found = grade(an_outcome(wrote, other, root=tmp_path), "file_exists", path="./out/a.md")
    assert (found.status, found.lines) == ("pass", (4,))


@pytest.mark.parametrize(
    "command",
    ["echo x > out/a.md", "cd out && tee a.md", "bash -lc 'sed -i s/a/b/ /w/out/a.md'"],
)
def test_a_file_that_the_shell_wrote_is_proved_by_the_command(command, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/a.md").write_text("x")
    wrote = Call(line=4, tool="Bash", does="shell", command=command)
    read = Call(line=5, tool="Bash", does="shell", command="cat out/a.md > b.md")
    outcome = an_outcome(wrote, read, root=tmp_path)
    for name, more, status in (
        ("file_exists", {}, "pass"),
        ("file_matches", {"pattern": "y"}, "fail"),
        ("file_lacks", {"pattern": "y"}, "pass"),
        ("named", {"pattern": "[a-z]+"}, "fail"),
    ):
        found = grade(outcome, name, path="out/a.md", **more)
        assert (found.status, found.lines) == (status, (4,)), name


@pytest.mark.parametrize(("name", "more"), FILE_CHECKS)
def test_a_missing_file_fails_and_the_nearest_is_named(name, more, tmp_path):
    (tmp_path / "report.md").touch()
    found = grade(an_outcome(root=tmp_path), name, path="reprot.md", **more)
    assert found.status == "fail"
    assert "no such file" in found.reason
    assert "`report.md`" in found.reason


def test_a_file_name_that_is_not_utf_8_is_made_visible(tmp_path):
    (tmp_path / "repor\udcfft.md").touch()
    found = grade(an_outcome(root=tmp_path), "file_exists", path="report.md")
    assert found.status == "fail"
    assert r"\udcff" in found.reason


@pytest.mark.parametrize(("name", "more"), FILE_CHECKS)
def test_a_folder_is_not_a_file(name, more, tmp_path):
    (tmp_path / "out").mkdir()
    assert "is a folder" in grade(an_outcome(root=tmp_path), name, path="out", **more).reason


@pytest.mark.parametrize(("name", "more"), [*FILE_CHECKS, ("resource_read", {})])
@pytest.mark.parametrize("path", ["/etc/passwd", "../a", "a/../../b", "~/a", "a\0b", "*.md", ""])
def test_a_path_that_cannot_be_in_the_workspace_is_refused_early(name, more, path):
    assert refused(name, path=path, **more).field == "path"


@pytest.mark.parametrize(("name", "more"), FILE_CHECKS)
def test_a_file_that_was_not_kept_is_an_error(name, more, tmp_path):
    (tmp_path / "link").symlink_to("/etc/passwd")
    found = grade(an_outcome(root=tmp_path), name, path="link", **more)
    assert found.status == "error"
    assert "link" in found.reason


def test_a_file_is_matched_past_its_byte_order_mark_and_bad_bytes(tmp_path):
    (tmp_path / "a").write_bytes(b"\xef\xbb\xbfname \xff x\n")
    outcome = an_outcome(root=tmp_path)
    assert grade(outcome, "file_matches", path="a", pattern="^name \ufffd x").status == "pass"
    assert grade(outcome, "file_matches", path="a", pattern="nope").status == "fail"
    assert grade(outcome, "file_lacks", path="a", pattern="nope").status == "pass"
    assert grade(outcome, "file_lacks", path="a", pattern="name").status == "fail"


def test_a_file_too_large_to_be_looked_at_whole_cannot_show_an_absence(tmp_path):
    with (tmp_path / "big").open("wb") as file:
        file.write(b"head")
        file.truncate(16 * 1024 * 1024 + 1)
    outcome = an_outcome(root=tmp_path)
    assert grade(outcome, "file_matches", path="big", pattern="head").status == "pass"
    assert grade(outcome, "file_matches", path="big", pattern="tail").status == "error"
    assert grade(outcome, "file_lacks", path="big", pattern="tail").status == "error"
    assert grade(outcome, "json_valid", path="big").status == "error"


# JSON


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ('{"a": 1}', "pass"),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', "pass"),
        ('```JSON\n{"a": 1}\n```', "pass"),
        ('````json\n{"a": "```"}\n````', "pass"),
        ('```text\n```json\n{"a": 1}\n```', "fail"),
        ('Here: {"a": 1}', "fail"),
        ("```json\n{}\n```\n```json\n{}\n```", "fail"),
        ('```json\n{"a": 1}\n', "fail"),
        ('{"a": NaN}', "fail"),
        ('{"a": -Infinity}', "fail"),
        ("{'a': 1}", "fail"),
        ("[1,]", "fail"),
        ("[" * 100_000, "error"),
        ("[" * 100_000 + "]" * 100_000, "error"),
    ],
)
def test_the_answer_is_json_or_holds_one_block_of_it(answer, status):
    found = grade(said(answer), "json_valid")
    assert found.status == status
    assert found.lines == (() if status == "error" else (1,))


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '[{"b": {"é": 1, "é": "x"}}]'])
def test_a_key_that_stands_twice_is_no_json_that_all_read_alike(text):
    found = grade(said(text), "json_valid", schema={})
    assert found.status == "fail"
    assert "stands twice" in found.reason


def test_a_file_is_judged_by_its_schema(tmp_path):
    (tmp_path / "a.json").write_text('{"count": 0}')
    outcome = an_outcome(root=tmp_path)
    fits = {"type": "object", "properties": {"count": {"type": "integer", "minimum": 0}}}
    assert grade(outcome, "json_valid", path="a.json", schema=fits).status == "pass"
    too_small = {"properties": {"count": {"minimum": 1}}}
    found = grade(outcome, "json_valid", path="a.json", schema=too_small)
    assert found.status == "fail"
    assert "count" in found.reason
    (tmp_path / "b.json").write_bytes(b'"\xff"')
    assert "byte 1" in grade(outcome, "json_valid", path="b.json").reason


def test_a_byte_order_mark_is_left_out_of_json_as_of_any_text(tmp_path):
    (tmp_path / "a.json").write_bytes(b'\xef\xbb\xbf{"count": 0}')
    (tmp_path / "b.json").write_bytes(b'\xef\xbb\xbf"\xff"')
    case = Case(**A_CASE, file=str(tmp_path / "cases.yaml"))
    outcome = an_outcome(root=tmp_path, case=case)
    assert grade(outcome, "json_valid", path="a.json").status == "pass"
    assert grade(outcome, "file_matches", path="a.json", pattern="^{").status == "pass"
    assert "byte 4" in grade(outcome, "json_valid", path="b.json").reason
    (tmp_path / "s.json").write_bytes(b'\xef\xbb\xbf{"type": "object"}')
    assert grade(outcome, "json_valid", path="a.json", schema="s.json").status == "pass"


def test_a_default_in_the_schema_does_not_fill_in_what_is_missing():
    schema = {"properties": {"a": {"default": {}, "required": ["b"]}}, "required": ["a"]}
    assert grade(said("{}"), "json_valid", schema=schema).status == "fail"


def test_a_schema_file_is_found_beside_the_case_file(tmp_path):
    (tmp_path / "s.json").write_text('{"type": "array"}')
    case = Case(**A_CASE, file=str(tmp_path / "cases.yaml"))
    assert grade(said("[]", case=case), "json_valid", schema="s.json").status == "pass"
    assert grade(said("{}", case=case), "json_valid", schema="s.json").status == "fail"
    found = grade(said("{}", case=case), "json_valid", schema="gone.json")
    assert found.status == "error"
    assert "gone.json" in found.reason


@pytest.mark.parametrize(
    "schema",
    [
        {"prefixItems": [{"type": "string"}]},
        {"properties": {"a": {"unevaluatedProperties": False}}},
        {"dependentSchemas": {}},
        {"allOf": [{"$dynamicRef": "#x"}]},
        {"contains": {}, "minContains": 2},
        {"items": [{"maxContains": 2}]},
        {"dependentRequired": {"a": ["b"]}},
        {"additionalProperties": {"propertes": {}}},
        {"$ref": "https://example.com/s.json"},
        {"properties": {"a": {"$ref": "other.json"}}},
        {"properties": {"a": {"$ref": "#/$defs/x", "minimum": 3}}, "$defs": {"x": {}}},
        {"$ref": "#/$defs/gone"},
        {"$defs": {"a": {"$id": "http://example.com/", "$ref": "#/x"}}},
        {"$schema": "http://json-schema.org/draft-04/schema#"},
        {"minimum": "__import__('os').getcwd()"},
        {"minLength": True},
        {"multipleOf": 0},
        {"required": "name"},
        {"type": "strng"},
        {"type": []},
        {"enum": []},
        {"format": "e-mail"},
        {"pattern": "("},
        {"patternProperties": {"(": {}}},
        {"allOf": []},
        {"properties": []},
        {"not": 3},
        {"const": float("nan")},
    ],
    ids=str,
)
def test_a_schema_that_would_be_ignored_or_misread_is_refused(schema):
    assert refused("json_valid", schema=schema).field == "schema"


def test_a_schema_keyword_that_is_refused_is_named_with_its_place_and_the_nearest():
    error = refused("json_valid", schema={"properties": {"a": {"minLenght": 1}}})
    assert "`properties.a.minLenght`" in str(error)
    assert "minLength" in error.hint


@pytest.mark.parametrize("schema", ["", "https://example.com/s.json", "/no/such/schema.json"])
def test_a_schema_that_is_no_file_is_refused(schema):
    assert refused("json_valid", schema=schema).field == "schema"


ODD = """a"b'c\\d{x}%s\n"""


@pytest.mark.parametrize(
    ("schema", "fits", "does_not"),
    [
        ({"properties": {ODD: {"type": "string"}}}, {ODD: "a"}, {ODD: 1}),
        ({"dependencies": {ODD: ["z"]}}, {ODD: 1, "z": 1}, {ODD: 1}),
        ({"enum": [ODD, 0]}, ODD, False),
        ({"const": 1}, 1, True),
        ({"type": "integer"}, 1.0, True),
        ({"uniqueItems": True}, [1, True], [1, 1]),
        ({"if": {"type": "string"}, "then": {"minLength": 2}}, 1, "a"),
        ({"format": "date"}, "2024-02-29", "2024-02-30"),
        (True, 1, None),
        ({"not": {}}, None, 1),
    ],
    ids=str,
)
def test_a_schema_means_what_it_says(schema, fits, does_not):
    trouble = compile_schema(schema)
    assert fits is None or trouble(fits) == ""
    assert does_not is None or trouble(does_not)


def test_a_schema_may_name_itself_and_refer_within():
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/tree.json",
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}}},
        "$ref": "#/$defs/node",
    }
    assert grade(said('{"next": {"next": {}}}'), "json_valid", schema=schema).status == "pass"
    assert grade(said('{"next": {"next": 3}}'), "json_valid", schema=schema).status == "fail"


@pytest.mark.parametrize("number", ["1e999", "1e308", "123456789012345678901234567890", "0.3"])
@pytest.mark.parametrize("step", [0.1, 3, 1e-300])
def test_a_number_of_any_size_is_judged_without_a_crash(number, step):
    found = grade(said(number), "json_valid", schema={"multipleOf": step})
    assert found.status in ("pass", "fail", "error")


def test_a_value_too_deep_for_its_schema_is_undecided():
    schema = {"items": {"$ref": "#"}}
    found = grade(said("[" * 900 + "]" * 900), "json_valid", schema=schema)
    assert found.status in ("pass", "error")


def test_a_number_too_long_to_be_read_is_undecided_in_words_for_people():
    found = grade(said("9" * 10_000), "json_valid")
    assert (found.status, "too many digits" in found.reason) == ("error", True)


def test_a_schema_key_that_utf_8_cannot_write_is_made_visible():
    assert str(refused("json_valid", schema={"\ud800": 1})).isprintable()


def test_a_schema_too_deep_is_refused():
    schema = {}
    for _ in range(5000):
        schema = {"not": schema}
    assert refused("json_valid", schema=schema).field == "schema"


# tools and resources

BASH = Call(line=2, id="1", tool="Bash", does="shell", command="ls")
SEARCH = Call(line=3, id="2", tool="mcp__site__search_docs", does="mcp")


@pytest.mark.parametrize(
    ("tool", "lines"),
    [
        ("Bash", (2,)),
        ("shell", (2,)),
        ("bash", None),
        ("mcp__site__search_docs", (3,)),
        ("search_docs", (3,)),
        ("docs", None),
        ("mcp", None),
        ("search", None),
        ("read", None),
    ],
)
def test_a_tool_is_found_by_its_name_its_kind_or_its_last_part(tool, lines):
    outcome = an_outcome(BASH, SEARCH)
    used, unused = grade(outcome, "tool_used", tool=tool), grade(outcome, "tool_unused", tool=tool)
    assert (used.status, unused.status) == (("pass", "fail") if lines else ("fail", "pass"))
    assert (used.lines, unused.lines) == ((lines, lines) if lines else ((99,), (99,)))


def test_a_tool_of_ours_is_not_taken_for_the_last_part_of_its_own_name():
    outcome = an_outcome(Call(line=1, tool="web__fetch", does="other"))
    assert grade(outcome, "tool_used", tool="fetch").status == "fail"


def test_a_refused_call_is_no_use_of_the_tool():
    outcome = an_outcome(BASH, Denial(line=5, id="1", tool="Bash"))
    assert grade(outcome, "tool_used", tool="Bash").status == "fail"
    found = grade(outcome, "tool_unused", tool="Bash")
    assert found.status == "pass"
    assert "refused" in found.reason


def read_by(skill="greeting", **more):
    return Evidence(skill=skill, rung="read", lines=(1, 6), **more)


def test_a_resource_that_was_read_is_proved_by_the_call_that_names_it():
    call = Call(line=6, tool="Read", does="read", paths=("/w/greeting/refs/t.md",))
    outcome = an_outcome(call, skills=[read_by(resources=("refs/t.md",))])
    found = grade(outcome, "resource_read", path="./refs/t.md")
    assert (found.status, found.lines) == ("pass", (6,))
    found = grade(outcome, "resource_read", path="t.md")
    assert found.status == "fail"
    assert "`refs/t.md`" in found.reason


def test_a_script_that_was_run_was_not_read():
    outcome = an_outcome(skills=[read_by(scripts=("run.sh",))])
    assert grade(outcome, "resource_read", path="run.sh").status == "fail"


def test_a_resource_of_another_skill_counts_only_by_name():
    outcome = an_outcome(skills=[read_by(), read_by("other", resources=("a.md",))])
    assert grade(outcome, "resource_read", path="a.md").status == "fail"
    assert grade(outcome, "resource_read", path="a.md", skill="other").status == "pass"


def test_a_resource_of_no_skill_is_undecided():
    negative = Case(**A_CASE, should_trigger=False)
    assert grade(an_outcome(case=negative), "resource_read", path="a.md").status == "error"
    found = grade(an_outcome(skills=[read_by()]), "resource_read", path="a.md", skill="greetin")
    assert found.status == "error"
    assert "`greeting`" in found.reason


def test_without_any_skill_on_offer_no_resource_was_read():
    assert grade(an_outcome(), "resource_read", path="a.md", skill="other").status == "fail"


# limits


def test_effective_commands_are_counted_unless_all_are_asked_for():
    outcome = an_outcome(BASH, commands=Commands(total=3, effective=1))
    assert grade(outcome, "max_commands", count=1).status == "pass"
    found = grade(outcome, "max_commands", count=2, counting="total")
    assert (found.status, found.lines) == ("fail", (2,))
    assert "3 total commands" in found.reason


def test_the_commands_that_count_are_named_and_no_others():
    looked = Call(line=3, tool="Bash", does="shell", command="ls")
    outcome = an_outcome(BASH, looked, commands=Commands(total=2, effective=1))
    outcome = msgspec.structs.replace(outcome, is_effective=lambda each: each is not looked)
    for counting, lines in (("effective", (2,)), ("total", (2, 3))):
        for count, status in ((0, "fail"), (2, "pass")):
            found = grade(outcome, "max_commands", count=count, counting=counting)
            assert (found.status, found.lines) == (status, lines)


def test_what_only_the_end_tells_is_proved_by_it():
    outcome = an_outcome(BASH)
    assert grade(outcome, "max_seconds", seconds=1000).lines == (99,)
    assert grade(outcome, "exit_code", code=77).lines == (99,)


def test_turns_are_proved_by_the_lines_at_which_they_begin():
    answer = Result(line=4, id=BASH.id, output="x")
    last = Message(line=5, text="done")
    outcome = an_outcome(Message(line=1, text="I look"), BASH, answer, last, turns=2)
    assert grade(outcome, "max_turns", turns=2).lines == (1, 5)
    assert grade(outcome, "max_turns", turns=1).lines == (1, 5)


@pytest.mark.parametrize(
    ("usage", "limits", "status"),
    [
        (None, {"total": 10}, "error"),
        (Usage(line=8, input_tokens=6), {"total": 10}, "error"),
        (Usage(line=8, input_tokens=6), {"output": 10}, "error"),
        (Usage(line=8, input_tokens=6), {"input": 6}, "pass"),
        (Usage(line=8, input_tokens=6), {"input": 5}, "fail"),
        (Usage(line=8, input_tokens=6), {"input": 5, "output": 5}, "fail"),
        (Usage(line=8, input_tokens=6, output_tokens=4), {"total": 10}, "pass"),
        (Usage(line=8, input_tokens=6, output_tokens=4), {"total": 9}, "fail"),
        (Usage(line=8, input_tokens=6, output_tokens=4), {"total": 10, "output": 3}, "fail"),
        (Usage(line=8, input_tokens=0, output_tokens=0), {"total": 0}, "pass"),
    ],
)
def test_tokens_that_are_not_reported_never_pass(usage, limits, status):
    found = grade(an_outcome(usage=usage), "max_tokens", **limits)
    assert found.status == status
    assert found.lines == (() if status == "error" else (8,))


def test_max_tokens_needs_a_limit():
    assert "limit" in str(refused("max_tokens"))


def test_usage_of_a_cut_trace_passes_only_where_it_is_the_total():
    part, whole = (Usage(line=8, input_tokens=1, total=total) for total in (False, True))
    assert grade(an_outcome(usage=part, truncated=True), "max_tokens", input=5).status == "error"
    assert grade(an_outcome(usage=whole, truncated=True), "max_tokens", input=5).status == "pass"


@pytest.mark.parametrize(
    ("sealed", "status"),
    [
        ({"seconds": 2.0}, "pass"),
        ({"seconds": 2.1}, "fail"),
        ({"seconds": 1.0, "stopped": "interrupted"}, "error"),
        ({"seconds": 3.0, "stopped": "timeout"}, "fail"),
        ({"seconds": 0.0, "problem": "no such program"}, "error"),
    ],
)
def test_seconds_are_judged_only_where_the_agent_ran_to_its_end(sealed, status):
    assert grade(an_outcome(sealed=sealed), "max_seconds", seconds=2).status == status


def test_turns_that_are_not_known_never_pass():
    assert grade(an_outcome(turns=None), "max_turns", turns=5).status == "error"
    assert grade(an_outcome(turns=5), "max_turns", turns=5).status == "pass"
    told = End(status="completed", line=9, turns=6)
    found = grade(an_outcome(turns=6, end=told), "max_turns", turns=5)
    assert (found.status, found.lines) == ("fail", (9,))


@pytest.mark.parametrize(
    ("sealed", "status"),
    [
        ({"exit_code": 0}, "pass"),
        ({"exit_code": -9}, "fail"),
        ({"exit_code": None}, "error"),
        ({"exit_code": 0, "stopped": "timeout"}, "error"),
    ],
)
def test_an_exit_code_counts_only_where_it_is_the_agent_s_own(sealed, status):
    assert grade(an_outcome(sealed=sealed), "exit_code", code=0).status == status


# programs


def python(code):
    return [sys.executable, "-c", code]


def test_a_program_that_exits_with_0_passes_and_its_output_is_the_reason(tmp_path):
    found = grade(an_outcome(root=tmp_path), "program", command=python("print('all\\x1b[1m well')"))
    assert (found.status, found.reason) == ("pass", r"all\x1b[1m well")


def test_a_program_that_exits_otherwise_fails_with_its_output_cut(tmp_path):
    outcome = an_outcome(root=tmp_path)
    found = grade(outcome, "program", command=python("print('n' * 900); raise SystemExit(3)"))
    assert (found.status, found.reason) == ("fail", "n" * 500)
    silent = grade(outcome, "program", command=python("raise SystemExit(3)"))
    assert silent.status == "fail"
    assert "ended with 3" in silent.reason


def test_a_program_is_given_the_outcome_and_the_workspace(tmp_path):
    (tmp_path / "made.txt").touch()
    code = "import sys,json,os; print(json.load(sys.stdin)['n'], os.listdir())"
    outcome = an_outcome(root=tmp_path, beside=json.dumps({"n": 7}).encode())
    assert grade(outcome, "program", command=python(code)).reason == "7 ['made.txt']"


def test_a_program_that_is_late_missing_or_killed_is_an_error(tmp_path):
    outcome = an_outcome(root=tmp_path)
    late = grade(outcome, "program", command=python("import time; time.sleep(60)"), timeout_s=0.3)
    assert late.status == "error"
    assert "0.3 s" in late.reason
    gone = grade(outcome, "program", command="no-such-program-here")
    assert gone.status == "error"
    assert "no-such-program-here" in gone.reason
    killed = grade(outcome, "program", command=python("import os; os.kill(os.getpid(), 9)"))
    assert killed.status == "error"


def test_a_program_that_fails_says_what_was_not_kept_for_it(tmp_path):
    changes = Changes(refused=(".venv/bin/python", "link"))
    outcome = an_outcome(root=tmp_path, sealed={"changes": changes})
    found = grade(outcome, "program", command=python("print('no link'); raise SystemExit(1)"))
    assert (
        found.reason
        == "no link (2 paths were not kept for it to see, the first is `.venv/bin/python`)"
    )


def test_a_program_beside_the_case_file_is_run_and_not_the_agent_s(tmp_path):
    work, cases = tmp_path / "work", tmp_path / "cases"
    work.mkdir()
    cases.mkdir()
    (work / "verify.py").write_text("print('forged')")
    (cases / "verify.py").write_text("import sys; print('ours', *sys.argv[1:])")
    outcome = an_outcome(root=work, case=Case(**A_CASE, file=str(cases / "cases.yaml")))
    command = f"{sys.executable} verify.py 'two words' ."
    assert grade(outcome, "program", command=command).reason == "ours two words ."
    script = cases / "check.sh"
    script.write_text("#!/bin/sh\necho by itself\n")
    script.chmod(0o755)
    assert grade(outcome, "program", command="./check.sh").reason == "by itself"


@pytest.mark.parametrize("command", ["", "  ", [], [""], "a 'b", ["a\0b"], "a\0b"])
def test_a_command_that_is_none_is_refused(command):
    assert refused("program", command=command).field == "command"


# arguments of any kind

WORDS = st.sampled_from(
    [
        "text",
        "pattern",
        "path",
        "where",
        "schema",
        "tool",
        "skill",
        "count",
        "counting",
        "input",
        "output",
        "total",
        "seconds",
        "turns",
        "code",
        "command",
        "timeout_s",
        "ignore_case",
        "odd",
    ]
)
KEYWORDS = st.sampled_from(
    [
        "type",
        "$ref",
        "items",
        "properties",
        "minimum",
        "enum",
        "format",
        "pattern",
        "not",
        "$id",
        "patternProperties",
        "dependencies",
        "allOf",
        "multipleOf",
        "minLength",
        "const",
        "if",
        "then",
        "required",
    ]
)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["object", "string", "#", "#/properties", "last", "all", "a.json", "email"])
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYWORDS, inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.sampled_from(sorted(checks)), st.dictionaries(WORDS, VALUES, max_size=3))
def test_no_arguments_crash_bind(name, arguments):
    told = "it binds"
    try:
        bind(CheckSpec(name=name, arguments=arguments))
    except BadArguments as error:
        told = str(error)
    assert told


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x", "odd scheme:x", "file:///etc/passwd"])
def test_a_reference_in_plain_data_is_not_followed_either(address):
    schema = {"const": [{"$ref": address}]}
    assert "references stay inside" in str(refused("json_valid", schema=schema))


@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(KEYWORDS, VALUES, max_size=4), VALUES)
def test_no_schema_crashes_bind_and_no_value_crashes_a_schema(schema, value):
    spec = CheckSpec(name="json_valid", arguments={"schema": schema})
    try:
        bind(spec)
    except BadArguments:
        return
    try:
        text = json.dumps(value)
    except ValueError:
        return
    assert grade_check(said(text), spec).status in ("pass", "fail", "error")


@given(
    st.sampled_from(["max_seconds", "program"]), st.sampled_from([float("nan"), float("inf"), 0])
)
def test_a_limit_that_limits_nothing_is_refused(name, limit):
    arguments = (
        {"seconds": limit} if name == "max_seconds" else {"command": "a", "timeout_s": limit}
    )
    refused(name, **arguments)
