"""The readers of Codex, held by recorded sessions and by every trap of its stream; how it is asked."""

import json

import pytest
from recorded import calls, check_golden, only, said, session, sessions

from audition.agent import Ask, Server, find_agent
from audition.evidence import climb
from audition.model import Call, Case, Denial, Fault, Message, Offer, Result, Skill

codex = find_agent("codex")
GREETER = Skill(
    name="greeter",
    path="/w/.agents/skills/greeter",
    body="# greeter\n\nRead `references/words.md`, then answer with the greeting.\nSKILLBODYMARK",
    resources=("references/words.md", "scripts/hi.sh"),
)


def greeter(trace, prompt=""):
    return climb(trace, (GREETER,), codex, prompts=(prompt,))[0]


def line(kind, **more):
    return {"type": kind, **more}


def item(id_, kind, *, done=True, **more):
    return line(
        "item.completed" if done else "item.started", item={"id": id_, "type": kind, **more}
    )


def kept(kind, **payload):
    return {"type": kind, "timestamp": "2026-11-18T19:36:34.000Z", "payload": payload}


def script(call, text):
    return kept("response_item", type="custom_tool_call", call_id=call, name="exec", input=text)


def ran(call, output, code):
    parts = [{"type": "input_text", "text": f'{{"exit_code":{code},"output":"{output}"}}'}]
    return kept("response_item", type="custom_tool_call_output", call_id=call, output=parts)


@pytest.mark.parametrize("path", sessions("codex"), ids=lambda path: path.stem)
def test_a_recorded_session_gives_the_events_beside_it(path):
    check_golden("codex", path)


ENDS = {
    "err_400": ("failed", "invalid request"),
    "err_401": ("failed", "not signed in"),
    "err_401_default_retries": ("failed", "not signed in"),
    "err_429_forever": ("failed", "rate limited"),
    "err_500_forever": ("failed", "overloaded"),
    "err_conn_refused": ("interrupted", "no terminal event"),
    "err_conn_refused_bounded": ("failed", "network"),
    "err_idle_timeout": ("failed", "network"),
    "err_malformed_sse": ("failed", "network"),
    "err_missing_env_key": ("failed", "not signed in"),
    "err_response_failed_context": ("failed", "the context is too long"),
    "err_bad_flag": ("interrupted", "no terminal event"),
    "mcp_server_broken_required": ("interrupted", "no terminal event"),
    "sigterm_mid_turn": ("interrupted", "no terminal event"),
    "err_429_then_ok": ("completed", ""),
    "err_drop_then_ok": ("completed", ""),
    "command_failure": ("completed", ""),
}


@pytest.mark.parametrize("name", ENDS)
def test_an_end_is_classified_by_its_words_never_by_an_exit_code(name):
    status, word = ENDS[name]
    end = session("codex", name).end
    assert end.status == status
    assert end.reason.startswith(word)


@pytest.mark.parametrize("name", ["implicit_cat_skill", "implicit_cat_skill_gpt55"])
def test_reading_skill_md_by_shell_is_how_it_loads(name):
    told = greeter(session("codex", name))
    assert (told.rung, told.how, told.offered, told.noodled) == (
        "loaded",
        "shell-read",
        "full",
        False,
    )


def test_a_resource_and_a_script_are_seen_too():
    told = greeter(session("codex", "resource_file_read"))
    assert (told.rung, told.resources, told.scripts) == (
        "ran",
        ("references/words.md",),
        ("scripts/hi.sh",),
    )


def test_a_skill_put_in_by_its_name_is_seen_in_the_rollout_alone():
    trace = session("codex", "explicit_dollar_skill")
    told = greeter(trace)
    assert (told.rung, told.how) == ("loaded", "injected")
    assert [each.skill for each in only(Message, trace) if each.skill] == ["greeter"]
    assert greeter(session("codex", "no_activation")).rung == "offered"


def test_a_command_that_the_stream_hides_is_in_the_rollout():
    trace = session("codex", "hidden_a_prints_permission_denied")
    assert calls(trace) == [("shell", "echo 'Permission denied'; exit 1", True)]
    assert calls(session("codex", "read_only_write_denied_gpt55")) == [
        ("shell", "echo x > out.txt", True)
    ]


def test_a_skill_read_by_a_hidden_command_is_loaded_all_the_same():
    text = 'const r = await tools.exec_command({cmd: "cat .agents/skills/greeter/SKILL.md; echo x > /root/f"}); text(r);'
    body = "Read `references/words.md`, then answer with the greeting."
    rollout = [script("c", text), ran("c", body, 1), kept("event_msg", type="task_complete")]
    stream = [line("thread.started"), line("turn.completed", usage={"input_tokens": 1})]
    assert greeter(said("codex", *stream, beside=rollout)).how == "shell-read"
    assert greeter(said("codex", *stream)).rung == "none"


