"""The reader of Claude Code, held by recorded sessions and by every trap of its stream."""

import json
from pathlib import Path

import msgspec
import pytest

from audition.agent import Ask, Server, find_agent, make_trace, read_events, read_trace
from audition.agents.claude.words import tokens
from audition.model import Call, Case, Denial, Fault, Message, Result, Usage

TRACES = Path(__file__).parent / "traces" / "claude"
SESSIONS = sorted(TRACES.glob("*/*.jsonl"))
SESSIONS = [each for each in SESSIONS if not each.name.endswith(".expected.jsonl")]
claude = find_agent("claude")


def session(name):
    (path,) = [each for each in SESSIONS if each.name.startswith(name)]
    return read_trace(claude, enumerate(path.read_bytes().splitlines(), 1))


def said(*lines):
    return read_trace(claude, enumerate((json.dumps(each).encode() for each in lines), 1))


def assistant(*blocks, **more):
    message = {"id": "m", "role": "assistant", "model": "x", "content": list(blocks)}
    return {"type": "assistant", "message": message, **more}


def tool(name, /, **given):
    return {"type": "tool_use", "id": "t1", "name": name, "input": given}


def result(content="ok", **more):
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, **more}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def ended(**more):
    return {"type": "result", "subtype": "success", "is_error": False, **more}


def only(kind, trace):
    return [each for each in trace.events if isinstance(each, kind)]


def as_lines(trace):
    """One event a line, only what is not at its default: to be read by eye."""
    out = []
    for event in trace.events:
        fields = {"kind": type(event).__name__.lower()}
        for name in event.__struct_fields__:
            value = getattr(event, name)
            default = next(f.default for f in msgspec.structs.fields(event) if f.name == name)
            if value != default and not (name == "input" and not value):
                fields[name] = value
        out.append(msgspec.json.encode(fields).decode())
    return "".join(f"{each}\n" for each in out)


def test_sessions_are_recorded():
    assert len(SESSIONS) >= 33


@pytest.mark.parametrize("path", SESSIONS, ids=lambda path: path.stem)
def test_a_recorded_session_gives_the_events_beside_it(path):
    trace = read_trace(claude, enumerate(path.read_bytes().splitlines(), 1))
    assert trace.unread_count == 0
    assert as_lines(trace) == path.with_suffix(".expected.jsonl").read_text()


