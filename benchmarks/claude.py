"""What the harness costs beside the real Claude Code: N trials through it, and N bare runs.

    python benchmarks/claude.py [N] [AT_ONCE]

The same program, the same words, the same instant provider, as many at once. The word of
the issue is that the harness takes at most 1.15 times as long.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from audition.agent import Ask, find_agent
from audition.config import Config
from audition.installed import make_ready
from audition.model import Case
from audition.provider import serve

SKILL = "---\nname: greeting\ndescription: How to greet a person.\n---\nSay SALVE.\n"
SCRIPT = {"turns": [{"calls": [{"skill": "greeting"}]}, "SALVE"]}


def bare(ready, folder, provider, number):
    work = folder / f"bare-{number}"
    (work / "work" / ".claude" / "skills" / "greeting").mkdir(parents=True)
    (work / "work" / ".claude" / "skills" / "greeting" / "SKILL.md").write_text(SKILL)
    (work / "home").mkdir()
    (work / "work" / ".git").mkdir()
    lane = provider.open(None, None)
    ask = Ask(
        case=Case(id="a", prompt="Greet."), model="sonnet", delivery="native",
        workspace=str(work / "work"), home=str(work / "home"), program=ready.program,
        endpoint=lane.url,
    )  # fmt: skip
    command = find_agent("claude").command(ask)
    env = {"PATH": os.environ["PATH"], "HOME": str(work / "home"), **command.env}
    with (work / "out").open("wb") as out:
        done = subprocess.run(command.argv, cwd=work / "work", env=env, stdin=subprocess.DEVNULL,
                              stdout=out, stderr=subprocess.STDOUT, check=False)  # fmt: skip
    lane.close()
    assert done.returncode == 0, (work / "out").read_text()


def cpu():
    """Seconds of processor that we and all that we waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def main():
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    at_once = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    ready = make_ready("claude", Config())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        script = folder / "script.json"
        script.write_text(json.dumps(SCRIPT))
        (folder / "skills" / "greeting").mkdir(parents=True)
        (folder / "skills" / "greeting" / "SKILL.md").write_text(SKILL)
        case = {"id": "a", "prompt": "Greet.", "skill": "greeting", "trials": n}
        (folder / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": [case]}))
        began, used = time.monotonic(), cpu()
        with serve(f"script:{script}") as provider, ThreadPoolExecutor(at_once) as pool:
            list(pool.map(lambda number: bare(ready, folder, provider, number), range(n)))
        alone, alone_cpu = time.monotonic() - began, cpu() - used
        words = ("run", "cases.yaml", "-a", "claude", "-j", str(at_once), "-q", "--provider")
        config = folder / "audition.toml"
        config.write_text(f"[agents.claude]\ncommand = {json.dumps(list(ready.program))}\n")
        began, used = time.monotonic(), cpu()
        done = subprocess.run([sys.executable, "-m", "audition", *words, f"script:{script}"],
                              cwd=folder, stdout=subprocess.PIPE, text=True, check=False)  # fmt: skip
        through, through_cpu = time.monotonic() - began, cpu() - used
        assert done.returncode == 0, done.stdout
    told = {"trials": n, "at_once": at_once, "bare_s": round(alone, 2)}
    told |= {"harness_s": round(through, 2), "ratio": round(through / alone, 3)}
    told |= {"bare_cpu_s": round(alone_cpu, 2), "harness_cpu_s": round(through_cpu, 2)}
    print(json.dumps(told))


if __name__ == "__main__":
    main()
