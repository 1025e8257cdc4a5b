"""Which arm can run which case: and where it cannot, why.

In: a trial, its agent, the skills on offer. Out: words, empty where it can.
Must not know: how trials are planned, files.
"""

from collections.abc import Mapping

from audition.agent import Agent
from audition.model import Case, Skill, Trial


def why_ineligible(trial: Trial, agent: Agent, skills: Mapping[str, Skill]) -> str:
    """Why this arm cannot run this case, in words; empty where it can."""
    case = trial.case
    if trial.delivery not in agent.deliveries:
        taken = ", ".join(agent.deliveries)
        return f"{agent.name} does not take the delivery `{trial.delivery}` (it takes {taken})"
    if case.then and not agent.several_turns:
        return f"{agent.name} cannot hold a session of several turns"
    if trial.delivery == "none" and not case.checks and not case.rubric:
        return "without a skill there is nothing to check: the case has no checks of its own"
    by_hand = is_explicit(case, agent.mention) and trial.delivery not in ("instructions", "mcp")
    if case.expected and trial.delivery != "none" and not by_hand:
        offered = {skills[key].name: skills[key] for key in trial.skills}
        shut = [name for name in case.expected if not _callable(offered.get(name))]
        if len(shut) == len(case.expected):
            said = f"the model may not invoke `{shut[0]}` (disable-model-invocation)"
            sign = agent.mention if is_explicit(case) and trial.delivery == "native" else ""
            return f"{said}; {agent.name} puts it in by `{sign}{shut[0]}`" if sign else said
    return ""


def _callable(skill: Skill | None) -> bool:
    return skill is None or skill.model_invocable


def is_explicit(case: Case, signs: str = "") -> bool:
    """Whether the prompt itself calls the expected skill: `/name …` or `$name`, or one of them."""
    words, signs = case.prompt.split(), signs or "/$"
    return any(
        ("/" in signs and f"/{name}" in words[:1]) or ("$" in signs and f"${name}" in words)
        for name in case.expected
    )
