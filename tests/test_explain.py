"""`audition explain`, and the page of the documentation made from the same docstrings."""

import runpy
import textwrap
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from audition.check import bind, checks
from audition.commands.explain import explain, page
from audition.errors import UnknownName
from audition.model import CheckSpec
from audition.policy import policies, rules

ROOT = Path(__file__).resolve().parents[1]


def shown(*words):
    result = CliRunner().invoke(explain, words, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


def test_without_a_name_every_check_and_policy_is_listed_with_its_first_line():
    text = shown()
    for name in (*checks, *policies, "activation"):
        assert f"  {name} " in text
    for name in checks:
        assert page(checks[name]).splitlines()[0] in text


@pytest.mark.parametrize("name", list(checks))
def test_a_check_shows_its_whole_page_and_its_arguments(name):
    text = shown(name)
    assert page(checks[name]) in text
    assert "Arguments:" in text


def test_an_argument_says_what_it_takes():
    text = shown("answer_contains")
    assert "text: text, required" in text
    assert "where: all or last, by default last" in text
    assert "ignore_case: true or false, by default false" in text
    assert "seconds: a number, above 0" in shown("max_seconds").replace(
        "number above", "number, above"
    )


@pytest.mark.parametrize("name", sorted(policies))
def test_a_policy_shows_its_rules(name):
    text = shown(name)
    assert rules(policies[name])
    for rule in rules(policies[name]):
        assert rule in text


def test_activation_is_explained_though_nobody_writes_it():
    text = shown("activation")
    assert "should_trigger" in text
    assert all(rule in text for rule in rules(policies["default"]))


def test_an_unknown_name_names_the_nearest():
    with pytest.raises(UnknownName) as caught:
        shown("answer_contain")
    assert "answer_contains" in caught.value.hint


@pytest.mark.parametrize("name", list(checks))
def test_a_check_s_example_is_yaml_that_binds(name):
    _, _, example = page(checks[name]).partition("\nExample:\n")
    written = yaml.safe_load(textwrap.dedent(example))["checks"]
    assert written
    for each in written:
        ((used, arguments),) = each.items()
        assert used == name
        bind(CheckSpec(name=used, arguments=arguments))


def test_the_checks_page_is_what_the_docstrings_make():
    made = runpy.run_path(str(ROOT / "docs" / "make_checks.py"))["make_page"]()
    kept = (ROOT / "docs" / "checks.md").read_text("utf-8")
    assert kept == made, "write it again: .venv/bin/python docs/make_checks.py"
