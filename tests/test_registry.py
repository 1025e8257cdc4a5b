"""Plug-ins are found by name, imported when asked for, and a slip names the nearest."""

import subprocess
import sys

import pytest

from audition.agent import agents, find_agent
from audition.check import checks
from audition.errors import AuditionError, UnknownName
from audition.registry import Registry


def test_every_kind_lists_ours():
    assert {"understudy", "oracle", "nop", "claude"} <= set(agents)
    assert "answer_contains" in checks
    assert len(checks) == len(list(checks))


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(UnknownName, match="unknown agent `claud`") as caught:
        find_agent("claud")
    assert caught.value.hint == "did you mean `claude`?"


def test_an_argument_belongs_only_to_an_agent_that_takes_one():
    assert find_agent("coin:0.5").name == "coin:0.5"
    with pytest.raises(UnknownName):
        find_agent("claude:0.5")


def test_an_agent_is_not_imported_for_another():
    code = (
        "import sys; from audition.agent import find_agent; find_agent('understudy');"
        "sys.exit(any(name.startswith('audition.agents.claude') for name in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_kind_without_plug_ins_is_empty():
    empty: Registry[object] = Registry("nothing-of-the-kind")
    assert list(empty) == []
    assert "x" not in empty
    with pytest.raises(UnknownName):
        empty["x"]


def install(folder, value):
    """A stranger's distribution on disk, with one agent."""
    info = folder / "stranger-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[audition.agent]\nstranger = {value}\n")


def asks(folder, code):
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(folder)}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    return done.stdout + done.stderr


def test_a_stranger_comes_through_the_same_door(tmp_path):
    install(tmp_path, "stranger:agent")
    (tmp_path / "stranger.py").write_text(
        "from audition.agent import Agent, Command\n"
        "agent = Agent(name='stranger', command=lambda ask: Command(argv=('x',)), read=lambda n, r: ())\n"
    )
    said = asks(
        tmp_path, "from audition.agent import find_agent; print(find_agent('stranger').name)"
    )
    assert said == "stranger\n"


def test_a_stranger_cannot_take_the_name_of_one_of_ours(tmp_path):
    install(tmp_path, "stranger:agent")
    listed = tmp_path / "stranger-1.dist-info" / "entry_points.txt"
    listed.write_text(
        "[audition.agent]\nclaude = stranger:agent\nlonely = stranger:agent [extra]\n"
    )
    code = (
        "from audition.agent import agents\n"
        "print(agents['claude'].command.__module__, 'lonely' in agents, list(agents).count('claude'))"
    )
    assert asks(tmp_path, code) == "audition.agents.claude.asking True 1\n"


def test_the_lists_read_here_are_those_that_python_reads():
    from importlib.metadata import entry_points

    for registry in (agents, checks):
        points = entry_points(group=f"audition.{registry.kind}")
        assert sorted(registry) == sorted({point.name for point in points})


def test_a_plug_in_that_cannot_be_loaded_says_which(tmp_path):
    install(tmp_path, "no_such_module:agent")
    code = (
        "from audition.agent import find_agent\nfrom audition.errors import AuditionError\n"
        "try: find_agent('stranger')\nexcept AuditionError as e: print(e, '|', e.hint)"
    )
    said = asks(tmp_path, code)
    assert "agent `stranger` cannot be loaded: ModuleNotFoundError" in said
    assert "no_such_module:agent" in said
    assert issubclass(AuditionError, Exception)
