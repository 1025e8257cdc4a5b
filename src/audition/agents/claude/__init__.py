"""Claude Code: asked by `asking`, read by `stream`, put in order by `settling`.

In: nothing. Out: the agent. Must not know: processes, files, other agents.
"""

from audition.agent import Agent
from audition.agents.claude.asking import command
from audition.agents.claude.settling import settle
from audition.agents.claude.stream import read

claude = Agent(
    name="claude",
    command=command,
    read=read,
    settle=settle,
    program=("claude",),
    known_version="2.1.327",
    deliveries=("native", "none", "mcp", "mcp+native", "plugin"),
    skills_dir=".claude/skills",
    instructions_file="CLAUDE.md",
    loads_by=("skill-tool", "mcp-tool", "mcp-resource", "injected"),
    mention="/",
    lets_through=("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"),
    login=(".claude/.credentials.json",),
    wire="anthropic",
    several_turns=True,
)
"""Claude Code by Anthropic, its own program `claude`."""
