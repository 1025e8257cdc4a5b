"""The embedded agents and the harness read the same front matter alike."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from audition.skills import read_skill
from audition.understudy.front import read_plain, split_front
from audition.understudy.shown import SKILLS_DIR, find_shown

EXAMPLES = Path(__file__).parent.parent / "examples"

WORDS = st.sampled_from(
    ["tea", "Brews tea for guests.", "use it: often", "it's", 'say "hi"', "a # b", "a#b", "a:b", "a:",
     "- a", "null", "Null", "~", "yes", "on", "1", "true", "True", "FALSE", "no", "0x1f", "2024-01-01",
     "[a, b]", "[a] [b]", "{a: b}", "*a", "&a b", "!!str a", "|", "> a", "%a", "@a", "`a`", "?", "=", "<<",
     "café 茶、お茶（緑）", "\u3000a\u3000", "a\u00a0", "a\u2028b", "a\x85b", "a\tb", "😀 tea", "a\x00", "--- a", ""]
)  # fmt: skip
ODD = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
TEXT = WORDS | ODD
ESCAPED = st.sampled_from(["a\\tb", 'a\\"b', "\\u00e9", "\\x41b", "a\\\\", "\\q", "two\\\n  lines"])
COMMENT = st.sampled_from(["", "", "", " # why", "   # it's", "#no", " #", "\t# tab", " ", "\t"])
KEYS = st.sampled_from(
    ["name", "description", "disable-model-invocation", "disable_model_invocation",
     "user-invocable", "user_invocable", "Name", '"name"', "'description'", "name ", "license",
     "allowed-tools", "when_to_use", "metadata", "? name", "- name"]
)  # fmt: skip
INDENT = st.sampled_from(["  ", "    ", " ", "\t", ""])


@st.composite
def values(draw):
    """What stands behind the colon, and the lines below that belong to it."""
    text, comment = draw(TEXT), draw(COMMENT)
    kind = draw(st.sampled_from(["plain", "plain", "plain", "double", "single", "block", "more"]))
    if kind == "double":
        return f'"{draw(TEXT | ESCAPED)}"{comment}'
    if kind == "single":
        return f"'{text}'{comment}"
    if kind == "plain":
        return text + comment
    mark = draw(st.sampled_from(["", ">", ">-", "|", "|-", ">+", "|2", ">-1", ">>"]))
    head = (mark if kind == "block" else draw(st.sampled_from([text, ""]))) + comment
    start = draw(INDENT)
    below = draw(st.lists(TEXT | st.sampled_from(["- a", "key: b", "  deeper", "# c"]), max_size=3))
    odd = draw(st.sampled_from(["", "", " ", "  "]))
    return "\n".join([head, *(f"{start}{odd * (n % 2)}{each}" for n, each in enumerate(below))])


@st.composite
def fronts(draw):
    """A SKILL.md, such as people and machines write them, and some that nobody should."""
    entries = draw(st.lists(st.tuples(KEYS, values()), max_size=5))
    lines = [
        f"{key}:{draw(st.sampled_from([' ', ' ', '  ', '']))}{value}" for key, value in entries
    ]
    lines += draw(
        st.lists(st.sampled_from(["# alone", "", "broken", "  hangs", "- item"]), max_size=1)
    )
    start = draw(st.sampled_from(["---", "---", "---", "--- ", " ---", "----"]))
    end = draw(st.sampled_from(["---", "---", "...", "--- ", ""]))
    text = "\n".join([start, *draw(st.permutations(lines)), end, "# Body", "", "Brew it.", ""])
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace(
        "\n", draw(st.sampled_from(["\n", "\r\n", "\r"]))
    )


def agree(workspace, text):
    """Both readings are the same; what they found."""
    folder = workspace / SKILLS_DIR / "the-folder"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_bytes(text.encode())
    (shown,) = find_shown(str(workspace)).values()
    known = read_skill(folder)
    wanted = (known.name, known.description, known.model_invocable, known.user_invocable)
    assert (shown.name, shown.description, shown.model_invocable, shown.user_invocable) == wanted
    return shown


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(fronts())
@example("---\nname: tea   # the short name\ndescription: Brews tea.\n---\n")
@example('---\n"name": bravo\ndescription: "a \\"b\\" \\u00e9"\n---\n')
@example("---\nname: x\ndescription: >- # folded\n  a\n  b\n---\n")
@example("---\nname: x\ndescription: Use when: odd\n---\n")
@example("---\nname: x\ndescription: >\n  a \n  b\n\n   c\nuser-invocable: off\n---\n")
@example("---\nname: x\n- y\ndescription: z\n---\n")
@example("---\nmetadata:\n- name: y\nname: x\ndescription: z\n---\n")
@example("---\nname: never closed\n")
@example("no front matter\n\nat all")
def test_the_understudy_and_the_harness_read_any_front_matter_alike(tmp_path_factory, text):
    agree(tmp_path_factory.getbasetemp() / "alike", text)


NEARLY_PLAIN = st.text("ab1é茶 ,.:#-'\"[]>|&*!~\\\u3000", min_size=1, max_size=10)
PLAIN_KEYS = st.sampled_from(["name", "license", "metadata", "user-invocable", "n-1"])


@settings(max_examples=600, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.tuples(PLAIN_KEYS, NEARLY_PLAIN | WORDS), max_size=2),
    st.lists(NEARLY_PLAIN | WORDS, min_size=1, max_size=2),
    st.sampled_from(["", ">-", "|", ">", "'", '"']),
)
def test_what_is_read_without_the_harness_is_read_as_it_does(
    tmp_path_factory, entries, texts, mark
):
    lines = [f"{key}: {text}" for key, text in entries]
    if mark in {">", ">-", "|"}:
        described = "\n".join([mark, *(f"  {each}" for each in texts)])
    else:
        described = mark + texts[0] + mark
    lines += ["metadata:", "  a: b", f"description: {described}"]
    agree(tmp_path_factory.getbasetemp() / "plain", "\n".join(["---", *lines, "---", "Body."]))


@pytest.mark.parametrize(
    ("front", "found"),
    [
        ("name: tea   # the short name", ("tea", True, True)),
        ('name: "alpha" # c', ("alpha", True, True)),
        ('"name": bravo', ("bravo", True, True)),
        ('name: "a\\tb"', ("a b", True, True)),
        ("disable-model-invocation: true  # by hand only", ("the-folder", False, True)),
        ("disable-model-invocation: yes", ("the-folder", False, True)),
        ("disable-model-invocation: on", ("the-folder", False, True)),
        ("disable_model_invocation: 1", ("the-folder", False, True)),
        ("user-invocable: Off", ("the-folder", True, False)),
    ],
)
def test_a_comment_a_quote_and_a_yes_mean_what_they_mean_to_the_harness(tmp_path, front, found):
    shown = agree(tmp_path, f"---\n{front}\ndescription: d\n---\nBody.\n")
    assert (shown.name, shown.model_invocable, shown.user_invocable) == found


def test_a_skill_without_a_description_is_shown_its_first_paragraph(tmp_path):
    assert agree(tmp_path, "---\nname: x\n---\n# X\n\nBrews\ntea.\n").description == "Brews tea."


PLAIN = """name: tea
description: {}
license: MIT
allowed-tools: Read, Bash(git:*)
argument-hint: [file]
metadata:
  version: 1.0
