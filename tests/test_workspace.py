import os
import socket
import stat
import subprocess
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition import kept, safe_copy, sealed, tree, workspace
from audition.agent import Agent, Command
from audition.errors import AuditionError
from audition.kept import Bad
from audition.model import Case, Changes, Sealed, Skill, Trial
from audition.skills import digest_folder, read_skill
from audition.workspace import (
    BadTree,
    keep_inputs,
    materialise,
    seal_files,
    sealed_files,
    staged,
)

AGENT = Agent(
    name="a",
    command=lambda _: Command(argv=()),
    read=lambda *_: (),
    skills_dir=".claude/skills",
    instructions_file="docs/AGENTS.md",
)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    return tmp_path / "run"


@pytest.fixture
def fixture(tmp_path: Path) -> Path:
    folder = tmp_path / "fixture"
    (folder / "sub" / "empty").mkdir(parents=True)
    (folder / "a.txt").write_text("a")
    (folder / "sub" / "b.txt").write_text("b")
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    return folder


def make_skill(tmp_path: Path, name: str, parent: str = "skills") -> Skill:
    folder = tmp_path / parent / name
    (folder / "scripts").mkdir(parents=True)
    (folder / "SKILL.md").write_text(f"---\nname: {name}\n---\nbody")
    (folder / "scripts" / "go.sh").write_text("echo")
    return Skill(name=name, description=f"does\n {name}", path=str(folder))


def make_trial(delivery="none", keys=(), fixture=None) -> Trial:
    case = Case(id="c", prompt="p", fixture=None if fixture is None else str(fixture))
    return Trial(
        id="t", place="t", index=0, case=case, agent="a", delivery=delivery, model=None, number=1,
        skills=tuple(keys),
    )  # fmt: skip


def open_stage(run, fixture=None, *, bare=True, delivery="none", skills=None):
    skills = skills or {}
    bad = keep_inputs(run, skills, [] if fixture is None else [str(fixture)])
    assert bad == Bad()
    trial = make_trial(delivery, skills, fixture)
    return staged(trial, run=run, agent=AGENT, skills=skills, bare=bare)


def contents(folder) -> dict[str, str]:
    folder = Path(folder)
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*")
            if path.is_file() and ".git" not in path.parts}  # fmt: skip


def after(run, fixture, act, tmp_path):
    """Let `act` loose on a workspace; the changes, and the sealed files."""
    with open_stage(run, fixture) as stage:
        act(Path(stage.place.workspace))
        changes = seal_files(stage, tmp_path / "trial" / "files")
    assert not Path(stage.place.root).exists()
    msgspec.json.encode(changes)
    record = Sealed(trial=make_trial(fixture=fixture), changes=changes)
    return changes, sealed_files(tmp_path / "trial", run, record)


# Inputs


def test_skills_are_kept_under_their_key_and_their_own_folder_name(run, tmp_path):
    keep_inputs(run, {"key": make_skill(tmp_path, "report")}, [])
    assert contents(run / "inputs") == {
        "fixtures.json": "{}",
        "skills/key/report/SKILL.md": "---\nname: report\n---\nbody",
        "skills/key/report/scripts/go.sh": "echo",
    }


def test_inputs_stay_as_they_were_when_a_run_is_resumed(run, tmp_path, fixture):
    skills = {"key": make_skill(tmp_path, "report")}
    keep_inputs(run, skills, [str(fixture)])
    before = contents(run)
    (fixture / "a.txt").write_text("edited")
    Path(skills["key"].path, "SKILL.md").write_text("edited")
    keep_inputs(run, skills, [str(fixture)])
    assert contents(run) == before


def test_one_bad_fixture_does_not_keep_the_others_from_being_used(run, tmp_path, fixture):
    bad = tmp_path / "bad"
    bad.mkdir()
    (bad / "link").symlink_to("/etc/passwd")
    problems = keep_inputs(run, {}, [str(bad), str(fixture), str(tmp_path / "none")]).fixtures
    assert list(problems) == [str(bad), str(tmp_path / "none")]
    assert f"{bad}/link" in problems[str(bad)]
    assert "/etc/passwd" in problems[str(bad)]
    with (
        pytest.raises(BadTree, match="link"),
        staged(make_trial(fixture=bad), run=run, agent=AGENT, skills={}),
    ):
        pass
    assert "root:" not in str(contents(run))


