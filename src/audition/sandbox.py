"""What a sandbox is: the environment and the words put before a command.

In: a Command and the trial's private folders. Out: argv and a whole environment.
Must not know: agents, trials, grading.
"""

from collections.abc import Callable, Mapping

from audition.agent import Command
from audition.model import Value
from audition.registry import Registry


class Place(Value, frozen=True, kw_only=True):
    """The private folders of one trial, all beneath `root`."""

    root: str
    workspace: str
    home: str
    tmp: str


class Boxed(Value, frozen=True, kw_only=True):
    """A command as it is really started."""

    argv: tuple[str, ...]
    env: dict[str, str]


Sandbox = Callable[[Command, Place, tuple[str, ...], Mapping[str, str]], Boxed]
"""(command, place, names of variables the agent needs, the harness's environment) → Boxed."""

sandboxes: Registry[Sandbox] = Registry("sandbox")
