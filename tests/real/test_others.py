"""The real CLIs of nine agents, answered by the provider: one run each tells how they fare."""

import json
import time

import pytest
from living import SPY, House, evidence, left_over, need, spy_skill, write

AGENTS = ("codex", "gemini", "opencode", "copilot", "qwen", "goose", "kimi", "pi", "cline")
NO_USAGE = ("copilot", "kimi")
BY_READING = ("codex", "pi")
CASES = [
    {"id": "activates", "prompt": "Say hello please", "skill": "greeting"},
    {"id": "resource", "prompt": "Say hello please", "skill": "greeting"},
    {
        "id": "written",
        "prompt": "Say hello please",
        "skill": "greeting",
        "checks": [{"file_exists": {"path": "out/a.md"}}],
    },
    {"id": "invented", "prompt": "Say hello please", "should_trigger": False},
    {"id": "quiet", "prompt": "What is two and two?", "should_trigger": False},
    {"id": "refused", "prompt": "Say hello please", "should_trigger": False},
    {"id": "limited", "prompt": "Say hello please", "should_trigger": False},
    {"id": "hangs", "prompt": "Say hello please", "should_trigger": False, "timeout_s": 8},
]
LOAD = {"calls": [{"skill": "greeting"}]}
SCRIPT = {
    "activates": [LOAD, "SALVE Ada"],
    "resource": [LOAD, {"calls": [{"read": ".agents/skills/greeting/notes.md"}]}, "SALVE Ada"],
    "written": [LOAD, {"calls": [{"write": "out/a.md", "text": "hi\n"}]}, "SALVE Ada"],
    "invented": [{"calls": [{"skill": "nonesuch"}]}, "There is none."],
    "quiet": ["It is four."],
    "refused": [{"status": 401, "times": 20}],
    "limited": [{"status": 429, "retry_after": "1"}, "Fine."],
    "hangs": [{"hang": True, "times": 20}],
}


@pytest.fixture(scope="module", params=AGENTS)
def ran(request, tmp_path_factory):
    """One agent's run over all cases, in a home that is full of the user's own things."""
    need(request.param)
    house = House(tmp_path_factory.mktemp(request.param))
    for place in (
        ".agents",
        ".codex",
        ".gemini",
        ".qwen",
        ".copilot",
        ".goose",
        ".cline",
        ".pi/agent",
    ):
        spy_skill(house.home / place / "skills", "spy-skill")
        write(house.home / place / "AGENTS.md", SPY)
    began = time.monotonic()
    house.found = house.run(CASES, SCRIPT, "-a", request.param, "-j", "3", "-d", "native")
    house.agent, house.seconds = request.param, time.monotonic() - began
    return house


def test_it_activates_and_reads_a_resource(ran):
    for case, rung in (("activates", "loaded"), ("resource", "read")):
        record = ran.found[case]
        assert (record["status"], record["reason"]) == ("pass", "")
        told = evidence(record)
        assert told["rung"] == rung
        assert told["how"] in (
            ("shell-read", "file-read") if ran.agent in BY_READING else ("skill-tool",)
        )
        assert told["offered"] == ("name" if ran.agent == "cline" else "full")
    assert evidence(ran.found["resource"])["resources"] == ["notes.md"]


def test_what_it_writes_is_kept_and_a_skill_that_it_makes_up_is_only_asked_for(ran):
    record = ran.found["written"]
    assert (record["status"], record["reason"]) == ("pass", "")
    made_up = evidence(ran.found["invented"], "nonesuch")
    assert (made_up["rung"], made_up["on_offer"]) == ("asked", False)
    assert {each["unread"] for each in ran.found.values()} == {0}


def test_it_stays_quiet(ran):
    record = ran.found["quiet"]
    assert (record["status"], evidence(record)["rung"]) == ("pass", "offered")
    tokens = record["usage"]["input_tokens"]
    assert tokens is None if ran.agent in NO_USAGE else tokens > 0


def test_trouble_is_an_error_and_a_limit_that_passes_is_none(ran):
    refused = ran.found["refused"]
    assert refused["status"] == "error"
    assert "not signed in" in refused["reason"] or "401" in refused["reason"]
    assert ran.found["limited"]["status"] == "pass", ran.found["limited"]["reason"]
    assert ran.found["hangs"]["status"] == "error"
    assert ran.found["hangs"]["reason"] == "timed out after 8 s"


def test_the_model_sees_nothing_of_the_user_s_and_nothing_is_left(ran):
    seen = json.dumps([ran.requests(ran.found[case]) for case in ("activates", "quiet")])
    assert "greeting" in seen
    assert SPY not in seen
    assert not left_over(str(ran.root))
    versions = {ran.sealed(record)["agent_version"] for record in ran.found.values()}
    assert "" not in versions