def test_a_bad_fixture_that_was_mended_is_kept_at_the_next_try(run, tmp_path):
    bad = tmp_path / "bad"
    assert keep_inputs(run, {}, [str(bad)]).fixtures
    bad.mkdir()
    assert keep_inputs(run, {}, [str(bad)]) == Bad()


def test_links_that_stay_inside_are_copied_as_what_they_lead_to(run, tmp_path, fixture):
    (fixture / "sub" / "up").symlink_to("../a.txt")
    (fixture / "folder").symlink_to("sub/../sub")
    (fixture / "twice").symlink_to("folder/up")
    with open_stage(run, fixture) as stage:
        work = Path(stage.place.workspace)
        assert not [path for path in work.rglob("*") if path.is_symlink()]
        assert (work / "sub/up").read_text() == "a"
        assert (work / "folder/b.txt").read_text() == "b"
        assert (work / "twice").read_text() == "a"


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/etc/passwd", "absolute"),
        ("../../outside", "leaves the folder"),
        ("sub/../../fixture/a.txt", "leaves the folder"),
        (".", "loop"),
        ("bad", "loop"),
        ("../bad/sub", "leaves"),
        ("nothing", "nothing"),
        ("a.txt/b", "link to nothing"),
    ],
)
def test_a_link_that_leaves_or_loops_or_leads_nowhere_is_refused_by_name(
    run, fixture, target, words
):
    (fixture / "bad").symlink_to(target)
    problems = keep_inputs(run, {}, [str(fixture)]).fixtures
    assert words in problems[str(fixture)]
    assert "bad" in problems[str(fixture)]
    assert not list((run / "inputs" / "fixtures").iterdir())


def test_pipes_and_sockets_are_refused_and_do_not_hang(run, fixture):
    os.mkfifo(fixture / "pipe")
    assert "pipe" in keep_inputs(run, {}, [str(fixture)]).fixtures[str(fixture)]
    (fixture / "pipe").unlink()
    here = os.getcwd()
    os.chdir(fixture)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("socket")
        os.chdir(here)
        assert "socket" in keep_inputs(run, {}, [str(fixture)]).fixtures[str(fixture)]


def test_a_fixture_past_the_caps_is_refused(run, fixture, monkeypatch):
    monkeypatch.setattr(safe_copy, "FILES_CAP", 3)
    assert "cap of 3 files" in keep_inputs(run, {}, [str(fixture)]).fixtures[str(fixture)]
    monkeypatch.setattr(safe_copy, "FILES_CAP", 100)
    monkeypatch.setattr(safe_copy, "BYTES_CAP", 5)
    assert "cap" in keep_inputs(run, {}, [str(fixture)]).fixtures[str(fixture)]


def test_links_that_multiply_are_stopped_by_the_cap(run, tmp_path, monkeypatch):
    monkeypatch.setattr(safe_copy, "FILES_CAP", 500)
    bomb = tmp_path / "bomb"
    (bomb / "0").mkdir(parents=True)
    for level in range(1, 20):
        (bomb / f"{level}").mkdir()
        for name in "ab":
            (bomb / f"{level}" / name).symlink_to(f"../{level - 1}")
    assert "cap" in keep_inputs(run, {}, [str(bomb)]).fixtures[str(bomb)]


def test_a_fixture_is_copied_whole_but_for_runs_of_ours(tmp_path):
    fixture, run = tmp_path / "fix", tmp_path / "run"
    for name in ("my.cases.yaml", "reports/keep.txt", "reports/mine/run.lock", "r/run.json"):
        (fixture / name).parent.mkdir(parents=True, exist_ok=True)
        (fixture / name).write_text("x")
    (fixture / "r" / "run.lock").write_text("")
    assert keep_inputs(run, {}, [str(fixture)]) == Bad()
    [copy] = (run / "inputs" / "fixtures").iterdir()
    kept = ["my.cases.yaml", "reports/keep.txt", "reports/mine/run.lock"]
    assert sorted(contents(copy)) == kept
    before = digest_folder(str(fixture), of_skill=False)
    (fixture / "r" / "more").write_text("x")
    assert digest_folder(str(fixture), of_skill=False) == before
    (fixture / "my.cases.yaml").write_text("y")
    assert digest_folder(str(fixture), of_skill=False) != before


