"""What was imported and written down in our format is the same, and comes to the same."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audition.case_file import load_suites
from audition.cases.to_yaml import join_suites, to_yaml
from audition.model import Case, CheckSpec, Criterion, Suite

FIXTURES = Path(__file__).parent / "fixtures" / "formats"
FOLDERS = sorted(each.name for each in FIXTURES.iterdir())


def copy(name, tmp_path):
    """The example without the pattern that nothing can run."""
    folder = shutil.copytree(FIXTURES / name, tmp_path / name)
    for path in folder.rglob("prompts.csv"):
        path.write_text(path.read_text("utf-8").replace("(?=look)", "WELCOME"), "utf-8")
    return folder


def nature(case):
    """All that a case is, but for where it stands."""
    settings_ = {key: value for key, value in case.settings.items() if key != "unknown_keys"}
    return msgspec.structs.replace(case, file="", line=1, settings=settings_)


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("name", FOLDERS)
def test_what_was_written_down_is_read_as_the_same(name, absolute, tmp_path):
    suites = load_suites([copy(name, tmp_path)])
    for number, group in enumerate(join_suites(suites)):
        path = tmp_path / "out" / f"{number}.cases.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(to_yaml(group, None if absolute else path.parent), "utf-8")
        (again,) = load_suites([path])
        assert again.policy == group[0].policy
        assert {each.path for each in again.skills} == {each.path for each in group[0].skills}
        cases = [case for suite in group for case in suite.cases]
        assert list(map(nature, again.cases)) == list(map(nature, cases))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
NAME = TEXT.filter(str.strip)
CHECK = st.one_of(
    st.builds(
        lambda text, fold: CheckSpec(
            name="answer_contains", arguments={"text": text, "ignore_case": fold}
        ),
        NAME,
        st.booleans(),
    ),
    st.builds(
        lambda count: CheckSpec(name="max_commands", arguments={"count": count}),
        st.integers(0, 99),
    ),
    st.just(CheckSpec(name="json_valid")),
)


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    cases=st.lists(
        st.builds(
            Case,
            id=NAME,
            prompt=TEXT,
            then=st.lists(TEXT, max_size=2).map(tuple),
            skill=st.none() | st.sampled_from(["greeting", "code-style"]),
            should_trigger=st.booleans(),
            checks=st.lists(CHECK, max_size=2).map(tuple),
            rubric=st.lists(NAME, max_size=1).map(
                lambda all_: tuple(Criterion(id="1", question=each) for each in all_)
            ),
            timeout_s=st.none() | st.floats(0.001, 1e6),
            trials=st.none() | st.integers(1, 9),
            tags=st.lists(TEXT, max_size=2).map(tuple),
            judge=st.none() | st.booleans(),
            env=st.dictionaries(st.sampled_from(["A", "B"]), TEXT.filter(lambda t: "\0" not in t)),
            settings=st.dictionaries(st.sampled_from(["one", "two"]), NAME | st.integers(-9, 9)),
        ),
        min_size=1,
        max_size=3,
        unique_by=lambda each: each.id,
    )
)
def test_any_case_survives_being_written_down(cases, tmp_path_factory):
    skills = load_suites([FIXTURES / "skilljack"])[0].skills
    replace = msgspec.structs.replace
    cases = [
        replace(each, should_trigger=bool(each.skill) and each.should_trigger) for each in cases
    ]
    path = tmp_path_factory.mktemp("any") / "cases.yaml"
    suite = Suite(file="x", cases=tuple(cases), skills=skills)
    path.write_text(to_yaml([suite], path.parent), "utf-8", newline="")
    (again,) = load_suites([path])
    assert list(map(nature, again.cases)) == list(map(nature, cases))


def run(paths, out, agent):
    argv = [sys.executable, "-m", "audition", "run", *map(str, paths), "--out", str(out)]
    argv += ["-a", agent, "-q", "--output-format", "jsonl", "--no-fsync"]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    records = [json.loads(line) for line in done.stdout.splitlines()]
    keys = ("skill", "should_trigger", "status", "strict", "policy")
    return sorted([r["case"], *(str(r.get(key)) for key in keys)] for r in records)


@pytest.mark.parametrize("agent", ["oracle", "understudy", "nop"])
@pytest.mark.parametrize(
    "name", ["skilljack", "skilljack-evals", "skilljack-tasks", "pkbllm", "cat"]
)
def test_a_converted_suite_comes_to_the_same_verdicts(name, agent, tmp_path):
    folder = copy(name, tmp_path)
    into = tmp_path / "converted"
    into.mkdir()
    for number, group in enumerate(join_suites(load_suites([folder]))):
        (into / f"{number}.cases.yaml").write_text(to_yaml(group, into), "utf-8")
    # A file by its name: for a folder pkbllm makes cases for skills that have none.
    files = [suite.file for suite in load_suites([folder])]
    before = run(files, tmp_path / "a", agent)
    assert before == run([into], tmp_path / "b", agent)
    statuses = {line[3] for line in before}
    if agent == "oracle":
        assert statuses == {"pass"}
    if agent == "nop":
        assert all(line[3] == "fail" for line in before if line[2] == "True")


@pytest.mark.parametrize("name", ["skillgrade", "waza", "promptfoo", "tessl"])
def test_the_oracle_does_every_example_right(name, tmp_path):
    lines = run([FIXTURES / name], tmp_path / "a", "oracle")
    assert {line[3] for line in lines} == {"pass"}
