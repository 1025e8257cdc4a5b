"""The loopback provider: policies, scripts, faults, logs, many trials at once."""

import http.client
import json
import re
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from conversations import FORMS, Agent, events, path_of, post, write_skills

from audition.errors import AuditionError, UsageError
from audition.model import Case, Trial
from audition.provider import BadScript, parse_policy, serve, wires
from audition.provider.log import hide_text

HELLO = {"messages": [{"role": "user", "content": "Hi"}], "stream": True}
MESSAGES = "/v1/messages"


def trial(case):
    return Trial(
        id=case, place=case, index=0, case=Case(id=case, prompt="p"), agent="claude",
        delivery="native", model=None, number=1, skills=(),
    )  # fmt: skip


def script(tmp_path, text):
    path = tmp_path / "turns.yaml"
    path.write_text(text)
    return f"script:{path}"


def lines(path):
    return [json.loads(each) for each in path.read_text().splitlines()]


def say(url, body=None):
    """The text of one answer of the Messages wire."""
    answer, raw = post(url, MESSAGES, HELLO if body is None else body)
    assert answer.status == 200, raw
    return FORMS["anthropic"].read(raw, stream=True)[0]


# Policies


def test_a_policy_that_does_not_exist_names_the_nearest():
    with pytest.raises(UsageError) as caught:
        parse_policy("understdy")
    assert caught.value.hint == "did you mean `understudy`?"


@pytest.mark.parametrize("word", ["", "script", "script:", "live:x", "understudy:2", "Live"])
def test_a_policy_is_taken_at_its_word(word):
    with pytest.raises(AuditionError):
        parse_policy(word)


def test_live_starts_no_server_and_knows_nothing_about_requests(tmp_path):
    threads = threading.active_count()
    with serve("live") as provider:
        lane = provider.open(trial("a"), tmp_path / "requests.jsonl")
        assert lane.url == ""
        report = lane.close()
        assert threading.active_count() == threads
    assert report.requests is None
    assert not (tmp_path / "requests.jsonl").exists()


def test_the_server_is_gone_when_the_block_ends():
    with serve("understudy") as provider:
        url = provider.open().url
        assert say(url)
    with pytest.raises(OSError):
        post(url, MESSAGES, HELLO)


def test_only_this_machine_can_reach_it():
    with serve("understudy") as provider:
        where = urlsplit(provider.open().url)
        assert where.hostname == "127.0.0.1"
        others = {each[4][0] for each in socket.getaddrinfo(socket.gethostname(), None)}
        for address in others - {"127.0.0.1", "::1"}:
            with pytest.raises(OSError):
                socket.create_connection((address, where.port), timeout=1).close()


# The understudy


@pytest.mark.parametrize("stream", [True, False], ids=["stream", "plain"])
@pytest.mark.parametrize("wire", sorted(wires))
def test_the_understudy_does_with_an_agent_s_tools_what_the_skill_says(wire, stream, tmp_path):
    write_skills(tmp_path)
    with serve("understudy") as provider:
        lane = provider.open(trial("a"))
        agent = Agent(wire, lane.url, tmp_path, stream)
        answer = agent.ask("Make the deployment manifest of my service")
        report = lane.close()
    assert answer == "Done: kind: Service"
    assert [tool for tool, _ in agent.calls] == ["Skill", "Read", "Write"]
    assert (tmp_path / "out/service.yaml").read_text() == "kind: Service\n\n"
    assert [(each.skill, each.offered) for each in report.catalogue] == [
        ("greeting", "full"),
        ("manifest", "full"),
    ]
    assert (report.requests, report.side, report.unexpected, report.faults) == (4, 0, 0, ())


