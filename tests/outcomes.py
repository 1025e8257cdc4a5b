"""Real outcomes for tests of checks: events, and a real folder as the sealed workspace."""

import os
import subprocess
from pathlib import Path

from audition.check import Outcome, Ran
from audition.model import Call, Case, Commands, End, Message, Sealed, Trace, Trial


class Folder:
    """Files over one real folder."""

    def __init__(self, root):
        self.root = Path(root)

    def find(self, path):
        if path.startswith("/") or ".." in Path(path).parts:
            raise ValueError(f"`{path}` leaves the workspace")
        found = self.root / path
        if found.is_symlink():
            raise ValueError(f"`{path}` was not kept: it is a link")
        return str(found) if found.exists() else None

    def read(self, path):
        found = self.find(path)
        if not found or not Path(found).is_file():
            return None
        with Path(found).open("rb") as file:
            return file.read(16 * 1024 * 1024)

    def names(self):
        for each in sorted(self.root.rglob("*")):
            if each.is_file():
                yield str(each.relative_to(self.root))


def program_in(folder):
    """Runs a real program in the folder."""

    def run(words, stdin, seconds):
        try:
            done = subprocess.run(
                words, input=stdin, cwd=folder, capture_output=True, timeout=seconds, check=False
            )
        except subprocess.TimeoutExpired as late:
            return Ran(exit_code=-9, output=(late.stdout or b"").decode(), timed_out=True)
        return Ran(exit_code=done.returncode, output=done.stdout.decode("utf-8", "replace"))

    return run


def an_outcome(
    *events,
    root=None,
    skills=(),
    case=None,
    sealed=None,
    commands=None,
    beside=b'{"version": 1}',
    **trace,
):
    """An Outcome of these events; other words replace fields of its Trace."""
    said = [each for each in events if isinstance(each, Message) and each.role == "assistant"]
    main = [each.text for each in said if not each.sub]
    fields = {
        "agent": "nop",
        "events": events,
        "end": End(status="completed", line=99),
        "answer": main[-1] if main else "",
    }
    case = case or Case(id="one", prompt="Do it.", skill="greeting", file="cases.yaml")
    trial = Trial(
        id="greeting/one/nop+native/1",
        place="greeting/one/nop+native/1",
        index=0,
        case=case,
        agent="nop",
        delivery="native",
        model=None,
        number=1,
        skills=("greeting",),
    )
    shell = sum(isinstance(each, Call) and each.does == "shell" for each in events)
    return Outcome(
        sealed=Sealed(trial=trial, **{"exit_code": 0, "seconds": 2.5, **(sealed or {})}),
        trace=Trace(**{**fields, **trace}),
        skills=tuple(skills),
        commands=commands or Commands(total=shell, effective=shell),
        files=Folder(root or os.devnull),
        case_folder=Path(case.file).absolute().parent,
        as_json=lambda: beside,
        run_program=program_in(root),
    )
