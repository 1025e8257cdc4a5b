"""The house rules: how the source must look, and what it must not bring along."""

import ast
import os
import re
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCES = sorted((ROOT / "src" / "audition").rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = {
    group: points
    for group, points in PROJECT["project"]["entry-points"].items()
    if group.startswith("audition.")
}
POINTS = [(group, name) for group, points in GROUPS.items() for name in points]
ATTICS = {"base", "common", "utils", "util", "helpers", "helper", "manager", "factory"} | {
    "context",
    "core",
    "misc",
    "lib",
}
HEAVY = {
    *("rich", "jinja2", "yaml", "starlette", "uvicorn", "re2", "fastjsonschema", "anyio"),
    *("sqlite3", "asyncio", "concurrent.futures", "multiprocessing", "http.server", "ssl"),
    *("mcp", "numpy", "scipy"),
}


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def run(*argv: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run(
        argv, cwd=ROOT, env=env, capture_output=True, text=True, timeout=120, check=False
    )


def tool(name: str) -> str:
    """A program installed beside the python that runs the tests."""
    return str(Path(sysconfig.get_path("scripts")) / name)


def committed() -> list[str]:
    listed = run("git", "ls-files", "-z")
    assert listed.returncode == 0, listed.stderr
    return [name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_a_module_is_short_and_opens_by_saying_what_it_is(path):
    text = path.read_text("utf-8")
    assert len(text.splitlines()) <= 300
    opening = (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0]
    assert len(opening.split()) >= 3, "the first line does not say what the module is"


def test_an_agent_in_one_file_is_at_most_150_lines():
    files = [each for each in SOURCES if each.parent.name == "agents"]
    assert len(files) > 8
    assert [each.name for each in files if len(each.read_text("utf-8").splitlines()) > 150] == []


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_no_room_is_an_attic(path):
    words = set(re.split(r"[_.]", path.stem)) | set(path.parent.relative_to(ROOT).parts)
    assert not words & ATTICS


def test_functions_are_small_and_take_few_arguments_whatever_a_comment_says():
    found = run(
        *(tool("ruff"), "check", "--isolated", "--no-cache", "--ignore-noqa"),
        *("--select", "PLR0913,PLR0915", "--output-format", "concise"),
        *("--config", "lint.pylint.max-args=6", "--config", "lint.pylint.max-statements=30"),
        "src",
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_source_is_clean_under_the_project_s_own_rules():
    found = run(tool("ruff"), "check", "--no-cache", "--output-format", "concise", "src")
    assert found.returncode == 0, found.stdout + found.stderr


def test_a_room_knows_only_the_floors_below_it():
    found = run(tool("lint-imports"), "--no-cache")
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_public_values_are_not_for_subclassing():
    allowed = {"Value", "Event", "Protocol", "Exception", "IntEnum", "Mapping", "Generic"}
    allowed |= {"AuditionError", "UsageError", "BadFile", "RunTrouble", "AgentMissing"}
    for path in SOURCES:
        if path.parent.name not in {"agents", "checks", "cases", "sandboxes", "executors"}:
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ClassDef):
                bases = {ast.unparse(each).partition("[")[0].split(".")[-1] for each in node.bases}
                assert bases <= allowed | {"Struct"}, f"{name_of(path)}: {node.name}"


def test_what_pyproject_lists_is_what_is_installed():
    for group, points in GROUPS.items():
        installed = {point.name: point.value for point in entry_points(group=group)}
        missing = {name for name, value in points.items() if installed.get(name) != value}
        assert not missing, f"install again: {group} lacks {sorted(missing)}"


@pytest.mark.parametrize(("group", "name"), POINTS, ids=[name for _, name in POINTS])
def test_every_plug_in_loads(group, name):
    (point,) = (each for each in entry_points(group=group) if each.name == name)
    assert point.load() is not None


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_asking_for_help_or_the_version_imports_nothing_heavy(word):
    told = run(sys.executable, "-X", "importtime", "-m", "audition", word)
    assert told.returncode == 0, told.stderr
    imported = set(re.findall(r"\|\s+([\w.]+)$", told.stderr, re.MULTILINE))
    assert "audition" in imported, "the import log could not be read"
    assert not imported & HEAVY


def test_nothing_committed_names_a_package_host():
    registry = re.compile(
        rb"|".join(
            [
                rb"https?://[^\s\"'<>]*/simp" + rb"le(/|\b)",
                rb"https?://[^\s\"'<>]*/packages/[0-9a-f]{2}/",
                rb"\bregist" + rb"ry\.[a-z]+\.(org|com|io|net)",
                rb"\bpy" + rb"pi\.(org|python)",
                rb"\bpythonho" + rb"sted\.org",
                rb"--(extra-)?index-" + rb"url",
            ]
        )
    )
    named = {
        name: found.group().decode()
        for name in committed()
        if not name.startswith("tests/traces/")
        and (found := registry.search((ROOT / name).read_bytes()))
    }
    assert not named


def test_nothing_committed_names_a_path_of_this_machine():
    here = {f"{ROOT}/", f"{ROOT}\n", f'{ROOT}"'}
    if not sys.base_prefix.startswith("/usr"):
        here.add(sys.base_prefix)
    if ROOT.parent not in {Path("/"), Path.home(), Path(tempfile.gettempdir())}:
        here |= {f"{each}/" for each in ROOT.parent.iterdir() if each.is_dir()}
    named = {
        name: path
        for name in committed()
        for path in here
        if path.encode() in (ROOT / name).read_bytes()
    }
    assert not named


def test_constraints_are_pins_and_nothing_else():
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert lines
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[\w.+!-]+", line)] == []


def test_constraints_pin_everything_that_is_installed_for_us():
    pinned = {
        line.partition("==")[0].lower().replace("_", "-")
        for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    }
    project = PROJECT["project"]
    asked = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {re.split(r"[\s<>=!~;\[]", each)[0].lower().replace("_", "-") for each in asked}
    assert names <= pinned


def test_the_changelog_has_a_place_for_what_is_not_released_yet():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.search(r"^## Unreleased$", text, re.MULTILINE)


@pytest.mark.parametrize("path", TESTS, ids=name_of)
def test_tests_use_real_processes_files_and_servers(path):
    doubles = {"subprocess", "socket", "Popen", "posix_spawn", "urllib", "http"}
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            assert not any(each.name.startswith("unittest.mock") for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            names = {each.name for each in node.names}
            assert node.module != "unittest.mock"
            assert not (node.module == "unittest" and "mock" in names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "monkeypatch.setattr":
            words = set(re.split(r"\W+", ast.unparse(node)))
            assert not words & doubles, f"line {node.lineno} replaces a real part"


DECIDES = [
    *("case_file", "check", "cli", "config", "evidence", "grading", "plan", "policy", "process"),
    *("registry", "report", "run", "selection", "shell", "skills", "stats", "store", "summary"),
    *("terminal", "trial", "understudy", "workspace"),
]


@pytest.mark.parametrize("room", DECIDES)
def test_a_room_that_decides_something_has_tests_of_its_own(room):
    named = re.compile(rf"\baudition\.{room}\b|from audition import [^\n]*\b{room}\b")
    assert any(
        path.stem == f"test_{room}" or named.search(path.read_text("utf-8")) for path in TESTS
    )