def test_each_command_of_a_script_is_told_once():
    trace = session("codex", "command_failure")
    assert len(calls(trace)) == 2 or len({each[1] for each in calls(trace)}) == len(calls(trace))
    two = 'await tools.exec_command({cmd: "echo a"}); await tools.exec_command({cmd: `echo b`})'
    shown = {
        "type": "CommandExecution",
        "id": "e",
        "command": ["/bin/bash", "-lc", "echo a"],
        "status": "completed",
    }
    rollout = [
        script("c", two),
        kept("event_msg", type="item_completed", item=shown),
        ran("c", "x", 1),
    ]
    found = [
        each.command for each in only(Call, said("codex", line("turn.started"), beside=rollout))
    ]
    assert sorted(found) == ["echo a", "echo b"]


def function_call(call, name, given, **more):
    text = json.dumps(given)
    return kept(
        "response_item", type="function_call", call_id=call, name=name, arguments=text, **more
    )


def answered(call, text):
    return kept("response_item", type="function_call_output", call_id=call, output=text)


@pytest.mark.parametrize("space", ["mcp__skills", "mcp__skills__"], ids=["0.169", "0.123"])
def test_a_classic_model_calls_a_skill_over_mcp_by_its_namespace(space):
    call = function_call("c", "skill", {"skill": "greeter"}, namespace=space)
    trace = said("codex", line("turn.started"), beside=[call, answered("c", "the body")])
    assert (greeter(trace).rung, greeter(trace).how) == ("loaded", "mcp-tool")


def test_a_skill_read_as_a_resource_of_a_server_is_loaded():
    def asked(uri):
        call = function_call("c", "read_mcp_resource", {"server": "skills", "uri": uri})
        return said("codex", line("turn.started"), beside=[call, answered("c", "text")])

    assert greeter(asked("skill://greeter/SKILL.md")).how == "mcp-resource"
    assert greeter(asked("skill://greeter/references/words.md")).resources == (
        "references/words.md",
    )
    assert greeter(asked("skill://other/SKILL.md")).rung == "none"
    assert greeter(asked("file:///w/.agents/skills/greeter/SKILL.md")).rung == "none"


def test_a_command_that_still_runs_has_shown_nothing():
    still = "Chunk ID: 1\nWall time: 0.5 seconds\nProcess running with session ID 7\nOutput:\n"
    call = function_call("c", "exec_command", {"cmd": "cat .agents/skills/greeter/SKILL.md"})
    classic = [call, answered("c", still)]
    text = 'text(await tools.exec_command({cmd: "cat .agents/skills/greeter/SKILL.md"}))'
    parts = [{"type": "input_text", "text": '{"session_id":7,"output":""}'}]
    output = {"type": "custom_tool_call_output", "call_id": "c", "output": parts}
    for beside in (classic, [script("c", text), kept("response_item", **output)]):
        trace = said("codex", line("turn.started"), beside=beside)
        assert (len(only(Call, trace)), only(Result, trace)) == (1, [])
        assert greeter(trace).rung == "asked"
    shown = {"type": "CommandExecution", "id": "c", "command": ["cat", "x"], "status": "completed"}
    late = kept("event_msg", type="item_completed", item={**shown, "aggregated_output": "late"})
    (result,) = only(Result, said("codex", line("turn.started"), beside=[*classic, late]))
    assert result.output == "late"


IN = "/w/.agents/skills/greeter"


@pytest.mark.parametrize(
    "beside",
    [
        [function_call("c", "exec_command", {"cmd": "head SKILL.md", "workdir": IN}), answered("c", "---")],
        [script("c", f'tools.exec_command({{cmd: "head SKILL.md", workdir: "{IN}"}})'), ran("c", "-", 0)],
        [kept("event_msg", type="item_completed", item={
            "type": "CommandExecution", "id": "e", "command": ["/bin/bash", "-lc", "head SKILL.md"],
            "cwd": f"file://{IN}", "status": "completed", "exit_code": 0})],
    ],
    ids=["classic", "hidden", "item"],
)  # fmt: skip
def test_a_command_is_read_from_the_folder_it_ran_in(beside):
    assert greeter(said("codex", line("turn.started"), beside=beside)).how == "shell-read"


def test_a_script_run_from_the_skill_s_folder_is_a_use_of_the_skill():
    def told(command):
        call = function_call("c", "exec_command", {"cmd": command})
        return greeter(said("codex", line("turn.started"), beside=[call, answered("c", "hi")]))

    found = told("sh .agents/skills/greeter/scripts/hi.sh")
    assert (found.rung, found.how, found.scripts) == ("ran", "script-run", ("scripts/hi.sh",))
    both = told(f"cat {IN}/SKILL.md && sh {IN}/scripts/hi.sh")
    assert (both.rung, both.routes) == ("ran", ("shell-read",))
    assert told("cat .agents/skills/greeter/scripts/hi.sh").rung == "none"


