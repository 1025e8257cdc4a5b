"""The checks on workspace, layout, waste and the way to the skill: each passes, fails and errs."""

import pytest
from outcomes import an_outcome

from audition.check import BadArguments, bind, grade_check
from audition.globs import compile_glob, matching
from audition.model import Call, Changes, CheckSpec, Evidence, Message, Result, Usage


def grade(outcome, name, **arguments):
    found = grade_check(outcome, CheckSpec(name=name, arguments=arguments))
    assert found.reason.isprintable(), found.reason
    return found


def status(outcome, name, **arguments):
    return grade(outcome, name, **arguments).status


def refused(name, **arguments):
    with pytest.raises(BadArguments) as caught:
        bind(CheckSpec(name=name, arguments=arguments))
    return caught.value


def left(*events, **changes):
    return an_outcome(*events, sealed={"changes": Changes(**changes)})


def call(line, command="", **more):
    fields = {"does": "shell", "tool": "Bash", "command": command, "id": f"c{line}", **more}
    return Call(line=line, **fields)


# globs


@pytest.mark.parametrize(
    ("glob", "path", "fits"),
    [
        ("*.py", "a.py", True),
        ("*.py", "src/a.py", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "src/b/a.py", True),
        ("src/**", "src/b/a.py", True),
        ("src/**", "srcs/a.py", False),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("[ab].md", "b.md", True),
        ("[!ab].md", "b.md", False),
        ("[!ab].md", "c.md", True),
        ("[].md", "[].md", True),
        ("a.b", "axb", False),
        ("./a", "a", True),
        ("[", "[", True),
    ],
)
def test_a_glob_fits_what_it_says_and_nothing_else(glob, path, fits):
    assert matching(glob, [path]) == ([path] if fits else [])


def test_a_glob_may_fit_below_any_folder_but_only_whole_names():
    fits = compile_glob("src/*.py", anywhere=True).fullmatch
    assert fits("/tmp/x/src/a.py")
    assert fits("src/a.py")
    assert not fits("/tmp/xsrc/a.py")
    assert not compile_glob("/etc/*", anywhere=True).fullmatch("/tmp/etc/passwd")


# workspace


def test_an_added_file_that_fits_passes_with_the_line_of_the_call_that_wrote_it():
    wrote = Call(line=4, does="write", tool="Write", paths=("/w/out/a.xlsx",))
    found = grade(left(wrote, added=("out/a.xlsx",)), "files_added", paths=["out/*.xlsx"])
    assert (found.status, found.lines) == ("pass", (4,))


def test_a_file_that_was_changed_was_not_added():
    found = grade(left(changed=("a.md",)), "files_added", paths=["a.md"])
    assert (found.status, "added: none" in found.reason) == ("fail", True)
    assert status(left(changed=("a.md",)), "files_changed", paths=["a.md"]) == "pass"


def test_exactly_refuses_a_file_beside_those_that_fit():
    outcome = left(added=("a.md", "b.tmp"))
    assert status(outcome, "files_added", paths=["a.md"]) == "pass"
    found = grade(outcome, "files_added", paths=["a.md"], exactly=True)
    assert (found.status, "`b.tmp` was added too" in found.reason) == ("fail", True)


def test_every_glob_needs_a_file_of_its_own():
    assert status(left(removed=("a", "b")), "files_removed", paths=["a", "b"]) == "pass"
    assert status(left(removed=("a",)), "files_removed", paths=["a", "b"]) == "fail"


def test_a_file_that_was_not_kept_decides_nothing():
    outcome = left(added=("a.md",), refused=("big.bin",))
    assert status(outcome, "files_added", paths=["*.bin"]) == "error"
    assert status(outcome, "files_added", paths=["a.md"], exactly=True) == "error"
    assert status(outcome, "files_added", paths=["a.md"]) == "pass"
    assert status(outcome, "files_untouched", paths=["*.bin"]) == "fail"


def test_what_was_not_kept_was_not_removed_and_only_the_fixtures_can_have_changed(tmp_path):
    (tmp_path / "old.md").touch()
    outcome = left(changed=("a.md",), removed=("b.md",), refused=(".venv/bin/python3",))
    assert status(outcome, "files_removed", paths=["b.md"], exactly=True) == "pass"
    assert status(outcome, "files_changed", paths=["a.md"], exactly=True) == "pass"
    assert status(outcome, "files_changed", paths=["**/python3"]) == "fail"
    assert status(outcome, "files_removed", paths=["**/python3"]) == "fail"
    changes = Changes(added=("c.md",), changed=("a.md",), refused=("old.md",))
    linked = an_outcome(root=tmp_path, sealed={"changes": changes})
    assert status(linked, "files_changed", paths=["a.md"], exactly=True) == "error"
    assert status(linked, "files_changed", paths=["old.md"]) == "error"
    assert status(linked, "files_added", paths=["c.md"], exactly=True) == "pass"


