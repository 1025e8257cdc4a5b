"""`audition bisect`: the commit that broke a skill is found, whatever else happens in the range."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.stats.halving import most_looks, next_look, suspects

SKILL = "---\nname: greeting\ndescription: How to do a greeting.\n---\nSay {}.\n"
CHECK = {"answer_contains": {"text": "SALVE"}}
CASES = [
    {"id": f"c{n}", "prompt": f"please do a greeting for {n}", "skill": "greeting", "checks": [CHECK]}
    for n in ("Ada", "Bob", "Cleo")
]  # fmt: skip
NEGATIVE = {"id": "n", "prompt": "what is 2 + 2", "skill": "greeting", "should_trigger": False}


class House:
    """A repository with a skill, and today's cases beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.skill = path / "skills" / "greeting"
        self.skill.mkdir(parents=True)
        (path / "audition.toml").write_text("fsync = false\n")
        self.write_cases([*CASES, NEGATIVE])
        self.git("init", "-q", "-b", "main")

    def write_cases(self, cases):
        told = json.dumps({"skills": ["skills"], "cases": cases})
        (self.path / "cases.yaml").write_text(told)

    def git(self, *words):
        name = ("-c", "user.name=x", "-c", "user.email=x@example.org")
        argv = ["git", *name, *words]
        return subprocess.run(
            argv, cwd=self.path, check=True, capture_output=True, text=True
        ).stdout

    def commit(self, subject, body=None, note=None):
        self.skill.mkdir(parents=True, exist_ok=True)
        if body is not None:
            (self.skill / "SKILL.md").write_text(body)
        if note is not None:
            (self.skill / "note.md").write_text(note)
        self.git("add", "-A", "skills")
        self.git("commit", "-q", "--allow-empty", "-m", subject)
        return self.git("rev-parse", "HEAD").strip()

    def bisect(self, *words, code=0):
        argv = [sys.executable, "-m", "audition", "bisect", "-q", *words]
        done = subprocess.run(
            argv, check=False, cwd=self.path, capture_output=True, text=True, timeout=250
        )
        assert done.returncode == code, done.stdout + done.stderr
        return done

    def search(self, *words, code=0):
        return json.loads(self.bisect(*words, "--output-format", "json", code=code).stdout)


@pytest.fixture
def house(tmp_path):
    return House(tmp_path)


def test_the_commit_that_broke_it_is_found_and_the_work_tree_stays_as_it_is(house):
    house.commit("good", SKILL.format("SALVE"))
    for number in range(4):
        house.commit(f"note {number}", note=str(number))
    broke = house.commit("break it", SKILL.format("HELLO"))
    house.commit("another note", note="x")
    (house.skill / "SKILL.md").write_text(SKILL.format("UNCOMMITTED"))
    before = house.git("status", "--porcelain"), house.git("rev-parse", "HEAD")
    found = house.search("greeting", "HEAD~6..HEAD", "-r", "1")
    assert found["outcome"] == "found"
    assert found["first_bad"]["commit"] == broke
    assert found["first_bad"]["words"].endswith("break it")
    assert found["last_good"]["words"].endswith("note 3")
    assert found["suspects"] == []
    assert len(found["looks"]) <= most_looks(6)
    status = house.git("status", "--porcelain").replace("?? artifacts/\n", "")
    assert (status, house.git("rev-parse", "HEAD")) == before
    assert (house.skill / "SKILL.md").read_text() == SKILL.format("UNCOMMITTED")
    history = subprocess.run(
        [sys.executable, "-m", "audition", "history"],
        check=True, cwd=house.path, capture_output=True, text=True,
    )  # fmt: skip
    assert history.stdout == "", "old skills are no score of today"


VERIFY = """
import json, pathlib, sys, zlib
trial = json.load(sys.stdin)["id"]
share = int(pathlib.Path("share.txt").read_text())
sys.exit(zlib.crc32(f"{trial}6".encode()) % 100 >= share)
"""
"""The work of each trial is right or wrong by dice of its own."""


def test_a_skill_that_fails_now_and_then_is_told_from_a_broken_one(house):
    (house.path / "verify.py").write_text(VERIFY)
    body = SKILL.format("SALVE") + "\n```file:share.txt\n{}\n```\n"
    check = {"program": {"command": [sys.executable, "verify.py"]}}
    house.write_cases([{**each, "checks": [check]} for each in CASES])
    house.commit("good", body.format(94))
    house.commit("note", note="1")
    broke = house.commit("half as good", body.format(50))
    house.commit("note", note="2")
    found = house.search("greeting", "HEAD~3..HEAD")
    assert found["first_bad"]["commit"] == broke
    looks = {each["verdict"]: each for each in found["looks"]}
    assert looks["good"]["of"] > looks["good"]["passed"], "it does fail now and then"
    assert looks["bad"]["passed"] > 0


def test_commits_without_the_skill_or_with_an_unreadable_one_are_passed_by(house):
    house.commit("good", SKILL.format("SALVE"))
    house.git("rm", "-q", "-r", "skills")
    house.git("commit", "-q", "-m", "away")
    house.commit("no text", "")
    (house.skill / "SKILL.md").unlink()
    (house.skill / "SKILL.md").symlink_to("nowhere")
    house.commit("a link to nowhere")
    (house.skill / "SKILL.md").unlink()
    house.commit("bad", SKILL.format("HELLO"))
    found = house.search("greeting", "HEAD~4..HEAD", "-r", "1", code=1)
    assert found["outcome"] == "inconclusive"
    words = [each["words"].split(maxsplit=2)[2] for each in found["suspects"]]
    assert words[0] == "away"
    assert words[-1] in ("bad", "no text")
    unknown = {each["commit"]["words"].split(maxsplit=2)[2] for each in found["looks"]
               if each["verdict"] == "unknown"}  # fmt: skip
    assert "away" in unknown


