"""The embedded agents: understudy, and the referees oracle, nop and coin.

In: an Ask. Out: a command that starts `audition.understudy` with this Python.
Must not know: how they decide (see `audition.understudy`). Only the referees are told the
case; the understudy gets no more than a real agent would.
"""

import sys
from collections.abc import Sequence
from typing import Literal

import msgspec

from audition import __version__
from audition.agent import Agent, Ask, Command
from audition.errors import UsageError
from audition.model import AnyEvent, Json, Value

Part = Literal["understudy", "oracle", "nop", "coin"]

_decoder: msgspec.json.Decoder[AnyEvent] = msgspec.json.Decoder(AnyEvent)


class _Asked(Value, frozen=True, kw_only=True, omit_defaults=True):
    """What the program reads from stdin."""

    prompts: tuple[str, ...]
    max_turns: Json = None
    schema: Json = None
    case: Json = None
    rate: float | None = None
    seed: str | None = None


def read(number: int, raw: bytes) -> Sequence[AnyEvent] | None:
    """Each line is one of our own events already."""
    try:
        return (msgspec.structs.replace(_decoder.decode(raw), line=number),)
    except msgspec.MsgspecError:
        return None


def make_command(
    ask: Ask, part: Part, *, rate: float | None = None, seed: str | None = None
) -> Command:
    """Start this package's own program, isolated from whatever lies in the workspace."""
    case = ask.case
    turns = case.settings.get("max_turns")
    asked = _Asked(
        prompts=case.prompts,
        max_turns=turns if isinstance(turns, int) else None,
        # A real agent is given the schema of its answer, too.
        schema=case.settings.get("output_schema") if part == "understudy" else None,
        case=case if part in ("oracle", "coin") else None,
        rate=rate,
        seed=seed,
    )
    # -I: a json.py or an audition/ in the workspace must not be imported instead of ours.
    program = ask.program or (sys.executable, "-I", "-m", "audition.understudy")
    return Command(argv=(*program, part), stdin=msgspec.json.encode(asked))


def _embedded(part: Part, *, rate: float | None = None, seed: str | None = None) -> Agent:
    return Agent(
        name=part,
        command=lambda ask: make_command(ask, part, rate=rate, seed=seed),
        read=read,
        version=(),
        known_version=__version__,
        deliveries=("native", "none", "instructions"),
        loads_by=("skill-tool", "file-read", "injected"),
        offers_by="stream",
        several_turns=True,
    )


understudy = _embedded("understudy")
oracle = _embedded("oracle")
nop = _embedded("nop")


def coin(argument: str) -> Agent:
    """An agent that does a case right with a fixed probability: `coin:RATE[:SEED]`."""
    rate, _, seed = argument.partition(":")
    try:
        chance = float(rate)
    except ValueError:
        chance = -1.0
    if not 0 <= chance <= 1:
        raise UsageError(
            f"agent `coin` needs a rate between 0 and 1, not `{rate}`", "write `coin:0.8`"
        )
    return _embedded("coin", rate=chance, seed=seed)
