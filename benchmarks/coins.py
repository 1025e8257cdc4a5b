"""How often a verdict is wrong, and what it takes: `python benchmarks/coins.py [ROUNDS]`.

In: nothing. Out: a table on stdout. Agents that are right with a known probability are asked
with `--trials auto` through the whole harness: processes, files, grading. Their rates are
the assumed mix of skills (see `MIX`); each round takes other seeds. A pass at or below the
unacceptable rate and a fail at or above the target are wrong; between them either word may
come. The fixed number of trials that keeps the same promise stands beside.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from audition.stats.fixed import fixed_design
from audition.stats.sequential import MIX, chances, find_design

ROUNDS = int(sys.argv[1]) if len(sys.argv) > 1 else 10
SKILLS, CASES = 10, 4
WORDS = ["ada", "bob", "cid", "dan", "eve", "fay", "gus", "hal", "ida", "jon"]
TARGET, UNACCEPTABLE = 0.9, 0.7


def write_suite(folder: Path) -> None:
    """Ten skills with four positives each."""
    for word in WORDS[:SKILLS]:
        (folder / "skills" / word).mkdir(parents=True)
        text = f"---\nname: {word}\ndescription: How to greet {word}.\n---\nSay hello.\n"
        (folder / "skills" / word / "SKILL.md").write_text(text)
    cases = [
        {"id": f"{word}-{n}", "prompt": f"Please greet {word}, time {n}.", "skill": word}
        for word in WORDS[:SKILLS]
        for n in range(CASES)
    ]
    text = json.dumps({"skills": ["skills"], "cases": cases})
    (folder / "cases.yaml").write_text(text)
    (folder / "audition.toml").write_text("fsync = false\n")


def ask(folder: Path, rate: float, seed: int) -> list[dict]:
    """The cells of one agent."""
    words = ["-a", f"coin:{rate}:{seed}", "--trials", "auto", "-q", "--run-id", f"r{rate}-{seed}"]
    argv = [sys.executable, "-m", "audition", "run", *words, "--output-format", "json"]
    done = subprocess.run(argv, check=False, cwd=folder, capture_output=True, text=True)
    return json.loads(done.stdout)["cells"]


def main() -> None:
    found = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        write_suite(Path(folder))
        for number in range(ROUNDS):
            for rate, share in MIX:
                for part in range(round(share * 10)):
                    found[rate] += ask(Path(folder), rate, number * 10 + part)
    design, fixed = find_design(UNACCEPTABLE, TARGET), fixed_design(UNACCEPTABLE, TARGET).trials
    print("rate  cells  passed  failed  other  wrong  mean runs  (exact)")
    wrong = cells = runs = 0
    for rate, _ in MIX:
        words = [each["verdict"] for each in found[rate]]
        bad = "fail" if rate >= TARGET else "pass" if rate <= UNACCEPTABLE else ""
        asked = sum(each["of"] for each in found[rate])
        passed, failed = words.count("pass"), words.count("fail")
        wrong, cells, runs = wrong + words.count(bad), cells + len(words), runs + asked
        print(
            f"{rate:4}  {len(words):5}  {passed:6}  {failed:6}  {len(words) - passed - failed:5}  "
            f"{words.count(bad):5}  {asked / len(words):9.1f}  ({chances(design, rate).runs:.1f})"
        )
    print(
        f"{cells} cells: {wrong} wrong ({wrong / cells:.1%}), {runs / cells:.1f} trials on average "
        f"of a fixed {fixed}: {1 - runs / cells / fixed:.0%} saved"
    )


if __name__ == "__main__":
    main()
