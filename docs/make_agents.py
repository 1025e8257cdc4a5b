"""Write docs/agents.md from the agents' own values: `python docs/make_agents.py`.

In: the agents on the shelf. Out: one Markdown page: what is written here, and a table.
Must not know: what the agents do.
"""

from pathlib import Path

from audition.agent import Agent, agents, find_agent

PAGE = Path(__file__).with_name("agents.md")
TEXT = Path(__file__).with_name("agents.md.in")
MARK = "<!-- the table of agents -->"


def make_page() -> str:
    """The whole page."""
    return TEXT.read_text("utf-8").replace(MARK, "\n".join(_table()))


def _table() -> list[str]:
    head = "| Agent | Read up to | Deliveries | Loads a skill by | Shown, by its | Tokens | Several turns | Wire |"
    found = (each if isinstance(each := agents[name], Agent) else None for name in agents)
    rows = [_row(each) for each in (*found, find_agent("acp:COMMAND")) if each and each.program]
    return [head, "| --- " * 8 + "|", *sorted(rows)]


def _row(agent: Agent) -> str:
    words = (
        f"`{agent.name}`",
        agent.known_version,
        ", ".join(agent.deliveries),
        ", ".join(agent.loads_by),
        {"beside": "session file"}.get(agent.offers_by, agent.offers_by),
        "yes" if agent.reports_usage else "unknown",
        "yes" if agent.several_turns else "no",
        agent.wire,
    )
    return f"| {' | '.join(words)} |"


if __name__ == "__main__":
    PAGE.write_text(make_page(), "utf-8")
