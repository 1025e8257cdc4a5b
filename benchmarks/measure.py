"""Measures `audition` side by side with a hand-written floor, in one run: `make bench`.

In: nothing but the installed package and gcc. Out: a table, and benchmarks/latest.json.
Every ratio is taken against the floor measured right before; of several pairs the median
counts. Absolute times say little about another machine: quote the ratios.

    measure.py                 everything, some minutes
    measure.py --quick         smaller and once; for a first look
    measure.py --floors        only the floors
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from compileall import compile_dir
from pathlib import Path
from statistics import median

from table import machine, print_table
from traces import write_suite, write_traces

HERE = Path(__file__).resolve().parent
PROGRAM = str(Path(sys.executable).parent / "audition")
AT_ONCE = 8
PYTHON_WORDS = {
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONUNBUFFERED",
    "PYTHONPATH",
    "PYTHONPROFILEIMPORTTIME",
}
"""Kept from both sides: they would measure the shell they were set in."""


class Kit:
    """The scratch folder, the stub, and how one command is measured."""

    def __init__(self, scratch: Path) -> None:
        self.scratch = scratch
        self.stub = build("stub.c")
        self.floor = build("floor.c")
        self.meter = build("meter.c")
        write_traces(scratch / "traces")
        # As `pip install` leaves a package; an editable one is compiled at its first start.
        compile_dir(str(HERE.parent / "src"), quiet=2)

    def folder(self, name: str) -> Path:
        """A new empty folder."""
        return Path(tempfile.mkdtemp(prefix=name, dir=self.scratch))

    def measure(self, argv: list[str], *, traces: str = "small", cwd: Path | None = None) -> dict:
        """Wall and CPU (with all children) in seconds, peak memory of the largest process."""
        first = self.scratch / "first"
        first.unlink(missing_ok=True)
        env = {
            **{name: value for name, value in os.environ.items() if name not in PYTHON_WORDS},
            "FAKE_TRACE": str(self.scratch / "traces" / traces),
            "FAKE_COUNT": "8" if traces == "big" else "50",
            "FAKE_FIRST": str(first),
            "TMPDIR": str(self.scratch),  # workspaces on the same filesystem as the floor's
        }
        log, report = self.scratch / "log", self.scratch / "report"
        with log.open("wb") as out:
            subprocess.run(
                [self.meter, str(report), *argv],
                stdin=subprocess.DEVNULL, stdout=out, stderr=out, env=env, cwd=cwd, check=True,
            )  # fmt: skip
        began, ended, cpu, peak, code = map(int, report.read_text().split())
        if code:
            tail = log.read_text("utf-8", "replace")[-2000:]
            sys.exit(f"{' '.join(argv)}\nended with {code}:\n{tail}")
        spawned = int(first.read_text()) if first.exists() else None
        return {
            "wall": (ended - began) / 1e9,
            "cpu": cpu / 1e6,
            "rss_mb": peak / 1024,
            "first_spawn": (spawned - began) / 1e9 if spawned else None,
        }


def build(source: str) -> str:
    """Compile one of our C programs."""
    if not shutil.which("gcc"):
        sys.exit("make bench needs gcc, for the stub agent; on Debian: apt install gcc libc6-dev")
    (HERE / "bin").mkdir(exist_ok=True)
    program = HERE / "bin" / Path(source).stem
    made = ["gcc", "-O2", "-Wall", "-static", "-o", str(program), str(HERE / source)]
    if subprocess.run(made, check=False, stderr=subprocess.DEVNULL).returncode:
        subprocess.run([word for word in made if word != "-static"], check=True)
    return str(program)


def python_floor(kit: Kit, trials: int, traces: str = "small") -> tuple[dict, Path]:
    """The hand-written loop."""
    folder = kit.folder("floor")
    argv = [sys.executable, str(HERE / "floor.py"), "run", str(trials), str(AT_ONCE)]
    return kit.measure([*argv, kit.stub, str(folder)], traces=traces), folder


def c_floor(kit: Kit, trials: int) -> dict:
    """Spawn and reap, nothing read."""
    folder = kit.folder("c")
    return kit.measure([kit.floor, str(trials), str(AT_ONCE), kit.stub, str(folder)])


def audition_run(
    kit: Kit, trials: int, *, traces: str = "small", fsync: bool = False
) -> tuple[dict, Path]:
    """`audition run` on a generated suite, with the stub as the agent."""
    folder = kit.folder("audition")
    suite = write_suite(folder, trials)
    (folder / "audition.toml").write_text(
        f"fsync = {str(fsync).lower()}\n[agents.stub]\nlike = 'claude'\n"
        f"command = ['{kit.stub}']\nenv = ['FAKE_TRACE', 'FAKE_COUNT', 'FAKE_FIRST']\n"
    )
    argv = [PROGRAM, "run", str(suite), "-a", "stub", "-j", str(AT_ONCE), "--sandbox", "none"]
    told = kit.measure([*argv, "--out", "runs", "--run-id", "bench"], traces=traces, cwd=folder)
    totals = json.loads((folder / "runs" / "bench" / "summary.json").read_bytes())["totals"]
    if totals["pass"] != trials:
        sys.exit(f"{trials} trials should pass, but: {totals}")
    return told, folder


def steady(told: dict, trials: int) -> float:
    """Wall seconds per trial after the first spawn."""
    return (told["wall"] - told["first_spawn"]) / trials


def pairs(kit: Kit, trials: int, rounds: int, *, fsync: bool = False) -> dict:
    """Floor and harness in turn; the median of the ratios, with every figure behind it."""
    raw = []
    for _ in range(rounds):
        floor, left = python_floor(kit, trials)
        shutil.rmtree(left)
        ours, folder = audition_run(kit, trials, fsync=fsync)
        shutil.rmtree(folder)
        raw.append({"floor": floor, "audition": ours})
    both = [(each["floor"], each["audition"]) for each in raw]
    return {
        "trials": trials,
        "wall_ratio": median(steady(b, trials) / steady(a, trials) for a, b in both),
        "cpu_ratio": median(b["cpu"] / a["cpu"] for a, b in both),
        "first_spawn_ratio": median(b["first_spawn"] / a["first_spawn"] for a, b in both),
        "rss_mb": max(b["rss_mb"] for _, b in both),
        "floor_ms": 1e3 * median(steady(a, trials) for a, _ in both),
        "audition_ms": 1e3 * median(steady(b, trials) for _, b in both),
        "floor_cpu_ms": 1e3 * median(a["cpu"] for a, _ in both) / trials,
        "audition_cpu_ms": 1e3 * median(b["cpu"] for _, b in both) / trials,
        "floor_first_ms": 1e3 * median(a["first_spawn"] for a, _ in both),
        "audition_first_ms": 1e3 * median(b["first_spawn"] for _, b in both),
        "raw": raw,
    }


def start_up(kit: Kit, rounds: int) -> dict:
    """`audition --version` beside `python -c pass`, in turn."""
    bare, ours = [], []
    for _ in range(rounds):
        bare.append(kit.measure([sys.executable, "-c", "pass"])["wall"])
        ours.append(kit.measure([PROGRAM, "--version"])["wall"])
    helped = [kit.measure([PROGRAM, "--help"])["wall"] for _ in range(rounds)]
    return {
        "version_ratio": median(ours) / median(bare),
        "help_ratio": median(helped) / median(bare),
        "python_ms": 1e3 * median(bare),
        "version_ms": 1e3 * median(ours),
    }


def regrade(kit: Kit, trials: int, rounds: int) -> dict:
    """Grade a stored run again, as it is typed and with `--fresh`; the floor reads the same."""
    _, left = python_floor(kit, trials)
    _, folder = audition_run(kit, trials)
    argv = [sys.executable, str(HERE / "floor.py"), "grade", str(trials), str(left)]
    found: dict = {"trials": trials}
    for key, words in (("regrade", []), ("regrade_fresh", ["--fresh"])):
        raw = []
        for _ in range(rounds):
            floor = kit.measure(argv)
            ours = kit.measure([PROGRAM, "grade", "bench", "--out", "runs", *words], cwd=folder)
            raw.append({"floor": floor, "audition": ours})
        both = [(each["floor"], each["audition"]) for each in raw]
        found |= {
            f"{key}_ratio": median(b["wall"] / a["wall"] for a, b in both),
            f"{key}_cpu_ratio": median(b["cpu"] / a["cpu"] for a, b in both),
            f"{key}_floor_s": median(a["wall"] for a, _ in both),
            f"{key}_s": median(b["wall"] for _, b in both),
            f"{key}_raw": raw,
        }
    shutil.rmtree(left)
    shutil.rmtree(folder)
    return found


def show(kit: Kit, trials: int, rounds: int) -> dict:
    """`audition show` on a large run."""
    _, folder = audition_run(kit, trials)
    argv = [PROGRAM, "show", "bench", "--out", "runs"]
    raw = [kit.measure(argv, cwd=folder) for _ in range(rounds)]
    shutil.rmtree(folder)
    return {
        "trials": trials,
        "show_seconds": median(each["wall"] for each in raw),
        "show_cpu_seconds": median(each["cpu"] for each in raw),
        "raw": raw,
    }


def big_traces(kit: Kit, trials: int) -> dict:
    """Memory with 2 MB traces."""
    told, folder = audition_run(kit, trials, traces="big")
    shutil.rmtree(folder)
    return {"trials": trials, "rss_mb": told["rss_mb"], "raw": told}


def floors(kit: Kit, sizes: tuple[int, ...], rounds: int) -> dict:
    """The floors alone, in C and in Python."""
    found = {}
    for trials in sizes:
        in_c, in_python = [], []
        for _ in range(rounds):
            in_c.append(c_floor(kit, trials))
            told, left = python_floor(kit, trials)
            in_python.append(told)
            shutil.rmtree(left)
        found[str(trials)] = {
            "c_ms": 1e3 * median(steady(each, trials) for each in in_c),
            "c_cpu_ms": 1e3 * median(each["cpu"] for each in in_c) / trials,
            "python_ms": 1e3 * median(steady(each, trials) for each in in_python),
            "python_cpu_ms": 1e3 * median(each["cpu"] for each in in_python) / trials,
            "python_first_ms": 1e3 * median(each["first_spawn"] for each in in_python),
            "python_rss_mb": max(each["rss_mb"] for each in in_python),
        }
    return found


def tell(words: str) -> None:
    """Progress, on standard error."""
    print(f"measuring: {words}", file=sys.stderr, flush=True)


def measure_all(fast: Kit, disk: Kit, *, quick: bool) -> dict:
    """Every figure, by the names that others rely on, and the raw ones behind them."""
    rounds, small, large, many = (1, 200, 500, 1000) if quick else (3, 1000, 5000, 10_000)
    tell(f"load {os.getloadavg()[0]:.1f}; time to the first agent")
    first = pairs(fast, 20, 2 * rounds + 1)
    started = start_up(fast, 10)
    tell(f"{small} trials")
    steady_small = pairs(fast, small, rounds)
    tell(f"{large} trials")
    steady_large = pairs(fast, large, rounds)
    tell("traces of 2 MB")
    big = big_traces(fast, 100)
    tell(f"grading {large} again")
    graded = regrade(fast, large, rounds)
    tell(f"showing {many}")
    shown = show(fast, many, rounds)
    tell("fsync, on disk")
    synced = pairs(disk, small, rounds, fsync=True)
    return {
        "wall_ratio": max(steady_small["wall_ratio"], steady_large["wall_ratio"]),
        "cpu_ratio": max(steady_small["cpu_ratio"], steady_large["cpu_ratio"]),
        "rss_mb": max(steady_large["rss_mb"], big["rss_mb"]),
        "first_spawn_ratio": first["first_spawn_ratio"],
        "version_ratio": started["version_ratio"],
        "regrade_ratio": graded["regrade_ratio"],
        "regrade_fresh_ratio": graded["regrade_fresh_ratio"],
        "show_seconds": shown["show_seconds"],
        "fsync_wall_ratio": synced["wall_ratio"],
        "raw": {
            "start": started,
            "first_spawn": first,
            "small": steady_small,
            "large": steady_large,
            "big_traces": big,
            "regrade": graded,
            "show": shown,
            "fsync": synced,
        },
    }


def main() -> None:
    """Measure, print, keep."""
    words = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    words.add_argument("--quick", action="store_true", help="smaller and once")
    words.add_argument("--floors", action="store_true", help="only the floors")
    words.add_argument("--on", default="/dev/shm", help="where to work; best a tmpfs")
    asked = words.parse_args()
    (HERE / "data").mkdir(exist_ok=True)
    fast_place = asked.on if os.access(asked.on, os.W_OK) else tempfile.gettempdir()
    with (
        tempfile.TemporaryDirectory(prefix="bench-", dir=fast_place) as fast,
        tempfile.TemporaryDirectory(prefix="bench-", dir=HERE / "data") as disk,
    ):
        found = {"machine": machine(Path(fast), Path(disk)), "quick": asked.quick}
        sizes = (200,) if asked.quick else (1000, 5000)
        found["floors"] = floors(Kit(Path(fast)), sizes, 1 if asked.quick else 3)
        if not asked.floors:
            found |= measure_all(Kit(Path(fast)), Kit(Path(disk)), quick=asked.quick)
    found["machine"]["load_after"] = os.getloadavg()[0]
    print_table(found)
    (HERE / "latest.json").write_text(json.dumps(found, indent=1) + "\n")
    print(f"kept in {HERE.name}/latest.json; {found['machine']}")


if __name__ == "__main__":
    main()
