"""The real Claude Code, as a program and through its SDK, in every delivery; in a polluted house."""

import json
import os

import pytest
from living import SECRET, SPY, House, evidence, left_over, need

ARMS = [
    (agent, delivery)
    for agent in ("claude", "claude-sdk")
    for delivery in ("native", "mcp", "mcp+native", "plugin", "instructions")
]
LOAD = {"calls": [{"skill": "greeting"}]}
CASES = {
    "activates": {"skill": "greeting"},
    "quiet": {"should_trigger": False},
    "wrong": {"skill": "greeting"},
    "unknown": {"skill": "greeting"},
    "turns": {"skill": "greeting", "prompts": ["Greet Ada.", "And once more."]},
    "limited": {"skill": "greeting", "max_turns": 1},
    "broken": {"should_trigger": False},
    "soon": {"skill": "greeting"},
    "denied": {"skill": "greeting"},
    "script": {"skill": "greeting"},
}
SCRIPT = {
    "activates": [LOAD, "SALVE Ada"],
    "quiet": ["It is four."],
    "wrong": [{"calls": [{"skill": "farewell"}]}, "VALE"],
    "unknown": [{"calls": [{"skill": "nonsense"}]}, "Hm."],
    "turns": [LOAD, "SALVE Ada", "SALVE again"],
    "limited": [LOAD, "never said"],
    "broken": [{"text": "half", "malformed": True}, "Whole at last."],
    "soon": [{"status": 429, "retry_after": "1"}, LOAD, "SALVE Ada"],
    "denied": [LOAD, "I may not."],
    "script": [LOAD, {"calls": [{"shell": "bash FOLDER/greeting/scripts/hello.sh"}]}, "SALVE"],
}
FOLDERS = {"plugin": "../plugin/skills", "instructions": ".skills"}
DENY = {
    "mcp": "mcp__skills__skill",
    "plugin": "Skill(audition:greeting)",
    "instructions": "Read(.skills/**)",
}
FAILS = ("wrong", "unknown", "denied")
HOW = {"mcp": "mcp-tool", "instructions": "file-read"}


OF_PROGRAM = ("wrong", "limited", "broken")
"""Cases in which the SDK differs in nothing; it takes its time."""


def cases(agent, delivery):
    for name, fields in CASES.items():
        # A server gives the texts of a skill; its scripts are where the agent cannot run them.
        if (agent == "claude-sdk" and name in OF_PROGRAM) or (name, delivery) == ("script", "mcp"):
            continue
        prompt = {} if "prompts" in fields else {"prompt": f"Case {name}."}
        deny = {"disallowed_tools": [DENY.get(delivery, "Skill(greeting)")]}
        settings = {"settings": deny} if name == "denied" else {}
        yield {"id": name, **prompt, **fields, **settings}


def script_for(delivery):
    """The plug-in's skills bear its name, so the model calls them by it."""
    text = json.dumps(SCRIPT).replace("FOLDER", FOLDERS.get(delivery, ".claude/skills"))
    if delivery == "plugin":
        text = text.replace('"skill": "', '"skill": "audition:')
    script = json.loads(text)
    if delivery == "mcp":
        # A tool that is denied as a whole is not on offer; the model may call it all the same.
        call = {"tool": "mcp__skills__skill", "input": {"name": "greeting"}}
        script["denied"][0] = {"calls": [call]}
    return script


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


IN_EVERY_ARM = pytest.mark.parametrize(("agent", "delivery"), ARMS, ids=["+".join(a) for a in ARMS])