@pytest.mark.parametrize("wire", sorted(wires))
def test_it_calls_nothing_where_no_skill_fits_and_handles_turn_after_turn(wire, tmp_path):
    write_skills(tmp_path)
    with serve("understudy") as provider:
        agent = Agent(wire, provider.open().url, tmp_path)
        assert agent.ask("What is 17 times 23?").startswith("No skill on offer")
        assert agent.calls == []
        assert agent.ask("Say hello to a colleague") == "★ SALVE ★ Say hello to a colleague"
        assert agent.ask("Make the deployment manifest of a service") == "Done: kind: Service"
        assert agent.ask("/greeting") == "★ SALVE ★ /greeting"
    assert [tool for tool, _ in agent.calls] == ["Skill", "Skill", "Read", "Write", "Skill"]


def test_a_skill_that_cannot_be_loaded_is_not_recited(tmp_path):
    write_skills(tmp_path)
    with serve("understudy") as provider:
        agent = Agent("anthropic", provider.open().url, tmp_path)
        agent.do = lambda *_: ("Permission denied", True)
        assert agent.ask("Say hello to a colleague").startswith("No skill on offer")
    assert len(agent.calls) == 1


def test_a_file_outside_the_workspace_is_not_written(tmp_path):
    folder = write_skills(tmp_path)
    body = folder / "skills/greeting/SKILL.md"
    body.write_text(
        body.read_text() + "\n```file:../up.txt\nx\n```\n```file:/tmp/abs.txt\nx\n```\n"
    )
    with serve("understudy") as provider:
        agent = Agent("anthropic", provider.open().url, folder)
        agent.ask("Say hello to a colleague")
    assert [tool for tool, _ in agent.calls] == ["Skill"]


# Scripts


def test_scripted_turns_are_each_given_once_and_every_trial_begins_at_the_first(tmp_path):
    with serve(script(tmp_path, "turns: [one, {text: two, times: 2}, {text: three}]")) as provider:
        for _ in range(2):
            lane = provider.open(trial("a"))
            assert [say(lane.url) for _ in range(4)] == ["one", "two", "two", "three"]
            assert lane.close().faults == ()


@pytest.mark.parametrize(("then", "fifth"), [("repeat", "one"), ("last", "two"), ("error", None)])
def test_a_script_says_what_comes_after_its_last_turn(then, fifth, tmp_path):
    with serve(script(tmp_path, f"turns: [one, two]\nthen: {then}")) as provider:
        lane = provider.open(trial("a"))
        for _ in range(2):
            say(lane.url)
        answer, raw = post(lane.url, MESSAGES, HELLO)
        report = lane.close()
    if fifth is None:
        assert (answer.status, report.faults) == (400, ("the script has no turn 3 for case `a`",))
    else:
        assert FORMS["anthropic"].read(raw, stream=True)[0] == fifth


def test_each_case_may_have_turns_of_its_own(tmp_path):
    with serve(script(tmp_path, "turns: [all]\nby_case: {b: [mine]}")) as provider:
        assert say(provider.open(trial("a")).url) == "all"
        assert say(provider.open(trial("b")).url) == "mine"


def test_a_json_file_is_a_script_too(tmp_path):
    (tmp_path / "s.json").write_text('[{"text": "one", "usage": {"output_tokens": 5}}]')
    with serve(f"script:{tmp_path / 's.json'}") as provider:
        _, raw = post(provider.open().url, MESSAGES, {**HELLO, "stream": False})
    assert json.loads(raw)["usage"]["output_tokens"] == 5


@pytest.mark.parametrize("wire", sorted(wires))
def test_a_scripted_deed_is_done_with_whatever_tool_the_agent_has(wire, tmp_path):
    write_skills(tmp_path)
    turns = """
    - calls: [{skill: greeting}, {read: /etc/hostname}, {shell: "echo hi > a.txt"}]
    - calls: [{write: b/c.txt, text: yes}, {tool: Bash, input: {command: "cat a.txt"}}]
    - text: Done
    """
    with serve(script(tmp_path, turns)) as provider:
        lane = provider.open()
        agent = Agent(wire, lane.url, tmp_path)
        assert agent.ask("Go") == "Done"
        assert lane.close().faults == ()
    assert [tool for tool, _ in agent.calls] == ["Skill", "Read", "Bash", "Write", "Bash"]
    assert (tmp_path / "a.txt").read_text() == "hi\n"
    assert (tmp_path / "b/c.txt").read_text() == "yes"