def test_what_lay_in_a_folder_that_cannot_be_looked_into_may_be_gone(tmp_path):
    (tmp_path / "shut").mkdir()
    (tmp_path / "shut/a.md").touch()
    changes = Changes(removed=("b.md",), refused=("shut",))
    outcome = an_outcome(root=tmp_path, sealed={"changes": changes})
    assert status(outcome, "files_removed", paths=["b.md"]) == "pass"
    assert status(outcome, "files_removed", paths=["b.md"], exactly=True) == "error"
    assert status(outcome, "files_removed", paths=["shut/*.md"]) == "error"
    assert status(outcome, "layout", files=["shut/*.md"]) == "error"
    assert status(outcome, "layout", forbid=["shut/*.md"]) == "error"
    assert status(outcome, "named", path="shut/*", pattern=".*") == "error"


@pytest.mark.parametrize("what", ["added", "changed", "removed"])
def test_untouched_is_broken_by_any_change(what):
    outcome = left(**{what: ("src/a.py",)})
    found = grade(outcome, "files_untouched", paths=["src/**"])
    assert (found.status, what in found.reason) == ("fail", True)
    assert status(outcome, "files_untouched", paths=["docs/**"]) == "pass"


@pytest.mark.parametrize("glob", ["/etc/*", "../x", "~/x", "src/", "a\0"])
def test_a_glob_that_could_fit_nothing_is_refused_before_anything_is_asked(glob):
    assert refused("files_added", paths=[glob]).field == "paths"
    assert refused("layout", forbid=[glob]).field == "forbid"


# layout


def test_the_layout_is_what_is_there_and_what_is_not(tmp_path):
    (tmp_path / "src/app").mkdir(parents=True)
    (tmp_path / "src/app/__init__.py").touch()
    outcome = an_outcome(root=tmp_path)
    assert status(outcome, "layout", files=["src/*/__init__.py"], forbid=["*.py"]) == "pass"
    assert status(outcome, "layout", files=["tests/*"]) == "fail"
    assert status(outcome, "layout", forbid=["**/*.py"]) == "fail"
    assert "needs `files` or `forbid`" in str(refused("layout"))


def test_names_must_match_whole_and_something_must_be_there_to_be_named(tmp_path):
    (tmp_path / "r").mkdir()
    (tmp_path / "r/2026-01-02-x.md").touch()
    outcome = an_outcome(root=tmp_path)
    assert status(outcome, "named", path="r/*", pattern=r"\d{4}-\d{2}-\d{2}-[a-z]+\.md") == "pass"
    assert status(outcome, "named", path="r/*", pattern=r"\d{4}|x") == "fail"
    assert status(outcome, "named", path="s/*", pattern=".*") == "fail"
    assert refused("named", path="r/*", pattern="(?=x)").field == "pattern"


def test_what_was_not_kept_is_there_all_the_same(tmp_path):
    (tmp_path / "a.md").touch()
    (tmp_path / "now-a-link.md").touch()
    changes = Changes(refused=("BAD.md", "now-a-link.md", "x.orig"))
    outcome = an_outcome(root=tmp_path, sealed={"changes": changes})
    found = grade(outcome, "layout", forbid=["*.orig"])
    assert (found.status, "`x.orig`" in found.reason) == ("fail", True)
    assert status(outcome, "layout", forbid=["*.bak"]) == "pass"
    assert status(outcome, "layout", files=["*.orig"]) == "error"
    assert status(outcome, "layout", files=["now-a-link.md"]) == "error"
    assert status(outcome, "layout", files=["*.md"]) == "pass"
    assert status(outcome, "layout", files=["*.txt", "*.orig"]) == "fail"
    found = grade(outcome, "named", path="*.md", pattern="[a-z-]+[.]md")
    assert (found.status, "`BAD.md`" in found.reason) == ("fail", True)
    assert status(outcome, "named", path="*.md", pattern="[A-Za-z-]+[.]md") == "pass"
    assert status(outcome, "named", path="*.orig", pattern=".*") == "error"


# waste


def test_the_same_call_again_and_again_is_found_whatever_is_between():
    outcome = an_outcome(call(1, "make"), call(2, "ls"), call(3, "make"), call(4, "make"))
    found = grade(outcome, "max_repeats", count=2)
    assert (found.status, found.lines) == ("fail", (1, 3, 4))
    assert status(outcome, "max_repeats", count=3) == "pass"


def test_calls_with_other_arguments_or_in_another_conversation_are_not_the_same():
    one = Call(line=1, tool="Read", does="read", input={"path": "a", "limit": 1})
    two = Call(line=2, tool="Read", does="read", input={"limit": 2, "path": "a"})
    sub = Call(line=3, tool="Read", does="read", input={"path": "a", "limit": 1}, sub="t")
    assert status(an_outcome(one, two, sub), "max_repeats", count=1) == "pass"
    again = Call(line=4, tool="Read", does="read", input={"limit": 1, "path": "a"})
    assert status(an_outcome(one, two, again), "max_repeats", count=1) == "fail"


def test_a_loop_of_two_is_found_and_its_first_round_named():
    outcome = an_outcome(*(call(n, "ab"[n % 2]) for n in range(1, 8)))
    found = grade(outcome, "max_loops", count=2)
    assert (found.status, found.lines) == ("fail", (1, 2))
    assert "`b` → `a` 3× in a row" in found.reason
    assert status(outcome, "max_loops", count=3) == "pass"


