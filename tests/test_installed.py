"""Where agents' programs are found, and whether they are new enough."""

import sys
from pathlib import Path

import pytest

from audition.commands.agents import describe
from audition.config import AgentSettings, Config, McpSettings, load_config
from audition.errors import AgentMissing, UsageError
from audition.installed import (
    all_ready,
    check_mcp,
    is_older,
    known_agents,
    make_ready,
    with_node,
)


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with nothing on PATH but a shell."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    return tmp_path


def program(path, version):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\necho '{version}'\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_is_found_in_node_modules_here_or_above(here, monkeypatch):
    found = program(here / "node_modules" / ".bin" / "claude", "2.1.400 (Claude Code)")
    (here / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(here / "deep" / "er")
    ready = make_ready("claude", Config())
    assert (ready.program, ready.version) == ((found,), "2.1.400 (Claude Code)")


def test_path_comes_before_node_modules(here, monkeypatch):
    program(here / "node_modules" / ".bin" / "claude", "2.1.400")
    first = program(here / "bin" / "claude", "2.1.401")
    monkeypatch.setenv("PATH", f"{here}/bin:/usr/bin:/bin")
    assert make_ready("claude", Config()).program == (first,)


def test_a_program_that_is_too_old_says_which_is_needed_and_how_to_get_it(here):
    program(here / "node_modules" / ".bin" / "claude", "1.0.98 (Claude Code)")
    with pytest.raises(AgentMissing, match=r"it is 1\.0\.98.*2\.1\.197 or newer") as caught:
        make_ready("claude", Config())
    assert "npm install" in caught.value.hint


def test_a_codex_that_does_not_know_the_folder_of_skills_is_too_old(here):
    program(here / "node_modules" / ".bin" / "codex", "codex-cli 0.87.0")
    with pytest.raises(AgentMissing, match=r"codex-cli 0\.87\.0, and 0\.97\.0 or newer") as caught:
        make_ready("codex", Config())
    assert "npm install -g @openai/codex" in caught.value.hint


def test_a_configured_program_that_is_not_there_is_named_with_its_place(here):
    (here / "audition.toml").write_text('[agents.mine]\nlike = "claude"\ncommand = ["no-such"]\n')
    with pytest.raises(AgentMissing, match="no-such") as caught:
        make_ready("mine", load_config(here))
    assert "agents.mine" in caught.value.hint


def test_an_agent_without_its_program_says_how_to_get_it(here):
    with pytest.raises(AgentMissing, match="needs the program `codex`"):
        make_ready("codex", Config())


def test_an_agent_that_needs_a_package_says_which_extra_brings_it(here, monkeypatch):
    program(here / "node_modules" / ".bin" / "claude", "2.1.400")
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    monkeypatch.setattr(sys, "path", [])
    sys.modules.pop("claude_agent_sdk")
    with pytest.raises(AgentMissing, match="claude_agent_sdk") as caught:
        make_ready("claude-sdk", Config())
    assert caught.value.hint == "pip install 'audition[claude]'"


@pytest.mark.parametrize(
    ("version", "least", "older"),
    [
        ("2.1.9 (x)", "2.1.10", True),
        ("2.1.10", "2.1.10", False),
        ("3", "2.1", False),
        ("", "2.1", False),
        ("what", "1.0", False),
    ],
)
def test_versions_are_compared_as_numbers_and_the_unknown_is_let_through(version, least, older):
    assert is_older(version, least) is older


def test_an_agent_like_another_has_its_program_and_settings_too(here):
    program(here / "shim", "3.0.0")
    mine = AgentSettings(
        like="claude", command=("./shim",), env=("ONE",), settings={"max_turns": 3, "a": 1}
    )
    cheap = AgentSettings(like="mine", env=("TWO=2",), model="haiku", settings={"max_turns": 1})
    config = Config(path=str(here / "audition.toml"), agents={"mine": mine, "cheap": cheap})
    ready = make_ready("cheap", config)
    assert ready.program == (str(here / "shim"),)
    assert (ready.agent.name, ready.agent.model) == ("cheap", "haiku")
    assert ready.settings.settings == {"max_turns": 1, "a": 1}
    assert ready.wished == ("ONE", "TWO")
    assert ready.given == {"TWO": "2"}


def test_several_agents_are_asked_for_their_version_at_once_and_each_once(here):
    met = here / "met"
    script = f"""#!/bin/sh
echo "$0" >> {met}
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ "$(wc -l < {met})" = 2 ] && echo 9.9.9 && exit 0
  sleep 0.5
done
"""
    for name in ("claude", "codex"):
        Path(program(here / "node_modules" / ".bin" / name, "")).write_text(script)
    ready = all_ready(("codex", "claude", "codex"), Config())
    assert {name: each.version for name, each in ready.items()} == {
        "codex": "9.9.9",
        "claude": "9.9.9",
    }
    assert len(met.read_text().splitlines()) == 2


def test_of_several_agents_the_first_that_is_missing_is_named(here):
    with pytest.raises(AgentMissing, match="codex"):
        all_ready(("understudy", "codex", "claude"), Config())


def test_an_agent_that_is_like_itself_is_refused_with_the_way_round(here):
    agents = {"a": AgentSettings(like="b"), "b": AgentSettings(like="a")}
    with pytest.raises(UsageError, match="like itself: a → b → a"):
        make_ready("a", Config(agents=agents))
    program(here / "node_modules" / ".bin" / "claude", "2.1.400")
    same = Config(agents={"claude": AgentSettings(like="claude", model="opus")})
    assert make_ready("claude", same).agent.model == "opus"


def test_a_delivery_over_mcp_says_early_which_extra_is_missing(monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    for name in [each for each in sys.modules if each.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(AgentMissing, match="package `mcp`") as caught:
        check_mcp(["native", "mcp"], McpSettings())
    assert "audition[mcp]" in caught.value.hint
    check_mcp(["native"], McpSettings())
    with pytest.raises(AgentMissing, match="`no-such-server`, is not here"):
        check_mcp(["mcp+native"], McpSettings(command=("no-such-server", "{skills}")))
    check_mcp(["mcp"], McpSettings(url="http://127.0.0.1:9/mcp"))


def test_a_program_of_npm_s_is_started_with_the_node_beside_it(here):
    beside = here / "node_modules" / ".bin"
    program(beside / "node", "v22.23.3")
    found = program(beside / "pi", "x")
    (beside / "pi").write_text("#!/bin/sh\nexec node --version\n")
    ready = make_ready("pi", Config())
    assert (ready.program, ready.version, ready.trouble) == ((found,), "v22.23.3", "")
    elsewhere = (program(here / "bin" / "pi", "x"),)
    assert with_node(elsewhere, {"PATH": "/usr/bin"}) == {"PATH": "/usr/bin"}


def test_a_program_of_npm_s_finds_ripgrep_where_codex_brought_it(here):
    modules = here / "node_modules"
    brought = modules / "@openai" / "codex-linux-x64" / "vendor" / "x86_64" / "codex-path"
    program(brought / "rg", "ripgrep 15")
    found = program(modules / ".bin" / "opencode", "1.18.33")
    assert with_node((found,), {"PATH": "/usr/bin"}) == {"PATH": f"/usr/bin:{brought}"}


def test_why_a_program_does_not_say_its_version_is_told(here):
    path = here / "node_modules" / ".bin" / "pi"
    program(path, "")
    path.write_text("#!/bin/sh\necho 'SyntaxError: no such export' >&2\nexit 1\n")
    told = describe("pi", Config())
    assert (told["found"], told["version"]) == (True, "")
    assert told["trouble"] == "exit code 1: SyntaxError: no such export"


def test_every_agent_says_what_it_can_do_also_where_it_is_not_here(here):
    for name in known_agents(Config()):
        told = describe(name, Config())
        assert told["deliveries"][0] == "native", name
        assert told["offers_by"] in ("request", "stream", "beside")
        assert isinstance(told["usage"], bool)
        assert isinstance(told["several_turns"], bool)


def test_a_script_of_npm_s_that_only_starts_codex_is_passed_by(here):
    modules = here / "node_modules"
    script = program(modules / "@openai" / "codex" / "bin" / "codex.js", "by the script")
    (modules / ".bin").mkdir()
    (modules / ".bin" / "codex").symlink_to(script)
    ready = make_ready("codex", Config())
    assert (ready.program, ready.version) == ((str(modules / ".bin" / "codex"),), "by the script")
    place = modules / "@openai" / "codex-linux-x64" / "vendor" / "x86_64" / "bin"
    native = program(place / "codex", "codex-cli 0.169.0")
    ready = make_ready("codex", Config())
    assert (ready.program, ready.version) == ((native,), "codex-cli 0.169.0")
