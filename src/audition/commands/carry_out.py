"""From the wishes of `audition run` to a run folder, a report and an exit code.

In: Wishes and the configuration. Out: what people see, and the exit code.
Must not know: click's options; how a trial is run.
"""

import signal
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from audition.attempt import Means
from audition.commands.background import go_background
from audition.commands.baselines import add_baselines
from audition.commands.dry_run import at_once, say_plan, show_plan
from audition.commands.finish import exit_code, finish, say, show_result
from audition.commands.judges import make_judge, resume_judge
from audition.commands.mended import kept_cases
from audition.commands.modes import check_delivery
from audition.commands.options import resume_words
from audition.commands.picking import pick_suites
from audition.commands.smoke import run_smoke_first
from audition.commands.wishes import Wishes, caps_of, gate_of, limits_of, rules_of
from audition.config import Config
from audition.errors import UsageError
from audition.executor import executors
from audition.fingerprint import digest_case_files, digest_fixtures
from audition.grader import second_grader
from audition.installed import Ready, all_ready, check_mcp, configure_agent
from audition.model import Inputs, Record, Suite, Trial, Value
from audition.patience import Patience
from audition.plan import Arm, Plan, plan_trials
from audition.policy import find_policy
from audition.provider import parse_policy, serve
from audition.reuse import make_shelf
from audition.run import Brakes, Pace, describe, new_run_id, run_trials
from audition.sandbox import sandboxes
from audition.shown import Sights
from audition.store import (
    Run,
    check_id,
    find_run,
    list_runs,
    open_run,
    read_inputs,
    read_records,
)
from audition.tree import remove_tree
from audition.trial import House
from audition.workspace import keep_inputs
from audition.yardstick import Grading

if TYPE_CHECKING:
    from audition.judging import Judge
    from audition.summary.figures import Summary


class Done(Value, frozen=True, kw_only=True):
    """A run that came to its end."""

    run: Path
    inputs: Inputs
    summary: "Summary"
    notable: tuple[Record, ...] = ()
    stopped: bool = False
    """By Ctrl-C."""


def carry_out(wishes: Wishes, config: Config) -> int:
    """Plan, ask, grade, report; the exit code."""
    if wishes.resume:
        return _resume(wishes, config)
    if wishes.run_id is not None:
        check_id(wishes.run_id)
    # Skills of a commit live here until the run has its own copy of them.
    with tempfile.TemporaryDirectory(prefix="audition-baseline-") as held:
        return _begin(pick_suites(wishes), wishes, config, Path(held))


def _begin(suites: Sequence[Suite], wishes: Wishes, config: Config, held: Path) -> int:
    plan = make_plan(suites, wishes, config, held)
    if wishes.dry_run:
        return show_plan(plan, wishes, config)
    if wishes.background:
        return go_background(wishes)
    if not wishes.quiet:
        say(say_plan(plan, wishes))
    return _tell(ask_plan(plan, wishes, config), wishes)


def ask_plan(plan: Plan, wishes: Wishes, config: Config) -> Done:
    """Ask and grade all of a plan, in a run of its own; nothing is printed."""
    ready = all_ready(wishes.agent, config)
    judge = make_judge(wishes.judged, config)
    store = open_run(
        Path(wishes.out),
        wishes.run_id or new_run_id(),
        resume=False,
        fsync=wishes.fsync,
        fresh_id=wishes.run_id is None,
    )
    with store:
        settings = {
            "sandbox": wishes.sandbox,
            "policy": wishes.policy,
            "jobs": wishes.jobs,
            "provider": wishes.provider,
            "judge": msgspec.to_builtins(wishes.judged),
            "suite": wishes.suite,
            "fixtures": digest_fixtures(plan.trials),
            "case_files": digest_case_files(plan.trials),
            "format": wishes.format,
            "cells": msgspec.to_builtins(plan.cells),
            "gate": msgspec.to_builtins(gate_of(wishes, config)),
            "caps": msgspec.to_builtins(caps_of(wishes)),
        }
        inputs = describe(plan, store.run_id, list(ready.values()), sys.argv[1:], settings)
        return _go(store, inputs, ready, wishes, config, judge)


def _resume(wishes: Wishes, config: Config) -> int:
    path = find_run(wishes.run_id, Path(wishes.out))
    if wishes.dry_run:
        return _show_left(path, wishes, config)
    if wishes.background:
        return go_background(wishes)
    with open_run(path.parent, path.name, resume=True, fsync=wishes.fsync) as store:
        inputs = read_inputs(store.path)
        ready = all_ready(tuple(inputs.agents), config)
        kept = inputs.settings
        wishes = msgspec.structs.replace(
            wishes,
            sandbox=str(kept.get("sandbox") or wishes.sandbox),
            policy=wishes.policy or kept.get("policy"),
            provider=str(kept.get("provider") or wishes.provider),
            judged=resume_judge(wishes.judged, kept),
        )
        judge = make_judge(wishes.judged, config)
        return _tell(_go(store, inputs, ready, wishes, config, judge), wishes)


def _show_left(path: Path, wishes: Wishes, config: Config) -> int:
    inputs = read_inputs(path)
    done = {each.id for each in read_records(path)}
    left = tuple(each for each in inputs.plan if each.id not in done)
    agents = msgspec.structs.replace(wishes, agent=tuple(inputs.agents))
    return show_plan(Plan(trials=left, skills=inputs.skills), agents, config)