def test_a_run_that_lies_in_the_skill_itself_is_no_part_of_it(tmp_path):
    folder = tmp_path / "skill"
    (folder / "r" / "inputs").mkdir(parents=True)
    (folder / "r" / "run.lock").write_text("")
    (folder / "SKILL.md").write_text("---\nname: a\ndescription: b\n---\n")
    skill = read_skill(folder)
    assert skill.resources == ()
    assert keep_inputs(folder / "r", {"a": skill}, []) == Bad()


def test_runs_and_cases_that_are_kept_in_a_skill_are_no_part_of_it(tmp_path):
    folder = tmp_path / "skill"
    folder.mkdir()
    (folder / "SKILL.md").write_text("---\nname: a\ndescription: b\n---\n")
    (folder / "data").mkdir()
    (folder / "data" / "cases.yaml").write_text("[]")
    before = read_skill(folder)
    assert before.resources == ("data/cases.yaml",)
    run = folder / "artifacts" / "skill-evals" / "r"
    (run / "inputs").mkdir(parents=True)
    (run / "run.lock").write_text("")
    (run.parent / "history.db").write_text("x")
    (folder / "my.cases.yaml").write_text("cases: []")
    for each in (".git/HEAD", ".audition/cases.schema.json"):
        (folder / each).parent.mkdir()
        (folder / each).write_text("x")
    again = read_skill(folder)
    assert (again.digest, again.resources) == (before.digest, before.resources)
    # Into itself, as a run does that is started in the folder of its skill.
    assert keep_inputs(run, {"a": again}, [str(folder)]) == Bad()
    assert not list((run / "inputs").rglob("run.lock"))
    [copy] = (run / "inputs" / "skills" / "a").iterdir()
    assert sorted(map(str, contents(copy))) == ["SKILL.md", "data/cases.yaml"]
    [fixture] = (run / "inputs" / "fixtures").iterdir()
    assert (fixture / ".git" / "HEAD").exists()


def test_the_digest_follows_names_bytes_and_the_right_to_run(tmp_path):
    def digest(act) -> str:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        (folder / "a").write_text("x")
        act(folder)
        return tree_copy(folder)

    def tree_copy(folder) -> str:
        return safe_copy.copy_tree(str(folder), str(folder) + "-copy")

    same = [digest(lambda _: None), digest(lambda folder: os.utime(folder / "a", (1, 1)))]
    others = [
        digest(lambda folder: (folder / "a").write_text("y")),
        digest(lambda folder: (folder / "a").rename(folder / "b")),
        digest(lambda folder: (folder / "a").chmod(0o755)),
        digest(lambda folder: (folder / "b").write_text("")),
    ]
    assert same[0] == same[1]
    assert len({same[0], *others}) == 5


# Staging


def test_a_stage_is_private_and_gone_afterwards(run):
    with open_stage(run) as stage:
        place = stage.place
        assert stat.S_IMODE(os.stat(place.root).st_mode) == 0o700
        for folder in (place.workspace, place.home, place.tmp):
            assert os.path.dirname(folder) == place.root
            assert os.listdir(folder) == []
    assert not os.path.exists(place.root)


def test_a_stage_is_gone_also_after_trouble(run):
    with pytest.raises(ZeroDivisionError), open_stage(run) as stage:
        raise ZeroDivisionError
    assert not os.path.exists(stage.place.root)


def test_a_workspace_is_a_repository_of_its_own_unless_bare(run):
    with open_stage(run, bare=False) as stage:
        told = subprocess.run(
            ["git", "rev-parse", "--show-toplevel"],
            cwd=stage.place.workspace, capture_output=True, text=True, check=True,
        )  # fmt: skip
        assert told.stdout.strip() == stage.place.workspace
        status = ["git", "status", "--short"]
        ran = subprocess.run(status, cwd=stage.place.workspace, capture_output=True, check=True)
        assert ran.stdout == b""


def test_the_repository_of_a_fixture_is_left_alone(run, fixture):
    subprocess.run(["git", "init", "-q", "-b", "own", str(fixture)], check=True)
    with open_stage(run, fixture, bare=False) as stage:
        assert Path(stage.place.workspace, ".git/HEAD").read_text() == "ref: refs/heads/own\n"


