"""The real Claude Code and Codex, answered by the provider: what they really send and do."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from audition.provider import compare_listing, serve
from audition.skills import find_skills

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples/skills"
MANIFEST = "Make the service.yaml deployment manifest"


def find_program(name):
    """The program on PATH, or where `make agents` puts it."""
    where = f"{os.environ.get('PATH', '')}{os.pathsep}{ROOT / 'node_modules/.bin'}"
    found = shutil.which(name, path=where)
    if found is None:
        pytest.skip(f"`{name}` is not here; `make agents` installs it")
    return found


@pytest.fixture
def place(tmp_path):
    """A workspace that is a repository root, with the example skills for every agent."""
    workspace = tmp_path / "ws"
    for folder in (".claude", ".agents"):
        shutil.copytree(EXAMPLES, workspace / folder / "skills")
    (tmp_path / "home/.codex").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", workspace], check=True)
    return workspace


def run(argv, place, **env):
    home = str(place.parent / "home")
    kept = {"PATH": os.environ["PATH"], "HOME": home, "CODEX_HOME": f"{home}/.codex", **env}
    ran = subprocess.run(
        argv, cwd=place, env=kept, stdin=subprocess.DEVNULL, capture_output=True,
        timeout=120, check=False,
    )  # fmt: skip
    return [json.loads(each) for each in ran.stdout.splitlines() if each.startswith(b"{")]


def ask_claude(place, url, prompt, model="claude-sonnet-5-5"):
    tools = "Skill,Read,Write"
    argv = [find_program("claude"), "-p", "--output-format", "stream-json", "--verbose"]
    argv += ["--setting-sources", "project", "--strict-mcp-config", "--permission-mode", "dontAsk"]
    argv += ["--allowedTools", tools, "--tools", tools, "--no-session-persistence"]
    argv += ["--model", model, "--", prompt]
    return run(
        argv, place, ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="loopback",
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1", CLAUDE_CODE_DISABLE_BUNDLED_SKILLS="1",
        CLAUDE_CODE_MAX_RETRIES="2",
    )  # fmt: skip


def ask_codex(place, url, prompt, model="gpt-6.1-sol"):
    provider = f'{{name="loopback",base_url="{url}/v1",env_key="LOOPBACK",wire_api="responses"'
    retries = "request_max_retries=1,stream_max_retries=1,stream_idle_timeout_ms=5000}"
    argv = [find_program("codex"), "exec", "--json", "--skip-git-repo-check", "-m", model]
    argv += ["--sandbox", "workspace-write", "-c", 'model_provider="loopback"']
    argv += ["-c", f"model_providers.loopback={provider},{retries}"]
    argv += ["-c", "analytics.enabled=false", "--disable", "plugins"]
    argv += ["-c", "skills.bundled.enabled=false", prompt]
    return run(argv, place, LOOPBACK="loopback")


def used(told):
    blocks = [b for e in told if e["type"] == "assistant" for b in e["message"]["content"]]
    return [each["name"] for each in blocks if each["type"] == "tool_use"]


def skills():
    return find_skills((EXAMPLES,))


@pytest.mark.parametrize("model", ["claude-sonnet-5-5", "claude-sonnet-4-5"])
def test_claude_code_does_what_the_understudy_decides(place, model):
    with serve("understudy") as provider:
        lane = provider.open(None, place.parent / "requests.jsonl")
        told = ask_claude(place, lane.url, MANIFEST, model)
        report = lane.close()
    assert used(told) == ["Skill", "Read", "Write"]
    assert told[-1]["result"] == "The manifest is in service.yaml, made from the team template."
    assert "TPL-41K" in (place / "service.yaml").read_text()
    assert (report.unexpected, report.faults, report.requests) == (0, (), 4)
    offers = {each.skill: each.offered for each in compare_listing(report.listed, skills())}
    hidden = offers.pop("deploy-checklist")
    assert hidden == "missing"
    assert set(offers.values()) == {"full"}


def test_claude_code_s_slash_puts_the_skill_in_and_a_stranger_s_question_stays_quiet(place):
    with serve("understudy") as provider:
        told = ask_claude(place, provider.open().url, "/greeting Ada")
        assert "SALVE-7Q" in told[-1]["result"]
        assert used(told) == []
        told = ask_claude(place, provider.open().url, "What is 17 times 23?")
        assert used(told) == []
        assert told[-1]["is_error"] is False


@pytest.mark.parametrize("model", ["gpt-6.1-sol", "gpt-5.5"], ids=["code mode", "classic"])
def test_codex_does_what_the_understudy_decides(place, model):
    with serve("understudy") as provider:
        lane = provider.open(None, place.parent / "requests.jsonl")
        told = ask_codex(place, lane.url, MANIFEST, model)
        report = lane.close()
    items = [each["item"] for each in told if each["type"] == "item.completed"]
    kinds = [each["type"] for each in items if each["type"] != "error"]
    assert kinds == ["command_execution", "command_execution", "file_change", "agent_message"]
    assert items[-1]["text"] == "The manifest is in service.yaml, made from the team template."
    assert "TPL-41K" in (place / "service.yaml").read_text()
    assert (report.unexpected, report.faults, report.requests) == (0, (), 4)
    # `agents/openai.yaml` of the sixth keeps it from the model.
    shown = {each.skill for each in report.catalogue}
    assert {each.name for each in skills()} - shown == {"deploy-checklist"}


def test_codex_s_dollar_puts_the_skill_in(place):
    with serve("understudy") as provider:
        told = ask_codex(place, provider.open().url, "Please $greeting")
    items = [each["item"] for each in told if each["type"] == "item.completed"]
    assert [each["type"] for each in items if each["type"] != "error"] == ["agent_message"]
    assert "SALVE-7Q" in items[-1]["text"]


@pytest.mark.parametrize("ask", [ask_claude, ask_codex])
@pytest.mark.parametrize("fault", ["status: 429, retry_after: 1", "truncated: true, text: x"])
def test_a_real_agent_recovers_from_one_fault(place, ask, fault):
    script = place.parent / "turns.yaml"
    script.write_text(f"- {{{fault}}}\n- {{text: Recovered}}\n- {{text: Recovered}}\n")
    with serve(f"script:{script}") as provider:
        lane = provider.open()
        told = ask(place, lane.url, "Hello there")
        report = lane.close()
    assert "Recovered" in json.dumps(told)
    assert report.requests >= 2


@pytest.mark.parametrize("ask", [ask_claude, ask_codex])
def test_a_real_agent_that_is_refused_says_so(place, ask):
    script = place.parent / "turns.yaml"
    script.write_text("turns: [{status: 401, message: who are you}]\nthen: last\n")
    with serve(f"script:{script}") as provider:
        told = ask(place, provider.open().url, "Hello there")
    last = told[-1]
    assert last.get("is_error") is True or last["type"] == "turn.failed"
