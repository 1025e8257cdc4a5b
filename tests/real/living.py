"""A house in which real agents are asked: polluted on purpose, with a provider of ours."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from audition.config import Config
from audition.errors import AgentMissing
from audition.installed import make_ready

SPY = "SPY-4711"
"""Stands in everything that must not be shown to a model."""
SECRET = "sk-ant-oat01-this-is-the-secret-of-the-user"
GREETING = """---
name: greeting
description: How to greet a person by name.
---
Read [notes](notes.md). Answer with exactly:

```say
SALVE Ada
```
"""


def need(name):
    """Skips loudly without the program; where CI is true, its absence is a failure."""
    try:
        return make_ready(name, Config())
    except AgentMissing as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{error}: run `make agents`")
        pytest.skip(f"no real agent: {name}: {error}")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if isinstance(text, str) else json.dumps(text))


def spy_skill(folder, name):
    write(folder / name / "SKILL.md", f"---\nname: {name}\ndescription: {SPY} greets.\n---\n{SPY}")


def pollute(folder):
    """All that a user's home or project may hold, and no trial may see."""
    claude = folder / ".claude"
    spy_skill(claude / "skills", "spy-skill")
    write(claude / "CLAUDE.md", SPY)
    write(folder / "CLAUDE.md", SPY)
    write(claude / "agents" / "spy.md", f"---\nname: spy\ndescription: {SPY}\n---\n{SPY}")
    write(claude / "commands" / "spy.md", f"---\ndescription: {SPY}\n---\n{SPY}")
    hook = {"hooks": [{"type": "command", "command": f"touch {folder}/{SPY}-hook"}]}
    write(claude / "rules" / "spy.md", SPY)
    write(claude / "output-styles" / "spy.md", f"---\nname: spy\ndescription: {SPY}\n---\n{SPY}")
    plugin = claude / "plugins" / "marketplaces" / "spy" / "plugins" / "spy"
    write(plugin / ".claude-plugin" / "plugin.json", {"name": "spy", "description": SPY})
    spy_skill(plugin / "skills", "spy-of-plugin")
    settings = {"hooks": {"UserPromptSubmit": [hook], "SessionStart": [hook]}}
    settings |= {"outputStyle": "spy", "enabledPlugins": {"spy@spy": True}, "env": {"SPY": SPY}}
    write(claude / "settings.json", settings)
    server = {"command": "sh", "args": ["-c", f"touch {folder}/{SPY}-server"]}
    write(folder / ".mcp.json", {"mcpServers": {"spy": server}})
    write(folder / ".claude.json", {"mcpServers": {"spy": server}, "numStartups": 7})


class House:
    """A project, a home, and what was run in them."""

    def __init__(self, root):
        self.root, self.home, self.project = root, root / "home", root / "project"
        pollute(self.home)
        pollute(self.project)
        login = {"accessToken": SECRET, "refreshToken": SECRET, "expiresAt": 4_000_000_000_000}
        write(self.home / ".claude" / ".credentials.json", {"claudeAiOauth": login})
        greeting = self.project / "skills" / "greeting"
        write(greeting / "SKILL.md", GREETING)
        write(greeting / "notes.md", "Be kind.\n")
        write(greeting / "scripts" / "hello.sh", "echo hello from the script\n")
        farewell = "---\nname: farewell\ndescription: How to part from somebody.\n---\nVALE\n"
        write(self.project / "skills" / "farewell" / "SKILL.md", farewell)
        self.configure()

    def configure(self, text=""):
        write(self.project / "audition.toml", f"fsync = false\ntimeout = 60\n{text}")

    def digest(self):
        """Every name and byte of the user's, without our own artifacts."""
        found = hashlib.sha256()
        for top in (self.home, self.project):
            for path in sorted(top.rglob("*")):
                if "artifacts" not in path.parts and path.name != "cases.yaml":
                    found.update(str(path).encode())
                    found.update(path.read_bytes() if path.is_file() else b"")
        return found.hexdigest()

    def env(self, **more):
        path = {
            name: os.environ[name]
            for name in ("PATH", "TMPDIR", "PYTHONPATH")
            if name in os.environ
        }
        return {**path, "HOME": str(self.home), "NO_COLOR": "1", "LANG": "C.UTF-8", **more}

    def start(self, *words, env=None, seconds=150):
        return subprocess.run(
            [sys.executable, "-m", "audition", *words], cwd=self.project, env=env or self.env(),
            capture_output=True, text=True, timeout=seconds, check=False,
        )  # fmt: skip

    def run(self, cases, script, *words, env=None, provider=None):
        """Runs cases, with what the model says to each; the entries of results.json by case."""
        write(self.project / "cases.yaml", {"skills": ["skills"], "cases": cases})
        if provider is None:
            file = self.root / "script.json"
            write(file, {"by_case": script})
            provider = f"script:{file}"
        shutil.rmtree(self.folder, ignore_errors=True)
        words = ("run", "cases.yaml", "--run-id", "r", "-q", "--provider", provider, *words)
        self.done = self.start(*words, env=env)
        assert (self.folder / "results.json").exists(), self.done.stdout + self.done.stderr
        told = json.loads((self.folder / "results.json").read_text())["trials"]
        assert {each["case"] for each in told} == {each["id"] for each in cases}, self.done.stderr
        return {each["case"]: each for each in told}

    @property
    def folder(self):
        return self.project / "artifacts" / "skill-evals" / "r"

    def of(self, record, name):
        return self.folder / record["dir"] / name

    def requests(self, record):
        lines = self.of(record, "requests.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def sealed(self, record):
        return json.loads(self.of(record, "meta.json").read_text())


def evidence(record, skill="greeting"):
    """What became of one skill in a trial."""
    return next((each for each in record["skills"] if each["skill"] == skill), {})


def left_over(mark):
    """Processes whose words hold a mark."""
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                words = (each / "cmdline").read_bytes()
            except OSError:
                continue
            if mark.encode() in words and each.name != str(os.getpid()):
                found.append(words)
    return found