tags:
- hot
user-invocable: true"""


@pytest.mark.parametrize(
    ("written", "description"),
    [
        ("Brews tea (green, black) — for guests' mugs; see https://tea.example.", None),
        ("煎茶を淹れる。お茶（緑茶）が欲しいとき。", None),
        ('"Use when: tea is wanted, # or so"', "Use when: tea is wanted, # or so"),
        ("'Use when: tea'", "Use when: tea"),
        (">-\n  Brews tea.\n  Use when: thirsty # or not", "Brews tea. Use when: thirsty # or not"),
        ("|\n  Brews tea.\n  Often.", "Brews tea.\nOften."),
    ],
)
def test_what_nearly_every_skill_holds_takes_no_yaml_reader(tmp_path, written, description):
    keys = read_plain(PLAIN.format(written))
    assert keys["description"] == (description or written)
    assert (keys["argument-hint"], keys["metadata"], keys["user-invocable"]) == (None, None, "true")
    agree(tmp_path, f"---\n{PLAIN.format(written)}\n---\n")


def test_an_embedded_agent_starts_without_the_readers_of_the_harness(tmp_path):
    # They take as long to import as all else that it does.
    (tmp_path / ".agents").mkdir()
    (tmp_path / SKILLS_DIR).symlink_to(EXAMPLES / "skills")
    program = (
        "import sys; from audition.understudy import __main__ as m; s = m.Session('.', None);"
        "print(len(s.shown), *({'yaml', 'msgspec', 'pathlib', 'audition.model'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", program],
        cwd=tmp_path,
        env={"PYTHONPATH": str(Path(__file__).parent.parent / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert done.stdout.split() == [str(len(os.listdir(EXAMPLES / "skills")))]


def test_a_front_matter_ends_where_it_says():
    assert split_front("\ufeff---\r\nname: x\r\n...\r\nBody\r\n") == ("name: x", "Body\n")
    assert split_front("no front") == ("", "no front")
    assert split_front("---\nname: never closed\n") == ("", "---\nname: never closed\n")
