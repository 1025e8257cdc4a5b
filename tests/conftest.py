"""What all tests share: real agents that could not be tested are told loudly, at the very end."""

import os
from pathlib import Path

from hypothesis import settings

# A busy machine makes any example slow; how long something takes is for the benchmarks.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

BROUGHT = Path(__file__).parents[1] / "node_modules" / ".bin"
"""What `make agents` installs; its node goes before an older one of the machine."""
if BROUGHT.is_dir():
    os.environ["PATH"] = f"{BROUGHT}{os.pathsep}{os.environ.get('PATH', '')}"

NO_AGENT = "no real agent:"
"""How the reason of a skip begins that stands for a program that is not here."""


def pytest_terminal_summary(terminalreporter):
    reasons = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        _, found, rest = reason.partition(NO_AGENT)
        if found:
            reasons[rest.strip()] = reasons.get(rest.strip(), 0) + 1
    if not reasons:
        return
    terminalreporter.section("REAL AGENTS NOT TESTED", sep="!", red=True, bold=True)
    for reason, times in sorted(reasons.items()):
        terminalreporter.line(f"{times} tests did not run: {reason}", red=True)
    terminalreporter.line("hint: `make agents` installs the programs that tests ask", red=True)


def pytest_report_header():
    return f"real agents: {'must be here' if os.environ.get('CI') == 'true' else 'tested if here'}"