ENDS = {
    "01": ("completed", "", 2, "Ahoy, Ada! Welcome aboard."),
    "02": ("completed", "", 1, "2 + 2 is 4."),
    "03": ("completed", "", 4, "Wrote service.json."),
    "17": ("limited", "max turns", 1, ""),
    "18": ("limited", "budget", 1, ""),
    "19": ("failed", "not signed in", None, ""),
    "20": ("failed", "not signed in", None, ""),
    "21": ("completed", "", 1, "fine"),
    "23": ("failed", "server error", None, ""),
    "24": ("failed", "network", None, ""),
    "25": ("completed", "", 1, "fine"),
    "26": ("failed", "refused", 2, "no"),
    "28": ("completed", "", 2, "Done."),
    "30": ("completed", "", 2, "outer done"),
    "31": ("completed", "", 3, "The agent is done."),
    "32": ("completed", "", 2, "The subagent says: Ahoy, Ada!"),
    "33": ("completed", "", 1, '{"name":"Ada"}'),
    "36": ("interrupted", "no terminal event", None, ""),
    "37": ("interrupted", "aborted streaming", None, ""),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_session_is_told_from_its_last_result(name):
    status, reason, turns, answer = ENDS[name]
    trace = session(name)
    assert (trace.end.status, trace.end.reason.partition(":")[0]) == (status, reason)
    assert trace.turns == turns
    if answer:
        assert trace.answer == answer


def test_an_api_error_is_a_failure_though_its_subtype_says_success():
    assert '"subtype":"success"' in (TRACES / "2.1.327/19_401.jsonl").read_text()
    assert session("19").end.status == "failed"


def test_the_older_program_calls_an_api_error_completed_and_is_not_believed():
    trace = said(ended(is_error=True, terminal_reason="completed", result="API Error: 500 x"))
    assert trace.end.status == "failed"


@pytest.mark.parametrize(
    ("more", "status", "word"),
    [
        ({"is_error": True, "api_error_status": 401, "result": "x"}, "failed", "not signed in"),
        ({"is_error": True, "api_error_status": 403, "result": "x"}, "failed", "not signed in"),
        ({"is_error": True, "api_error_status": 404, "result": "x"}, "failed", "unknown model"),
        ({"is_error": True, "api_error_status": 429, "result": "x"}, "failed", "rate limited"),
        ({"is_error": True, "api_error_status": 529, "result": "x"}, "failed", "overloaded"),
        ({"is_error": True, "api_error_status": 503, "result": "x"}, "failed", "server error"),
        ({"is_error": True, "api_error_status": 400, "result": "x"}, "failed", "invalid request"),
        (
            {"is_error": True, "api_error_status": 400, "result": "Credit balance is too low"},
            "failed",
            "billing",
        ),
        (
            {"is_error": True, "result": "You've hit your 5-hour limit"},
            "failed",
            "rate limited",
        ),
        ({"is_error": True, "result": "API Error: Request timed out."}, "failed", "network"),
        ({"is_error": True, "stop_reason": "refusal", "result": "no"}, "failed", "refused"),
        (
            {"subtype": "error_during_execution", "is_error": True},
            "failed",
            "error during execution",
        ),
        (
            {
                "subtype": "error_during_execution",
                "is_error": True,
                "terminal_reason": "aborted_tools",
            },
            "interrupted",
            "aborted tools",
        ),
        ({"subtype": "error_max_turns", "is_error": True}, "limited", "max turns"),
        ({"stop_reason": "max_tokens"}, "limited", "max tokens"),
        ({"stop_reason": "tool_use", "structured_output": {"a": 1}}, "completed", ""),
    ],
)
def test_every_ending_has_its_class_and_its_word(more, status, word):
    end = said(ended(**more)).end
    assert end.status == status
    assert end.reason.startswith(word)


def test_a_session_without_a_result_was_interrupted():
    trace = said(assistant({"type": "text", "text": "hi"}))
    assert (trace.end.status, trace.answer) == ("interrupted", "hi")


def test_the_last_of_several_results_counts():
    trace = said(ended(result="first"), ended(result="second", num_turns=1))
    assert trace.answer == "second"


def test_a_turn_that_was_begun_after_a_result_must_end_too():
    late = assistant({"type": "text", "text": "and now"})
    trace = said(ended(result="first"), late)
    assert (trace.end.status, trace.answer) == ("interrupted", "and now")
    assert trace.end.reason == "no terminal event for the last turn"
    assert said(ended(result="first"), late, ended(result="second")).end.status == "completed"
    quiet = said(ended(result="first"), {"type": "system", "subtype": "status"})
    assert quiet.end.status == "completed"


@pytest.mark.parametrize(
    "odd",
    [
        {"total_cost_usd": "0.1"},
        {"api_error_status": "429"},
        {"stop_reason": 5, "terminal_reason": ["x"]},
        {"usage": None, "modelUsage": "many"},
    ],
)
def test_a_field_of_a_type_never_seen_costs_no_more_than_itself(odd):
    trace = said(assistant({"type": "text", "text": "hi"}, timestamp=17), ended(**odd, result="x"))
    assert (trace.unread_count, trace.end.status, trace.answer) == (0, "completed", "x")
    assert said(ended(is_error="yes", result="x")).end.status == "failed"


@pytest.mark.parametrize(
    ("text", "word"),
    [("API Error: 401 x", "not signed in"), ("API Error: 529 x", "overloaded"), ("x", "API error")],
)
def test_the_text_of_an_error_says_what_it_was_where_no_status_does(text, word):
    end = said(ended(is_error=True, result=text)).end
    assert (end.status, end.reason) == ("failed", f"{word}: {text}")


def test_a_structured_answer_stands_for_its_text():
    assert said(ended(structured_output={"a": 1})).answer == '{"a":1}'
    assert said(ended(structured_output={"a": 1}, result="told")).answer == "told"


def test_an_error_is_never_the_answer():
    trace = session("19")
    assert trace.answer == ""
    assert [each.what for each in only(Fault, trace)] == ["auth", "auth"]


def test_usage_counts_sub_agents():
    usage = session("32").usage
    assert (usage.input_tokens, usage.output_tokens, usage.dollars) == (400, 80, 0.0032)


def test_cumulative_usage_is_not_summed_over_turns():
    usage = session("41").usage
    assert (usage.input_tokens, usage.output_tokens) == (300, 60)
    assert usage.dollars == pytest.approx(0.0024)


def test_usage_is_summed_over_a_clear_which_sets_it_back():
    usage = session("42").usage
    assert (usage.input_tokens, usage.output_tokens) == (300, 60)
    assert usage.dollars == pytest.approx(0.0024)


def test_without_model_usage_tokens_are_summed_over_turns_and_dollars_are_not():
    one = {"usage": {"input_tokens": 10, "output_tokens": 1}, "total_cost_usd": 0.1}
    two = {"usage": {"input_tokens": 20, "output_tokens": 2}, "total_cost_usd": 0.3}
    usage = said(ended(**one), ended(**two)).usage
    assert (usage.input_tokens, usage.output_tokens) == (30, 3)
    assert usage.dollars == pytest.approx(0.3)


def test_a_turn_of_unknown_usage_makes_the_sum_unknown():
    one = {"usage": {"input_tokens": 10, "output_tokens": 1}, "total_cost_usd": 0.1}
    for each in ((ended(**one), ended()), (ended(), ended(**one))):
        usage = said(*each).usage
        assert (usage.input_tokens, usage.output_tokens) == (None, None)


def test_cached_tokens_are_part_of_the_input():
    used = {"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 20}
    usage = said(ended(usage={**used, "output_tokens": 1})).usage
    assert (usage.input_tokens, usage.cached_input_tokens) == (95, 70)


def test_usage_that_is_not_told_is_unknown_and_not_zero():
    usage = said(ended()).usage
    assert (usage.input_tokens, usage.output_tokens, usage.dollars) == (None, None, None)
    assert session("36").usage is None


def test_the_usage_of_assistant_lines_is_left_alone():
    message = {"content": [], "usage": {"input_tokens": 100, "output_tokens": 1}}
    assert only(Usage, said({"type": "assistant", "message": message})) == []


@pytest.mark.parametrize(
    ("name", "given", "does", "skill", "paths"),
    [
        ("Skill", {"skill": "a"}, "skill", "a", ()),
        ("Skill", {"skill": "/a"}, "skill", "a", ()),
        ("Skill", {"command": "a"}, "skill", "a", ()),
        ("mcp__s__skill", {"name": "a"}, "skill", "a", ()),
        ("mcp__s__load_skill", {"skill_name": "a"}, "skill", "a", ()),
        ("mcp__s__skill-resource", {"skill": "a", "path": "b.md"}, "resource", "a", ("b.md",)),
        ("mcp__s__skill_resource", {"name": "a", "path": "b.md"}, "resource", "a", ("b.md",)),
        ("mcp__skilljack__list", {"skill": "a"}, "mcp", "", ()),
        ("ReadMcpResourceTool", {"uri": "skill://a/SKILL.md"}, "skill", "a", ("SKILL.md",)),
        ("ReadMcpResourceTool", {"uri": "skill://a/x/y.md"}, "resource", "a", ("x/y.md",)),
        ("ReadMcpResourceTool", {"uri": "file:///x"}, "mcp", "", ("file:///x",)),
        ("Read", {"file_path": "/x"}, "read", "", ("/x",)),
        ("Write", {"file_path": "/x", "content": "y"}, "write", "", ("/x",)),
        ("NotebookEdit", {"notebook_path": "/x"}, "write", "", ("/x",)),
        ("Glob", {"pattern": "*.md"}, "search", "", ("*.md",)),
        ("Grep", {"pattern": "x", "path": "/y"}, "search", "", ("/y", "x")),
        ("Agent", {"prompt": "x"}, "task", "", ()),
        ("Task", {"prompt": "x"}, "task", "", ()),
        ("ToolSearch", {"query": "select:mcp__s__skill"}, "other", "", ()),
        ("StructuredOutput", {"name": "Ada"}, "other", "", ()),
    ],
)
def test_a_tool_is_known_by_what_it_is_for(name, given, does, skill, paths):
    (call,) = only(Call, said(assistant(tool(name, **given))))
    assert (call.does, call.skill, call.paths) == (does, skill, paths)
    assert call.input == given


def test_a_shell_call_carries_its_command():
    (call,) = only(Call, said(assistant(tool("Bash", command="ls -la"))))
    assert (call.does, call.command) == ("shell", "ls -la")


def test_an_input_that_is_no_mapping_is_no_input():
    call = {"type": "tool_use", "id": "t", "name": "Skill", "input": "greeting"}
    (call,) = only(Call, said(assistant(call)))
    assert (call.input, call.skill) == ({}, "")


def test_the_exit_code_of_a_failed_command_is_read():
    results = only(Result, session("27"))
    assert [(each.failed, each.exit_code) for each in results] == [(True, None), (True, 3)]


def test_a_result_keeps_at_most_64_kib_of_its_output():
    (found,) = only(Result, said(result("x" * 100_000)))
    assert len(found.output) == 64 * 1024


def test_a_result_that_was_too_long_to_be_shown_has_failed():
    text = "Error: result (299,999 characters across 1 line) exceeds maximum allowed tokens. Output"
    (found,) = only(Result, said(result(f"{text} has been saved to /tmp/x.txt.")))
    assert found.failed
    (found,) = only(Result, said(result(f"It says: {text}")))
    assert not found.failed


def test_a_result_of_parts_is_read_as_text():
    parts = [
        {"type": "text", "text": "a"},
        {"type": "image", "source": {}},
        {"type": "text", "text": "b"},
    ]
    (found,) = only(Result, said(result(parts)))
    assert found.output == "a\nb"


def test_the_body_of_a_skill_is_a_system_message_that_names_it():
    body = [each for each in only(Message, session("01")) if each.skill]
    assert [(each.role, each.skill, each.line) for each in body] == [("system", "greeting", 5)]


def test_a_prompt_that_only_looks_like_a_body_names_no_skill():
    text = "Base directory for this skill: /x/greeting\n\nbody"
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    (found,) = only(Message, said({"type": "user", "message": message}))
    assert (found.role, found.skill) == ("user", "")


def test_the_second_body_of_a_skill_is_known():
    text = "Skill /greeting is already loaded above; instructions unchanged."
    message = {"role": "user", "content": [{"type": "text", "text": text}]}
    (found,) = only(Message, said({"type": "user", "message": message, "isSynthetic": True}))
    assert found.skill == "greeting"


def test_an_echoed_slash_command_names_the_skill():
    text = "<command-message>greeting</command-message><command-name>/greeting</command-name>"
    (found,) = only(Message, said({"type": "user", "message": {"content": text}}))
    assert (found.role, found.skill) == ("user", "greeting")


def test_what_happens_in_a_sub_agent_is_marked():
    trace = session("32")
    assert {each.line for each in trace.events if each.sub} == {4, 6, 7}


def test_a_denial_is_said_once_though_the_result_repeats_it():
    assert [each.line for each in only(Denial, session("38"))] == [3]
    assert [each.line for each in only(Denial, session("15"))] == [6]


def test_the_older_program_tells_a_denial_only_by_the_text_of_the_result():
    trace = said(
        assistant(tool("Skill", skill="tooled")), result("Execute skill: tooled", is_error=True)
    )
    assert [each.id for each in only(Denial, trace)] == ["t1"]


def test_a_denial_that_only_the_result_lists_is_not_lost():
    denied = [{"tool_name": "Skill", "tool_use_id": "t1", "tool_input": {}}]
    assert [each.id for each in only(Denial, said(ended(permission_denials=denied)))] == ["t1"]


def test_a_retry_is_a_fault_that_does_not_end_the_session():
    (fault,) = only(Fault, session("21"))
    assert (fault.what, fault.retrying) == ("rate_limit", True)
    (fault, fatal) = only(Fault, session("19"))
    assert (fault.what, fault.retrying, fatal.retrying) == ("auth", True, False)


@pytest.mark.parametrize("status", ["failed", "pending", "needs-auth"])
def test_an_mcp_server_that_is_not_connected_is_a_fault(status):
    servers = [{"name": "a", "status": "connected"}, {"name": "b", "status": status}]
    (fault,) = only(Fault, said({"type": "system", "subtype": "init", "mcp_servers": servers}))
    assert (fault.what, fault.text) == ("mcp", f"MCP server `b` is {status}")


def test_a_plug_in_that_is_not_there_is_a_fault():
    errors = [{"type": "path-not-found", "path": "/x"}]
    (fault,) = only(Fault, said({"type": "system", "subtype": "init", "plugin_errors": errors}))
    assert "path-not-found" in fault.text


def test_a_rejected_rate_limit_is_a_fault_and_a_warning_is_not():
    def event(status):
        return {"type": "rate_limit_event", "rate_limit_info": {"status": status, "resetsAt": 17}}

    assert only(Fault, said(event("allowed_warning"))) == []
    (fault,) = only(Fault, said(event("rejected")))
    assert (fault.what, fault.text) == ("rate_limit", "rate limited until 17")


def test_partial_messages_are_not_said_twice():
    texts = [each.text for each in only(Message, session("34")) if each.role == "assistant"]
    assert len(texts) == len(set(texts))


def test_turns_are_answers_and_not_num_turns():
    assert '"num_turns":5' in (TRACES / "2.1.327/03_resource_load.jsonl").read_text()
    assert session("03").turns == 4


def test_answers_that_all_have_one_id_are_told_apart_by_what_comes_between():
    one = (assistant(tool("Bash", command="ls")), result())
    assert said(*one, *one, assistant({"type": "text", "text": "x"}), ended()).turns == 3


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"{",
        b"[]",
        b"nul",
        b"\xff\xfe",
        b'{"type":"brand_new"}',
        b'{"type":"system","subtype":"brand_new"}',
    ],
)
def test_a_line_that_is_not_understood_is_counted_and_harmless(line):
    events, unread = read_events(
        claude, [(1, line or b"x"), (2, b'{"type":"result","subtype":"success"}')]
    )
    assert unread == [1]
    assert make_trace(claude, events).end.status == "completed"


