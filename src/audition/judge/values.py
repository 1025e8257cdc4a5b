"""What a judge says, and what is kept of it: judge.json.

In: nothing. Out: the values. Must not know: who is asked, how.
"""

from typing import Literal

from audition.model import Spent, Value

Word = Literal["met", "unmet", "not_applicable", "cannot_tell"]
WORDS: tuple[Word, ...] = ("met", "unmet", "not_applicable", "cannot_tell")


class Citation(Value, frozen=True, kw_only=True):
    """Words of one event, as the judge quotes them."""

    event: str
    quote: str


class Answer(Value, frozen=True, kw_only=True):
    """What a judge answers to one question, as it wrote it."""

    criterion: str
    citations: tuple[Citation, ...]
    reason: str
    verdict: Word


class Opinion(Value, frozen=True, kw_only=True):
    """An answer whose citations were verified; what cannot be verified is `cannot_tell`."""

    criterion: str
    verdict: Word
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    lines: tuple[int, ...] = ()
    """The raw trace lines that are cited."""
    fault: str = ""
    """Why the answer does not count as it was given."""


class Settled(Value, frozen=True, kw_only=True):
    """What all votes on one question come to."""

    criterion: str
    verdict: Word
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    lines: tuple[int, ...] = ()
    votes: dict[str, int] = {}
    """How many votes said what."""


class Part(Value, frozen=True, kw_only=True):
    """One line of pkbllm's rubric."""

    id: str
    passed: bool
    notes: str = ""


class Overall(Value, frozen=True, kw_only=True):
    """The answer to pkbllm's rubric; only `overall_pass` decides."""

    overall_pass: bool
    score: int
    checks: tuple[Part, ...] = ()


class Identity(Value, frozen=True, kw_only=True):
    """Which judge it was: an agent, or a command."""

    agent: str = ""
    version: str = ""
    model: str = ""
    command: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The judge in a word or two."""
        words = (self.agent or " ".join(self.command), self.version, self.model)
        return " ".join(filter(None, words))


class Said(Value, frozen=True, kw_only=True):
    """One answer as it came, or why none came."""

    text: str = ""
    problem: str = ""
    seconds: float = 0.0
    usage: Spent = Spent()
    criteria: tuple[str, ...] = ()
    """What it was asked."""
    vote: int = 1
    repair: bool = False
    """It was asked again, for the first answer did not count."""


class Judgement(Value, frozen=True, kw_only=True):
    """judge.json: who was asked what, what came, what it comes to."""

    version: int = 1
    by: Identity
    form: Literal["criteria", "pkbllm"] = "criteria"
    prompt_hash: str = ""
    """Of what was asked, without the session that it was asked about."""
    nonce: str = ""
    votes: int = 1
    same_agent: bool = False
    """The judge is the agent that was tried: it may like its own ways."""
    settled: tuple[Settled, ...] = ()
    overall: Overall | None = None
    said: tuple[Said, ...] = ()
    """Every answer as it came, repairs included."""
    problem: str = ""
    """Why something was not judged; empty where all was."""
