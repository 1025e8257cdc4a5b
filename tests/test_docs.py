"""The pages say what the program does: every check, option, exit code and key is in them."""

import os
import re
import runpy
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import click
import pytest

from audition.agent import agents
from audition.check import arguments_of, checks
from audition.cli import COMMANDS, audition
from audition.config import AGENT_KEYS, GATE_KEYS, KEYS, MCP_KEYS, TABLES
from audition.errors import Exit
from audition.model import RUNGS, Commands, Evidence, Grade, Record, Spent
from audition.store import State

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def page(name: str) -> str:
    return (DOCS / name).read_text("utf-8")


def command_of(name: str) -> click.Command:
    found = audition.get_command(click.Context(audition), name)
    assert found is not None
    return found


def section(text: str, title: str) -> str:
    """What stands below a heading of any level, up to the next one of its level or above."""
    found = re.search(rf"^(#+) `?{re.escape(title)}`?\s*$", text, re.MULTILINE)
    assert found, f"there is no heading `{title}`"
    rest = text[found.end() :]
    end = re.search(rf"^#{{1,{len(found[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def test_the_page_of_the_command_line_is_the_one_that_the_program_makes():
    made = runpy.run_path(str(DOCS / "make_cli.py"))["write_page"]()
    assert page("cli.md") == made, "run `make docs`"


def test_the_page_of_the_agents_is_made_from_the_agents():
    made = runpy.run_path(str(DOCS / "make_agents.py"))["make_page"]()
    assert page("agents.md") == made, "run `make docs`"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_and_every_option_is_in_the_page(name):
    said = section(page("cli.md"), name)
    for parameter in command_of(name).params:
        if isinstance(parameter, click.Option) and not parameter.hidden:
            for word in parameter.opts:
                assert f"`{word}`" in said, f"{name} {word}"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_says_what_it_does_and_every_option_has_help(name):
    command = command_of(name)
    assert command.help
    assert "\\b" not in command.help, "click wants the character, so no raw docstring"
    silent = [
        each.opts[-1]
        for each in command.params
        if isinstance(each, click.Option) and not each.help and not each.hidden
    ]
    assert not silent


@pytest.mark.parametrize("name", sorted(checks))
def test_every_check_has_its_page_with_every_argument(name):
    said = section(page("checks.md"), name)
    for argument in arguments_of(checks[name]).__struct_fields__:
        assert f"`{argument}`" in said or f"{argument}:" in said, argument


@pytest.mark.parametrize("code", Exit, ids=lambda code: code.name)
def test_every_exit_code_is_in_the_page(code):
    assert f"| {code.value} | {code.name} |" in page("exit-codes.md")


@pytest.mark.parametrize("key", [*KEYS, *AGENT_KEYS, *MCP_KEYS, *GATE_KEYS])
def test_every_key_of_the_configuration_is_in_the_page(key):
    assert f"| `{key}` | " in page("configuration.md")


@pytest.mark.parametrize("table", TABLES)
def test_every_table_of_the_configuration_is_in_the_page(table):
    assert f"`[{table}" in page("configuration.md")


def test_the_page_of_the_configuration_names_no_key_that_is_none():
    named = set(re.findall(r"^\| `(\w+)` \|", page("configuration.md"), re.MULTILINE))
    assert named == {*KEYS, *AGENT_KEYS, *MCP_KEYS, *GATE_KEYS}


def test_the_example_of_the_configuration_is_understood(tmp_path):
    from audition.config import load_config

    (example,) = re.findall(r"```toml\n(.*?)```", page("configuration.md"), re.DOTALL)
    assert tomllib.loads(example)
    (tmp_path / "audition.toml").write_text(example, "utf-8")
    assert load_config(tmp_path).agents


@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_of_the_ladder_is_explained(rung):
    assert f"| `{rung}` | " in section(page("sentence.md"), "The ladder")


ROOMS = sorted(
    path.stem
    for path in (ROOT / "src" / "audition").iterdir()
    if not path.stem.startswith("_") and (path.suffix == ".py" or (path / "__init__.py").exists())
)


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_in_the_design(room):
    assert f"`{room}`" in section(page("design.md"), "The rooms")


def test_every_page_is_in_the_table_of_contents():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text("utf-8")))
    assert listed == {path.relative_to(DOCS).as_posix() for path in PAGES}


OUTSIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
OUTSIDE += sorted((ROOT / "benchmarks").glob("*.md"))


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: path.name)
def test_what_the_pages_outside_of_the_site_link_to_is_there(path):
    targets = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text("utf-8"))
    assert [each for each in targets if not (path.parent / each).exists()] == []


def test_the_readme_fits_a_stranger_s_patience_and_shows_a_picture_of_the_report():
    text = (ROOT / "README.md").read_text("utf-8")
    assert len(text.splitlines()) < 150
    (picture,) = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text)
    data = (ROOT / picture).read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) < 250_000


@pytest.mark.parametrize("name", sorted(agents))
def test_every_agent_is_in_the_readme(name):
    assert re.search(rf"`{name}[:`]", (ROOT / "README.md").read_text("utf-8"))


DECISIONS = sorted({*(DOCS / "decisions").glob("*.md")} - {DOCS / "decisions" / "index.md"})


@pytest.mark.parametrize("path", DECISIONS, ids=lambda path: path.stem)
def test_every_decision_is_listed_and_says_why_and_what_it_costs(path):
    text = path.read_text("utf-8")
    assert f"]({path.name})" in page("decisions/index.md")
    for word in ("**Decided.**", "**Why.**", "**What it costs.**"):
        assert word in text


def blocks_of(path: Path) -> list[tuple[str, str]]:
    return re.findall(r"^```(\w+)\n(.*?)^```", path.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "path", [ROOT / "README.md", DOCS / "getting-started.md"], ids=lambda path: path.name
)
def test_what_a_newcomer_is_told_to_type_works(path, tmp_path):
    for place in ("skills", "examples/skills"):
        shutil.copytree(ROOT / "examples" / "skills", tmp_path / place)
    scripts = sysconfig.get_path("scripts")
    env = {**os.environ, "PATH": f"{scripts}:{os.environ['PATH']}", "NO_COLOR": "1"}
    told = ""
    for kind, text in blocks_of(path):
        if kind == "yaml":
            (tmp_path / "cases.yaml").write_text(text, "utf-8")
        elif kind == "text":
            assert text in told, "the page shows what the program does not print"
        elif kind == "console":
            for line in text.splitlines():
                words = line.removeprefix("$ ")
                if words.startswith(("make ", ". ")):
                    continue  # the set-up, which the tests themselves needed
                done = subprocess.run(
                    ["bash", "-c", words], cwd=tmp_path, env=env, capture_output=True, text=True,
                    stdin=subprocess.DEVNULL, timeout=120, check=False,
                )  # fmt: skip
                assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
                told = done.stdout


SHOWN = [
    (path.relative_to(ROOT).as_posix(), line)
    for path in [ROOT / "README.md", *PAGES]
    for block in re.findall(
        r"```(?:console|sh)\n(.*?)```", path.read_text("utf-8").replace("\\\n", " "), re.DOTALL
    )
    for line in block.splitlines()
    if re.match(r"(\$ )?audition\b", line.strip())
]


@pytest.mark.parametrize(("where", "line"), SHOWN, ids=[f"{a}: {b}" for a, b in SHOWN])
def test_every_command_line_that_the_pages_show_is_one_that_the_program_takes(where, line):
    import shlex

    words = shlex.split(line.strip().removeprefix("$ "), comments=True)[1:]
    words = words[: next((i for i, w in enumerate(words) if w in {">", "|", "&&"}), None)]
    if not words or words[0].startswith("-") or words[0] == "COMMAND":
        return
    command = command_of(words[0])
    command.make_context(words[0], words[1:], resilient_parsing=False)


def test_the_page_of_reports_names_every_key_of_a_trial():
    page = (DOCS / "reports.md").read_text()
    told = page[page.index("## results.json") :]
    keys = {*Record.__struct_fields__, *Evidence.__struct_fields__, *Grade.__struct_fields__}
    keys |= {*Spent.__struct_fields__, *Commands.__struct_fields__, *State.__struct_fields__}
    assert not [each for each in keys if not re.search(rf"[`\".]{each}[`\".]", told)]
