"""Two runs side by side: what is said to have changed, what is called chance, what explains it."""

import json
import subprocess
import sys
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import make_inputs, make_record, make_trial
from scipy import stats as scipy_stats

from audition.comparison import Side, compare
from audition.drift import About, describe_inputs
from audition.model import Case, Inputs, Trial
from audition.report.compared import write_comparison
from audition.stats.difference import many_signs, paired_interval
from audition.stats.paired import sign_flip

SKILL = "---\nname: {0}\ndescription: {1}\n---\nSay SALVE.\n"


def side(name, outcomes, **about):
    """A run of cases `c0` …; each is a string of p, f and e, one letter a trial."""
    words = {"p": "pass", "f": "fail", "e": "error"}
    records = [
        make_record(words[letter], number, case=f"c{place}")
        for place, letters in enumerate(outcomes)
        for number, letter in enumerate(letters, 1)
    ]
    return Side(name=name, about=About(**about), records=records)


def changes(found):
    return {each.case: each.change for each in found.cases}


def test_each_case_says_what_became_of_it():
    found = compare(
        side("a", ["pp", "pf", "ff", "pp", "e"]), side("b", ["pp", "ff", "pf", "e", "p"])
    )
    assert changes(found) == {"c1": "worse", "c2": "better", "c3": "ungraded", "c4": "ungraded"}
    assert found.same == 1
    assert (found.left_out.only_a, found.left_out.ungraded) == (1, 2)


def test_only_what_stands_in_both_runs_is_compared_and_the_rest_is_counted():
    one, two = side("a", ["p", "p"]), side("b", ["p"])
    two = Side(name="b", about=About(), records=[*two.records, make_record(case="fresh")])
    found = compare(one, two)
    assert changes(found) == {"c1": "gone", "fresh": "new"}
    assert found.overall.of == 1
    assert (found.left_out.only_a, found.left_out.only_b) == (1, 1)


def test_one_failing_trial_is_chance_and_twelve_are_a_regression():
    good = side("a", ["p"] * 20)
    once = compare(good, side("b", ["f"] + ["p"] * 19))
    assert not once.regressed
    assert once.overall.word == "no significant difference"
    assert once.overall.smallest is not None
    often = compare(good, side("b", ["f"] * 12 + ["p"] * 8))
    assert often.regressed
    assert often.overall.word == "worse"


def test_a_fall_within_the_tolerance_is_no_regression():
    one, two = side("a", ["p"] * 100), side("b", ["f"] * 12 + ["p"] * 88)
    assert compare(one, two).regressed
    assert not compare(one, two, tolerance=0.1).regressed
    assert compare(one, side("b", ["f"] * 40 + ["p"] * 60), tolerance=0.1).regressed


def test_a_run_beside_itself_never_differs():
    found = compare(side("a", ["pf", "pp"]), side("a", ["pf", "pp"]))
    assert (found.cases, found.changed, found.regressed) == ((), (), False)
    assert found.overall.p == 1


def in_arm(name, letters, **arm):
    words = {"p": "pass", "f": "fail"}
    records = [make_record(words[each], n, **arm) for n, each in enumerate(letters)]
    return Side(name=name, about=About(), records=records)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"agent": "codex"}, "agent: understudy → codex"),
        ({"model": "opus"}, "model understudy: its default → opus"),
        ({"delivery": "mcp"}, "delivery: native → mcp"),
    ],
)
def test_another_agent_model_or_delivery_is_an_input_that_changed(other, said):
    found = compare(in_arm("a", "p" * 20), in_arm("b", "f" * 15 + "p" * 5, **other))
    assert found.regressed
    assert found.overall.of == 20
    assert [each.words for each in found.changed] == [said]
    (case,) = found.cases
    assert (case.change, case.because) == ("worse", (said,))


def test_arms_are_set_beside_each_other_only_where_it_is_clear_which():
    def both(*arms):
        records = [record for arm in arms for record in in_arm("x", "pp", **arm).records]
        return Side(name="x", about=About(), records=records)

    one, two, three = {"agent": "one"}, {"agent": "two"}, {"agent": "three"}
    found = compare(both(one, two), both(two, three))
    assert [each.words for each in found.changed] == ["agent: one → three"]
    assert found.overall.of == 4
    unclear = compare(both(one, two), both(three))
    assert (unclear.overall.of, unclear.changed) == (0, ())
    models = compare(both({"model": "a"}, {"model": "b"}), both({"model": "b"}, {"model": "c"}))
    assert [each.words for each in models.changed] == ["model understudy: a → c"]
    baseline = compare(both(one), both({"agent": "one", "variant": "none"}))
    assert baseline.overall.of == 0


