"""Shell lines taken apart: words, wrappers, what is read and run, and looking around."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.shell import is_look_around, reads_in, runs_in, split_commands

FILES = ("/w/.agents/skills/x/SKILL.md",)


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("ls -la", ["ls -la"]),
        ("a; b && c || d | e & f\ng", ["a", "b", "c", "d", "e", "f", "g"]),
        ("bash -lc 'ls -la'", ["ls -la"]),
        ('/bin/zsh -lc "cd a && ls"', ["cd a", "ls"]),
        ("bash -c -x 'ls'", ["ls"]),
        ("sh s.sh -c x", ["sh s.sh -c x"]),
        ("A=1 B='2 3' make", ["make"]),
        ("env -u X A=1 make", ["make"]),
        ("timeout -k 5 10 make", ["make"]),
        ("sudo -u bob nice -n 5 nohup make", ["make"]),
        ("time command exec stdbuf -oL make", ["make"]),
        ("find . -name x -exec rm {} \\;", ["find . -name x -exec rm {} ;", "rm ./x"]),
        ("ls | xargs -n 1 rm -f", ["ls", "rm -f {}"]),
        ("echo $(rm x) `rm y`", ["rm x", "rm y", "echo $(rm x) `rm y`"]),
        ('echo "$(cat "a b")"', ["cat a b", 'echo $(cat "a b")']),
        ("echo '$(rm x)'", ["echo $(rm x)"]),
        ("diff <(ls a) <(ls b)", ["ls a", "ls b", "diff <(ls a) <(ls b)"]),
        ("(cd a; pwd) > f", ["cd a", "pwd"]),
        ("if [ -f a ]; then cat a; fi", ["[ -f a ]", "cat a"]),
        ("cat <<EOF\nrm x\nEOF\nls", ["cat", "ls"]),
        ("bash <<'EOF'\nrm x\nEOF\nls", ["rm x", "ls"]),
        ("cat <<EOF", ["cat"]),
        ("eval 'rm x'", ["rm x"]),
        ("ls # rm x", ["ls"]),
        ("echo a#b", ["echo a#b"]),
        ("ls \\\n -l", ["ls -l"]),
        ("echo 'half", ["echo half"]),
        ('echo "half', ["echo half"]),
        ("echo $(half", ["half", "echo $(half"]),
        ("echo $((1 + 2))", ["echo $((1 + 2))"]),
        ("", []),
        ("# nothing", []),
    ],
)
def test_a_line_is_its_simple_commands(line, commands):
    assert [" ".join(each) for each in split_commands(line)] == commands


@pytest.mark.parametrize(
    "line",
    [
        "",
        "ls",
        "pwd",
        "cd a && ls -la | head -5",
        "bash -lc 'ls -la'",
        "/bin/bash -lc 'ls -la'",
        '/bin/bash -lc "cat .agents/skills/x/SKILL.md"',
        "cat /w/.agents/skills/x/SKILL.md",
        "cat SKILL.md",
        "cat .agents/skills/*/SKILL.md",
        "cat .agents//skills/./x//SKILL.md",
        "cat .agents/skills/{x,x}/SKILL.md",
        "find .agents -name SKILL.md -exec cat {} +",
        "find . -name SKILL.md | xargs head -n 20",
        "sed -n '1,200p' .agents/skills/x/SKILL.md",
        "head -n 20 .agents/skills/x/SKILL.md",
        "cat < .agents/skills/x/SKILL.md",
        "cd .agents/skills/x && cat SKILL.md",
        "find . -name '*.py' 2>/dev/null",
        "ls 2>&1 | grep foo | wc -l",
        "echo hi >/dev/null",
        "command -v python3",
        "which node; type git",
        "test -f a && echo yes",
    ],
)
def test_looking_around_is_not_effective(line):
    assert is_look_around(line, FILES)


@pytest.mark.parametrize(
    "line",
    [
        "cat SKILL.md; rm -rf x",
        "cat skills/x/SKILL.md && rm -rf /",
        "echo hi > y",
        "ls > listing.txt",
        "bash -lc 'ls' > y",
        "echo $(rm -rf x)",
        'echo "`rm -rf x`"',
        "find . -delete",
        "find . -name x -exec rm {} ;",
        "find . -type f -exec cat {} +",
        "find . -name README.md -exec cat {} +",
        "find . -name SKILL.md -delete",
        "find . -name SKILL.md | xargs rm",
        "cat skills/{x,other}/SKILL.md",
        "ls | xargs cat",
        "ls | xargs rm",
        "cat README.md",
        "cat .agents/skills/x/references/a.md",
        "cat .agents/skills/other/SKILL.md",
        "cat ../x/SKILL.md README.md",
        "cat .agents/skills/x/SKILL.md README.md",
        "sed -i s/a/b/ .agents/skills/x/SKILL.md",
        "sed -n 'w out' .agents/skills/x/SKILL.md",
        "grep -r foo",
        "sort -o x y",
        "git status",
        "python3 -c 'print(1)'",
        "ls & make",
        "env A=1 make",
        "cat <<EOF > f\nhello\nEOF",
        "bash <<EOF\nrm x\nEOF",
        "ls " + "x" * 300_000,
        "sh -c 'sh -c \"" + "sh -c x; " * 20,
    ],
)
def test_everything_else_is_effective(line):
    assert not is_look_around(line, FILES)


def test_a_skill_that_was_not_offered_is_no_look_around():
    assert not is_look_around("cat SKILL.md", ())
    assert not is_look_around("cat .agents/skills/x/SKILL.md", ())


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("cat a b", ("a", "b")),
        ("sed -n 1,5p a", ("a",)),
        ("grep -n -A 3 foo a", ("a",)),
        ("grep -e foo a", ("a",)),
        ("head -n 5 a", ("a",)),
        ("awk -F , '{print $1}' a", ("a",)),
        ("cd d && cat a ../b /c", ("d/a", "b", "/c")),
        ("bash -lc 'cat a' | head", ("a",)),
        ("find d -name SKILL.md -exec cat {} +", ("d/SKILL.md",)),
        ("cat d/{x,y}/SKILL.md", ("d/x/SKILL.md", "d/y/SKILL.md")),
        ("cat {a,b}.{c,d}", ("a.c", "a.d", "b.c", "b.d")),
        ("cat {a} {1..3}", ("{a}", "{1..3}")),
        ("ruby -e 'puts File.read(\"x/SKILL.md\")'", ("x/SKILL.md",)),
        ("python -c \"print(open('a/b').read())\"", ("a/b",)),
        ("python - <<E\nfrom pathlib import Path\nPath('a').read_text()\nE", ("a",)),
        ("cat < a", ("a",)),
        ("echo $(cat a)", ("a",)),
        ("rm a", ()),
        ("cat 'a b", ("a b",)),
    ],
)
def test_the_files_that_a_line_reads(line, paths):
    assert reads_in(line) == paths


@pytest.mark.parametrize(
    ("line", "paths"),
    [
        ("python x/scripts/y.py --a b", ("x/scripts/y.py",)),
        ("python3.12 -u -W ignore y.py", ("y.py",)),
        ("bash s.sh", ("s.sh",)),
        ("./scripts/z a", ("./scripts/z",)),
        ("cd x && node scripts/a.js", ("x/scripts/a.js",)),
        ("timeout 5 bash -lc 'python x/y.py'", ("x/y.py",)),
        ("uv run --with a x.py", ("x.py",)),
        ("uv run python x.py", ("x.py",)),
        ("source env.sh", ("env.sh",)),
        ("sh < x/y.sh", ("x/y.sh",)),
        ("bash -s < y.sh", ("y.sh",)),
        ("sh y.sh < data", ("y.sh",)),
        ("python -m pytest", ()),
        ("python -c 'import x'", ()),
        ("ls scripts", ()),
    ],
)
def test_the_scripts_that_a_line_runs(line, paths):
    assert runs_in(line) == paths


PIECES = st.sampled_from(
    [
        *" \n\t\x0b;&|<>(){}'\"\\`$#=-*!~,[]",
        "$(",
        "<<EOF",
        "\nEOF\n",
        "bash -lc ",
        "cat ",
        "find . -exec ",
        "xargs ",
        "env ",
        "ab",
        "é",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join) | st.text(max_size=80))
def test_no_line_is_fatal(line):
    for words in split_commands(line):
        assert words
    reads_in(line)
    runs_in(line)
    assert is_look_around(line, FILES) in (True, False)


@given(st.lists(PIECES, max_size=30).map("".join))
def test_a_line_with_a_deed_behind_it_is_never_a_look_around(line):
    # A deed at the start of its own line cannot be undone by what follows.
    assert not is_look_around("rm -rf x\n" + line, FILES)


@pytest.mark.parametrize(
    "line", ["(" * 20_000, "$(" * 20_000, '"$(' * 5_000, "`" * 20_000, "bash -c " * 5_000]
)
def test_depth_is_bounded(line):
    split_commands(line)
    assert not is_look_around(line + "\nrm x", FILES) or line.startswith(("$(", '"', "`"))


def test_no_kind_of_space_stops_the_reader():
    assert split_commands("ls\x0b-l\x0ca\u00a0b\x1c") == (("ls", "-l", "a", "b"),)
