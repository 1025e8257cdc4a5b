"""Where the model's answers come from: the real one, the understudy, or a script.

In: a policy as the user writes it: `live`, `understudy` or `script:FILE`. Out: a Provider
that gives each trial an address of its own, and tells afterwards what was asked there.
Must not know: protocols (see `wires`), agents, how trials are run.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from audition.errors import UsageError, unknown
from audition.model import Trial, Value
from audition.provider.catalogue import compare_listing
from audition.provider.lane import Lane, LaneReport
from audition.provider.script import BadScript, Script, read_script
from audition.provider.wire import Asked, Listed, Reply, Request, Wire, wires

if TYPE_CHECKING:
    from audition.provider.server import Server

__all__ = [
    "Answers",
    "Asked",
    "BadScript",
    "Lane",
    "LaneReport",
    "Listed",
    "Provider",
    "Reply",
    "Request",
    "Wire",
    "compare_listing",
    "parse_policy",
    "serve",
    "wires",
]

POLICIES = ("live", "understudy", "script:FILE")


class Answers(Value, frozen=True, kw_only=True):
    """Who answers for the model."""

    by: Literal["live", "understudy", "script"]
    script: Script | None = None


def parse_policy(word: str) -> Answers:
    """What the user's word means; a script is read, and every mistake in it reported, here."""
    kind, colon, path = word.partition(":")
    if kind == "script":
        if not path:
            raise UsageError("provider `script` needs a file", "write `script:FILE`")
        return Answers(by="script", script=read_script(Path(path)))
    if kind == "live" and not colon:
        return Answers(by="live")
    if kind == "understudy" and not colon:
        return Answers(by="understudy")
    raise unknown("provider", word, POLICIES)


class Provider:
    """Gives each trial its lane; one server for all of them, none for the real provider."""

    def __init__(self, answers: Answers, server: "Server | None") -> None:
        self.answers = answers
        self._server = server

    def open(self, trial: Trial | None = None, log: Path | None = None) -> Lane:
        """A lane for one trial; `log` is where its requests are written."""
        case = trial.case.id if trial else ""
        script = self.answers.script
        if self._server is None:
            return Lane("", case, script, None, lambda: None)
        return self._server.add(lambda url, leave: Lane(url, case, script, log, leave))


@contextmanager
def serve(policy: str) -> Iterator[Provider]:
    """A provider for as long as the block lasts; its server stops with it."""
    answers = parse_policy(policy)
    if answers.by == "live":
        yield Provider(answers, None)
        return
    from audition.provider.server import Server

    server = Server()
    try:
        yield Provider(answers, server)
    finally:
        server.stop()
