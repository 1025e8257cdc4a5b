"""What goes wrong with the real Claude Code: each is an error with plain words, and soon."""

import json
import sys
import time

import pytest
from living import SECRET, House, evidence, left_over, need

from audition.agents.claude.login import open_login
from audition.errors import AuditionError
from audition.provider import serve

QUIET = {"should_trigger": False}
NOBODY = "http://127.0.0.1:9"


@pytest.fixture
def house(tmp_path):
    need("claude")
    return House(tmp_path)


def test_a_refused_key_ends_the_asking_of_that_agent_within_seconds(house):
    cases = [{"id": f"c{n}", "prompt": "x", "skill": "greeting"} for n in range(8)]
    script = {f"c{n}": [{"status": 401, "times": 20}] for n in range(8)}
    began = time.monotonic()
    found = house.run(cases, script, "-a", "claude", "-j", "2")
    assert time.monotonic() - began < 20
    assert {record["status"] for record in found.values()} == {"error"}
    assert all(record["reason"].startswith("not signed in:") for record in found.values())
    asked = [record for record in found.values() if house.of(record, "requests.jsonl").exists()]
    assert len(asked) <= 2, "only those that ran already had to find out by themselves"
    assert house.done.returncode == 2


def test_limits_are_waited_for_and_counted_and_never_a_fail(house):
    soon = {"status": 429, "retry_after": "1"}
    cases = [{"id": name, "prompt": "x", **QUIET} for name in ("soon", "overloaded")]
    script = {"soon": [soon, "Fine."], "overloaded": [{"status": 529, "times": 50}]}
    found = house.run(cases, script, "-a", "claude", "-j", "2")
    assert found["soon"]["status"] == "pass", found["soon"]["reason"]
    assert house.sealed(found["soon"])["attempt"] == 1
    record = found["overloaded"]
    assert (record["status"], record["reason"][:10]) == ("error", "overloaded")
    assert house.sealed(record)["attempt"] == 3
    for number in ("1", "2"):
        assert house.of(record, f"attempts/{number}/trace.jsonl").stat().st_size


MARK = "audition-grandchild-4711"
SLEEP = f"(setsid python3 -c 'import time; time.sleep(600)  # {MARK}' &) ; python3 -c 'import time; time.sleep(600)  # {MARK}'"


def test_other_troubles_are_errors_and_what_hangs_is_ended_with_all_its_children(house):
    cases = [
        {"id": name, "prompt": "x", "skill": "greeting", "timeout_s": 6 if "hang" in name else 60}
        for name in ("refusal", "model", "cut", "hang", "shell-hang", "big")
    ]
    cases[-1] |= {"prompt": "long " * 60_000, "skill": "greeting"}
    load = {"calls": [{"skill": "greeting"}]}
    script = {
        "refusal": [{"text": "I cannot.", "stop_reason": "refusal", "times": 4}],
        "model": [{"status": 404, "message": "model: no-such-model", "times": 9}],
        "cut": [load, {"text": "cut in the middle", "truncated": True}, "Whole.", "Whole."],
        "hang": [{"hang": True, "times": 9}],
        "shell-hang": [{"calls": [{"shell": SLEEP}]}, "never"],
        "big": [load, "SALVE"],
    }
    found = house.run(cases, script, "-a", "claude", "-j", "3")
    told = {name: (each["status"], each["reason"]) for name, each in found.items()}
    assert told["refusal"][0] == "error"
    assert told["refusal"][1].startswith("refused")
    assert told["model"][0] == "error"
    assert told["model"][1].startswith("unknown model")
    assert told["cut"] == ("pass", "")
    assert told["hang"] == ("error", "timed out after 6 s")
    assert told["shell-hang"] == ("error", "timed out after 6 s")
    assert told["big"] == ("pass", "")
    assert evidence(found["shell-hang"])["rung"] in ("none", "offered")
    assert not left_over(MARK)


@pytest.mark.parametrize("agent", ["claude", "claude-sdk"])
def test_eight_at_once_do_not_meet(house, agent):
    need(agent)
    cases = [{"id": f"c{n}", "prompt": f"word-{n}-word", "skill": "greeting"} for n in range(8)]
    script = {f"c{n}": [{"calls": [{"skill": "greeting"}]}, f"answer-{n}"] for n in range(8)}
    for n, each in enumerate(cases):
        each["checks"] = [{"answer_contains": f"answer-{n}"}]
    found = house.run(cases, script, "-a", agent, "-j", "8")
    assert {record["status"] for record in found.values()} == {"pass"}
    for n in range(8):
        asked = house.requests(found[f"c{n}"])
        assert len(asked) == 2
        assert all(f"word-{n}-word" in json.dumps(each["body"]) for each in asked)


def test_nobody_there_is_an_error_of_the_network(house):
    env = house.env(ANTHROPIC_BASE_URL=NOBODY, ANTHROPIC_API_KEY="sk-ant-dummy-key")
    found = house.run([{"id": "a", "prompt": "x", **QUIET}], {}, "-a", "claude", env=env,
                      provider="live")["a"]  # fmt: skip
    assert (found["status"], found["reason"].partition(":")[0]) == ("error", "network")


def test_a_proxy_of_the_user_s_does_not_stand_before_our_provider(house):
    dead = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"), NOBODY)
    env = house.env(**dead, NO_PROXY="example.org")
    found = house.run([{"id": "a", "prompt": "x", **QUIET}], {"a": ["Fine."]}, "-a", "claude",
                      env=env)["a"]  # fmt: skip
    assert found["status"] == "pass", found["reason"]


