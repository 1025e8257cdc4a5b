"""`--baseline`: the same cases without the skills, or with others; what the difference is worth."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from records import make_inputs, make_record, make_trial

from audition.model import Case, Evidence, Grade
from audition.summary.tally import summarise

SKILL = "---\nname: {0}\ndescription: How to do a greeting.\n---\nSay {1}.\n"
CASES = [
    {
        "id": f"c{n}",
        "prompt": f"please do a greeting for {n}",
        "skill": "greeting",
        "checks": [{"answer_contains": {"text": "SALVE"}}],
    }
    for n in range(8)
]
NEGATIVE = {"id": "n", "prompt": "what is 2 + 2", "skill": "greeting", "should_trigger": False}


@pytest.fixture
def house(tmp_path):
    plant(tmp_path / "skills", "greeting", "HELLO")
    (tmp_path / "audition.toml").write_text("fsync = false\n")
    cases = {"skills": ["skills"], "cases": [*CASES, NEGATIVE]}
    (tmp_path / "cases.yaml").write_text(json.dumps(cases))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "skills")
    git(tmp_path, "commit", "-qm", "Say hello")
    plant(tmp_path / "skills", "greeting", "SALVE")
    return tmp_path


def plant(shelf, name, word):
    (shelf / name).mkdir(parents=True, exist_ok=True)
    (shelf / name / "SKILL.md").write_text(SKILL.format(name, word))


def git(house, *words):
    name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    done = subprocess.run(["git", *name, *words], cwd=house, check=True, capture_output=True)
    return done.stdout


def run(house, *words, code=0):
    argv = [sys.executable, "-m", "audition", "run", "-q", "--run-id", "r", *words]
    done = subprocess.run(argv, check=False, cwd=house, capture_output=True, text=True, timeout=200)
    assert done.returncode == code, done.stdout + done.stderr
    return done


def kept(house, name):
    return json.loads((house / "artifacts" / "skill-evals" / "r" / name).read_text())


def lift_over(house, baseline):
    (found,) = [
        each for each in kept(house, "summary.json")["lifts"] if each["baseline"] == baseline
    ]
    return found


def test_a_skill_that_works_lifts_over_nothing_and_over_its_last_commit(house):
    before = git(house, "status", "--porcelain")
    done = run(house, "--baseline", "none", "--baseline", "git:HEAD")
    assert git(house, "status", "--porcelain").replace(b"?? artifacts/\n", b"") == before
    for baseline in ("none", "git:HEAD"):
        gain = lift_over(house, baseline)["as_offered"]
        assert gain["pairs"] == 8
        assert (gain["baseline"], gain["skill"], gain["word"]) == (0, 1, "helps")
    assert "over none: as offered 0% → 100%" in done.stdout


def test_a_baseline_counts_into_no_figure_of_the_skill_and_not_into_the_exit_code(house):
    run(house, "--baseline", "none", "--baseline", "git:HEAD", code=0)
    found = kept(house, "summary.json")
    assert found["totals"] == {"trials": 9, "pass": 9, "fail": 0, "error": 0, "ineligible": 0}
    assert found["planned"] == 9
    assert len(found["arms"]) == 1
    assert {each["delivery"] for each in found["cells"]} == {"native"}
    assert sum(sum(row.values()) for row in found["matrix"].values()) == 9
    failing = [each for each in kept(house, "results.json")["trials"] if each["status"] == "fail"]
    assert {each["variant"] for each in failing} == {"none", "git:HEAD"}
    listed = subprocess.run(
        [sys.executable, "-m", "audition", "show", "r", "--output-format", "junit"],
        check=True, cwd=house, capture_output=True, text=True,
    )  # fmt: skip
    assert "<failure" not in listed.stdout


def test_each_pair_is_asked_in_turn_and_each_trial_has_its_own_place(house):
    run(house, "-r", "2", "--baseline", "none")
    lines = (house / "artifacts/skill-evals/r/plan.jsonl").read_text().splitlines()
    plan = [json.loads(line) for line in lines]
    variants = [each.get("variant", "") for each in plan]
    assert variants == ["", "none"] * 18
    assert [each["number"] for each in plan] == [1] * 18 + [2] * 18
    assert len({each["place"] for each in plan}) == 36
    assert plan[1]["id"] == "greeting/c0/understudy+none@none/1"


def test_another_folder_of_skills_is_a_baseline_whatever_its_skill_is_called(house):
    plant(house / "other", "welcome", "HELLO")
    run(house, "--baseline", "other")
    gain = lift_over(house, "other")["as_offered"]
    assert (gain["baseline"], gain["skill"], gain["pairs"]) == (0, 1, 8)
    loaded = [
        each["skills"][0]["rung"]
        for each in kept(house, "results.json")["trials"]
        if each["variant"] and each["should_trigger"]
    ]
    assert set(loaded) == {"loaded"}, "the other skill is what the baseline is expected to call"


def asked_in_order(house, run="r"):
    lines = (house / "artifacts" / "skill-evals" / run / "progress.jsonl").read_text().splitlines()
    trials = [json.loads(line) for line in lines]
    return [(each["case"], each["trial"], each["variant"]) for each in trials if each["skill"]]


def test_with_trials_auto_a_baseline_ends_where_it_is_told_from_the_skill(house):
    run(house, "-a", "coin:1:1", "--trials", "auto", "--baseline", "none", "-j", "1")
    positives = [each for each in asked_in_order(house) if each[0] != "n"]
    mine = [each for each in positives if not each[2]]
    theirs = [each for each in positives if each[2]]
    assert (len(mine), len(theirs)) == (14, 8)
    for case, number, variant in theirs:
        partner, own = positives.index((case, number, "")), positives.index((case, number, variant))
        assert own == partner + 1, "a pair is asked in turn"
    lift = lift_over(house, "none")
    assert lift["sequential"] == {"word": "better", "at": 8, "cap": 158, "effect": 0.2}
    assert lift["as_offered"]["word"] == "helps"
    assert "not been run" not in (house / "artifacts/skill-evals/r/summary.md").read_text()


def test_with_trials_auto_twins_are_asked_until_a_difference_worth_it_would_have_shown(house):
    done = run(house, "-a", "oracle", "--trials", "auto", "--baseline", "none", "-j", "2")
    found = kept(house, "summary.json")
    (cell,) = [each for each in found["cells"] if each["positives"]]
    assert (cell["verdict"], cell["decided_at"]) == ("pass", 14)
    assert 23 <= cell["of"] <= 25, "the partners that the comparison still needed, no more"
    lift = lift_over(house, "none")
    assert (lift["sequential"]["word"], lift["sequential"]["at"]) == ("no difference", 23)
    assert "known after 23 pairs: not worth 20 points" in " ".join(done.stdout.split())
    assert [each["metric"] for each in lift["took"]] == ["tokens", "seconds", "turns"]
    assert (lift["took"][0]["cases"], lift["took"][0]["word"]) == (8, "less")


def test_a_comparison_that_was_cut_is_open_and_goes_on_to_the_same_word(house):
    words = ("-a", "oracle", "--trials", "auto", "--baseline", "none", "-j", "1")
    run(house, *words, "--max-runs", "20", code=1)
    assert lift_over(house, "none")["sequential"]["word"] == "open"
    assert "at most 158 pairs tell" in " ".join(
        run(house, "--resume", "--max-runs", "21", code=1).stdout.split()
    )
    run(house, "--resume", "--max-runs", "1000")
    lift = lift_over(house, "none")
    assert (lift["sequential"]["word"], lift["sequential"]["at"]) == ("no difference", 23)


def test_the_quote_of_a_comparison_names_its_pairs(house):
    words = ("-a", "oracle", "--trials", "auto", "--baseline", "none", "--dry-run")
    quote = json.loads(run(house, *words, "--output-format", "json").stdout)["quote"]
    mine, theirs = [each for each in quote["cells"] if each["positives"]]
    assert mine["worst_runs"] == theirs["worst_runs"] == 158
    assert 14 < mine["expected_runs"] == theirs["expected_runs"] < 100


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("nonsense", "is no baseline"),
        ("git:no-such-ref", "names no commit"),
        ("artifacts", "there is no skill"),
    ],
)
def test_a_baseline_that_is_none_is_refused_before_anybody_is_asked(house, word, said):
    (house / "artifacts").mkdir()
    done = run(house, "--baseline", word, code=2)
    assert said in done.stderr
    assert not list(Path(house, "artifacts").rglob("run.json"))


def pair(number, *, loaded, done, without):
    def record(variant, right, rung):
        grade = Grade(by="answer_contains", status="pass" if right else "fail")
        return make_record(
            "pass" if right else "fail", number, case=f"c{number}", file="f", variant=variant,
            delivery="none" if variant else "native", grades=(grade,),
            skills=(Evidence(skill="greeting", rung=rung),),
        )  # fmt: skip

    return [record("", done, "loaded" if loaded else "offered"), record("none", without, "none")]


def test_the_lift_when_loaded_leaves_out_trials_in_which_the_skill_was_not_loaded():
    case = Case(id="c1", prompt="p", skill="greeting", file="f")
    trial = make_trial("t", case)
    inputs = make_inputs("greeting")
    inputs = type(inputs)(
        run_id="r", skills=inputs.skills, plan=(trial, type(trial)(**{
            **{name: getattr(trial, name) for name in trial.__struct_fields__}, "variant": "none",
        })),
    )  # fmt: skip
    records = [
        each
        for number in range(20)
        for each in pair(number, loaded=number < 10, done=number < 10, without=False)
    ]
    (lift,) = summarise(records, inputs).lifts
    assert (lift.as_offered.pairs, lift.as_offered.skill) == (20, 0.5)
    assert (lift.when_loaded.pairs, lift.when_loaded.skill) == (10, 1.0)
    assert lift.when_loaded.word == "helps"


def test_a_commit_where_there_is_no_repository_says_that(house):
    shutil.rmtree(house / ".git")
    done = run(house, "--baseline", "git:HEAD", code=2)
    assert "is in no git repository" in done.stderr
