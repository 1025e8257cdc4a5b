"""Skills are found wherever they are, and read however they are written."""

import json
import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from audition.cli import run_words
from audition.errors import BadFile, UsageError
from audition.front_matter import read_front_matter
from audition.skills import find_skills, read_skill

GOOD = "---\nname: {name}\ndescription: Does {name}.\n---\nBody of {name}.\n"


def write_skill(folder: Path, text: str | bytes | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    text = GOOD.format(name=folder.name) if text is None else text
    (folder / "SKILL.md").write_bytes(text.encode() if isinstance(text, str) else text)
    return folder


def read(tmp_path: Path, front: str, body: str = "\nBody.\n"):
    return read_skill(write_skill(tmp_path / "it", f"---\n{front}\n---\n{body}"))


def messages(skill) -> str:
    return "\n".join(str(each) for each in skill.problems)


# Finding.


@pytest.mark.parametrize(
    "place",
    [
        "skills/a",
        "skills/group/deep/a",
        ".claude/skills/a",
        ".agents/skills/a",
        "plugin/skills/a",
        "plugins/x/skills/a",
        "a",
    ],
)
def test_without_paths_every_usual_place_is_looked_in(tmp_path, monkeypatch, place):
    write_skill(tmp_path / place)
    write_skill(tmp_path / "elsewhere/deep/not-usual")
    monkeypatch.chdir(tmp_path)
    assert [each.path for each in find_skills()] == [str(tmp_path / place)]


@pytest.mark.parametrize("given_path", [".", "a", "a/SKILL.md"])
def test_a_path_may_be_a_parent_a_skill_or_its_file(tmp_path, monkeypatch, given_path):
    write_skill(tmp_path / "a")
    monkeypatch.chdir(tmp_path)
    assert [each.name for each in find_skills([Path(given_path)])] == ["a"]


def test_skills_are_sorted_by_path_and_found_once(tmp_path):
    for name in ("b", "a", "c/d"):
        write_skill(tmp_path / name)
    (tmp_path / "again").symlink_to(tmp_path / "a")
    found = find_skills([tmp_path, tmp_path / "a"])
    assert [each.name for each in found] == ["a", "b", "d"]


def test_links_to_skills_are_followed_and_loops_are_not(tmp_path):
    real = write_skill(tmp_path / "elsewhere/a")
    skills = tmp_path / "skills"
    skills.mkdir()
    (skills / "link").symlink_to(real)
    (real / "loop").symlink_to(skills)
    (skills / "up").symlink_to(tmp_path)
    (skills / "dangling").symlink_to(tmp_path / "nowhere")
    assert [each.path for each in find_skills([skills])] == [str(skills / "link")]


def test_many_links_that_lead_to_the_same_place_cost_nothing(tmp_path):
    write_skill(tmp_path / "30/a")
    for level in range(30):
        folder = tmp_path / f"{level:02}"
        folder.mkdir()
        for link in "abc":
            (folder / link).symlink_to(tmp_path / f"{level + 1:02}")
    found = find_skills([tmp_path / "00"])
    assert [each.name for each in found] == ["a"]


@pytest.mark.parametrize("place", [".git/a", "node_modules/a", ".venv/a", "run/inputs/skills/a"])
def test_what_is_not_the_users_is_passed_by(tmp_path, place):
    write_skill(tmp_path / place)
    (tmp_path / "run").mkdir(exist_ok=True)
    (tmp_path / "run/run.json").write_text("{}")
    assert find_skills([tmp_path]) == ()


def test_a_path_that_is_no_skill_is_refused(tmp_path):
    (tmp_path / "x.txt").write_text("")
    for path in ("nowhere", "x.txt", "x" * 5000, "a\0b"):
        with pytest.raises(UsageError):
            find_skills([tmp_path / path])


def test_a_folder_whose_name_is_not_utf8_is_refused_and_files_in_it_are_not(tmp_path):
    folder = write_skill(tmp_path / "a")
    Path(os.fsdecode(os.fsencode(folder) + b"/caf\xe9.md")).write_text("")
    assert read_skill(folder).resources == ("caf?.md",)
    folder.rename(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9"))
    with pytest.raises(BadFile, match=r"caf\\udce9"):
        find_skills([tmp_path])


# Reading.


@pytest.mark.parametrize(
    ("front", "description"),
    [
        ("description: plain", "plain"),
        ("description: 'it''s'", "it's"),
        ('description: "a: b"', "a: b"),
        ("description: >\n  one\n  two\n\n  three", "one two\nthree"),
        ("description: >-\n  one\n  two", "one two"),
        ("description: |\n  one\n  two", "one\ntwo"),
        ("description:\n  one\n  two", "one two"),
        ("description: no", "no"),
        ("description: 2024-01-01", "2024-01-01"),
        ("description: 1:30:00", "1:30:00"),
        ("description: 007", "007"),
    ],
)
def test_a_description_is_read_as_it_is_written(tmp_path, front, description):
    skill = read(tmp_path, f"name: x\n{front}")
    assert (skill.description, skill.problems) == (description, ())


@pytest.mark.parametrize(
    ("front", "description"),
    [
        ("description: Use when: x\nname: y", "Use when: x"),
        ("description: Use when: x\n  and: y\nname: y", "Use when: x and: y"),
        ("description: >|\n  one\n  two\nname: y", "one two"),
        ("description: >- # folded\n\tone\n\ttwo\nname: y", "one two"),
        ("description: @home `now`\nname: y", "@home `now`"),
        ("description: a\n\tb\nname: y\nx: [", "a b"),
        ("description: 'never closed\nname: y", "'never closed"),
        ("description: [one, two]\nname: y", "[one, two]"),
        ("name: y\ndescription: a\x00b", "a\x00b"),
    ],
)
def test_front_matter_that_is_not_yaml_is_read_by_line_and_said(tmp_path, front, description):
    skill = read(tmp_path, front)
    assert (skill.name, skill.description) == ("y", description)
    assert [each.severity for each in skill.problems] == ["warning"]


def test_a_key_that_is_sound_by_itself_is_read_as_yaml_beside_one_that_is_not(tmp_path):
    front = """name: a # the name
description: "Use \\"it\\": it's it" # short
argument-hint: [file] [format]
disable-model-invocation: true # never by itself
user-invocable: 'no'   # nor by hand
"""
    skill = read(tmp_path, front)
    assert (skill.name, skill.description) == ("a", """Use "it": it's it""")
    assert skill.argument_hint == "[file] [format]"
    assert (skill.model_invocable, skill.user_invocable) == (False, False)
    assert "read line by line" in messages(skill)
    literal = "name: b\ndescription: |\n  one:\n    two\nargument-hint: [a] [b]\n"
    assert read(tmp_path / "b", literal).description == "one:\n  two"


def test_the_finding_names_the_line_of_the_colon(tmp_path):
    skill = read(tmp_path, "name: x\ndescription: Use when: x")
    assert [(each.line, each.severity) for each in skill.problems] == [(3, "warning")]
    assert skill.problems[0].column == len("description: Use when:")


def test_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path):
    raw = b"\xef\xbb\xbf---\r\nname: x\r\ndescription: >\r\n  a\r\n  b\r\n---\r\n\r\nBody\r\n"
    skill = read_skill(write_skill(tmp_path / "it", raw))
    assert (skill.name, skill.description, skill.body) == ("x", "a b", "Body")
    assert skill.problems == ()


def test_a_missing_name_is_the_folders(tmp_path):
    skill = read(tmp_path, "description: d")
    assert skill.name == "it"
    assert [each.severity for each in skill.problems] == ["note"]


def test_a_missing_description_is_the_first_paragraph(tmp_path):
    skill = read(tmp_path, "name: x", "\n# Title\n\nFirst\nparagraph.\n\nSecond.\n")
    assert skill.description == "First paragraph."
    assert "no `description`" in messages(skill)


@pytest.mark.parametrize(
    "text",
    ["", "just text", "---\nname: x\ndescription: d\n\nBody", "---\n---\n", "---\n- a\n---\n"],
)
def test_odd_front_matter_is_a_finding(tmp_path, text):
    assert read_skill(write_skill(tmp_path / "it", text)).problems


def test_front_matter_without_an_end_still_tells(tmp_path):
    skill = read_skill(write_skill(tmp_path / "it", "---\nname: x\ndescription: d\n\nBody"))
    assert (skill.name, skill.description, skill.body) == ("x", "d", "Body")


def test_bytes_that_are_not_utf8_are_replaced_and_said(tmp_path):
    skill = read_skill(write_skill(tmp_path / "it", b"---\nname: x\ndescription: caf\xe9\n---\n"))
    assert skill.description == "caf\ufffd"
    assert "not UTF-8" in messages(skill)


def test_a_replacement_character_that_is_really_there_is_no_finding(tmp_path):
    assert read(tmp_path, "name: x\ndescription: \ufffd").problems == ()


def test_a_yaml_bomb_is_refused_and_costs_nothing(tmp_path):
    bomb = "a: &a [x, x, x, x, x, x, x, x, x]\n"
    for one, two in zip("abcdefghi", "bcdefghij", strict=True):
        bomb += f"{two}: &{two} [{', '.join([f'*{one}'] * 9)}]\n"
    skill = read(tmp_path, f"name: x\ndescription: d\n{bomb}")
    assert (skill.name, skill.description) == ("x", "d")
    assert "aliases" in messages(skill)


def test_deep_front_matter_is_cut_off(tmp_path):
    skill = read(tmp_path, f"name: x\ndescription: d\ndeep: {'[' * 100_000}")
    assert (skill.name, skill.description) == ("x", "d")
    assert "deeper" in messages(skill)


def test_a_huge_file_is_capped_and_said(tmp_path):
    skill = read(tmp_path, "name: x\ndescription: d", "y" * 3_000_000)
    assert len(skill.body) == 64 * 1024
    assert "larger than" in messages(skill)


@pytest.mark.parametrize(
    ("front", "model", "user"),
    [
        ("", True, True),
        ("disable-model-invocation: true", False, True),
        ("disable-model-invocation: 'yes'", False, True),
        ("disable-model-invocation: False", True, True),
        ("user-invocable: no", True, False),
        ('user-invocable: "false"', True, False),
        ("user-invocable: TRUE\ndisable-model-invocation: on", False, True),
    ],
)
def test_who_may_invoke_it_are_two_questions(tmp_path, front, model, user):
    skill = read(tmp_path, f"name: x\ndescription: d\n{front}".rstrip())
    assert (skill.model_invocable, skill.user_invocable) == (model, user)
    assert skill.problems == ()


def test_a_flag_that_is_neither_is_a_finding(tmp_path):
    skill = read(tmp_path, "name: x\ndescription: d\nuser-invocable: perhaps")
    assert skill.user_invocable
    assert "neither true nor false" in messages(skill)
    assert [each.line for each in skill.problems] == [4]


@pytest.mark.parametrize("hint", ["[file]", "[file] [format]", "<a> --b", '"[file]"'])
def test_an_argument_hint_in_brackets_is_text(tmp_path, hint):
    skill = read(tmp_path, f"name: x\nargument-hint: {hint}\ndescription: d")
    assert skill.argument_hint == hint.strip('"')
    assert skill.description == "d"


def test_a_pipe_in_the_place_of_skill_md_hangs_nothing(tmp_path):
    (tmp_path / "it").mkdir()
    os.mkfifo(tmp_path / "it/SKILL.md")
    (skill,) = find_skills([tmp_path])
    assert skill.problems[0].severity == "error"


# The digest.


def test_the_digest_covers_names_bytes_and_what_may_be_run_and_nothing_else(tmp_path):
    folder = write_skill(tmp_path / "a")
    (folder / "ref").mkdir()
    (folder / "ref/x.md").write_text("1")
    first = read_skill(folder)
    assert first.resources == ("ref/x.md",)
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/x.pyc").write_text("")
    (folder / "ref/x.md").touch()
    assert read_skill(folder).digest == first.digest
    (folder / "ref/x.md").write_text("2")
    second = read_skill(folder).digest
    (folder / "ref/x.md").rename(folder / "ref/y.md")
    third = read_skill(folder).digest
    (folder / "ref/y.md").chmod(0o755)
    fourth = read_skill(folder).digest
    (folder / "ref/y.md").chmod(0o700)
    assert read_skill(folder).digest == fourth
    assert len({first.digest, second, third, fourth}) == 4


def test_a_link_is_digested_by_its_target_and_never_followed(tmp_path):
    folder = write_skill(tmp_path / "a")
    outside = tmp_path / "outside"
    outside.write_text("1")
    (folder / "link").symlink_to(outside)
    first = read_skill(folder).digest
    outside.write_text("2")
    assert read_skill(folder).digest == first
    (folder / "link").unlink()
    (folder / "link").symlink_to(tmp_path / "other")
    assert read_skill(folder).digest != first


# Whatever is in the file.

PIECES = st.sampled_from(
    ["---\n", "name: x\n", "description: ", ">|", "\n", "  ", ": ", "'", '"', "[", "&a ", "*a", "!!x ",
     "\r", "\x00", "\ufeff", "- ", "#", "user-invocable: ", "\t", "{", "? ", "|", "%", "..."]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(
    st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=30).map("".join).map(str.encode))
)
@example(b"---\n? [a]\n: b\n---\n")
@example(b"---\n*a : b\n---\n")
def test_no_bytes_crash_the_reader(raw):
    for text in (raw, b"---\n" + raw + b"\n---\nbody"):
        found = read_front_matter(text, "SKILL.md")
        assert found.name == " ".join(found.name.split())


