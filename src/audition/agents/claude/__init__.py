"""Claude Code: asked by `asking` or `sdk`, read by `stream`, put in order by `settling`.

In: nothing. Out: the agents. Must not know: processes, files, other agents.
"""

import msgspec

from audition.agent import Agent
from audition.agents.claude import sdk
from audition.agents.claude.asking import command
from audition.agents.claude.budget import tell_budget
from audition.agents.claude.login import LETS_THROUGH, open_login
from audition.agents.claude.settling import settle
from audition.agents.claude.stream import read, read_all

claude = Agent(
    name="claude",
    command=command,
    read=read,
    read_all=read_all,
    settle=settle,
    program=("claude",),
    known_version="2.1.327",
    least_version="2.1.197",
    get_it="npm install -g @anthropic-ai/claude-code@2.1.327",
    bundled=("claude_agent_sdk/_bundled/claude",),
    deliveries=("native", "none", "mcp", "mcp+native", "plugin", "instructions"),
    skills_dir=".claude/skills",
    instructions_file="CLAUDE.md",
    loads_by=("skill-tool", "mcp-tool", "mcp-resource", "injected"),
    mention="/",
    lets_through=LETS_THROUGH,
    login=(".claude/settings.json", ".claude/.credentials.json"),
    home_var="CLAUDE_CONFIG_DIR",
    open_login=open_login,
    sign_in="set ANTHROPIC_API_KEY or CLAUDE_CODE_OAUTH_TOKEN, or run `claude` and /login",
    troubles=(b'"api_retry"', b'"rate_limit_event"', b'"<synthetic>"', b'"subtype":"init"'),
    # 2.1.327 waits for a retry-after of 60, and ends at one of 61 with no word of it.
    gives_up_beyond=60.0,
    silences_shell=True,
    budget=tell_budget,
    wire="anthropic",
    several_turns=True,
    # The program's own choice differs with the login; see docs/claude-code.md.
    model="sonnet",
)
"""Claude Code by Anthropic, its own program `claude`."""
claude_sdk = msgspec.structs.replace(
    claude, name="claude-sdk", command=sdk.command, package="claude_agent_sdk claude"
)
"""The same through Anthropic's Agent SDK for Python."""