def test_a_deed_that_no_tool_can_do_is_a_fault_of_the_provider(tmp_path):
    with serve(script(tmp_path, "- calls: [{shell: ls}]\n  text: x")) as provider:
        lane = provider.open()
        answer, raw = post(lane.url, MESSAGES, HELLO)
        words = "turn 1 of the script: no tool of this agent can shell"
        assert answer.status == 400
        assert words in raw.decode()
        assert lane.close().faults == (words,)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("turns: [{txt: a}]", "1:10", "unknown key `txt`"),
        ("turns:\n- text: a\n- status: 200", "3:3", "a whole number from 400 to 599"),
        ("turns: []", "1:1", "a list of turns, with one at least"),
        ("then: last", "1:1", "there are no `turns`"),
        ("turns: [a]\nthen: lst", "2:1", "must be one of error, last, repeat"),
        ("- calls: [{skil: a}]", "1:11", "exactly one of `skill`"),
        ("- calls: [{skill: a, read: b}]", "1:11", "exactly one of"),
        ("- calls: skill", "1:3", "`calls` must be a list"),
        ("- delay_s: soon", "1:3", "a number of seconds"),
        ("- hang: 1", "1:3", "true or false"),
        ("- usage: {tokens: 1}", "1:11", "unknown key `tokens`"),
        ('- status: 429\n  retry_after: "1\\r\\nx: y"', "2:3", "seconds, or an HTTP date"),
        ("- message: x", "1:3", "goes with a `status`"),
        ("- 7", "1:3", "a turn is a text"),
        ("7", "1:1", "a list of turns"),
        ("by_case: [a]", "1:1", "`by_case` must be a mapping"),
        ("turns: [*a]", "1:9", "aliases"),
        ("turns: [a: b: c]", "1:13", "not YAML"),
    ],
)
def test_a_mistake_in_a_script_is_told_with_its_place(text, where, message, tmp_path):
    with pytest.raises(BadScript) as caught:
        parse_policy(script(tmp_path, text))
    assert f"turns.yaml:{where}: " in str(caught.value)
    assert message in str(caught.value)


def test_all_mistakes_are_told_at_once_and_a_missing_file_too(tmp_path):
    with pytest.raises(BadScript) as caught:
        parse_policy(script(tmp_path, "- txt: a\n- hang: 1\n- delay_s: -1"))
    assert len(caught.value.findings) == 3
    with pytest.raises(BadScript, match="cannot be read"):
        parse_policy(f"script:{tmp_path / 'none.yaml'}")


# Faults


@pytest.mark.parametrize("status", [400, 401, 403, 404, 429, 500, 503, 529])
@pytest.mark.parametrize("wire", sorted(wires))
def test_a_scripted_status_is_sent_in_the_wire_s_own_form(wire, status, tmp_path):
    turns = f"- status: {status}\n  message: So it goes\n  retry_after: 3\n- Fine"
    with serve(script(tmp_path, turns)) as provider:
        url = provider.open().url
        body = FORMS[wire].body("", [("user", "Hi")], True)
        answer, raw = post(url, path_of(wire, True), body)
        assert (answer.status, answer.headers["retry-after"]) == (status, "3")
        assert json.loads(raw)["error"]["message"] == "So it goes"
        _, raw = post(url, path_of(wire, True), body)
        assert FORMS[wire].read(raw, stream=True) == ("Fine", [])


