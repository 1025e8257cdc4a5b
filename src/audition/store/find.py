"""Which runs there are, and which one is meant.

In: words from the command line, the folder of all runs. Out: the path of a run.
Must not know: what is in a run beyond its run.json.
"""

import os
import re
from contextlib import suppress
from pathlib import Path

from audition.errors import RunTrouble, UsageError, did_you_mean
from audition.store.files import in_words

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def check_id(run_id: str) -> str:
    """The id itself, where it may name a folder."""
    if not _ID.fullmatch(run_id) or run_id == "last" or run_id.startswith("history.db"):
        raise UsageError(
            f"`{run_id}` cannot be the id of a run",
            "use letters, digits, `.`, `_` and `-`, at most 100; `last` means the newest run",
        )
    return run_id


def claim_id(out: Path, wanted: str) -> str:
    """The wanted id, or with -2, -3 … behind it where it is taken; its folder is made."""
    check_id(wanted)
    with in_words("make", out):
        out.mkdir(parents=True, exist_ok=True)
        number = 1
        while True:
            run_id = wanted if number == 1 else f"{wanted}-{number}"
            try:
                (out / run_id).mkdir()
            except FileExistsError:
                number += 1
            else:
                return run_id


def list_runs(out: Path) -> list[Path]:
    """Every run below a folder, the oldest first."""
    found: list[tuple[int, str]] = []
    try:
        entries = os.scandir(out)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunTrouble(f"cannot read {out}: {error.strerror}") from error
    with entries:
        for entry in entries:
            try:
                stamp = os.stat(f"{entry.path}/run.json").st_mtime_ns
            except OSError:
                continue
            found.append((stamp, entry.name))
    return [out / name for _, name in sorted(found)]


def find_run(words: str | None, out: Path) -> Path:
    """The run that is meant: an id, a path, the unique beginning of an id, or the newest."""
    runs = list_runs(out)
    if words is None or words == "last":
        if not runs:
            raise RunTrouble(f"there is no run below {out}", "make one with `audition run`")
        return runs[-1]
    by_name = {run.name: run for run in runs}
    if (name := words.rstrip("/")) in by_name:  # a shell completes a folder's name so
        return by_name[name]
    if words and (Path(words) / "run.json").is_file():
        return Path(words)
    near = [run for name, run in by_name.items() if words and name.startswith(words)]
    if len(near) == 1:
        return near[0]
    if near:
        several = ", ".join(f"`{run.name}`" for run in near[-5:])
        raise RunTrouble(f"`{words}` may be {len(near)} runs", f"such as {several}")
    raise RunTrouble(f"no run `{words}` below {out}", did_you_mean(words, by_name))


def list_results(out: Path) -> dict[str, int]:
    """The runs that have results, by the name of their folder, and when these were written."""
    found = {}
    for run in list_runs(out):
        with suppress(OSError):
            found[run.name] = (run / "results.json").stat().st_mtime_ns
    return found
