"""How an agent is signed in as the user at the real provider.

In: an agent, the user's environment and home. Out: a SignIn, with no secret in its words.
Must not know: processes, trials.
"""

import re
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from audition.agent import Agent
from audition.errors import AuditionError
from audition.model import Value

SECRET = re.compile("KEY|TOKEN|SECRET")
"""A variable with none of these, such as `…_BASE_URL`, goes along and signs nobody in."""


class SignIn(Value, frozen=True, kw_only=True):
    """How an agent is signed in at the real provider."""

    how: str = ""
    """A variable or a file of the user's; empty where nothing is found."""
    env: dict[str, str] = {}
    links: dict[str, str] = {}
    """Files to be linked into the private home: name below it → the user's own."""
    problem: str = ""
    """Why what was found cannot be used."""


def find_sign_in(agent: Agent, env: Mapping[str, str], home: Path) -> SignIn:
    """The user's key in the environment, else the login that the agent's program keeps."""
    for name in agent.lets_through:
        if env.get(name) and SECRET.search(name):
            return SignIn(how=name)
    unusable = SignIn()
    for name, file in _logins(agent, env, home):
        how = f"~/{name}" if file == home / name else str(file)
        if agent.open_login is None:
            return SignIn(how=how, links={name: str(file)})
        try:
            found = agent.open_login(file.name, file.read_bytes(), time.time())
        except (AuditionError, OSError) as error:
            hint = f"; {error.hint}" if isinstance(error, AuditionError) and error.hint else ""
            unusable = unusable if unusable.how else SignIn(how=how, problem=f"{error}{hint}")
            continue
        if found:
            return SignIn(how=how, env=found)
    return unusable


def _logins(agent: Agent, env: Mapping[str, str], home: Path) -> Iterator[tuple[str, Path]]:
    """The login files that are there: the name below a home, and where it really is."""
    for name in agent.login:
        top, _, rest = name.partition("/")
        moved = env.get(agent.home_var) if agent.home_var else ""
        file = Path(moved, rest) if moved else home / top / rest
        if file.is_file():
            yield name, file