@pytest.mark.parametrize("wire", sorted(wires))
def test_a_malformed_stream_breaks_off_in_garbage(wire, tmp_path):
    with serve(script(tmp_path, "- {text: Hello, malformed: true}")) as provider:
        body = FORMS[wire].body("", [("user", "Hi")], True)
        answer, raw = post(provider.open().url, path_of(wire, True), body)
    assert answer.status == 200
    with pytest.raises(json.JSONDecodeError):
        events(raw)


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("wire", sorted(wires))
def test_a_truncated_answer_is_cut_and_the_client_can_tell(wire, stream, tmp_path):
    turns = "- text: Hello\n  calls: [{tool: Read, input: {file_path: x}}]\n  truncated: true"
    with serve(script(tmp_path, turns)) as provider:
        body = FORMS[wire].body("", [("user", "Hi")], stream)
        answer, raw = post(provider.open().url, path_of(wire, stream), body)
    assert answer.cut
    assert raw
    assert b"message_stop" not in raw
    assert b"[DONE]" not in raw
    assert b"response.completed" not in raw


def test_a_delay_is_kept(tmp_path):
    with serve(script(tmp_path, "- {text: a, delay_s: 0.4}")) as provider:
        began = time.monotonic()
        assert say(provider.open().url) == "a"
        assert time.monotonic() - began >= 0.4


def test_what_hangs_is_let_go_when_the_trial_is_over_and_disturbs_nobody(tmp_path):
    text = "by_case: {slow: [{hang: true}], quick: [fine]}"
    with serve(script(tmp_path, text)) as provider, ThreadPoolExecutor(1) as pool:
        slow, quick = provider.open(trial("slow")), provider.open(trial("quick"))
        hanging = pool.submit(post, slow.url, MESSAGES, HELLO)
        time.sleep(0.3)
        assert say(quick.url) == "fine"
        assert not hanging.done()
        report = slow.close()
        # Nothing was promised, so nothing comes but an end.
        ended = hanging.exception(timeout=5)
        assert ended is not None or hanging.result()[0].status != 200
    assert report.requests == 1


def test_the_end_of_the_run_lets_go_of_what_hangs(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        with serve(script(tmp_path, "- hang: true")) as provider:
            hanging = pool.submit(post, provider.open().url, MESSAGES, HELLO)
            time.sleep(0.2)
            began = time.monotonic()
        assert time.monotonic() - began < 5
        assert hanging.exception(timeout=5) or hanging.result()[0].status != 200


def test_a_client_that_goes_away_leaves_the_server_well(tmp_path):
    with serve(script(tmp_path, "- {hang: true, times: 3}\n- fine")) as provider:
        where = urlsplit(provider.open().url)
        for _ in range(3):
            gone = http.client.HTTPConnection(where.hostname, where.port, timeout=5)
            gone.request("POST", where.path + MESSAGES, json.dumps(HELLO))
            time.sleep(0.05)
            gone.close()
        assert say(where.geturl()) == "fine"


# Requests that are no turns


def test_requests_beside_the_conversation_eat_no_turn(tmp_path):
    log = tmp_path / "requests.jsonl"
    with serve(script(tmp_path, "- one\n- two")) as provider:
        lane = provider.open(trial("a"), log)
        assert say(lane.url) == "one"
        assert post(lane.url, "/api/hello", b"", method="HEAD")[0].status == 200
        answer, raw = post(lane.url, f"{MESSAGES}/count_tokens", HELLO)
        assert json.loads(raw)["input_tokens"] > 0
        title = {"messages": [{"role": "system", "content": "You are a title generator"}]}
        answer, raw = post(lane.url, "/v1/chat/completions", title)
        assert answer.status == 200
        assert json.loads(raw)["choices"][0]["message"]["content"]
        assert post(lane.url, "/v1/models", b"", method="GET")[0].status == 200
        assert say(lane.url) == "two"
        report = lane.close()
    assert (report.requests, report.side, report.unexpected, report.faults) == (2, 4, 0, ())
    assert [each["side"] for each in lines(log)] == ["", "aside", "aside", "title", "aside", ""]


def test_an_unknown_path_is_refused_counted_and_logged(tmp_path):
    log = tmp_path / "requests.jsonl"
    with serve("understudy") as provider:
        lane = provider.open(None, log)
        answer, raw = post(lane.url, "/v1/surprise", {"a": 1})
        report = lane.close()
    assert answer.status == 404
    assert "POST /v1/surprise" in json.loads(raw)["error"]["message"]
    assert (report.unexpected, report.requests) == (1, 0)
    assert lines(log)[0]["body"] == {"a": 1}


def test_a_websocket_is_refused_so_that_the_agent_asks_by_http():
    with serve("understudy") as provider:
        headers = {"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13"}
        url = provider.open().url
        answer, _ = post(url, "/v1/responses", b"", headers, method="GET")
    assert answer.status == 426


@pytest.mark.parametrize(
    "path", ["/", "/v1/messages", "/t/", "/t/nobody/v1/messages", "/t//v1/messages"]
)
def test_without_a_trial_s_token_nothing_is_answered(path):
    with serve("understudy") as provider:
        where = urlsplit(provider.open().url)
        answer, _ = post(f"http://{where.netloc}", path, HELLO)
    assert answer.status == 404


def test_a_closed_trial_takes_no_more_requests():
    with serve("understudy") as provider:
        lane = provider.open()
        say(lane.url)
        assert lane.close() == lane.close()
        assert post(lane.url, MESSAGES, HELLO)[0].status == 404


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b'"x"', b"\xff\xfe", b"{}"])
@pytest.mark.parametrize("wire", sorted(wires))
def test_no_body_brings_the_server_down(wire, body, tmp_path):
    with serve("understudy") as provider:
        lane = provider.open(None, tmp_path / "r.jsonl")
        answer, _ = post(lane.url, path_of(wire, True), body)
        assert answer.status == 200
        assert lane.close().faults == ()
    assert len(lines(tmp_path / "r.jsonl")) == 1