@IN_EVERY_ARM
def test_an_arm_does_right_and_shows_the_model_nothing_of_the_user_s(house, agent, delivery):
    need(agent)
    before = house.digest()
    found = house.run(
        list(cases(agent, delivery)), script_for(delivery), "-a", agent, "-d", delivery, "-j", "4"
    )  # fmt: skip
    status = {name: record["status"] for name, record in found.items()}
    expected = {name: "fail" if name in FAILS else "pass" for name in found}
    reasons = {name: record["reason"] for name, record in found.items()}
    assert status == expected, f"{reasons}\n{house.done.stderr}"
    loaded = evidence(found["activates"])
    assert loaded["rung"] == "loaded"
    assert loaded["how"] == HOW.get(delivery, "skill-tool")
    if agent == "claude":
        assert evidence(found["wrong"])["rung"] == "offered"
        assert evidence(found["wrong"], "farewell")["rung"] == "loaded"
    assert evidence(found["quiet"])["rung"] == "offered"
    assert evidence(found["denied"])["rung"] == ("asked" if delivery == "mcp" else "denied")
    if "script" in found:
        assert evidence(found["script"])["rung"] == "ran"
    assert house.sealed(found["soon"])["attempt"] == 1, "the program itself waits for a second"
    assert evidence(found["turns"])["rung"] == "loaded"
    assert found["turns"]["turns"] == 3
    for record in found.values():
        gone = delivery == "mcp" and record["case"] == "denied"
        assert evidence(record)["offered"] == ("missing" if gone else "full")
        sealed = house.sealed(record)
        assert sealed["also_shown"] == []
        assert SPY not in json.dumps(house.requests(record))
    assert house.digest() == before, "something of the user's was changed"
    kept = b"".join(each.read_bytes() for each in house.folder.rglob("*") if each.is_file())
    assert SECRET.encode() not in kept


MARK = f"audition-grandchild-{os.getpid()}"
SLEEP = f"python3 -c 'import time; time.sleep(600)  # {MARK}'"


@IN_EVERY_ARM
def test_in_every_arm_a_trouble_is_an_error_and_leaves_nothing_running(house, agent, delivery):
    need(agent)
    arm = ("-a", agent, "-d", delivery)
    quiet = {"prompt": "x", "should_trigger": False, "timeout_s": 60}
    cases = [{"id": "full", **quiet}, {"id": "hang", **quiet, "timeout_s": 8}]
    script = {
        "full": [{"status": 529, "times": 50}],
        "hang": [{"calls": [{"shell": f"(setsid {SLEEP} &) ; {SLEEP}"}]}, "never"],
    }
    found = house.run(cases, script, *arm, "-j", "2")
    assert found["hang"]["reason"] == "timed out after 8 s"
    assert not left_over(MARK)
    assert (found["full"]["status"], found["full"]["reason"][:10]) == ("error", "overloaded")
    assert house.sealed(found["full"])["attempt"] == 3
    refused = house.run(cases[:1], {"full": [{"status": 401, "times": 9}]}, *arm)["full"]
    assert (refused["status"], refused["reason"][:13]) == ("error", "not signed in")
    nobody = house.env(ANTHROPIC_BASE_URL="http://127.0.0.1:9", ANTHROPIC_API_KEY="sk-ant-dummy")
    alone = house.run(cases[:1], {}, *arm, env=nobody, provider="live")["full"]
    assert (alone["status"], alone["reason"][:7]) == ("error", "network")


@IN_EVERY_ARM
def test_the_understudy_reads_the_resource_and_recites_in_every_delivery(house, agent, delivery):
    need(agent)
    case = {"id": "a", "prompt": "Please greet a person by name: Ada.", "skill": "greeting"}
    case["checks"] = [{"answer_contains": "SALVE Ada"}]
    found = house.run([case], {}, "-a", agent, "-d", delivery, provider="understudy")["a"]
    assert found["status"] == "pass", found["reason"]
    assert "notes.md" in evidence(found)["resources"]
    assert evidence(found)["rung"] == "followed"
    assert found["usage"]["dollars"] == 0.0, "nobody was paid"


def test_a_plug_in_keeps_its_own_name(house):
    need("claude")
    about = house.project / ".claude-plugin" / "plugin.json"
    about.parent.mkdir()
    about.write_text('{"name": "cat"}')
    case = {"id": "a", "prompt": "Greet.", "skill": "greeting"}
    script = {"a": [{"calls": [{"skill": "cat:greeting"}]}, "SALVE"]}
    found = house.run([case], script, "-a", "claude", "-d", "plugin")["a"]
    assert (found["status"], evidence(found)["offered"]) == ("pass", "full"), found["reason"]
    assert "- cat:greeting: How to greet" in json.dumps(house.requests(found)[0]["body"])
    assert [each["skill"] for each in found["skills"]] == ["farewell", "greeting"]


def test_the_baseline_has_the_same_workspace_and_no_skill(house):
    need("claude")
    case = {"id": "a", "prompt": "Greet Ada.", "skill": "greeting"}
    case["checks"] = [{"answer_contains": "SALVE"}]
    found = house.run([case], {}, "-a", "claude", "-d", "none", provider="understudy")["a"]
    assert found["status"] == "fail"
    (request,) = house.requests(found)
    assert "greeting" not in json.dumps(request)