def make_plan(suites: Sequence[Suite], wishes: Wishes, config: Config, held: Path) -> Plan:
    """What will be tried; all that can be refused is refused here."""
    if wishes.policy:
        find_policy(wishes.policy)
    sandboxes[wishes.sandbox]
    executors[wishes.executor]
    parse_policy(wishes.provider)
    models = wishes.model or (None,)
    arms = [
        Arm(agent=configure_agent(name, config), delivery=delivery, model=model)
        for name in dict.fromkeys(wishes.agent)
        for delivery in dict.fromkeys(check_delivery(each) for each in wishes.delivery)
        for model in dict.fromkeys(models)
    ]
    if not arms:
        raise UsageError("there is nobody to ask", "name an agent with `--agent`, and a delivery")
    taken = [each.delivery for each in arms if each.delivery in each.agent.deliveries]
    check_mcp(taken, config.mcp)
    arms, swaps = add_baselines(wishes.baseline, arms, suites, held)
    return plan_trials(suites, arms, limits_of(wishes), swaps)


def _go(
    store: Run,
    inputs: Inputs,
    ready: dict[str, Ready],
    wishes: Wishes,
    config: Config,
    judge: "Judge | None",
) -> Done:
    brakes = Brakes()
    grading = Grading(
        run=store.path,
        skills=inputs.skills,
        agents={name: each.agent for name, each in ready.items()},
        policy=wishes.policy,
        stood=inputs.stood,
        stop=brakes.halting,
        mended=kept_cases(store.path),
    )
    most = at_once(wishes) if wishes.executor == "threads" else 1
    with (
        second_grader(len(inputs.plan), most, grading) as grader,
        serve(wishes.provider) as provider,
    ):
        means = Means(
            run=store.path,
            skills=inputs.skills,
            sandbox=sandboxes[wishes.sandbox],
            provider=provider,
            mcp=config.mcp,
            bare=wishes.sandbox == "none",
            stood=inputs.stood,
            remove=grader.remove if grader else remove_tree,
            stop=brakes.halting,
        )
        house = _house(store, inputs, ready, means, grading)
        earlier = [each for each in list_runs(store.path.parent) if each.name != store.run_id]
        shelf = make_shelf(inputs, ready, config.mcp, earlier[::-1] if wishes.reuse else ())
        house = msgspec.structs.replace(house, shelf=shelf, grader=grader)
        if judge:
            from audition.judging import Bench

            bench = Bench(judge=judge, means=means, patience=house.patience)
            house = msgspec.structs.replace(house, bench=bench)
        _ask_all(inputs, house, brakes, wishes)
    stopped = brakes.is_pressed()
    summary, notable = finish(store.path, inputs, fsync=wishes.fsync)
    return Done(
        run=store.path, inputs=inputs, summary=summary, notable=tuple(notable), stopped=stopped
    )


def _tell(done: Done, wishes: Wishes) -> int:
    """Print what came of a run; the exit code."""
    show_result(done.run, done.inputs, done.summary, list(done.notable), wishes.output_format)
    if done.stopped:
        say(f"stopped; go on with: {resume_words(done.run)}")
    return exit_code(done.summary, interrupted=done.stopped)


def _ask_all(inputs: Inputs, house: House, brakes: Brakes, wishes: Wishes) -> None:
    from audition.terminal import Progress

    # No more threads than trials: a hundred cost as much to start as a trial.
    at_most = min(at_once(wishes), max(1, len(inputs.plan)))
    done = house.run.finished()
    with (
        Progress(total=len(inputs.plan), done=len(done), quiet=wishes.quiet) as progress,
        _braking(brakes),
    ):
        rules = rules_of(inputs, house, wishes)
        pace = Pace(
            at_once=at_most,
            executor=wishes.executor,
            stop_at_failure=wishes.exitfirst,
            begin=progress.begin,
        )

        def go(trials: Sequence[Trial]) -> Iterator[Record]:
            return run_trials(trials, house, pace, brakes, rules)

        plan = inputs.plan
        for record in run_smoke_first(plan, done, go) if wishes.smoke_first else go(plan):
            progress.tell(record)


def _house(
    store: Run, inputs: Inputs, ready: dict[str, Ready], means: Means, grading: Grading
) -> House:
    fixtures = {trial.case.begins_with for trial in inputs.plan if trial.case.begins_with}
    bad = keep_inputs(store.path, inputs.skills, sorted(fixtures))
    for key, reason in bad.skills.items():
        say(f"warning: the skill `{inputs.skills[key].name}` is left out: {reason}")
    store.describe(inputs)
    return House(
        run=store,
        grading=grading,
        ready=ready,
        means=means,
        patience=Patience(live=means.provider.answers.by == "live"),
        sights=Sights(store.path / "shown", means),
        bad=bad,
    )


@contextmanager
def _braking(brakes: Brakes) -> Iterator[None]:
    def press(_signal: int, _frame: Any) -> None:
        words = (
            "stopping now"
            if brakes.press()
            else ("finishing what runs; nothing more is started (Ctrl-C again stops at once)")
        )
        click.echo(f"\n{words}", err=True)

    before = {each: signal.signal(each, press) for each in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