def test_a_fixture_is_copied_with_its_rights(run, fixture):
    with open_stage(run, fixture) as stage:
        assert contents(stage.place.workspace) == contents(fixture)
        assert os.access(Path(stage.place.workspace, "run.sh"), os.X_OK)
        assert Path(stage.place.workspace, "sub/empty").is_dir()


@pytest.mark.parametrize(
    ("delivery", "found"),
    [
        ("none", set()),
        ("native", {"work/.claude/skills/report/SKILL.md"}),
        ("mcp", {"served/report/SKILL.md"}),
        ("mcp+native", {"work/.claude/skills/report/SKILL.md", "served/report/SKILL.md"}),
        ("instructions", {"work/.skills/report/SKILL.md"}),
        ("plugin", {"plugin/skills/report/SKILL.md"}),
    ],
)
def test_each_delivery_puts_skills_in_its_place_and_nowhere_else(run, tmp_path, delivery, found):
    skills = {"key": make_skill(tmp_path, "report")}
    with open_stage(run, delivery=delivery, skills=skills) as stage:
        root = Path(stage.place.root)
        assert {str(path.relative_to(root)) for path in root.rglob("SKILL.md")} == found
        assert len(list(root.rglob("go.sh"))) == len(found)
        assert stage.served == (f"{root}/served" if "mcp" in delivery else "")
        assert stage.plugin == (f"{root}/plugin" if delivery == "plugin" else "")
        if delivery == "plugin":
            about = msgspec.json.decode((root / "plugin/.claude-plugin/plugin.json").read_bytes())
            assert about["name"]


def test_instructions_list_the_skills_behind_what_the_fixture_says(run, tmp_path, fixture):
    (fixture / "docs").mkdir()
    (fixture / "docs" / "AGENTS.md").write_text("Be brief.")
    skills = {"key": make_skill(tmp_path, "report")}
    with open_stage(run, fixture, delivery="instructions", skills=skills) as stage:
        text = Path(stage.place.workspace, "docs/AGENTS.md").read_text()
        assert text.startswith("Be brief.\n")
        assert "report: does report (file: .skills/report/SKILL.md)" in text


def test_two_skills_with_one_folder_name_are_both_delivered(run, tmp_path):
    skills = {"one": make_skill(tmp_path, "same", "x"), "two": make_skill(tmp_path, "same", "y")}
    with open_stage(run, delivery="native", skills=skills) as stage:
        assert sorted(os.listdir(f"{stage.place.workspace}/.claude/skills")) == ["same", "two"]


def test_a_delivered_skill_replaces_one_that_the_fixture_brought(run, tmp_path, fixture):
    old = fixture / ".claude/skills/report"
    old.mkdir(parents=True)
    (old / "SKILL.md").write_text("old")
    (old / "old.txt").write_text("old")
    (old / "SKILL.md").chmod(0o400)
    skills = {"key": make_skill(tmp_path, "report")}
    with open_stage(run, fixture, delivery="native", skills=skills) as stage:
        new = Path(stage.place.workspace, ".claude/skills/report")
        assert contents(new) == contents(skills["key"].path)


def test_trees_too_big_for_memory_are_staged_all_the_same(run, tmp_path, fixture, monkeypatch):
    monkeypatch.setattr(kept, "MEMORY_CAP", 0)
    skills = {"key": make_skill(tmp_path, "report")}
    with open_stage(run, fixture, delivery="native", skills=skills) as stage:
        assert Path(stage.place.workspace, ".claude/skills/report/SKILL.md").exists()
        assert Path(stage.place.workspace, "sub/b.txt").read_text() == "b"


@pytest.mark.parametrize("name", [".git", "CLAUDE.md", "AGENTS.md", ".claude", ".agents"])
def test_no_stage_is_made_below_what_an_agent_would_find(run, tmp_path, monkeypatch, name):
    (tmp_path / name / "inside").mkdir(parents=True)
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.setenv("AUDITION_TMP", str(below))
    with pytest.raises(AuditionError, match=name) as caught, open_stage(run):
        pass
    assert "AUDITION_TMP" in caught.value.hint


def test_an_empty_folder_above_leads_nowhere_as_the_one_that_codex_leaves(
    run, tmp_path, monkeypatch
):
    (tmp_path / ".git").mkdir()
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.setenv("AUDITION_TMP", str(below))
    with open_stage(run) as stage:
        assert stage.place.root.startswith(str(below))


