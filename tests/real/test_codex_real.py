"""The real Codex, answered by the provider: what it hides, resumes, obeys and keeps apart."""

import json
import time

import pytest
from living import House, evidence, left_over, need

QUIET = {"should_trigger": False}
HIDDEN = "cat .agents/skills/greeting/SKILL.md; echo x > /root/audition-was-here; exit 1"
SHELL_KEYS = "env | grep -c -e _KEY= -e _TOKEN= ; true"


def shell(line):
    return {"calls": [{"shell": line}]}


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """One run over all cases."""
    need("codex")
    house = House(tmp_path_factory.mktemp("codex"))
    ways = {
        "hidden": HIDDEN,
        "sed": "sed -n '1,99p' .agents/skills/greeting/SKILL.md",
        "head": "cd .agents/skills/greeting && head -c 4000 SKILL.md",
        "find": "find .agents -name SKILL.md -path '*greeting*' -exec cat {} ';'",
        "python": "python3 -c \"print(open('.agents/skills/greeting/SKILL.md').read())\"",
        "script": "cat .agents/skills/greeting/SKILL.md && sh .agents/skills/greeting/scripts/hello.sh",
    }
    says_hello = {"prompt": "Say hello please", "skill": "greeting"}
    cases = [{"id": name, **says_hello} for name in ways]
    elsewhere = {"cmd": "head -3 SKILL.md", "workdir": ".agents/skills/greeting"}
    running = {"cmd": "sleep 5; cat .agents/skills/greeting/SKILL.md", "yield_time_ms": 500}
    cases += [{"id": name, **says_hello} for name in ("elsewhere", "only-script")]
    cases += [
        {"id": "still-runs", "prompt": "Say hello please", **QUIET},
        {"id": "named", "prompt": "$greeting say hello", "skill": "greeting"},
        {"id": "plain", "prompt": "the greeting skill, what is it?", **QUIET},
        {"id": "twice", "prompts": ["One, please", "And two, please"], **QUIET},
        {"id": "read-only", "prompt": "write it", **QUIET, "settings": {"sandbox": "read-only"}},
        {
            "id": "written",
            "prompt": "write it",
            **QUIET,
            "checks": [{"file_exists": {"path": "out.txt"}}],
        },
        {"id": "keys", "prompt": "look around", **QUIET},
        {"id": "for-ever", "prompt": "x", **QUIET},
        {"id": "quota", "prompt": "x", **QUIET},
        {"id": "strange", "prompt": "x", **QUIET},
    ]
    script = {name: [shell(line), "SALVE Ada"] for name, line in ways.items()}
    script |= {
        "elsewhere": [{"calls": [{"tool": "exec_command", "input": elsewhere}]}, "SALVE Ada"],
        "only-script": [shell("sh .agents/skills/greeting/scripts/hello.sh"), "SALVE Ada"],
        "still-runs": [{"calls": [{"tool": "exec_command", "input": running}]}, "SALVE Ada"],
        "named": ["SALVE Ada"],
        "plain": ["It greets."],
        "twice": ["one", "two"],
        "read-only": [shell("echo x > out.txt"), "It could not be written."],
        "written": [shell("echo x > out.txt"), "Done."],
        "keys": [shell(SHELL_KEYS), "Done."],
        "for-ever": [{"status": 500, "times": 40}],
        "quota": [{"status": 429, "message": "insufficient_quota", "times": 9}],
        "strange": [{"status": 400, "times": 9}],
    }
    began = time.monotonic()
    house.found = house.run(cases, script, "-a", "codex", "-d", "native", "-j", "4")
    house.seconds = time.monotonic() - began
    return house


@pytest.mark.parametrize("name", ["hidden", "sed", "head", "find", "python", "script"])
def test_a_skill_is_loaded_by_any_spelling_of_a_read(ran, name):
    record = ran.found[name]
    assert (record["status"], record["reason"]) == ("pass", "")
    assert evidence(record)["how"] == "shell-read"
    assert evidence(record)["rung"] == ("ran" if name == "script" else "loaded")


def test_the_folder_of_a_command_counts_and_so_does_its_end(ran):
    told = {
        name: (evidence(ran.found[name])["rung"], evidence(ran.found[name])["how"])
        for name in ("elsewhere", "only-script", "still-runs")
    }
    assert told["elsewhere"] == ("loaded", "shell-read")
    assert told["only-script"] == ("ran", "script-run")
    assert told["still-runs"] == ("asked", None)


def test_a_denied_command_is_proved_by_the_file_kept_beside_the_stream(ran):
    """Whether the stream hides it hangs on how quickly it ended; the proof does not."""
    record = ran.found["hidden"]
    stream = ran.of(record, "trace.jsonl").read_text()
    (beside,) = ran.of(record, "beside").iterdir()
    lines = (stream + beside.read_text()).splitlines()
    proof = [lines[number - 1] for number in evidence(record)["lines"]]
    assert min(evidence(record)["lines"]) > len(stream.splitlines())
    assert any("audition-was-here" in each for each in proof)


def test_a_skill_put_in_by_its_sign_is_injected_and_by_its_plain_name_is_not(ran):
    assert evidence(ran.found["named"])["how"] == "injected"
    assert evidence(ran.found["plain"])["rung"] == "offered"


def test_later_turns_resume_the_thread_and_tokens_are_of_all_turns(ran):
    record = ran.found["twice"]
    assert record["status"] == "pass", record["reason"]
    asked = ran.requests(record)
    assert len(asked) == 2
    assert "One, please" in json.dumps(asked[1]["body"])
    one_turn = ran.found["plain"]["usage"]["input_tokens"]
    assert 1.5 * one_turn < record["usage"]["input_tokens"] < 3 * one_turn
    assert len(list(ran.of(record, "beside").iterdir())) == 1


def test_the_sandbox_is_the_case_s(ran):
    assert ran.found["written"]["status"] == "pass", ran.found["written"]["reason"]
    assert ran.sealed(ran.found["read-only"])["changes"].get("added", []) == []


def test_no_key_reaches_the_agent_s_commands(ran):
    (beside,) = ran.of(ran.found["keys"], "beside").iterdir()
    assert '"aggregated_output":"0\\n"' in beside.read_text()


def test_trouble_is_named_by_its_words(ran):
    told = {
        name: (ran.found[name]["status"], ran.found[name]["reason"].partition(":")[0])
        for name in ("for-ever", "strange", "quota")
    }
    assert told["for-ever"] == ("error", "overloaded")
    assert told["strange"] == ("error", "invalid request")
    assert told["quota"][0] == "error"
    assert told["quota"][1] in ("billing", "rate limited")


def test_nothing_is_left(ran):
    assert not left_over(str(ran.root))


@pytest.mark.parametrize("model", ["gpt-6.1-sol", "gpt-5.5"])
def test_a_skill_over_mcp_is_known_in_code_mode_and_without(model, tmp_path):
    need("codex")
    words = ("-a", "codex", "-d", "mcp", "-m", model)
    case = {"id": "a", "prompt": "How do I greet a person by name?", "skill": "greeting"}
    by_tool = House(tmp_path / "1").run([case], {}, *words, provider="understudy")["a"]
    assert evidence(by_tool)["how"] == "mcp-tool"
    given = {"server": "skills", "uri": "skill://greeting/SKILL.md"}
    script = {"a": [{"calls": [{"tool": "read_mcp_resource", "input": given}]}, "SALVE Ada"]}
    by_resource = House(tmp_path / "2").run([case], script, *words)["a"]
    assert evidence(by_resource)["how"] == "mcp-resource"
