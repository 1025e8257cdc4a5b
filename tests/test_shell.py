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
        (
            "find a -exec b {} + -exec c {} ';'",
            ["find a -exec b {} + -exec c {} ;", "b {}", "c {}"],
        ),
        ("ls | xargs -n 1 rm -f", ["ls", "rm -f {}"]),
        ("sudo -Eu root make", ["make"]),
        ("sudo -nu root -- make", ["make"]),
        ("timeout -vk 5 10 make", ["make"]),
        ("script -qec 'make all' /dev/null", ["make all"]),
        ("su --command=make", ["make"]),
        ("bash -c $'a\\tb\\x3bc'", ["a b", "c"]),
        ("echo $'\\u00e9\\101\\e\\q' $\"x\"", ["echo éA\x1b\\q x"]),
        ("bash <<EOF\necho $(make)\nEOF", ["make", "echo $(make)"]),
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
        "set -e; ls",
        "set -euo pipefail\ncd a\nls",
        "export A=1; ls",
        "unset A; shopt -s nullglob; ls *.md",
        "printf '\\n'; ls",
        "ls; exit 0",
        "ls a || exit 1",
        "sudo -Eu root bash -c 'cat .agents/skills/x/SKILL.md'",
        "env -iu HOME ls",
        "nice -n5 ls",
        "xargs -0I {} ls {}",
        "script -qc 'ls' /dev/null",
        "script -q --command='ls -l' /dev/null",
        "su -lc ls bob",
        "bash -c $'ls\\npwd'",
        "ls $'a\\'b' $\"c\"",
        "echo ${x:-y} ${x#{} $((1 + (2)))",
        "cat <<'EOF'\n$(rm x)\nEOF",
        "cat <<EOF\n\\$(rm x) ${x:-`pwd`}\nEOF",
        "echo ${x:-${y:-$(pwd)}}",
        "echo $(<.agents/skills/x/SKILL.md)",
        "find . -exec ls {} \\; -exec file {} +",
        "tree -L 2 --noreport",
        "ls | grep -v foo | grep -f .agents/skills/x/SKILL.md",
        "S=.agents/skills; cat $S/x/SKILL.md",
        'for f in .agents/skills/*/SKILL.md; do echo $f; cat "$f"; done',
        'cat "$PWD/.agents/skills/x/SKILL.md"',
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
        "export A=1; make",
        "export A=$(rm x)",
        "printf x > y",
        "ls; exit $(rm x)",
        "sudo -Eu root bash -c 'rm x'",
        "script -qc 'rm x' /dev/null",
        "script -qc ls y",
        "script -c ls",
        "bash -c $'ls\\nrm x'",
        "$'\\x72m' x",
        "echo $'it\\'s'; rm x",
        'echo "${x:-it\'s}"; rm x; echo "\'"',
        "echo ${x#{}; rm x; echo }",
        "find . -exec ls {} \\; -exec rm {} \\;",
        "find . -ok ls {} + -execdir rm {} +",
        "$(<README.md)",
        "echo $(<README.md)",
        "echo $(< 'README.md' )",
        "echo ${x:-$(rm y)}",
        'echo "${x:=`rm y`}"',
        "echo ${x:-${y:-$(rm z)}}",
        "cat <<EOF\n$(rm x)\nEOF",
        "cat <<-EOF | wc\n\t`rm x`\n\tEOF",
        "cat <<EOF\n${x:-$(rm x)}\nEOF",
        "echo $(( $(rm x) ))",
        "echo $((rm x); ls)",
        "tree -o y",
        "tree -ao y",
        "sort -uo x",
        "ls | grep -f README.md",
        "ls | grep -vf README.md",
        "ls | grep -fREADME.md",
        "ls | grep --file=README.md",
        "grep -efoo README.md",
        "grep --regexp=foo README.md",
        "for f in README.md; do cat $f; done",
        "for c in ls rm; do $c x; done",
        "A=rm; $A x",
        "S=.agents/skills; S=other; cat $S/x/references/a.md",
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
        ("cat $(<a)", ("a", "$(<a)")),
        ('S="$PWD/d"; cat "$S/a" ${S}/b', ("d/a", "d/b")),
        ("S=d && T=$S/e; cat $T/a", ("d/e/a",)),
        ("export S=d T; bash -c 'cat $S/a'", ("d/a",)),
        ("S=d cat $S/a", ("$S/a",)),
        ("S=d; S=$(pwd)/e; cat $S/a", ("e/a",)),
        ("S=d; S+=e; cat $S/a $SS/b", ("$S/a", "$SS/b")),
        ("D=d; cd $D; cat $PWD/a $(pwd)/b $PWDS/c", ("d/a", "d/b", "$PWDS/c")),
        ("cd d && S=e && cat $(cat $S/a)", ("d/e/a", "$(cat e/a)")),
        ('for f in a d/*.md; do cat "$f"; done', ("a", "d/*.md")),
        (
            "for d in a b; do for f in x {y,z}; do cat $d/$f; done; done",
            ("a/x", "a/y", "a/z", "b/x", "b/y", "b/z"),
        ),
        ("grep -if pats a", ("a",)),
        ("grep -fpats a", ("a",)),
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
        ("S=x/scripts; python $S/y.py; $S/z", ("x/scripts/y.py", "x/scripts/z")),
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
        "${",
        "$'",
        "A=",
        "for A in ",
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
    "line",
    [
        *("(" * 20_000, "$(" * 20_000, '"$(' * 5_000, "`" * 20_000, "bash -c " * 5_000),
        *("${" * 20_000, "${ ${ }" * 20_000, "${$(}" * 20_000, "$((" * 20_000, "$'" * 20_000),
    ],
)
def test_depth_is_bounded(line):
    split_commands(line)
    assert not is_look_around(line + "\nrm x", FILES) or line.startswith(("$", '"', "`"))


def test_no_kind_of_space_stops_the_reader():
    assert split_commands("ls\x0b-l\x0ca\u00a0b\x1c") == (("ls", "-l", "a", "b"),)