CALL = (
    b'{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"Skill",'
    b'"input":{"skill":"work"}}]}}'
)
BACK = (
    b'{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t",'
    b'"content":"x"}]}}'
)


@pytest.mark.parametrize("line", [b"\0\0" + CALL, CALL + b"\0", CALL.replace(b"work", b"wo\x01rk")])
def test_stray_control_bytes_hide_no_call(line):
    events, unread = read_events(claude, [(1, line)])
    assert ([type(each).__name__ for each in events], unread) == (["Call"], [])


@pytest.mark.parametrize("between", [b"", b" ", b"\t"])
def test_two_objects_on_one_line_are_both_read(between):
    events, unread = read_events(claude, [(7, CALL + between + BACK)])
    told = [(type(each).__name__, each.line) for each in events]
    assert (told, unread) == ([("Call", 7), ("Result", 7)], [])


@pytest.mark.parametrize("line", [CALL + b"{", CALL + b"x", CALL + b"[]", b"[]" + CALL])
def test_half_an_object_behind_a_whole_one_leaves_the_line_unread(line):
    assert read_events(claude, [(1, line)])[1] == [1]


def test_usage_of_which_one_model_tells_only_a_part_is_not_known():
    both = {"inputTokens": 100, "outputTokens": 30}
    assert tokens({"m": both, "n": both}) == (200, None, 60)
    assert tokens({"m": both, "n": {"inputTokens": 7}}) == (107, None, None)
    assert tokens({"m": both, "n": {"outputTokens": 7}}) == (None, None, 37)