def test_nothing_to_compare_is_said_and_is_no_regression():
    found = compare(side("a", []), side("b", []))
    assert not found.regressed
    assert "nothing to compare" in write_comparison(found, "text")


def test_many_cells_without_a_difference_seldom_make_a_regression():
    dice = Random(7)
    alarms = 0
    for _ in range(200):
        runs = []
        for name in "ab":
            records = [
                make_record("pass" if dice.random() < 0.8 else "fail", skill=f"s{s}", case=f"c{c}")
                for s in range(5)
                for c in range(20)
            ]
            runs.append(Side(name=name, about=About(), records=records))
        alarms += compare(*runs).regressed
    # Two families, cells and the whole, each one-sided: about 5 % together.
    assert alarms <= 20


@given(st.lists(st.integers(0, 60), min_size=4, max_size=4).filter(sum))
def test_the_interval_of_a_difference_holds_the_difference(counts):
    _, only_a, only_b, _ = counts
    low, high = paired_interval(*counts)
    assert -1 - 1e-9 <= low <= (only_b - only_a) / sum(counts) <= high <= 1 + 1e-9


def test_the_interval_of_a_difference_turns_round_with_the_runs_and_narrows_where_pairs_agree():
    low, high = paired_interval(36, 9, 4, 12)
    back = paired_interval(36, 4, 9, 12)
    assert (back[0], back[1]) == (pytest.approx(-high), pytest.approx(-low))
    apart = paired_interval(18, 27, 22, 0)
    assert apart[1] - apart[0] > high - low


def test_many_signs_agree_with_the_exact_test_and_with_the_normal_curve():
    means = [0.3, -0.1, 0.4, 0.2, 0.5, -0.2, 0.1, 0.3, 0.6, -0.05, 0.2, 0.25, 0.1]
    assert many_signs(means) == pytest.approx(sign_flip([[each] for each in means]), abs=0.02)
    z = abs(sum(means)) / sum(each * each for each in means) ** 0.5
    assert many_signs(means) == pytest.approx(2 * scipy_stats.norm.sf(z), abs=1e-12)


def test_every_changed_input_is_named():
    one = About(
        catalogue={"greeting": "a" * 64, "old": "1"},
        agents={"claude": {"version": "1", "model": "m"}},
        cases={"greeting/c0": "x", "greeting/gone": "y"},
        settings={"policy": "default", "judge": {"agent": "claude", "votes": None}},
        audition="0.1",
    )
    two = About(
        catalogue={"greeting": "b" * 64, "new": "2"},
        agents={"claude": {"version": "2", "model": "n"}},
        cases={"greeting/c0": "z"},
        settings={"policy": "cat", "judge": {"agent": "codex"}},
        audition="0.2",
    )
    found = compare(
        Side(name="a", about=one, records=[make_record(case="c0")]),
        Side(name="b", about=two, records=[make_record("fail", case="c0")]),
    )
    named = [(each.what, each.name) for each in found.changed]
    assert named == [
        *(("skill", "greeting"), ("catalogue", "new"), ("catalogue", "old")),
        *(("case", "greeting/c0"), ("agent version", "claude"), ("model", "claude")),
        *(("setting", "judge"), ("setting", "policy"), ("audition", "")),
    ]
    (case,) = found.cases
    assert "skill greeting: aaaaaaaaaa → bbbbbbbbbb" in case.because
    assert not any("agent version" in each for each in case.because), "it was asked another agent"


def test_moving_a_case_file_changes_no_case_and_another_prompt_does():
    def about(**words):
        case = Case(**{"id": "one", "prompt": "Greet.", "skill": "greeting", **words})
        trial = Trial(id="t", place="t", index=0, case=case, agent="x", delivery="native",
                      model=None, number=1, skills=())  # fmt: skip
        inputs = make_inputs("greeting")
        return describe_inputs(type(inputs)(run_id="r", plan=(trial,), skills=inputs.skills)).cases

    assert about(file="/a/cases.yaml", line=3) == about(file="/b/cases.yaml", line=9, trials=4)
    assert about() != about(prompt="Greet!")
    assert about(fixture="/x/one") != about(fixture="/x/two")


