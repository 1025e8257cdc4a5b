"""Runs the user's own verifier in a copy of a sealed workspace.

In: sealed files, a command, what it is given. Out: how it ended and what it said.
Must not know: what the verifier looks for, which trial it is about.
"""

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from audition.check import Ran
from audition.errors import Interrupted
from audition.process import Start, run_command
from audition.sealed import SealedFiles, materialise


@contextmanager
def copied(files: SealedFiles, answer: str) -> Iterator[Path]:
    """A folder with `work`, a copy of the workspace, and `answer.txt`; gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="audition-verify-") as into:
        materialise(files, Path(into, "work"))
        Path(into, "answer.txt").write_text(answer, "utf-8", "replace")
        yield Path(into)


def verify(
    command: str | list[str],
    stdin: bytes,
    seconds: float,
    into: Path,
    told: Mapping[str, str],
    stop: Callable[[], bool] | None = None,
) -> Ran:
    """Run the user's own verifier in a copy of the sealed workspace."""
    said = into / "said.txt"
    finished = run_command(
        Start(
            argv=tuple(shlex.split(command) if isinstance(command, str) else command),
            cwd=str(into / "work"),
            env={**os.environ, **told},
            stdin=stdin,
            stdout=said,
            stderr=into / "stderr.txt",
            seconds=seconds,
            stop=stop,
        )
    )
    if finished.stopped == "interrupted":
        raise Interrupted
    with said.open("rb") as file:
        text = file.read(64 * 1024).decode(errors="replace").strip()
    if not text:
        with (into / "stderr.txt").open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 2000))
            text = file.read().decode(errors="replace").strip()
    code, stopped = finished.exit_code, finished.stopped
    return Ran(
        exit_code=-1 if code is None else code,
        output=text,
        timed_out=stopped == "timeout",
        too_long=stopped == "output",
    )
