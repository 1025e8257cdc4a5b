"""What the harness costs beside a real agent: N trials through it, and N bare runs.

    python benchmarks/bare.py [AGENT] [N] [AT_ONCE]

The same words, the same instant provider, as many at once, folders on the same disk. Bare is
what one would type: npm's script `codex` and not the program behind it, which the harness
starts itself. The goal is at most 1.15 times the bare runs. On a busy machine read `cpu_ratio`.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from audition.agent import Ask
from audition.config import Config
from audition.errors import AgentMissing
from audition.installed import make_ready, with_node
from audition.model import Case
from audition.provider import serve

SKILL = "---\nname: greeting\ndescription: How to greet a person.\n---\nSay SALVE.\n"
SCRIPT = {"turns": [{"calls": [{"skill": "greeting"}]}, "SALVE"]}
PLACE = "/var/tmp"
"""Where trials stand as well. Below /tmp Codex makes no helpers, and so takes less time."""


def bare(ready, folder, provider, name):
    place = folder / f"bare-{name}"
    work, home = place / "work", place / "home"
    skill = work / ready.agent.skills_dir / "greeting" / "SKILL.md"
    skill.parent.mkdir(parents=True)
    skill.write_text(SKILL)
    (work / ".git").mkdir()
    home.mkdir()
    lane = provider.open(None, None)
    ask = Ask(
        case=Case(id="a", prompt="Greet."), model=ready.agent.model, delivery="native",
        workspace=str(work), home=str(home), program=ready.program, endpoint=lane.url,
    )  # fmt: skip
    command = ready.agent.command(ask)
    for path, text in command.files.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    env = with_node(ready.program, {"PATH": os.environ["PATH"], "HOME": str(home), **command.env})
    with (place / "out").open("wb") as out:
        done = subprocess.run(command.argv, cwd=work, env=env, stdin=subprocess.DEVNULL,
                              stdout=out, stderr=subprocess.STDOUT, check=False)  # fmt: skip
    lane.close()
    assert done.returncode == 0, (place / "out").read_text()


def through(folder, script, name, n, at_once):
    argv = [sys.executable, "-m", "audition", "run", "cases.yaml", "-a", name, "-r", str(n)]
    argv += ["-j", str(at_once), "-q", "--provider", f"script:{script}"]
    done = subprocess.run(argv, cwd=folder, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout


def cpu():
    """Seconds of processor that we and all that we waited for have used."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def measured(work):
    began, used = time.monotonic(), cpu()
    work()
    return time.monotonic() - began, cpu() - used


def measure(name, n, at_once, folder):
    ready = make_ready(name, Config())
    script, config = folder / "script.json", folder / "audition.toml"
    script.write_text(json.dumps(SCRIPT))
    config.write_text(f"[agents.{name}]\ncommand = {json.dumps(list(ready.program))}\n")
    (folder / "skills" / "greeting").mkdir(parents=True)
    (folder / "skills" / "greeting" / "SKILL.md").write_text(SKILL)
    case = {"id": "a", "prompt": "Greet.", "skill": "greeting"}
    (folder / "cases.yaml").write_text(json.dumps({"skills": ["skills"], "cases": [case]}))
    typed = shutil.which(ready.agent.program[0])
    plain = msgspec.structs.replace(ready, program=(typed,) if typed else ready.program)
    with serve(f"script:{script}") as provider, ThreadPoolExecutor(at_once) as pool:
        wall, used = measured(
            lambda: list(pool.map(lambda each: bare(plain, folder, provider, each), range(n)))
        )
    our_wall, our_used = measured(lambda: through(folder, script, name, n, at_once))
    return {
        "agent": name, "version": ready.version, "trials": n, "at_once": at_once,
        "bare_s": round(wall, 2), "harness_s": round(our_wall, 2),
        "bare_cpu_s": round(used, 2), "harness_cpu_s": round(our_used, 2),
        "ratio": round(our_wall / wall, 3), "cpu_ratio": round(our_used / used, 3),
    }  # fmt: skip


def main():
    name, n, at_once = (*sys.argv[1:4], *("codex", "100", "2")[len(sys.argv) - 1 :])
    with tempfile.TemporaryDirectory(dir=PLACE, prefix="bench-") as folder:
        try:
            print(json.dumps(measure(name, int(n), int(at_once), Path(folder))))
        except AgentMissing as error:
            print(json.dumps({"agent": name, "missing": str(error)}))


if __name__ == "__main__":
    main()
