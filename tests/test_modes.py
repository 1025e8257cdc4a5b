"""The words for a delivery, and the agent that some of them mean."""

import pytest

from audition.cli import run_words

CASES = """
skills: [skills]
cases: [{id: a, prompt: Greet., skill: greeting, checks: [{answer_contains: x}]}]
"""


@pytest.fixture
def plan(tmp_path, monkeypatch, capsys):
    """The arms that `--dry-run` plans, or what it says is wrong."""
    skill = tmp_path / "skills" / "greeting" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text("---\nname: greeting\ndescription: Greets.\n---\nx\n")
    (tmp_path / "cases.yaml").write_text(CASES)
    monkeypatch.chdir(tmp_path)

    def planned(*words):
        run_words(["run", "--dry-run", *words])
        told = capsys.readouterr()
        found = {each for each in told.out.split() if "+" in each and "`" not in each}
        return found or told.err

    return planned


@pytest.mark.parametrize(
    ("mode", "arm"),
    [
        ("mcp", "understudy+mcp"),
        ("native", "understudy+native"),
        ("local", "claude-sdk+native"),
        ("cli-native", "claude+native"),
        ("cli-local", "claude+native"),
        ("mcp+native", "understudy+mcp+native"),
        ("mcp+local", "claude-sdk+mcp+native"),
    ],
)
def test_every_mode_of_skilljack_is_a_delivery_and_some_mean_an_agent(plan, mode, arm):
    assert plan("--mode", mode) == {arm}
    # Whoever names the agent is obeyed.
    named = {f"claude+{arm.partition('+')[2]}"}
    assert plan("-d", mode, "-a", "claude") == named


def test_an_agent_of_the_environment_is_obeyed_too(plan, monkeypatch):
    monkeypatch.setenv("AUDITION_AGENT", "codex")
    assert plan("--mode", "local") == {"codex+native"}


def test_modes_of_several_agents_are_no_grid(plan):
    assert plan("--mode", "cli-native", "--mode", "cli-local") == {"claude+native"}
    assert "do not all mean one agent" in plan("--mode", "cli-native", "--mode", "local")
    assert "do not all mean one agent" in plan("--mode", "mcp", "--mode", "local")
    assert "did you mean `cli-native`?" in plan("--mode", "cli-nativ")
