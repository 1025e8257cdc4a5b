"""The bundled examples: the referees hold them to what they claim, each case really asked."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audition.agent import Ask, find_agent, read_trace
from audition.case_file import load_suites
from audition.commands.demo import find_examples
from audition.model import Call, Message, Result
from audition.understudy.choice import choose

EXAMPLES = find_examples()
SUITES = load_suites([EXAMPLES])
CASES = [pytest.param(suite, case, id=case.id) for suite in SUITES for case in suite.cases]
POSITIVES = [each for each in CASES if each.values[1].expected]
KINDS = {"explicit", "implicit", "near-miss"}


def ask(root, suite, case, name):
    for skill in suite.skills:
        shutil.copytree(skill.path, root / ".agents/skills" / skill.folder)
    agent = find_agent(name)
    words = Ask(case=case, model=None, delivery="native", workspace=str(root), home=str(root))
    command = agent.command(words)
    done = subprocess.run(
        command.argv, cwd=root, env={}, input=command.stdin, capture_output=True, check=True
    )
    return read_trace(agent, enumerate(done.stdout.splitlines(), start=1))


def loaded(trace):
    """The skills whose body reached the conversation."""
    calls = {each.id: each for each in trace.events if isinstance(each, Call)}
    results = [each for each in trace.events if isinstance(each, Result) and not each.failed]
    called = {calls[each.id].skill for each in results if calls[each.id].does == "skill"}
    return called | {e.skill for e in trace.events if isinstance(e, Message) and e.skill}


def holds(check, trace, root):
    """Whether a check of the examples holds; the real checks have tests of their own."""
    name, wants = check.name, check.arguments
    file = root / wants.get("path", ".")
    if name.startswith("answer_"):
        found = re.search(wants.get("pattern") or re.escape(wants["text"]), trace.answer)
        return (not found) if name == "answer_lacks" else bool(found)
    if name == "resource_read":
        read = [
            each.paths for each in trace.events if isinstance(each, Call) and each.does == "read"
        ]
        return any(path.endswith(f"/{wants['path']}") for paths in read for path in paths)
    if not file.is_file():
        return False
    if name == "file_exists":
        return True
    assert name in ("file_matches", "file_lacks"), name
    return bool(re.search(wants["pattern"], file.read_text("utf-8"))) is (name == "file_matches")


def is_right(suite, case, name, root):
    trace = ask(root, suite, case, name)
    assert trace.end.status == "completed"
    forbidden = {case.skill} if case.skill else {each.name for each in suite.skills}
    activated = loaded(trace)
    right = bool(activated & set(case.expected)) if case.expected else not activated & forbidden
    return right and all(holds(check, trace, root) for check in case.checks)


@pytest.mark.parametrize("name", ["oracle", "understudy"])
@pytest.mark.parametrize(("suite", "case"), CASES)
def test_the_oracle_and_the_understudy_do_every_example_right(suite, case, name, tmp_path):
    assert is_right(suite, case, name, tmp_path)


@pytest.mark.parametrize(("suite", "case"), POSITIVES)
def test_nop_does_no_positive_example_right(suite, case, tmp_path):
    assert not is_right(suite, case, "nop", tmp_path)


def test_every_skill_has_an_explicit_an_implicit_and_a_near_miss_case():
    skills = {each.parent.name for each in EXAMPLES.glob("skills/*/SKILL.md")}
    assert len(skills) == 6
    for skill in skills:
        cases = [each.values[1] for each in CASES]
        tags = {tag for case in cases if case.skill == skill for tag in case.tags}
        assert tags >= KINDS, skill


def test_each_suite_offers_every_skill_so_that_they_compete():
    for suite in SUITES:
        assert len(suite.skills) == 6
        assert not suite.losses


def test_one_skill_is_not_for_the_model_to_invoke():
    for suite in SUITES:
        shut = [each.name for each in suite.skills if not each.model_invocable]
        assert shut == ["deploy-checklist"]


def test_the_neighbours_do_not_pass_for_one_another(tmp_path):
    cases = {each.id: each.values for each in CASES}
    near = ask(tmp_path / "a", *cases["changelog-near-miss"], "understudy")
    other = ask(tmp_path / "b", *cases["release-notes-near-miss"], "understudy")
    assert (loaded(near), loaded(other)) == ({"release-notes"}, {"changelog-entry"})


def test_the_hard_near_miss_is_as_hard_as_its_comment_says():
    text = (EXAMPLES / "greeting.cases.yaml").read_text("utf-8")
    prompt = re.search(r"# - id: greeting-hard-near-miss\n *# +prompt: (.+)", text)[1]
    assert choose(prompt, {each.name: each.description for each in SUITES[0].skills}) == "greeting"


def demo(out, *words):
    argv = [sys.executable, "-m", "audition", "demo", "--out", str(out), *words]
    return subprocess.run(argv, cwd=out, capture_output=True, text=True, check=False)


def test_the_demo_passes_and_names_the_reports_it_wrote(tmp_path):
    done = demo(tmp_path)
    assert done.returncode == 0, done.stderr
    assert "understudy+native" in done.stdout
    reports = [Path(each) for each in re.findall(r"^report: (.+)$", done.stderr, re.MULTILINE)]
    assert [each.suffix for each in reports] == [".html", ".md"]
    for each in reports:
        assert "release-notes" in each.read_text("utf-8")


def test_the_demo_can_ask_the_referees(tmp_path):
    assert demo(tmp_path, "-a", "oracle", "-j", "2").returncode == 0
    assert demo(tmp_path, "-a", "nop").returncode == 1
    assert "did you mean `oracle`?" in demo(tmp_path, "-a", "orakle").stderr