def test_a_body_that_is_too_large_is_refused(monkeypatch):
    monkeypatch.setattr("audition.provider.server.BODY_CAP", 1000)
    with serve("understudy") as provider:
        lane = provider.open()
        try:
            status = post(lane.url, MESSAGES, b"x" * 100_000)[0].status
        except OSError:
            status = 413  # the connection was closed while we were still sending
        assert status == 413
        assert say(lane.url)


def test_a_packed_body_is_unpacked(tmp_path):
    import gzip

    log = tmp_path / "r.jsonl"
    with serve("understudy") as provider:
        raw = gzip.compress(json.dumps(HELLO).encode())
        url = provider.open(None, log).url
        answer, _ = post(url, MESSAGES, raw, {"content-encoding": "gzip"})
    assert answer.status == 200
    assert lines(log)[0]["body"] == HELLO


# Secrets


def test_no_credential_reaches_the_log(tmp_path):
    log = tmp_path / "requests.jsonl"
    canary = "CANARY-5f2c9b71e0"
    headers = {
        "Authorization": f"Bearer {canary}-a",
        "x-api-key": f"{canary}-b",
        "x-goog-api-key": f"{canary}-c",
        "api-key": f"{canary}-d",
        "Cookie": f"session={canary}-e; theme=dark",
        "X-Auth-Token": f"{canary}-f",
        "User-Agent": "agent/1",
    }
    text = f"my key is {canary}-a or {canary}-e, and sk-ant-{'x' * 20} too"
    body = {"messages": [{"role": "user", "content": text}], "api_key": f"{canary}-g"}
    with serve("understudy") as provider:
        url = provider.open(None, log).url
        post(url, f"{MESSAGES}?key={canary}-h&alt=sse", body, headers)
        post(url, "/v1/unknown", f"{canary}-a".encode(), headers)
    written = log.read_text()
    assert canary not in written
    assert "sk-ant" not in written
    assert lines(log)[0]["query"] == "key=<redacted>&alt=sse"
    assert lines(log)[0]["headers"]["user-agent"] == "agent/1"
    assert "my key is <redacted>" in lines(log)[0]["body"]["messages"][0]["content"]


