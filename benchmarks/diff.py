"""How long a comparison takes: `python benchmarks/diff.py [TRIALS]`.

In: nothing. Out: two lines on stdout. Two runs of 10,000 trials are to be compared within 2 s,
start of the program included. Printed, not asserted: it hangs on the machine.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from stored import make_run

TRIALS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name in ("a", "b"):
            make_run(Path(folder), name, count=TRIALS, cases=TRIALS // 5)
        results = Path(folder, "a", "results.json")
        for what, first in (("two runs", "a"), ("a results.json and a run", str(results))):
            began = time.perf_counter()
            argv = [sys.executable, "-m", "audition", "diff", first, "b", "--out", folder]
            done = subprocess.run(argv, capture_output=True, text=True, check=True)
            took = time.perf_counter() - began
            print(f"{what} of {TRIALS} trials: {took:.2f} s ({done.stdout.splitlines()[-1]})")


if __name__ == "__main__":
    main()
