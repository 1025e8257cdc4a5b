"""How an agent is signed in: what is found first, and what is never passed on."""

import json

import pytest

from audition.agent import find_agent
from audition.sign_in import find_sign_in

claude, codex = find_agent("claude"), find_agent("codex")


def test_a_key_comes_before_a_login_and_is_told_by_its_name_only(tmp_path):
    file = tmp_path / ".claude" / ".credentials.json"
    file.parent.mkdir()
    file.write_text(json.dumps({"claudeAiOauth": {"accessToken": "TOKEN", "expiresAt": 9e15}}))
    by_key = find_sign_in(claude, {"ANTHROPIC_API_KEY": "k"}, tmp_path)
    assert (by_key.how, by_key.env, by_key.links) == ("ANTHROPIC_API_KEY", {}, {})
    by_login = find_sign_in(claude, {}, tmp_path)
    assert by_login.how == "~/.claude/.credentials.json"
    assert by_login.env == {"CLAUDE_CODE_OAUTH_TOKEN": "TOKEN"}
    assert by_login.links == {}, "a program that has the file would renew it"
    file.write_text(json.dumps({"claudeAiOauth": {"accessToken": "TOKEN", "expiresAt": 1}}))
    assert "expired" in find_sign_in(claude, {}, tmp_path).problem
    file.unlink()
    assert find_sign_in(claude, {}, tmp_path).how == ""


def write(path, held):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(held if isinstance(held, str) else json.dumps(held))


def test_an_address_alone_signs_nobody_in(tmp_path):
    assert find_sign_in(claude, {"ANTHROPIC_BASE_URL": "http://gateway"}, tmp_path).how == ""


def test_a_key_that_only_the_user_s_settings_hold_is_passed_on_with_its_address(tmp_path):
    settings = tmp_path / ".claude" / "settings.json"
    env = {"ANTHROPIC_AUTH_TOKEN": "T", "ANTHROPIC_BASE_URL": "http://gateway", "EDITOR": "vi"}
    write(settings, {"env": env, "hooks": {}})
    found = find_sign_in(claude, {}, tmp_path)
    assert found.how == "~/.claude/settings.json"
    assert found.env == {"ANTHROPIC_AUTH_TOKEN": "T", "ANTHROPIC_BASE_URL": "http://gateway"}
    assert find_sign_in(claude, {"ANTHROPIC_API_KEY": "k"}, tmp_path).how == "ANTHROPIC_API_KEY"


@pytest.mark.parametrize("held", ["", "[]", "nonsense", {}, {"env": []}, {"env": {"A": "b"}}])
def test_settings_without_a_key_leave_the_login(tmp_path, held):
    write(tmp_path / ".claude" / "settings.json", held)
    assert find_sign_in(claude, {}, tmp_path).how == ""
    write(tmp_path / ".claude" / ".credentials.json", {"claudeAiOauth": {"accessToken": "TOKEN"}})
    found = find_sign_in(claude, {}, tmp_path)
    assert (found.how, found.problem) == ("~/.claude/.credentials.json", "")


def test_a_key_that_a_program_prints_is_told_and_gives_way_to_a_login(tmp_path):
    write(tmp_path / ".claude" / "settings.json", {"apiKeyHelper": "/usr/bin/print-key"})
    found = find_sign_in(claude, {}, tmp_path)
    assert "apiKeyHelper" in found.problem
    assert "ANTHROPIC_API_KEY" in found.problem
    write(tmp_path / ".claude" / ".credentials.json", {"claudeAiOauth": {"accessToken": "TOKEN"}})
    assert find_sign_in(claude, {}, tmp_path).env == {"CLAUDE_CODE_OAUTH_TOKEN": "TOKEN"}


def test_a_login_is_found_where_the_user_moved_it(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / ".credentials.json", {"claudeAiOauth": {"accessToken": "TOKEN"}})
    write(elsewhere / "auth.json", {})
    home = tmp_path / "home"
    write(home / ".claude" / ".credentials.json", {"claudeAiOauth": {"accessToken": "OLD"}})
    found = find_sign_in(claude, {"CLAUDE_CONFIG_DIR": str(elsewhere)}, home)
    assert found.env == {"CLAUDE_CODE_OAUTH_TOKEN": "TOKEN"}
    assert found.how == str(elsewhere / ".credentials.json")
    linked = find_sign_in(codex, {"CODEX_HOME": str(elsewhere)}, home)
    assert linked.links == {".codex/auth.json": str(elsewhere / "auth.json")}