def thread(**source):
    return kept("session_meta", id="t", **({"source": source} if source else {"source": "exec"}))


def test_a_sub_agent_s_deeds_are_marked_and_its_answer_is_not_the_session_s():
    spawned = {"thread_spawn": {"parent_thread_id": "t", "agent_path": "/root/one"}}
    listed = "<skills_instructions>\n- greeter: cut... (file: r1/greeter/SKILL.md)"
    developer = {
        "type": "message",
        "role": "developer",
        "content": [{"type": "input_text", "text": listed}],
    }
    used = {"input_tokens": 10, "output_tokens": 1}
    beside = [
        thread(),
        kept("response_item", type="message", role="assistant", content=[{"text": "all done"}]),
        kept("token_usage_record", usage=used),
        kept("event_msg", type="task_complete", last_agent_message="all done"),
        thread(subagent=spawned),
        kept("response_item", **developer),
        function_call("c", "exec_command", {"cmd": f"cat {IN}/SKILL.md"}),
        answered("c", "body"),
        kept("token_usage_record", usage=used),
        kept("event_msg", type="task_complete", last_agent_message="half done"),
    ]
    trace = said("codex", line("turn.completed", usage=used), beside=beside)
    assert (trace.answer, trace.end.status, trace.usage.input_tokens) == (
        "all done",
        "completed",
        20,
    )
    assert (greeter(trace).sub, greeter(trace).how) == ("/root/one", "shell-read")
    assert only(Offer, trace) == []


def test_a_rollout_without_tokens_leaves_those_of_the_stream():
    beside = [kept("response_item", type="message", role="assistant", content=[{"text": "ok"}])]
    trace = said("codex", line("turn.completed", usage={"input_tokens": 7}), beside=beside)
    assert trace.usage.input_tokens == 7


def test_the_app_server_tells_the_same_in_other_letters():
    trace = session("codex", "appserver_implicit")
    assert (greeter(trace).rung, greeter(trace).how) == ("loaded", "shell-read")
    assert (trace.end.status, trace.answer, trace.usage.input_tokens) == ("completed", "done", 2000)
    put_in = session("codex", "appserver_skill_input_and_denied")
    assert (greeter(put_in).rung, greeter(put_in).how) == ("loaded", "injected")


def notice(method, **params):
    return {"method": method, "params": params, "emittedAtMs": 1000}


def test_every_item_of_the_app_server_is_read():
    def done(kind, **more):
        return notice(
            "item/completed", item={"type": kind, "id": kind, "status": "completed", **more}
        )

    failed = {"status": "failed", "error": {"message": "unexpected status 401 Unauthorized"}}
    trace = said(
        "codex",
        done(
            "mcpToolCall", server="skills", tool="skill", arguments={"skill": "greeter"}, result={}
        ),
        done("fileChange", changes=[{"path": "/w/a.txt", "kind": {"type": "add"}, "diff": ""}]),
        done("dynamicToolCall", tool="look", namespace=None, arguments={}),
        done("webSearch", query="x"),
        notice("error", error={"message": "Reconnecting... 1/5"}, willRetry=True),
        notice("warning", message="Exceeded skills context budget. 3 skills were not included"),
        notice("turn/completed", turn=failed),
        notice("something/new"),
        {"id": 9, "result": {}},
        {"id": 10, "error": {"code": -32600, "message": "unknown thread"}},
    )
    assert [each.does for each in only(Call, trace)] == ["skill", "write", "mcp", "other"]
    assert greeter(trace).how == "mcp-tool"
    assert [(each.what, each.retrying) for each in only(Fault, trace)[:2]] == [
        ("network", True),
        ("context", False),
    ]
    assert trace.unread == (8,)
    assert trace.end.reason == "unknown thread"


def test_lines_beside_are_numbered_on_from_the_stream():
    rollout = [script("c", 'exec_command({cmd: "false"})'), ran("c", "", 1)]
    trace = said("codex", line("thread.started"), line("turn.started"), beside=rollout)
    assert [each.line for each in trace.events] == [3, 4]


def test_usage_of_a_resumed_thread_is_its_last_and_not_the_sum():
    first = line("turn.completed", usage={"input_tokens": 2000, "output_tokens": 100})
    second = line("turn.completed", usage={"input_tokens": 3000, "output_tokens": 150})
    trace = said("codex", line("thread.started"), first, line("thread.started"), second)
    assert (trace.usage.input_tokens, trace.usage.output_tokens) == (3000, 150)
    assert session("codex", "err_401").usage is None


