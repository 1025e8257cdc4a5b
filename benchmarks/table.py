"""What the benchmark prints: the figures as Markdown, and the machine they were taken on.

In: the figures of measure.py. Out: a table. Must not know: how anything is measured.
"""

import os
import platform
import sys
from pathlib import Path


def filesystem(folder: Path) -> str:
    """The kind of filesystem that holds a folder."""
    best = ("", "unknown")
    for line in Path("/proc/mounts").read_text().splitlines():
        _, at, kind, *_ = line.split()
        if str(folder).startswith(at) and len(at) >= len(best[0]):
            best = (at, kind)
    return best[1]


def machine(fast: Path, disk: Path) -> dict:
    """What the figures were taken on."""
    return {
        "cpus": os.cpu_count(),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "filesystem": filesystem(fast),
        "disk": filesystem(disk),
        "load": os.getloadavg()[0],
    }


GOALS = {
    "wall_ratio": "steady wall per trial ÷ floor, the worse of both sizes (goal: 4)",
    "cpu_ratio": "CPU per trial ÷ floor, the worse of both sizes (goal: 4)",
    "rss_mb": "peak memory in MB, the worse of many trials and 2 MB traces (goal: 60)",
    "first_spawn_ratio": "command to first agent ÷ floor, a suite of 20 cases (goal: 4)",
    "version_ratio": "`audition --version` ÷ `python -c pass` (goal: 4)",
    "regrade_ratio": "`audition grade`, nothing changed, ÷ floor (goal: 2.5)",
    "regrade_fresh_ratio": "`audition grade --fresh` ÷ floor",
    "show_seconds": "`audition show` on a large run, seconds (goal: 1)",
    "fsync_wall_ratio": "steady wall per trial with fsync, on disk, ÷ floor without",
}


def print_table(found: dict) -> None:
    """What a reader wants first, as Markdown."""
    if "wall_ratio" in found:
        print("| what | measured |\n|---|---|")
        for key, words in GOALS.items():
            print(f"| {words} | {found[key]:.2f} |")
        print("\n| trials | floor ms | audition ms | ÷ | floor CPU ms | audition CPU ms | ÷ | MB |")
        print("|---|---|---|---|---|---|---|---|")
        for name in ("small", "large", "fsync"):
            row = found["raw"][name]
            print(
                f"| {row['trials']}{' fsync, disk' if name == 'fsync' else ''}"
                f" | {row['floor_ms']:.2f} | {row['audition_ms']:.2f} | {row['wall_ratio']:.2f}"
                f" | {row['floor_cpu_ms']:.2f} | {row['audition_cpu_ms']:.2f}"
                f" | {row['cpu_ratio']:.2f} | {row['rss_mb']:.0f} |"
            )
            print(
                f"first spawn with {row['trials']} cases: floor {row['floor_first_ms']:.0f} ms,"
                f" audition {row['audition_first_ms']:.0f} ms",
                file=sys.stderr,
            )
    for trials, row in found.get("floors", {}).items():
        print(f"floors at {trials}: " + ", ".join(f"{k} {v:.2f}" for k, v in row.items()))