def ask(**more):
    case = more.pop("case", Case(id="a", prompt="-- hi $(x)"))
    fields = {"delivery": "native", "workspace": "/w", "home": "/h", "program": ("claude",)}
    return Ask(case=case, model="m", **{**fields, **more})


def test_the_prompt_is_one_word_behind_the_options():
    assert claude.command(ask()).argv[-2:] == ("--", "-- hi $(x)")


def test_only_the_skill_under_test_is_let_in():
    found = claude.command(ask())
    argv = " ".join(found.argv)
    assert "--setting-sources project --strict-mcp-config" in argv
    assert found.env["CLAUDE_CODE_DISABLE_BUNDLED_SKILLS"] == "1"
    assert found.env["CLAUDE_CODE_DISABLE_CLAUDE_MDS"] == "1"
    assert found.env["MCP_CONNECTION_NONBLOCKING"] == "0"
    assert '"disableSkillShellExecution": true' in argv


def test_without_skills_there_is_no_skill_tool():
    argv = claude.command(ask(delivery="none")).argv
    assert "Skill" not in argv[argv.index("--tools") + 1].split(",")


def words_of(flag, **settings):
    argv = claude.command(ask(case=Case(id="a", prompt="x", settings=settings))).argv
    return argv[argv.index(flag) + 1].split(",")