def test_without_any_login_the_trial_says_so_at_once(house):
    (house.home / ".claude" / ".credentials.json").unlink()
    found = house.run([{"id": "a", "prompt": "x", **QUIET}], {}, "-a", "claude", provider="live")
    assert found["a"]["status"] == "error"
    assert found["a"]["reason"].startswith("not signed in")
    assert found["a"]["seconds"] is None or found["a"]["seconds"] < 10


def test_the_user_s_login_works_and_is_neither_changed_nor_kept(house, tmp_path):
    before = house.digest()
    script = tmp_path / "live.json"
    script.write_text('{"turns": ["It is four."], "then": "last"}')
    with serve(f"script:{script}") as provider:
        lane = provider.open(None, tmp_path / "seen.jsonl")
        env = house.env(ANTHROPIC_BASE_URL=lane.url)
        before = house.digest()
        found = house.run([{"id": "a", "prompt": "x", **QUIET}], {}, "-a", "claude", env=env,
                          provider="live")["a"]  # fmt: skip
        lane.close()
    assert found["status"] == "pass", found["reason"]
    assert house.digest() == before
    (request,) = [json.loads(line) for line in (tmp_path / "seen.jsonl").read_text().splitlines()]
    assert "authorization" in request["headers"], "it was signed in by the login"
    kept = b"".join(each.read_bytes() for each in house.folder.rglob("*") if each.is_file())
    assert SECRET.encode() not in kept
    # Its request did not pass by us: what the model was shown is known from a probe.
    assert evidence(found)["offered"] == "full"
    assert len(list((house.folder / "shown").iterdir())) == 1


@pytest.mark.parametrize("agent", ["claude", "claude-sdk"])
def test_what_the_program_itself_refuses_is_told_in_its_own_words(house, agent):
    need(agent)
    case = {"id": "a", "prompt": "x", **QUIET, "permission_mode": "nonsense"}
    found = house.run([case], {"a": ["Quiet."]}, "-a", agent)["a"]
    assert found["status"] == "error"
    assert "'nonsense' is invalid" in found["reason"]


def test_a_login_is_passed_on_as_a_key_of_the_hour():
    def login(**more):
        text = json.dumps({"claudeAiOauth": {"accessToken": "t", "refreshToken": "r", **more}})
        return open_login(".credentials.json", text.encode(), 1000.0)

    assert login() == {"CLAUDE_CODE_OAUTH_TOKEN": "t"}
    assert login(expiresAt=2_000_000) == {"CLAUDE_CODE_OAUTH_TOKEN": "t"}
    with pytest.raises(AuditionError, match="expired"):
        login(expiresAt=1_010_000)
    with pytest.raises(AuditionError, match="no token"):
        login(accessToken="")
    with pytest.raises(AuditionError, match="not understood"):
        open_login(".credentials.json", b"[]", 0.0)


SERVERS = {
    "crashes": "import sys; sys.exit(3)",
    "babbles": "print('{not json', flush=True); import time; time.sleep(600)",
    "hangs": "import time; time.sleep(600)",
}


@pytest.mark.parametrize("habit", SERVERS)
def test_a_server_that_does_not_come_up_makes_the_trial_an_error(house, habit):
    text = f"[mcp]\ncommand = ['python3', '-c', {json.dumps(SERVERS[habit])}, '{{skills}}']\n"
    house.configure(text)
    case = {"id": "a", "prompt": "x", **QUIET}
    found = house.run([case], {"a": ["Quiet."]}, "-a", "claude", "-d", "mcp")["a"]
    assert found["status"] == "error", "a negative must not pass without its server"
    assert found["reason"].startswith("MCP server `skills` is"), found["reason"]
    assert "it is `python3 -c" in found["reason"], "nobody would know which server that is"


TINY_SERVER = """
import sys
sys.path[:0] = {path!r}
from audition.mcp_server import main
print("started with", sys.argv[1:], file=sys.stderr)
main()
"""


def test_a_server_of_one_s_own_beside_the_configuration_carries_the_skills(house):
    (house.project / "tools").mkdir()
    server = TINY_SERVER.format(path=sys.path)
    (house.project / "tools" / "server.py").write_text(server)
    command = [sys.executable, "tools/server.py", "{skills}"]
    house.configure(f"[mcp]\nname = 'team'\ncommand = {json.dumps(command)}\n")
    case = {"id": "a", "prompt": "x", "skill": "greeting"}
    script = [{"calls": [{"skill": "greeting"}]}, "SALVE"]
    found = house.run([case], {"a": script}, "-a", "claude", "-d", "mcp")["a"]
    assert (found["status"], evidence(found)["how"]) == ("pass", "mcp-tool"), found["reason"]
    tools = {each["name"] for each in house.requests(found)[0]["body"]["tools"]}
    assert "mcp__team__skill" in tools


def test_a_server_at_an_address_shows_no_secret_of_it(house):
    secret = "hunter2-hunter2"
    house.configure(f"[mcp]\nurl = 'http://me:{secret}@127.0.0.1:9/mcp?token={secret}'\n")
    found = house.run([{"id": "a", "prompt": "x", **QUIET}], {"a": ["x"]}, "-a", "claude", "-d",
                      "mcp")["a"]  # fmt: skip
    assert "127.0.0.1:9/mcp" in found["reason"]
    kept = b"".join(each.read_bytes() for each in house.folder.rglob("*") if each.is_file())
    assert secret.encode() not in kept
