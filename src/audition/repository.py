"""A git repository, read only: a file, a folder or the commits of a range.

In: a folder of a repository, the name of a commit. Out: bytes, paths, commits.
Must not know: skills, runs. Nothing of the user's repository is touched: no checkout, no
index, no hook; a folder of a commit is unpacked elsewhere from `git archive`.
"""

import io
import os
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from audition.errors import RunTrouble, UsageError
from audition.process import Start, run_command

SECONDS = 60.0


def ask_git(folder: Path, *words: str) -> bytes:
    """What git answers; its complaint as an error."""
    with tempfile.TemporaryDirectory(prefix="audition-git-") as held:
        out, err = Path(held, "out"), Path(held, "err")
        start = Start(
            argv=("git", "--no-optional-locks", *words),
            cwd=str(folder),
            env={**os.environ, "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0"},
            stdout=out,
            stderr=err,
            seconds=SECONDS,
            output_cap=1 << 30,
        )
        done = run_command(start)
        if done.exit_code != 0:
            lines = err.read_text("utf-8", "replace").strip().splitlines()
            said = lines[0] if lines else f"exit code {done.exit_code}"
            raise RunTrouble(f"git {words[0]}: {said.removeprefix('fatal: ')}")
        return out.read_bytes()


def find_commit(folder: Path, ref: str) -> str:
    """The full name of a commit."""
    if not ref or ref.startswith("-"):
        raise UsageError(f"`{ref}` names no commit")
    try:
        found = ask_git(folder, "rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
    except RunTrouble as error:
        if "not a git repository" in str(error):
            raise UsageError(
                f"{folder} is in no git repository", f"so `{ref}` can name no commit of it"
            ) from error
        raise UsageError(
            f"`{ref}` names no commit of the repository at {folder}", "see `git log --oneline`"
        ) from error
    return found.decode().strip()


def top_of(folder: Path) -> Path:
    """The folder that holds the whole work tree."""
    return Path(ask_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def read_at(folder: Path, ref: str, path: str) -> bytes:
    """A file as of a commit; a relative path is meant from `folder`."""
    commit = find_commit(folder, ref)
    within = path if not os.path.isabs(path) else os.path.relpath(path, top_of(folder))
    name = within if os.path.isabs(path) else f"./{within}"
    return ask_git(folder, "show", f"{commit}:{name}")


def unpack_at(folder: Path, ref: str, into: Path) -> None:
    """The files of a folder as of a commit, unpacked elsewhere; nothing where it had none."""
    import tarfile

    top = top_of(folder)
    commit = find_commit(folder, ref)
    within = os.path.relpath(folder.resolve(), top.resolve())
    tree = commit if within == "." else f"{commit}:{within}"
    data = ask_git(top, "archive", "--format=tar", tree)
    into.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(data)) as packed:
        packed.extractall(into, filter="data")


def is_before(folder: Path, first: str, last: str) -> bool:
    """Whether one commit is the other, or one of those that it rests on."""
    with suppress(RunTrouble):
        ask_git(folder, "merge-base", "--is-ancestor", first, last)
        return True
    return False


def commits_between(folder: Path, first: str, last: str, paths: Iterable[str]) -> list[str]:
    """The commits after `first` up to `last` that touch one of the paths, the oldest first.

    Of a merge only the merge itself: what was tried on a branch was not yet in use here.
    """
    words = ("--reverse", "--first-parent", "--format=%H", f"{first}..{last}", "--", *paths)
    return ask_git(folder, "log", *words).decode().split()


def describe_commit(folder: Path, commit: str) -> str:
    """A commit in one line: its short name, date and subject."""
    words = ("--no-walk", "--date=short", "--format=%h %ad %s", commit)
    return ask_git(folder, "log", *words).decode("utf-8", "replace").strip()