def test_what_is_permitted_is_there_and_nothing_else_is_permitted():
    assert words_of("--allowedTools") == ["Skill", "Read", "Write", "Edit", "Bash"]
    wished = {"allowed_tools": ["Agent", "Bash(git:*)", "Read", "mcp__x__y"]}
    assert words_of("--allowedTools", **wished) == wished["allowed_tools"]
    assert words_of("--tools", **wished) == [*words_of("--tools"), "Agent"]


def test_the_sdk_joins_two_system_prompts_as_the_program_does():
    def prompt(**settings):
        found = find_agent("claude-sdk").command(
            ask(case=Case(id="a", prompt="", settings=settings))
        )
        return json.loads(found.stdin)["options"]["system_prompt"]

    assert prompt(system_prompt="ONE", append_system_prompt="TWO") == "ONE\n\nTWO"
    preset = {"type": "preset", "preset": "claude_code"}
    assert prompt() == preset
    assert prompt(append_system_prompt="TWO") == {**preset, "append": "TWO"}


def test_a_server_is_given_with_its_permission():
    argv = claude.command(ask(delivery="mcp", server=Server(url="http://127.0.0.1:1/mcp"))).argv
    assert "mcp__skills" in argv[argv.index("--allowedTools") + 1]
    config = json.loads(argv[argv.index("--mcp-config") + 1])
    assert config["mcpServers"]["skills"]["url"] == "http://127.0.0.1:1/mcp"


def test_each_turn_is_a_line_that_waits_for_the_one_before():
    found = claude.command(ask(case=Case(id="a", prompt="one", then=("two",))))
    asked = json.loads(found.stdin)
    assert found.argv[-1] == "audition.turn_feeder"
    assert [json.loads(line)["message"]["content"] for line in asked["turns"]] == ["one", "two"]
    assert "--input-format" in asked["argv"]


def test_a_prompt_too_long_for_a_word_goes_in_as_a_line():
    found = claude.command(ask(case=Case(id="a", prompt="x" * 200_000)))
    assert json.loads(found.stdin)["message"]["content"] == "x" * 200_000
    assert max(map(len, found.argv)) < 10_000


if __name__ == "__main__":  # writes the expected events anew: read each by eye
    for path in SESSIONS:
        trace = read_trace(claude, enumerate(path.read_bytes().splitlines(), 1))
        path.with_suffix(".expected.jsonl").write_text(as_lines(trace))