def test_work_that_goes_on_is_no_loop_and_two_conversations_make_none():
    steps = [call(n, f"step {n}") for n in range(20)]
    assert status(an_outcome(*steps), "max_loops", count=1) == "pass"
    side = [call(1, "a"), call(2, "a", sub="t"), call(3, "b"), call(4, "b", sub="t")]
    assert status(an_outcome(*side), "max_loops", count=1) == "pass"
    assert status(an_outcome(), "max_loops", count=1) == "pass"


def test_calls_are_counted_whatever_the_tool():
    outcome = an_outcome(call(1), Call(line=2, tool="Read", does="read"))
    assert status(outcome, "max_calls", count=2) == "pass"
    assert grade(outcome, "max_calls", count=1).lines == (2,)


@pytest.mark.parametrize("name", ["max_calls", "max_repeats", "max_loops"])
def test_a_cut_trace_passes_no_cap(name):
    assert status(an_outcome(call(1), truncated=True), name, count=5) == "error"


def test_dollars_that_are_not_told_are_an_error():
    cheap = Usage(line=7, dollars=0.1, total=True)
    assert status(an_outcome(usage=cheap), "max_dollars", dollars=0.25) == "pass"
    assert grade(an_outcome(usage=cheap), "max_dollars", dollars=0.05).lines == (7,)
    assert status(an_outcome(), "max_dollars", dollars=1) == "error"
    assert status(an_outcome(usage=Usage(line=7)), "max_dollars", dollars=1) == "error"


# the way to the skill

LOADED = Evidence(skill="greeting", rung="loaded", lines=(5, 6))


def on_the_way(**more):
    events = (
        Message(line=1, text="I look around.", time=100.0),
        call(2, "ls"),
        Result(line=3, id="c2", time=101.0),
        Usage(line=4, input_tokens=10, output_tokens=2),
        Call(line=5, tool="Skill", does="skill", skill="greeting", id="c5", time=104.5),
        Result(line=6, id="c5", output="Say hällo."),
        Usage(line=7, input_tokens=20, output_tokens=3),
        Usage(line=8, input_tokens=1000, output_tokens=1000),
    )
    return an_outcome(*events, skills=more.pop("skills", (LOADED,)), **more)


@pytest.mark.parametrize(
    ("name", "took"),
    [
        ("turns_to_activation", 2),
        ("tokens_to_activation", 35),
        ("seconds_to_activation", 4.5),
    ],
)
def test_the_way_to_the_skill_is_measured_to_the_call_that_loaded_it(name, took):
    found = grade(on_the_way(), name, most=took)
    assert (found.status, found.lines) == ("pass", (5,)), found.reason
    assert status(on_the_way(), name, most=1) == "fail"


@pytest.mark.parametrize(
    "name", ["turns_to_activation", "tokens_to_activation", "seconds_to_activation"]
)
def test_a_skill_that_was_not_loaded_fails_and_one_nobody_named_errs(name):
    asked = Evidence(skill="greeting", rung="asked", lines=(5,))
    assert status(on_the_way(skills=(asked,)), name, most=100) == "fail"
    assert status(on_the_way(), name, most=100, skill="greting") == "error"


def test_tokens_that_are_told_only_at_the_end_are_an_error():
    outcome = an_outcome(
        Call(line=5, tool="Skill", does="skill", skill="greeting", id="c5"),
        Result(line=6, id="c5"),
        Usage(line=7, input_tokens=20, output_tokens=3, total=True),
        skills=(LOADED,),
    )
    assert status(outcome, "tokens_to_activation", most=10**6) == "error"
    assert status(outcome, "seconds_to_activation", most=10**6) == "error"


def test_tokens_that_are_told_late_prove_a_pass_and_no_fail():
    outcome = an_outcome(
        Call(line=5, tool="Skill", does="skill", skill="greeting", id="c5"),
        Result(line=6, id="c5"),
        Message(line=7, text="Hello."),
        Usage(line=8, input_tokens=20, output_tokens=3),
        skills=(LOADED,),
    )
    assert status(outcome, "tokens_to_activation", most=23) == "pass"
    assert status(outcome, "tokens_to_activation", most=22) == "error"


def test_a_skill_that_the_prompt_put_in_took_no_way_at_all():
    put_in = Evidence(skill="greeting", rung="loaded", how="injected", routes=("injected",))
    assert status(on_the_way(skills=(put_in,)), "turns_to_activation", most=0) == "pass"
    assert status(on_the_way(skills=(put_in,)), "max_context_bytes", bytes=10) == "error"


def test_the_bytes_of_the_skill_are_those_of_its_results():
    assert grade(on_the_way(), "max_context_bytes", bytes=11).lines == (6,)
    assert status(on_the_way(), "max_context_bytes", bytes=10) == "fail"
    long = an_outcome(
        Call(line=5, tool="Skill", does="skill", skill="greeting", id="c5"),
        Result(line=6, id="c5", output="x" * 65536),
        skills=(LOADED,),
    )
    assert status(long, "max_context_bytes", bytes=10**6) == "error"
