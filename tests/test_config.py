"""The configuration file gives defaults; whatever is wrong in it is named with its line."""

import pytest

from audition.cli import run_words
from audition.config import load_config
from audition.errors import BadFile, UsageError


def write(folder, text, name="audition.toml"):
    (folder / name).write_text(text)
    return load_config(folder)


def test_no_file_means_defaults(tmp_path):
    assert load_config(tmp_path).defaults == {}


def test_audition_toml_and_pyproject_say_the_same(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    one = write(tmp_path / "a", 'agent = "claude"\njobs = 3\n')
    two = write(tmp_path / "b", '[tool.audition]\nagent = ["claude"]\njobs = 3\n', "pyproject.toml")
    assert one.defaults == two.defaults == {"agent": ["claude"], "jobs": 3}


def test_a_folder_below_finds_it_and_the_nearest_wins(tmp_path):
    write(tmp_path, "jobs = 1\n")
    (tmp_path / "x" / "y").mkdir(parents=True)
    assert load_config(tmp_path / "x" / "y").defaults == {"jobs": 1}
    write(tmp_path / "x", "jobs = 2\n")
    assert load_config(tmp_path / "x" / "y").defaults == {"jobs": 2}


def test_runs_are_kept_beside_the_file_wherever_below_it_one_stands(tmp_path, monkeypatch):
    (tmp_path / "x").mkdir()
    for folder, out in ((tmp_path, "runs"), (tmp_path / "x", "../runs")):
        monkeypatch.chdir(folder)
        (tmp_path / "audition.toml").write_text('out = "runs"\n')
        assert load_config().defaults == {"out": out}
    (tmp_path / "audition.toml").write_text('out = "/elsewhere/runs"\n')
    assert load_config().defaults == {"out": "/elsewhere/runs"}


def test_a_pyproject_of_something_else_is_passed_over(tmp_path):
    write(tmp_path, "jobs = 1\n")
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "pyproject.toml").write_text("[project]\nname='x'\n")
    assert load_config(tmp_path / "x").defaults == {"jobs": 1}


def test_an_agent_like_another_is_read(tmp_path):
    config = write(
        tmp_path, '[agents.mine]\nlike = "claude"\ncommand = "my claude"\nenv = ["KEY"]\n'
    )
    assert config.agents["mine"].command == ("my", "claude")


def test_a_server_s_files_are_found_beside_the_configuration(tmp_path):
    (tmp_path / "tools").mkdir()
    (tmp_path / "server.js").write_text("")
    (tmp_path / "run").mkdir()
    (tmp_path / "python").symlink_to("/bin/sh")
    command = ["./python", "run", "server.js", "tools/", "{skills}", "other.js"]
    found = write(tmp_path, f"[mcp]\ncommand = {command}\n").mcp.command
    assert found == (
        str(tmp_path / "python"), "run", str(tmp_path / "server.js"), str(tmp_path / "tools"),
        "{skills}", "other.js",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words", "hint"),
    [
        ("jobs = 1\ntrails = 2\n", "audition.toml:2: unknown key `trails`", "trials"),
        ("jobs = 'x'\n", "`jobs` must be int, not str", ""),
        ("jobs = true\n", "`jobs` must be int, not bool", ""),
        ("jobs = \n", "audition.toml", "valid TOML"),
        ("[agents.mine]\nlik = 'x'\n", "unknown key `agents.mine.lik`", "like"),
        ("[agents]\nmine = 3\n", "must be a table", ""),
        ("[agents.mine]\nenv = 'x'\n", "agents.mine", ""),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path, text, words, hint):
    with pytest.raises(BadFile) as caught:
        write(tmp_path, text)
    assert words in str(caught.value)
    assert hint in caught.value.hint


def test_a_file_named_by_the_environment_must_be_there(tmp_path, monkeypatch):
    monkeypatch.setenv("AUDITION_CONFIG", str(tmp_path / "no.toml"))
    with pytest.raises(UsageError, match="no file"):
        load_config(tmp_path)


def test_a_value_that_is_refused_is_blamed_on_who_gave_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "audition.toml").write_text('# ours\ntrials = "many"\n')
    assert run_words(["run"]) == 2
    said = f"Invalid value for `trials` in {tmp_path}/audition.toml:2: `many` is neither"
    assert said in capsys.readouterr().err
    monkeypatch.setenv("AUDITION_JOBS", "x")
    assert run_words(["run", "--trials", "2"]) == 2
    assert "for the environment variable AUDITION_JOBS: 'x'" in capsys.readouterr().err
    assert run_words(["run", "--trials", "2", "--jobs", "y"]) == 2
    assert "Invalid value for '--jobs' / '-j': 'y'" in capsys.readouterr().err
