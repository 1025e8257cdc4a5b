"""No isolation at all: the caller's own environment, home and settings.

In: a Command and the trial's private folders. Out: the same argv, the caller's environment.
The agent finds the user's own skills, settings, history and keys, so that a result says
little about the skill alone. For looking at what happens on one's own machine.
Must not know: agents, trials, grading.
"""

from collections.abc import Mapping

from audition.agent import Command
from audition.sandbox import Boxed, Place


def none(
    command: Command,
    place: Place,
    lets_through: tuple[str, ...],  # noqa: ARG001  everything goes through
    env: Mapping[str, str],
) -> Boxed:
    """The caller's environment as it is; gives no isolation."""
    return Boxed(argv=command.argv, env={**env, "PWD": place.workspace, **command.env})