def of_files(name, stood="", **files):
    """A run of the case `same` of each file, one letter a trial."""
    words = {"p": "pass", "f": "fail"}
    records = [
        make_record(words[letter], number, case="same", file=file)
        for file, letters in files.items()
        for number, letter in enumerate(letters, 1)
    ]
    return Side(name=name, about=About(stood=stood), records=records)


def told(found):
    return {each.file: (each.change, each.a, each.b) for each in found.cases}


def test_a_case_is_compared_with_that_of_its_own_file():
    both = {"a.yaml": "pp", "b.yaml": "ff"}
    found = compare(of_files("a", **both), of_files("b", **{"b.yaml": "fp"}))
    assert told(found) == {
        "a.yaml": ("gone", (2, 2), (0, 0)),
        "b.yaml": ("better", (0, 2), (1, 2)),
    }
    assert "greeting/same of b.yaml" in write_comparison(found, "text")
    found = compare(of_files("a", **both), of_files("b", **dict(reversed(both.items()))))
    assert (told(found), found.same) == ({}, 2)


def test_a_file_is_the_same_one_wherever_a_run_was_started():
    root = of_files("a", "/repo", **{"x/cases.yaml": "p", "y/cases.yaml": "f"})
    inside = of_files("b", "/repo/y", **{"cases.yaml": "p", "../x/cases.yaml": "f"})
    assert told(compare(root, inside)) == {
        "cases.yaml": ("better", (0, 1), (1, 1)),
        "../x/cases.yaml": ("worse", (1, 1), (0, 1)),
    }
    checkout = of_files("b", "/other", **{"x/cases.yaml": "p", "y/cases.yaml": "p"})
    assert told(compare(root, checkout)) == {"y/cases.yaml": ("better", (0, 1), (1, 1))}


def test_a_file_that_only_one_run_has_is_no_partner_of_one_that_is_called_like_it():
    one = of_files("a", "/repo/x", **{"cases.yaml": "p", "../y/cases.yaml": "f"})
    two = of_files("b", "/repo/y", **{"cases.yaml": "p", "../z/cases.yaml": "f"})
    assert told(compare(one, two)) == {
        "/repo/x/cases.yaml": ("gone", (1, 1), (0, 0)),
        "cases.yaml": ("better", (0, 1), (1, 1)),
        "../z/cases.yaml": ("new", (0, 0), (0, 1)),
    }


def test_a_case_that_each_run_has_once_is_the_same_one_though_its_file_was_moved():
    found = compare(of_files("a", **{"old.yaml": "p"}), of_files("b", **{"new/new.yaml": "f"}))
    assert told(found) == {"new/new.yaml": ("worse", (1, 1), (0, 1))}
    assert found.left_out.only_a == found.left_out.only_b == 0


def test_a_changed_case_is_named_beside_the_one_of_its_file():
    def run(name, prompt):
        cases = [
            Case(
                id="same", prompt=prompt if file == "b.yaml" else "Hi", skill="greeting", file=file
            )
            for file in ("a.yaml", "b.yaml")
        ]
        trials = tuple(make_trial(case.file, case) for case in cases)
        about = describe_inputs(Inputs(run_id=name, plan=trials))
        status = "pass" if name == "a" else "fail"
        records = [make_record(status, case="same", file=case.file) for case in cases]
        return Side(name=name, about=about, records=records)

    found = compare(run("a", "Greet."), run("b", "Greet!"))
    because = {each.file: each.because for each in found.cases}
    assert because["a.yaml"] == ()
    assert because["b.yaml"][0].startswith("case greeting/same of b.yaml: ")


def test_what_strangers_wrote_is_shown_harmlessly():
    bad = [make_record("fail", case="\x1b[31m|x|", skill="a\nb")]
    found = compare(
        Side(name="a", about=About(), records=[make_record(case="\x1b[31m|x|", skill="a\nb")]),
        Side(name="b", about=About(), records=bad),
    )
    assert "\x1b" not in write_comparison(found, "text")
    assert "\\|x\\|" in write_comparison(found, "markdown")


# Real runs