def test_another_temporary_folder_is_taken_where_the_usual_one_lies_in_a_repository(
    run, tmp_path, monkeypatch
):
    (tmp_path / ".git" / "objects").mkdir(parents=True)
    monkeypatch.delenv("AUDITION_TMP", raising=False)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    workspace._temporary_folder.cache_clear()
    try:
        with open_stage(run) as stage:
            assert not stage.place.root.startswith(str(tmp_path))
    finally:
        workspace._temporary_folder.cache_clear()


# Sealing


def test_an_untouched_workspace_has_no_changes(run, tmp_path, fixture):
    changes, files = after(run, fixture, lambda _: None, tmp_path)
    assert changes == Changes()
    assert list(files.names()) == ["a.txt", "run.sh", "sub/b.txt"]
    assert files.read("sub/b.txt") == b"b"


def test_added_changed_and_removed_files_are_told_apart(run, tmp_path, fixture):
    def act(work):
        (work / "new").mkdir()
        (work / "new/c.txt").write_text("c")
        (work / "hollow").mkdir()
        (work / "a.txt").write_text("A")
        (work / "sub/b.txt").unlink()

    changes, files = after(run, fixture, act, tmp_path)
    assert changes == Changes(added=("new/c.txt",), changed=("a.txt",), removed=("sub/b.txt",))
    assert list(files.names()) == ["a.txt", "new/c.txt", "run.sh"]
    assert (files.read("a.txt"), files.read("sub/b.txt")) == (b"A", None)
    assert files.find("hollow")
    assert files.find("nothing") is None
    assert files.find("a.txt/below") is None


def test_a_change_that_keeps_size_and_comes_at_once_is_seen(run, tmp_path, fixture):
    for number in range(20):
        work = tmp_path / str(number)
        work.mkdir()

        def act(work, number=number):
            (work / "a.txt").write_text("xyz"[number % 3])

        changes, files = after(run, fixture, act, work)
        assert changes.changed == ("a.txt",)
        assert files.read("a.txt") == b"xyz"[number % 3 : number % 3 + 1]


def test_a_file_that_becomes_a_folder_and_a_folder_that_becomes_a_file(run, tmp_path, fixture):
    def act(work):
        (work / "a.txt").unlink()
        (work / "a.txt").mkdir()
        (work / "a.txt/in").write_text("in")
        tree.remove_tree(str(work / "sub"))
        (work / "sub").write_text("file")

    changes, files = after(run, fixture, act, tmp_path)
    assert changes.added == ("a.txt/in", "sub")
    assert changes.removed == ("a.txt", "sub/b.txt")
    assert list(files.names()) == ["a.txt/in", "run.sh", "sub"]
    assert files.read("sub") == b"file"
    assert files.find("sub/b.txt") is None


def test_an_edit_to_a_delivered_skill_is_seen(run, tmp_path):
    skills = {"key": make_skill(tmp_path, "report")}
    with open_stage(run, delivery="native", skills=skills) as stage:
        Path(stage.place.workspace, ".claude/skills/report/SKILL.md").write_text("mine")
        changes = seal_files(stage, tmp_path / "files")
    assert changes.changed == (".claude/skills/report/SKILL.md",)


def test_links_pipes_and_sockets_are_named_and_never_opened(run, tmp_path, fixture):
    def act(work):
        (work / "link").symlink_to("/etc/passwd")
        (work / "folder").symlink_to("/etc")
        (work / "a.txt").unlink()
        (work / "a.txt").symlink_to("run.sh")
        os.mkfifo(work / "pipe")

    changes, files = after(run, fixture, act, tmp_path)
    assert changes.refused == ("a.txt", "folder", "link", "pipe")
    assert changes.added == changes.changed == ()
    assert contents(tmp_path / "trial") == {}
    for path in ("link", "folder/passwd", "pipe", "a.txt"):
        with pytest.raises(ValueError, match="not kept"):
            files.find(path)


def test_what_is_past_the_caps_is_named(run, tmp_path, fixture, monkeypatch):
    monkeypatch.setattr(workspace, "SEALED_FILES", 3)
    monkeypatch.setattr(workspace, "SEALED_BYTES", 100)
    monkeypatch.setattr(workspace, "FILE_CAP", 60)

    def act(work):
        (work / "b").write_text("x" * 61)
        (work / "c").write_text("x" * 60)
        (work / "d").write_text("x" * 60)
        for name in "efg":
            (work / name).write_text("")

    changes, _ = after(run, fixture, act, tmp_path)
    assert changes.added == ("c", "e", "f")
    assert changes.refused == ("b", "d", "g")


