"""Codex: asked by `asking`, read by `stream` and `rollout`, made one by `joining`.

In: nothing. Out: the agent. Must not know: processes, files, other agents.
"""

from audition.agent import Agent
from audition.agents.codex.asking import command
from audition.agents.codex.joining import join, settle
from audition.agents.codex.rollout import read_rollout
from audition.agents.codex.stream import read

codex = Agent(
    name="codex",
    command=command,
    read=read,
    settle=settle,
    program=("codex",),
    # codex.js takes 75 ms of processor, and adds nothing but how to update.
    behind=tuple(
        f"{place}codex-*/vendor/*/bin/codex" for place in ("../../", "../node_modules/@openai/")
    ),
    known_version="0.169.0",
    least_version="0.97.0",  # 0.87 does not look into `.agents/skills`
    get_it="npm install -g @openai/codex",
    deliveries=("native", "none", "instructions", "mcp", "mcp+native"),
    loads_by=("shell-read", "file-read", "script-run", "injected", "mcp-tool", "mcp-resource"),
    mention="$",
    lets_through=("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_ACCESS_TOKEN"),
    login=(".codex/auth.json",),
    home_var="CODEX_HOME",
    sign_in="run `codex login`, or set OPENAI_API_KEY",
    wire="responses",
    beside=(".codex/sessions/**/rollout-*.jsonl",),
    read_beside=read_rollout,
    join=join,
    offers_by="beside",
    several_turns=True,
)
"""Codex by OpenAI, its own program `codex`."""
