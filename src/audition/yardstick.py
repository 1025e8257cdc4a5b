"""What a trial is graded by: all that grading needs beside the sealed folder.

In: a run, its skills and agents, perhaps a policy. Out: one value for all of its trials.
Must not know: how a trial is graded; whoever asks the first agent need not import that.
"""

from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path

from audition.agent import Agent
from audition.model import Case, Skill, Value
from audition.stamp import Ground, lay_ground


class Grading(Value, frozen=True, kw_only=True, dict=True):
    """What grading needs beside the sealed folder."""

    run: Path
    skills: dict[str, Skill]
    agents: Mapping[str, Agent]
    policy: str | None = None
    """Given, it replaces the policy each trial was planned with."""
    stood: str = ""
    """Where the run was started; grading may happen in another folder."""
    stop: Callable[[], bool] | None = None
    """True once programs that grade are to be ended, and what they grade is left ungraded."""

    mended: Mapping[str, Case] = {}
    """Cases by node whose checks are others than those that are sealed with their trials."""

    @cached_property
    def ground(self) -> Ground | None:
        """What the stamps of its grades are made of; made when it is first asked for."""
        return lay_ground(self.run, self.stood, self.skills, self.agents, self.mended)