@pytest.fixture
def house(tmp_path):
    folder = tmp_path / "skills" / "greeting"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format("greeting", "How to do a greeting."))
    (tmp_path / "audition.toml").write_text("fsync = false\n")
    cases = [
        {"id": f"c{n}", "prompt": f"please do a greeting for {n}", "skill": "greeting"}
        for n in range(8)
    ]
    (tmp_path / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": cases}))
    return tmp_path


def audition(house, *words):
    argv = [sys.executable, "-m", "audition", *words]
    return subprocess.run(argv, check=False, cwd=house, capture_output=True, text=True, timeout=200)


def run(house, run_id, coin):
    """A run of an agent `x`, which is a coin."""
    (house / "audition.toml").write_text(f'fsync = false\n[agents.x]\nlike = "{coin}"\n')
    done = audition(house, "run", "-q", "-a", "x", "-r", "5", "--run-id", run_id)
    assert done.returncode in (0, 1), done.stderr


def git(house, *words):
    name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    subprocess.run(["git", *name, *words], cwd=house, check=True, capture_output=True)


def test_a_planted_fall_is_found_in_real_runs_and_the_other_way_round_is_none(house):
    run(house, "good", "coin:0.95:1")
    (house / "skills" / "greeting" / "SKILL.md").write_text(
        SKILL.format("greeting", "How to do a greeting, less well.")
    )
    run(house, "bad", "coin:0.4:2")
    worse = audition(house, "diff", "good", "bad")
    assert worse.returncode == 1, worse.stderr
    assert "a regression is established" in worse.stdout
    assert "skill greeting:" in worse.stdout
    better = audition(house, "diff", "bad", "good", "--output-format", "json")
    assert better.returncode == 0
    assert json.loads(better.stdout)["overall"]["word"] == "better"


def test_a_results_file_and_one_as_of_a_commit_are_baselines(house):
    run(house, "good", "coin:0.95:1")
    results = house / "artifacts" / "skill-evals" / "good" / "results.json"
    (house / "baseline.json").write_bytes(results.read_bytes())
    git(house, "init", "-q")
    git(house, "add", "baseline.json")
    git(house, "commit", "-qm", "Keep what was reached")
    run(house, "bad", "coin:0.4:2")
    told = []
    for words in ("baseline.json", "HEAD:baseline.json", "good"):
        done = audition(house, "diff", words, "bad", "--output-format", "json")
        assert done.returncode == 1, done.stderr
        found = json.loads(done.stdout)
        assert [each["what"] for each in found["changed"]] == ["agent"]
        assert found["changed"][0]["b"] == "coin:0.4:2"
        told.append(found["overall"])
    assert told[0] == told[1] == told[2]
    (house / "baseline.json").write_bytes(
        (house / "artifacts" / "skill-evals" / "bad" / "results.json").read_bytes()
    )
    assert audition(house, "diff", "HEAD", "baseline.json").returncode == 1


def test_a_commit_alone_is_the_newest_run_of_the_skills_as_they_were_then(house):
    git(house, "init", "-q")
    git(house, "add", "skills")
    git(house, "commit", "-qm", "one")
    run(house, "good", "coin:0.95:1")
    (house / "skills" / "greeting" / "SKILL.md").write_text(SKILL.format("greeting", "Less."))
    git(house, "commit", "-qam", "two")
    run(house, "bad", "coin:0.4:2")
    done = audition(house, "diff", "HEAD~1", "HEAD", "--output-format", "json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["a"], found["b"]) == (1, "HEAD~1 (good)", "HEAD (bad)")
    assert {each["what"] for each in found["changed"]} == {"agent", "skill"}
    (house / "skills" / "greeting" / "SKILL.md").write_text(SKILL.format("greeting", "Even less."))
    git(house, "commit", "-qam", "three")
    none = audition(house, "diff", "HEAD", "last")
    assert none.returncode == 2
    assert "was made with the skills as they were at `HEAD`" in none.stderr


def test_what_is_no_run_no_file_and_no_commit_is_said(house):
    run(house, "good", "coin:1:1")
    done = audition(house, "diff", "goood", "last")
    assert done.returncode == 2
    assert "no run `goood`" in done.stderr
    (house / "junk.json").write_text("[]")
    junk = audition(house, "diff", "junk.json", "last")
    assert junk.returncode == 2
    assert "junk.json is no results.json" in junk.stderr
