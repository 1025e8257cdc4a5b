"""How long scores over time take: `python benchmarks/history.py [TRIALS …]`.

In: nothing. Out: lines on stdout. `audition history` over 100,000 trials is to take less than
100 ms beyond the start of the program, over 1,000,000 less than 1 s. The index is filled from
records that are made up, 1,000 a run; the runs have results to stamp, and nothing to read.
Printed, not asserted: it hangs on the machine, so CPU seconds stand beside.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from stored import inputs, plan, record

from audition.index import Kept, update_index
from audition.store import list_results

SIZES = tuple(int(word) for word in sys.argv[1:]) or (100_000, 1_000_000)
A_RUN = 1_000


def fill(out: Path, trials: int) -> None:
    """An index over so many trials."""
    made = [record(each) for each in plan(A_RUN, 100)]
    names = [f"2026{number:04d}" for number in range(trials // A_RUN)]
    for name in names:
        (out / name).mkdir()
        for file in ("run.json", "results.json"):
            (out / name / file).write_text("{}")

    def read(name: str):
        return inputs((), name, began=f"2026-01-01T00:{int(name[-4:-2]):02d}:00+00:00"), made

    kept = Kept(stamps=list_results(out), read=read)
    for name in names:
        update_index(out, name, kept)


def took(*words: str) -> tuple[float, float]:
    """Wall and CPU seconds of the best of five."""
    found = []
    for _ in range(5):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        began = time.perf_counter()
        subprocess.run([sys.executable, "-m", "audition", *words], check=True, capture_output=True)
        wall = time.perf_counter() - began
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
        found.append((wall, cpu))
    return min(wall for wall, _ in found), min(cpu for _, cpu in found)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        start = took("history", "--out", folder)
    print(f"history of nothing: {start[0]:.3f} s, CPU {start[1]:.3f} s")
    for trials in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            fill(Path(folder), trials)
            wall, cpu = took("history", "--out", folder)
            print(
                f"history of {trials} trials: {wall:.3f} s, CPU {cpu:.3f} s, "
                f"CPU beyond that of nothing {cpu - start[1]:.3f} s"
            )


if __name__ == "__main__":
    main()