# The command.


def test_the_command_prints_json(tmp_path, capsys):
    write_skill(tmp_path / "a")
    assert run_words(["skills", str(tmp_path), "--output-format", "json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)
    assert set(entry) == {
        "name", "description", "argument_hint", "path", "digest", "resources",
        "model_invocable", "user_invocable", "problems",
    }  # fmt: skip
    assert (entry["name"], entry["path"]) == ("a", str(tmp_path / "a"))


def test_the_command_shows_control_characters_harmlessly(tmp_path, capsys):
    write_skill(tmp_path / "a", '---\nname: x\ndescription: "a\\e[31mred"\n---\n')
    assert run_words(["skills", str(tmp_path)]) == 0
    shown = capsys.readouterr().out
    assert "\x1b" not in shown
    assert "\\x1b[31mred" in shown


def test_no_skills_is_an_error_with_a_hint(tmp_path, capsys):
    assert run_words(["skills", str(tmp_path)]) == 2
    assert "hint:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("about", "name"),
    [
        ('{"name": "cat"}', "cat"),
        ("{", ""),
        ("[]", ""),
        ('{"name": 3}', ""),
        ('{"name": "a b"}', ""),
    ],
)
def test_a_skill_of_a_plug_in_knows_its_name(tmp_path, about, name):
    (tmp_path / ".claude-plugin").mkdir()
    (tmp_path / ".claude-plugin" / "plugin.json").write_text(about)
    folder = tmp_path / "skills" / "status"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: status\ndescription: Tells.\n---\nx\n")
    assert read_skill(folder).plugin == name


def test_a_key_that_is_given_twice_is_told_with_both_lines(tmp_path):
    folder = tmp_path / "a"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: a\nname: b\ndescription: c\n---\n")
    [problem] = read_skill(folder).problems
    assert (problem.line, "is given twice" in problem.message) == (3, True)
    assert problem.hint == "the first is on line 2; it counts"


def test_the_texts_of_a_folder_are_known_by_what_they_alone_begin_with(tmp_path):
    folder = write_skill(tmp_path / "x")
    (folder / "ref").mkdir()
    licence = "Permission is granted to whoever asks.\n"
    words = "one\r\nword behind\r\nthe other one\r\n"
    (folder / "ref/a.md").write_bytes(b"\xef\xbb\xbf" + f"{licence}{words}".encode())
    (folder / "ref/b.md").write_text(licence + "The line that only this one has.\n")
    long = "".join(f"This is line {n} of the long one.\n" for n in range(9999))
    (folder / "ref/long.md").write_text(long)
    (folder / "ref/bin").write_bytes(b"\0" * 99)
    (folder / "ref/few").write_text("few words")
    (folder / "ref/latin").write_bytes(b"\xe4 line that is long enough to tell\n")
    (folder / "ref/link").symlink_to("/etc/passwd")
    os.mkfifo(folder / "ref/pipe")
    read = read_skill(folder)
    marks = dict(zip(read.resources, read.marks, strict=True))
    assert marks.pop("ref/a.md") == ("one\nword behind\nthe other one",)
    assert marks.pop("ref/b.md") == ("The line that only this one has.",)
    assert marks.pop("ref/long.md") == tuple(long.splitlines()[:8])
    assert marks.pop("ref/few") == ("few words",)
    assert marks == dict.fromkeys(("ref/bin", "ref/latin", "ref/link", "ref/pipe"), ())