def test_a_neighbour_that_takes_the_prompts_is_found_too(house):
    house.commit("good", SKILL.format("SALVE"))
    thief = house.path / "skills" / "thief"
    thief.mkdir()
    said = "please do a greeting for Ada, please do a greeting for Bob, for Cleo"
    (thief / "SKILL.md").write_text(f"---\nname: thief\ndescription: {said}\n---\nSay NO.\n")
    broke = house.commit("add a neighbour")
    house.commit("note", note="1")
    found = house.search("greeting", "HEAD~2..", "-r", "1")
    assert found["first_bad"]["commit"] == broke


def test_the_same_skills_are_asked_once_at_whatever_commits_they_stood(house):
    house.commit("good", SKILL.format("SALVE"))
    house.commit("try", SKILL.format("HELLO"))
    house.commit("back", SKILL.format("SALVE"))
    house.commit("note", note="1")
    broke = house.commit("break it", SKILL.format("HELLO"))
    found = house.search("greeting", "HEAD~4..HEAD", "-r", "1")
    assert found["first_bad"]["commit"] == broke
    asked = [each for each in found["looks"] if each["trials"]]
    digests = {(each["verdict"], each["run"]) for each in asked}
    assert len(digests) == len(asked) < len(found["looks"]) + 1


def test_ends_that_are_not_what_they_are_called_are_told(house):
    house.commit("good", SKILL.format("SALVE"))
    house.commit("note", note="1")
    bad = house.commit("bad", SKILL.format("HELLO"))
    house.commit("note", note="2")
    fine = house.search("greeting", "HEAD~3..HEAD~2", "-r", "1", code=1)
    assert (fine["outcome"], fine["first_bad"]) == ("not broken", None)
    never = house.search("greeting", f"{bad}..HEAD", "-r", "1", code=1)
    assert never["outcome"] == "never good"


def test_caps_are_for_the_whole_search_and_end_it_as_inconclusive(house):
    house.commit("good", SKILL.format("SALVE"))
    house.commit("bad", SKILL.format("HELLO"))
    found = house.search("greeting", "HEAD~1..HEAD", "--max-runs", "20", "-j", "2", code=1)
    assert found["outcome"] == "inconclusive"
    assert found["ended"] == "a cap on the search is reached"
    assert sum(each["trials"] for each in found["looks"]) == 20
    text = house.bisect("greeting", "HEAD~1..HEAD", "--max-runs", "20", code=1).stdout
    assert "inconclusive (a cap on the search is reached)" in text


def test_where_nothing_can_be_graded_it_is_broken_and_says_why(house):
    house.commit("good", SKILL.format("SALVE"))
    house.commit("bad", SKILL.format("HELLO"))
    words = 'fsync = false\n[agents.gone]\nlike = "understudy"\ncommand = ["false"]\n'
    (house.path / "audition.toml").write_text(words)
    found = house.search("greeting", "HEAD~1..HEAD", "-a", "gone", code=2)
    assert found["outcome"] == "inconclusive"
    assert found["looks"][0]["verdict"] == "unknown"
    assert "in error" in found["looks"][0]["reason"]


def test_a_dry_run_says_how_many_looks_it_takes_and_asks_nobody(house):
    house.commit("good", SKILL.format("SALVE"))
    for number in range(5):
        house.commit("note", note=str(number))
    words = ["greeting", "HEAD~5..HEAD", "--dry-run"]
    found = json.loads(house.bisect(*words, "--output-format", "json").stdout)
    assert (found["commits"], found["looks"]) == (5, 5)
    assert found["quote"]["worst_runs"] > 52, "the errors are shared among the looks"
    assert "at most 5 looks" in house.bisect(*words).stdout
    assert not (house.path / "artifacts").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["greeting", "HEAD"], "is no range of commits"),
        (["greeting", "HEAD~1...HEAD"], "is no range of commits"),
        (["greeting", "..HEAD"], "is no range of commits"),
        (["greeting", "HEAD..HEAD~1"], "did you mean `HEAD~1..HEAD`?"),
        (["greeting", "HEAD..HEAD"], "no commit in HEAD..HEAD touches"),
        (["greeting", "no-such..HEAD"], "names no commit"),
        (["greting", "HEAD~1..HEAD"], "did you mean `greeting`?"),
    ],
)
def test_what_cannot_be_searched_is_refused_before_anybody_is_asked(house, words, said):
    house.commit("good", SKILL.format("SALVE"))
    house.commit("bad", SKILL.format("HELLO"))
    done = house.bisect(*words, code=2)
    assert said in done.stderr
    assert not (house.path / "artifacts").exists()


@given(st.integers(1, 60), st.data())
def test_halving_finds_the_place_in_few_looks_whatever_cannot_be_told(last, data):
    first_bad = data.draw(st.integers(1, last))
    dark = data.draw(st.sets(st.integers(1, last - 1), max_size=5)) if last > 1 else set()
    found = {0: "good", last: "bad"}
    while (place := next_look(found, last)) is not None:
        assert place not in found
        found[place] = "unknown" if place in dark else "bad" if place >= first_bad else "good"
    assert first_bad in suspects(found, last)
    if not dark:
        assert list(suspects(found, last)) == [first_bad]
        assert len(found) <= most_looks(last)
    else:
        high = suspects(found, last)[-1]
        assert all(place in dark for place in suspects(found, last) if place < high)