def test_a_second_turn_begins_its_items_anew():
    one = item("item_0", "command_execution", command="/bin/bash -lc 'cat a'", status="completed")
    two = item(
        "item_0", "command_execution", command="/bin/bash -lc 'cat b'", status="failed", exit_code=1
    )
    trace = said("codex", one, line("turn.completed"), two, line("turn.completed"))
    assert calls(trace) == [("shell", "cat a", False), ("shell", "cat b", True)]


def test_a_tool_without_approval_is_denied():
    trace = session("codex", "mcp_approval_default")
    (denial,) = only(Denial, trace)
    (result,) = (each for each in only(Result, trace) if each.id == denial.id)
    assert "requires approval" in denial.reason
    assert result.failed
    assert [each.tool for each in only(Call, trace)] == ["mcp__echo__echo", "mcp__echo__boom"]


def test_skills_over_mcp_are_known_by_the_tool_s_name():
    given = {
        "server": "skills",
        "tool": "load_skill",
        "arguments": {"name": "greeter"},
        "status": "completed",
    }
    told = greeter(said("codex", item("i", "mcp_tool_call", **given, result={"content": []})))
    assert (told.rung, told.how) == ("loaded", "mcp-tool")


def test_a_list_over_budget_offers_names_alone_and_says_so():
    trace = session("codex", "skills_budget_overflow")
    offers = {each.skill: each.offered for each in only(Offer, trace)}
    assert offers["greeter"] == "name"
    assert len(offers) == 5
    assert [each.what for each in only(Fault, trace)] == ["context"]


def test_reconnecting_is_no_end():
    (fault, *_) = only(Fault, session("codex", "err_429_then_ok"))
    assert (fault.what, fault.retrying) == ("rate_limit", True)


def test_unknown_lines_are_unread():
    trace = said("codex", line("turn.invented"), item("i", "invented"), kept("invented"), "what?")
    assert trace.unread_count == 4


def ask(**more):
    case = more.pop("case", Case(id="c", prompt="say hi"))
    words = {"model": "gpt-x", "delivery": "native", "workspace": "/w", "home": "/h", **more}
    return codex.command(Ask(case=case, program=("codex",), **words))


def test_the_command_isolates_and_never_shows_a_key():
    command = ask(endpoint="http://127.0.0.1:9/t/1")
    words = " ".join(command.argv)
    assert command.argv[:2] == ("codex", "exec")
    assert command.argv[-2:] == ("--", "say hi")
    for each in (
        "--json",
        "--sandbox workspace-write",
        "analytics.enabled=false",
        "features.plugins=false",
        "features.unbounded_connection_retries=false",
    ):
        assert each in words
    assert 'base_url="http://127.0.0.1:9/t/1/v1"' in words
    assert 'shell_environment_policy.exclude=["*KEY*"' in words
    assert command.env["CODEX_HOME"] == "/h/.codex"
    assert command.stdin == b""


def test_wishes_of_a_case_reach_the_command():
    case = Case(id="c", prompt="p", settings={"sandbox": "read-only", "effort": "low"})
    words = " ".join(ask(case=case, endpoint="http://x", schema="/s.json").argv)
    assert "--sandbox read-only" in words
    assert 'model_reasoning_effort="low"' in words
    assert "--output-schema /s.json" in words
    strange = Case(id="c", prompt="p", settings={"sandbox": "none of these"})
    assert "workspace-write" in ask(case=strange, endpoint="http://x").argv


def test_a_server_is_approved_and_required():
    words = " ".join(
        ask(delivery="mcp", endpoint="http://x", server=Server(command=("run", "me"))).argv
    )
    assert 'mcp_servers.skills={command="run",args=["me"]' in words
    assert 'default_tools_approval_mode="approve",required=true' in words
    assert "mcp_servers" not in " ".join(
        ask(endpoint="http://x", server=Server(command=("run",))).argv
    )


def test_later_turns_resume_the_thread():
    case = Case(id="c", prompt="it's one", then=("two",))
    shell, flag, text = ask(case=case, endpoint="http://x").argv
    assert (shell, flag) == ("/bin/sh", "-c")
    first, second = text.split(" && ")
    assert "resume" not in first
    assert first.endswith("""-- 'it'"'"'s one'""")
    assert "resume --last" in second
    assert second.index("--sandbox") < second.index("resume")


def test_the_usual_key_is_mapped_unless_there_is_a_login():
    text = ask().argv[2]
    assert 'export CODEX_API_KEY="$OPENAI_API_KEY"' in text
    assert '! -e "$CODEX_HOME/auth.json"' in text