def test_what_an_installer_brought_is_kept_last(run, tmp_path, monkeypatch):
    monkeypatch.setattr(workspace, "SEALED_FILES", 3)

    def act(work):
        for name in (".venv/lib/a.py", "node_modules/b.js", "deep/down/c.txt", "src/d.py", "z.md"):
            (work / name).parent.mkdir(parents=True, exist_ok=True)
            (work / name).write_text("x")

    changes, _ = after(run, None, act, tmp_path)
    assert changes.added == ("deep/down/c.txt", "src/d.py", "z.md")
    assert changes.refused == (".venv/lib/a.py", "node_modules/b.js")


def test_a_path_too_long_to_be_copied_is_refused_and_nothing_else(run, tmp_path):
    def act(work):
        (work / "a.txt").write_text("x")
        folder = os.open(work, os.O_RDONLY)
        for _ in range(40):
            os.mkdir("d" * 100, dir_fd=folder)
            inner = os.open("d" * 100, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = inner
        os.close(folder)

    changes, _ = after(run, None, act, tmp_path)
    assert changes.added == ("a.txt",)


def test_a_repository_in_the_workspace_is_not_sealed(run, tmp_path):
    def act(work):
        subprocess.run(["git", "init", "-q", str(work)], check=True)

    assert after(run, None, act, tmp_path)[0] == Changes()


def test_names_that_are_no_text_are_refused_and_can_be_written_down(run, tmp_path):
    def act(work):
        Path(os.fsdecode(os.fsencode(work) + b"/caf\xe9")).write_text("x")
        (work / "café ☕").write_text("x")

    changes, _ = after(run, None, act, tmp_path)
    assert changes.added == ("café ☕",)
    assert changes.refused == ("caf\\xe9",)


def test_a_workspace_that_deleted_itself_is_all_removed(run, tmp_path, fixture):
    changes, files = after(run, fixture, lambda work: tree.remove_tree(str(work)), tmp_path)
    assert changes.removed == ("a.txt", "run.sh", "sub/b.txt")
    assert list(files.names()) == []
    assert files.find("sub") is None


def test_a_workspace_replaced_by_a_link_is_all_removed(run, tmp_path, fixture):
    def act(work):
        work.rename(work.parent / "elsewhere")
        work.symlink_to("/etc")

    changes, _ = after(run, fixture, act, tmp_path)
    assert changes.removed == ("a.txt", "run.sh", "sub/b.txt")
    assert changes.added == ()
    assert Path("/etc/passwd").exists()


def test_a_locked_workspace_is_sealed_and_removed(run, tmp_path, fixture):
    def act(work):
        (work / "sub/new").write_text("new")
        (work / "sub/new").chmod(0)
        (work / "sub").chmod(0)
        work.chmod(0)

    changes, files = after(run, fixture, act, tmp_path)
    assert changes.added == ("sub/new",)
    assert files.read("sub/new") == b"new"


def as_nobody(act) -> int:
    """Do something in a child as a user without rights, as root in tests may do anything."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setgid(65534)
            os.setuid(65534)
            act()
            os._exit(0)
        except BaseException:  # noqa: BLE001
            import traceback

            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


@pytest.mark.skipif(os.getuid() != 0, reason="needs root to become another user")
def test_locked_folders_are_read_and_removed_without_root(monkeypatch):
    folder = Path(f"/dev/shm/audition-test-{os.getpid()}")

    def act():
        work = folder / "work"
        (work / "in" / "deep").mkdir(parents=True)
        (work / "in" / "deep" / "file").write_text("x")
        (work / "in" / "deep" / "file").chmod(0)
        for each in ("in/deep", "in", "."):
            (work / each).chmod(0)
        found = tree.snapshot(str(work))
        assert set(found.entries) == {"in", "in/deep", "in/deep/file"}
        assert found.unread == ()
        entry = found.entries["in/deep/file"]
        assert tree.copy_file(str(work / "in/deep/file"), entry, str(folder / "copy"))
        for each in ("in/deep", "in", "."):
            (work / each).chmod(0o500 if each == "in" else 0)
        tree.remove_tree(str(work))
        assert not work.exists()

    folder.mkdir()
    os.chown(folder, 65534, 65534)
    try:
        assert as_nobody(act) == 0
    finally:
        tree.remove_tree(str(folder))
    assert not folder.exists()


def test_removing_follows_no_link_and_minds_no_depth(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "precious").write_text("x")
    root = tmp_path / "root"
    root.mkdir()
    (root / "link").symlink_to(outside)
    here = os.getcwd()
    os.chdir(root)
    try:
        for _ in range(1500):
            os.mkdir("deep-folder")
            os.chdir("deep-folder")
        Path("link").symlink_to(outside)
    finally:
        os.chdir(here)
    found = tree.snapshot(str(root))
    assert found.unread
    tree.remove_tree(str(root))
    assert not root.exists()
    assert (outside / "precious").read_text() == "x"


# Sealed files


@pytest.mark.parametrize(
    ("path", "words"),
    [("../x", "leaves"), ("a/../../x", "leaves"), ("/etc/passwd", "absolute"), ("a\0b", "NUL")],
)
def test_a_path_that_leaves_the_workspace_is_refused_in_words(run, tmp_path, path, words):
    _, files = after(run, None, lambda _: None, tmp_path)
    with pytest.raises(ValueError, match=words):
        files.find(path)
    with pytest.raises(ValueError, match=words):
        files.read(path)


def test_a_link_planted_in_the_sealed_folder_is_not_followed(run, tmp_path):
    _, files = after(run, None, lambda work: (work / "d").mkdir(), tmp_path)
    (tmp_path / "trial/files/d/link").symlink_to("/etc")
    with pytest.raises(ValueError, match="link"):
        files.find("d/link/passwd")


def test_the_workspace_itself_can_be_found(run, tmp_path, fixture):
    _, files = after(run, fixture, lambda _: None, tmp_path)
    assert files.find(".") is not None
    assert files.find("./sub//b.txt") == files.find("sub/b.txt")


def test_a_copy_for_a_verifier_is_the_workspace_as_it_was_left(run, tmp_path, fixture):
    def act(work):
        (work / "a.txt").write_text("A")
        (work / "sub/b.txt").unlink()
        (work / "new").mkdir()
        (work / "new/tool").write_text("#!/bin/sh\n")
        (work / "new/tool").chmod(0o755)

    _, files = after(run, fixture, act, tmp_path)
    materialise(files, tmp_path / "copy")
    assert contents(tmp_path / "copy") == {"a.txt": "A", "new/tool": "#!/bin/sh\n",
                                           "run.sh": "#!/bin/sh\n"}  # fmt: skip
    assert os.access(tmp_path / "copy/new/tool", os.X_OK)
    (tmp_path / "copy/a.txt").write_text("spoilt")
    assert files.read("a.txt") == b"A"


names = st.sampled_from(["a", "b", "c"])
paths = st.lists(names, min_size=1, max_size=3).map("/".join)
trees = st.dictionaries(paths, st.sampled_from(["", "1", "22"]), max_size=6)


def plant(root: Path, wanted: dict[str, str]) -> None:
    root.mkdir(parents=True)
    for path, text in wanted.items():
        target = root / path
        if any(each.is_file() for each in target.parents) or target.is_dir():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


@given(before=trees, left=trees)
def test_whatever_an_agent_does_the_sealed_files_are_what_it_left(tmp_path_factory, before, left):
    tmp_path = tmp_path_factory.mktemp("t")
    plant(tmp_path / "fixture", before)
    (tmp_path / "run").mkdir()

    def act(work):
        tree.remove_tree(str(work))
        plant(work, left)

    _, files = after(tmp_path / "run", tmp_path / "fixture", act, tmp_path)
    plant(tmp_path / "expected", left)
    expected = contents(tmp_path / "expected")
    assert list(files.names()) == sorted(expected)
    assert {name: (files.read(name) or b"").decode() for name in files.names()} == expected
    materialise(files, tmp_path / "copy")
    assert contents(tmp_path / "copy") == expected


@given(st.text(max_size=30))
def test_no_path_finds_anything_outside(path):
    files = sealed.SealedFiles("/no/such", "/usr/bin", Changes())
    try:
        found = files.find(path)
    except ValueError:
        return
    assert found is None or found.startswith(("/usr/bin", "/no/such"))