def test_both_routes_and_what_the_second_listing_costs_are_reported(house):
    need("claude")
    cases = [{"id": name, "prompt": name, "skill": "greeting"} for name in ("native", "mcp")]
    script = {
        "native": [LOAD, "SALVE"],
        "mcp": [
            {"calls": [{"tool": "mcp__skills__skill", "input": {"name": "greeting"}}]},
            "SALVE",
        ],
    }
    found = house.run(cases, script, "-a", "claude", "-d", "mcp+native", "-j", "2")
    assert evidence(found["native"])["routes"] == ["skill-tool"]
    assert evidence(found["mcp"])["routes"] == ["mcp-tool"]
    costs = found["mcp"]["listing_bytes"]
    assert costs["native"] > 50
    assert costs["mcp"] > costs["native"]
    said = " ".join(house.done.stdout.split())
    assert "loaded 1 time by mcp-tool and 1 time by skill-tool" in said
    assert f"{costs['mcp']} bytes mcp and {costs['native']} bytes native" in said


def test_what_a_case_wishes_reaches_the_program(house):
    need("claude")
    write = house.project / "schema.json"
    write.write_text('{"type": "object", "properties": {"n": {"type": "integer"}}}')
    common = {"prompt": "Do it.", "skill": "greeting"}
    refuse = {"disallowed_tools": ["Skill(greeting)"]}
    run = {"shell": "bash .claude/skills/greeting/scripts/hello.sh"}
    cases = [
        {"id": "denied", **common, "settings": refuse},
        {"id": "script", **common},
        {"id": "slash", "prompt": "/greeting Ada", "skill": "greeting"},
        {"id": "system", **common, "append_system_prompt": "BE-BRIEF-99"},
        {"id": "schema", **common, "output_schema": "schema.json"},
        {"id": "noodle", **common},
    ]
    script = {
        "denied": [LOAD, "Not allowed."],
        "script": [LOAD, {"calls": [run]}, "SALVE"],
        "slash": ["SALVE Ada"],
        "system": [LOAD, "SALVE"],
        "schema": [LOAD, {"calls": [{"tool": "StructuredOutput", "input": {"n": 4}}]}, "done"],
        "noodle": [{"calls": [{"read": ".claude/skills/greeting/SKILL.md"}]}, "SALVE"],
    }
    found = house.run(cases, script, "-a", "claude", "-j", "4")
    assert (found["denied"]["status"], evidence(found["denied"])["rung"]) == ("fail", "denied")
    assert evidence(found["script"])["rung"] == "ran"
    assert evidence(found["script"])["scripts"] == ["scripts/hello.sh"]
    assert (found["slash"]["status"], evidence(found["slash"])["how"]) == ("pass", "injected")
    assert "BE-BRIEF-99" in json.dumps(house.requests(found["system"])[0]["body"]["system"])
    tools = house.requests(found["schema"])[0]["body"]["tools"]
    assert "StructuredOutput" in {each["name"] for each in tools}
    assert found["schema"]["status"] == "pass", found["schema"]["reason"]
    assert (found["noodle"]["status"], evidence(found["noodle"])["noodled"]) == ("fail", True)


SHELL_SKILL = "---\nname: greeting\ndescription: Greets.\n---\nNow !`touch {0}; echo RAN-IT`\n"


@pytest.mark.parametrize("allowed", [False, True])
def test_shell_lines_of_a_skill_run_only_where_that_is_allowed(house, allowed):
    need("claude")
    mark = house.root / "ran"
    skill = house.project / "skills" / "greeting" / "SKILL.md"
    skill.write_text(SHELL_SKILL.format(mark))
    case = {"id": "a", "prompt": "Greet.", "skill": "greeting"}
    case["settings"] = {"allow_skill_shell": allowed}
    quiet = {"id": "b", "prompt": "x", "should_trigger": False, "settings": case["settings"]}
    script = {"a": [LOAD, "SALVE"], "b": [LOAD, "SALVE"]}
    found = house.run([case, quiet], script, "-a", "claude")
    assert found["a"]["status"] == ("pass" if allowed else "ineligible"), found["a"]["reason"]
    assert found["b"]["status"] == "fail", "it was loaded, though nothing should be"
    assert mark.exists() is allowed
    body = json.dumps(house.requests(found["b"])[-1]["body"])
    assert ("RAN-IT" in body) is allowed