def test_a_word_of_a_command_line_keeps_no_secret():
    url = "http://me:hunter2@host/mcp?a=b&api_key=4711-4711&c=d"
    assert hide_text(f'{{"url": "{url}"}}') == (
        '{"url": "http://<redacted>@host/mcp?a=b&api_key=<redacted>&c=d"}'
    )
    assert hide_text("sk-ant-api03-abcdefgh --token x") == "<redacted> --token x"
    assert hide_text("a plain word, max_tokens=3, \udcff") == "a plain word, max_tokens=3, \udcff"


def test_the_log_keeps_the_request_and_the_chosen_reply(tmp_path):
    log = tmp_path / "requests.jsonl"
    with serve(script(tmp_path, "- text: Hello\n- status: 529")) as provider:
        url = provider.open(None, log).url
        say(url)
        post(url, MESSAGES, HELLO)
    first, second = lines(log)
    assert (first["method"], first["path"], first["wire"]) == ("POST", MESSAGES, "anthropic")
    assert first["body"] == HELLO
    assert first["reply"] == {"text": "Hello"}
    assert second["status"] == 529


# Many at once


def test_sixteen_trials_at_once_do_not_mix(tmp_path):
    def play(number):
        folder = tmp_path / str(number)
        folder.mkdir()
        write_skills(folder)
        log = folder / "requests.jsonl"
        lane = provider.open(trial(str(number)), log)
        agent = Agent(sorted(wires)[number % 4], lane.url, folder, stream=number % 2 == 0)
        for turn in range(4):
            prompt = f"Say hello to colleague {number} of turn {turn}"
            assert agent.ask(prompt) == f"★ SALVE ★ {prompt}"
        assert lane.close().requests == 8
        numbers = re.findall(r"colleague (\d+) of", log.read_text())
        return {int(each) for each in numbers}

    with serve("understudy") as provider, ThreadPoolExecutor(16) as pool:
        seen = list(pool.map(play, range(16)))
    assert seen == [{number} for number in range(16)]


def test_scripted_turns_of_many_trials_do_not_mix(tmp_path):
    turns = "\n".join(f"- turn {number}" for number in range(20))
    with serve(script(tmp_path, turns)) as provider, ThreadPoolExecutor(16) as pool:

        def play(_):
            url = provider.open(trial("a")).url
            return [say(url) for _ in range(20)]

        for said in pool.map(play, range(16)):
            assert said == [f"turn {number}" for number in range(20)]


def test_an_answer_does_not_wait_for_the_network(tmp_path):
    with serve(script(tmp_path, "turns: [fine]\nthen: last")) as provider:
        where = urlsplit(provider.open().url)
        client = http.client.HTTPConnection(where.hostname, where.port, timeout=5)
        took = []
        for _ in range(30):
            began = time.monotonic()
            client.request("POST", where.path + MESSAGES, json.dumps(HELLO))
            client.getresponse().read()
            took.append(time.monotonic() - began)
        client.close()
    assert sorted(took)[15] < 0.03, "headers and body are held back for one another"


def test_a_fault_of_ours_is_answered_and_told(monkeypatch):
    def fall(asked):
        raise RuntimeError("oops")

    monkeypatch.setattr("audition.provider.stand_in.reply_to", fall)
    with serve("understudy") as provider:
        lane = provider.open()
        answer, raw = post(lane.url, MESSAGES, HELLO)
        assert answer.status == 500
        assert b"RuntimeError: oops" in raw
        assert lane.close().faults == ("the provider failed: RuntimeError: oops",)


def test_nothing_heavy_is_imported_before_a_server_is_needed():
    import subprocess
    import sys

    code = (
        "import sys, audition.provider as p\n"
        "with p.serve('live') as x: x.open().close()\n"
        "print([m for m in ('uvicorn', 'starlette', 'asyncio', 'yaml') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_the_page_of_the_provider_shows_scripts_that_are_right(tmp_path):
    page = Path(__file__).resolve().parents[1] / "docs/provider.md"
    blocks = re.findall(r"```yaml\n(.*?)```", page.read_text(), re.DOTALL)
    assert len(blocks) >= 3
    for text in blocks:
        parse_policy(script(tmp_path, text))
