"""The story of one trial, told on a real workspace, a real agent and a real store."""

import json
import os

import msgspec
import pytest

from audition.attempt import Means
from audition.config import Config
from audition.grading import grade_sealed
from audition.installed import Ready, configure_agent
from audition.kept import Bad
from audition.model import Case, Commands, Record, Trial
from audition.patience import Patience
from audition.provider import Provider, parse_policy
from audition.sandbox import sandboxes
from audition.shown import Sights
from audition.skills import read_skill
from audition.store import open_run
from audition.trial import House, run_trial
from audition.workspace import keep_inputs
from audition.yardstick import Grading


@pytest.fixture
def house(tmp_path):
    folder = tmp_path / "skills" / "greeting"
    folder.mkdir(parents=True)
    text = "---\nname: greeting\ndescription: Greet a person warmly.\n---\n```say\nSALVE\n```\n"
    (folder / "SKILL.md").write_text(text)
    skills = {"greeting": read_skill(folder)}
    agent = configure_agent("understudy", Config())
    run = open_run(tmp_path / "runs", "r", resume=False, fsync=False)
    keep_inputs(run.path, skills, [])
    provider = Provider(parse_policy("live"), None)
    means = Means(run=run.path, skills=skills, sandbox=sandboxes["home"], provider=provider)
    yield House(
        run=run,
        grading=Grading(run=run.path, skills=skills, agents={"understudy": agent}),
        ready={"understudy": Ready(agent=agent, version="1")},
        means=means,
        patience=Patience(),
        sights=Sights(run.path / "shown", means),
    )
    run.close()


def a_trial(**case):
    case = {"id": "a", "prompt": "greet a person", "skill": "greeting", **case}
    return Trial(
        id="greeting/a/understudy+native/1", place="greeting/a/understudy+native/1", index=0,
        case=Case(**case), agent="understudy", delivery="native", model=None, number=1,
        skills=("greeting",), timeout_s=30,
    )  # fmt: skip


def test_a_trial_is_staged_asked_sealed_graded_and_kept(house):
    record = run_trial(a_trial(), house)
    assert (record.status, record.skills[0].how) == ("pass", "skill-tool")
    folder = house.run.path / record.dir
    assert json.loads((folder / "grade.json").read_bytes())["status"] == "pass"
    assert json.loads((folder / "meta.json").read_bytes())["trial"]["case"]["id"] == "a"
    assert "SALVE" in (folder / "trace.jsonl").read_text()
    answer = (folder / "final.txt").read_text()
    assert "SALVE" in answer
    (folder / "final.txt").unlink()
    grade_sealed(folder, house.grading)
    assert (folder / "final.txt").read_text() == answer


def test_what_cannot_run_here_asks_nobody(house):
    record = run_trial(msgspec.structs.replace(a_trial(), ineligible="not here"), house)
    assert (record.status, record.reason, record.seconds) == ("ineligible", "not here", None)


@pytest.mark.parametrize("why", ["ineligible", "fixture"])
def test_how_many_commands_ran_is_unknown_where_no_session_was_read(house, why):
    if why == "ineligible":
        record = run_trial(msgspec.structs.replace(a_trial(), ineligible="not here"), house)
    else:
        bad = msgspec.structs.replace(house, bad=Bad(fixtures={"/x": "a link leaves it"}))
        record = run_trial(a_trial(fixture="/x"), bad)
    kept = json.loads((house.run.path / record.dir / "grade.json").read_bytes())
    assert kept["commands"] == {"total": None, "effective": None}
    older = msgspec.structs.replace(record, commands=Commands(total=0, effective=0))
    assert msgspec.json.decode(msgspec.json.encode(older), type=Record) == older


def test_a_session_without_a_command_had_none(house):
    kept = run_trial(a_trial(), house)
    assert kept.commands == Commands(total=0, effective=0)


def test_a_bad_fixture_is_an_error_of_that_trial(house):
    bad = msgspec.structs.replace(house, bad=Bad(fixtures={"/x": "a link leaves it"}))
    record = run_trial(a_trial(fixture="/x"), bad)
    assert (record.status, record.reason) == ("error", "a link leaves it")


def test_a_skill_that_cannot_be_copied_is_an_error_of_the_cases_about_it_alone(house):
    key = next(iter(house.means.skills))
    name = house.means.skills[key].name
    bad = msgspec.structs.replace(house, bad=Bad(skills={key: "a pipe is in it"}))
    about = run_trial(a_trial(skill=name), bad)
    assert (about.status, about.reason) == ("error", "a pipe is in it")
    quiet = run_trial(a_trial(skill=name, should_trigger=False), bad)
    assert (quiet.status, quiet.reason) == ("error", "a pipe is in it")
    other = run_trial(a_trial(id="other", skill="elsewhere"), bad)
    assert (other.status, [each.skill for each in other.skills]) == ("fail", [])


def test_where_all_must_stay_quiet_a_skill_that_is_not_there_proves_nothing(house):
    bad = msgspec.structs.replace(house, bad=Bad(skills={"greeting": "a pipe is in it"}))
    record = run_trial(a_trial(skill=None, should_trigger=False), bad)
    assert (record.status, record.reason) == ("error", "a pipe is in it")


def test_a_stopped_trial_leaves_nothing(house):
    means = msgspec.structs.replace(house.means, stop=lambda: True)
    stopping = msgspec.structs.replace(house, means=means)
    assert run_trial(a_trial(), stopping) is None
    assert not list((house.run.path / ".staging").iterdir())
    assert not house.run.finished()


def test_the_harness_keeps_its_own_environment(house):
    before = dict(os.environ)
    run_trial(a_trial(env={"MINE": "{workspace}"}), house)
    assert dict(os.environ) == before
