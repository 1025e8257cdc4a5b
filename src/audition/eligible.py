"""Which arm can run which case: and where it cannot, why.

In: a trial, its agent, the skills on offer. Out: words, empty where it can.
Must not know: how trials are planned, files.
"""

from collections.abc import Mapping

from audition.agent import Agent
from audition.front_matter import AT_LOAD
from audition.model import Case, Skill, Trial

BY_SKILL_TOOL = ("native", "mcp+native", "plugin")
"""Deliveries in which the agent itself puts the body of a skill before the model."""


def why_ineligible(trial: Trial, agent: Agent, skills: Mapping[str, Skill]) -> str:
    """Why this arm cannot run this case, in words; empty where it can."""
    case = trial.case
    if told := why_not_taken(trial.delivery, agent):
        return told
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
    return _why_silenced(trial, agent, skills)


def why_not_taken(delivery: str, agent: Agent) -> str:
    """Why skills cannot reach this agent that way, in words; empty where they can."""
    if delivery in agent.deliveries:
        return ""
    taken = ", ".join(agent.deliveries)
    return f"{agent.name} does not take the delivery `{delivery}` (it takes {taken})"


def _why_silenced(trial: Trial, agent: Agent, skills: Mapping[str, Skill]) -> str:
    """Why the skills that are expected would be loaded with a part of them missing."""
    expected, allowed = trial.case.expected, trial.case.settings.get("allow_skill_shell")
    if not agent.silences_shell or allowed is True or trial.delivery not in BY_SKILL_TOOL:
        return ""
    # Only these: to search all that is on offer for every trial took seconds of a large suite.
    meant = [skills[key] for key in trial.skills if skills[key].name in expected]
    names = {each.name for each in meant if AT_LOAD.search(each.body)}
    if not expected or not names.issuperset(expected):
        return ""
    return (
        f"`{expected[0]}` runs a shell when it is loaded, which is off; "
        "allow it with `allow_skill_shell = true` in the settings of the case or of the agent"
    )


def _callable(skill: Skill | None) -> bool:
    return skill is None or skill.model_invocable


def is_explicit(case: Case, signs: str = "") -> bool:
    """Whether the prompt itself calls the expected skill: `/name …` or `$name`, or one of them."""
    words, signs = case.prompt.split(), signs or "/$"
    return any(
        ("/" in signs and f"/{name}" in words[:1]) or ("$" in signs and f"${name}" in words)
        for name in case.expected
    )
