"""All that the options of `run` say, as one value, and what follows from it.

In: the words of the command line, converted. Out: the limits, caps and rules of a run.
Must not know: click; how a trial is run.
"""

import msgspec

from audition.aim import Aim
from audition.commands.judge_options import JudgeWishes
from audition.config import Config, GateSettings
from audition.model import Inputs, Value
from audition.plan import Limits
from audition.spending import Caps, Rules
from audition.trial import House
from audition.verdict import read_cells


class Wishes(Value, frozen=True, kw_only=True):
    """All that the options of `run` say, as one value."""

    paths: tuple[str, ...] = ()
    agent: tuple[str, ...] = ("understudy",)
    delivery: tuple[str, ...] = ("native",)
    model: tuple[str, ...] = ()
    baseline: tuple[str, ...] = ()
    trials: int | str | None = None
    target: float | None = None
    unacceptable: float | None = None
    error: float = 0.05
    """How often a sequential test may be wrong, each way; no option."""
    one_fail_ends: bool = False
    """Whether one failed cell ends the asking; no option."""
    fail_under: float | None = None
    budget: float | None = None
    max_tokens: int | None = None
    max_runs: int | None = None
    jobs: int = 0
    timeout: float = 300.0
    out: str = "artifacts/skill-evals"
    run_id: str | None = None
    resume: bool = False
    reuse: bool = False
    sandbox: str = "home"
    executor: str = "threads"
    fsync: bool = True
    policy: str | None = None
    provider: str = "live"
    format: str | None = None
    suite: str = "all"
    smoke_first: bool = False
    generate_missing: bool = False
    skill: tuple[str, ...] = ()
    case: tuple[str, ...] = ()
    k: str = ""
    max_cases: int | None = None
    max_skills: int | None = None
    lf: bool = False
    exitfirst: bool = False
    dry_run: bool = False
    background: bool = False
    judged: JudgeWishes = JudgeWishes()
    output_format: str = "text"
    quiet: bool = False


def limits_of(wishes: Wishes) -> Limits:
    """How often and how long each case is tried."""
    return Limits(
        trials=wishes.trials if isinstance(wishes.trials, int) else None,
        timeout_s=wishes.timeout,
        policy=wishes.policy,
        auto=wishes.trials == "auto",
        aim=Aim(target=wishes.target, unacceptable=wishes.unacceptable, error=wishes.error),
    )


def gate_of(wishes: Wishes, config: Config) -> GateSettings | None:
    """The gate of the configuration, with the rates of `--fail-under`."""
    gate, rate = config.gate, wishes.fail_under
    if rate is None:
        return gate
    gate = gate or GateSettings()
    return msgspec.structs.replace(gate, positives=rate, negatives=rate)


def caps_of(wishes: Wishes) -> Caps:
    """What the run may cost at most."""
    return Caps(dollars=wishes.budget, tokens=wishes.max_tokens, runs=wishes.max_runs)


def rules_of(inputs: Inputs, house: House, wishes: Wishes) -> Rules:
    """When asking ends; a run that is gone on with keeps its caps unless new ones are given."""
    kept = msgspec.convert(inputs.settings.get("caps") or {}, Caps)
    given = {
        key: cap for key, cap in msgspec.to_builtins(caps_of(wishes)).items() if cap is not None
    }
    return Rules(
        cells=read_cells(inputs),
        one_fail_ends=wishes.one_fail_ends,
        caps=msgspec.structs.replace(kept, **given),
        # The embedded agents ask no model, so nobody is paid.
        free=frozenset(each.agent.name for each in house.ready.values() if not each.agent.version),
    )
