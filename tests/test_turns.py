import random
import threading

import pytest
from msgspec.structs import replace
from records import make_record
from test_verdict import AGENT, plan_of

from audition.executors.threads import threads
from audition.model import Case, CheckSpec, Grade, Spent, Suite
from audition.plan import Arm, Limits, plan_trials
from audition.spending import Caps, Rules
from audition.stats.fixed import fixed_design
from audition.stats.sequential import MIX
from audition.turns import AHEAD, Turns


def cases(*names, **more):
    return [Case(id=name, prompt=name, skill="s", file="c.yaml", **more) for name in names]


def record_of(trial, status, **more):
    return make_record(
        status, trial.number, id=trial.id, case=trial.case.id, skill=trial.case.skill,
        agent=trial.agent, should_trigger=bool(trial.case.expected), **more,
    )  # fmt: skip


def play(turns, outcome, at_once=1, **more):
    """Runs trials in real threads, as a run does; the order in which they were asked."""
    asked, lock = [], threading.Lock()

    def one(trial):
        with lock:
            asked.append(trial)
            status = outcome(trial)
        record = record_of(trial, status, **more)
        turns.tell(record)
        return record

    list(threads(turns.each(lambda: False), one, at_once))
    return asked


def auto(rules=None, **caps):
    plan, _ = plan_of([*cases("a", "b"), *cases("n", should_trigger=False)])
    return Turns(plan.trials, rules or Rules(cells=plan.cells, caps=Caps(**caps)), 1), plan


def test_a_perfect_skill_is_asked_14_times_and_its_negatives_13():
    turns, _ = auto()
    asked = play(turns, lambda _: "pass")
    assert sum(bool(each.case.expected) for each in asked) == 14
    assert sum(not each.case.expected for each in asked) == 13
    assert turns.ended().why == ""
    assert turns.ended().spared == 95 - 27


def test_rounds_over_the_cases_are_kept():
    turns, _ = auto()
    positives = [each.case.id for each in play(turns, lambda _: "pass") if each.case.expected]
    assert positives == ["a", "b"] * 7


@pytest.mark.parametrize("at_once", [1, 2, 8])
def test_no_more_than_three_are_in_flight_beyond_a_decision(at_once):
    plan, _ = plan_of(cases("a", "b"))
    turns = Turns(plan.trials, Rules(cells=plan.cells), at_once)
    asked = play(turns, lambda _: "pass", at_once)
    assert 14 <= len(asked) <= 14 + min(AHEAD, at_once) - 1
    assert len(asked) + turns.ended().spared == 52


def test_a_slow_trial_holds_its_cell_back_and_no_other():
    plan, _ = plan_of([*cases("a"), *cases("n", should_trigger=False)])
    turns = Turns(plan.trials, Rules(cells=plan.cells), 8)
    taken = turns.each(lambda: False)
    names = []
    for _ in range(14):
        trial = next(taken)
        names.append(trial.case.id)
        if trial.case.id == "n":
            turns.tell(record_of(trial, "pass"))
    # The three of `a` never come back: the negatives go on to their end without it.
    assert (names.count("a"), names.count("n")) == (AHEAD, 11)


def test_a_fixed_number_of_trials_is_asked_in_full():
    plan, _ = plan_of(cases("a", "b", trials=5), auto=False)
    turns = Turns(plan.trials, Rules(cells=plan.cells), 4)
    assert len(play(turns, lambda _: "fail", 4)) == 10
    assert turns.ended().spared == 0


def test_going_on_with_a_run_decides_as_if_it_had_never_stopped():
    dice = random.Random(5)
    fate = {}
    plan, _ = plan_of(cases("a", "b", "c"))

    def outcome(trial):
        return fate.setdefault(trial.id, "pass" if dice.random() < 0.85 else "fail")

    whole = Turns(plan.trials, Rules(cells=plan.cells), 1)
    everything = [each.id for each in play(whole, outcome)]
    for cut in (0, 1, 7, len(everything) - 1, len(everything)):
        turns = Turns(plan.trials, Rules(cells=plan.cells), 1)
        done = [each for each in plan.trials if each.id in everything[:cut]]
        turns.resume([record_of(each, fate[each.id]) for each in done])
        assert everything[:cut] + [each.id for each in play(turns, outcome)] == everything


def test_the_cap_on_runs_is_never_passed():
    for at_once in (1, 4):
        plan, _ = plan_of(cases("a", "b"))
        turns = Turns(plan.trials, Rules(cells=plan.cells, caps=Caps(runs=6)), at_once)
        assert len(play(turns, lambda _: "pass", at_once)) == 6
        assert turns.ended().why == "budget"
        assert turns.ended().words == "--max-runs 6 is reached"


@pytest.mark.parametrize("at_once", [1, 4])
def test_the_budget_is_passed_by_no_more_than_the_trials_in_flight(at_once):
    plan, _ = plan_of(cases("a", "b", trials=30), auto=False)
    turns = Turns(plan.trials, Rules(cells=plan.cells, caps=Caps(dollars=1.0)), at_once)
    asked = play(turns, lambda _: "pass", at_once, usage=Spent(dollars=0.1))
    assert 10 <= len(asked) <= 10 + at_once
    assert turns.ended().why == "budget"


def test_tokens_are_capped_too_and_what_was_spent_before_counts():
    plan, _ = plan_of(cases("a", trials=30), auto=False)
    turns = Turns(plan.trials, Rules(cells=plan.cells, caps=Caps(tokens=100)), 1)
    usage = Spent(input_tokens=15, output_tokens=5)
    turns.resume([record_of(each, "pass", usage=usage) for each in plan.trials[:3]])
    assert len(play(turns, lambda _: "pass", usage=usage)) == 2


def test_a_cost_that_is_never_told_ends_a_run_with_a_budget():
    plan, _ = plan_of(cases("a", trials=30), auto=False)
    turns = Turns(plan.trials, Rules(cells=plan.cells, caps=Caps(dollars=5)), 1)
    assert len(play(turns, lambda _: "pass")) == 1
    assert "does not tell its dollars" in turns.ended().words
    free = Rules(cells=plan.cells, caps=Caps(dollars=5), free=frozenset({"coin"}))
    assert len(play(Turns(plan.trials, free, 1), lambda _: "pass")) == 30


def test_an_error_without_a_cost_counts_as_the_dearest_trial():
    plan, _ = plan_of(cases("a", trials=30), auto=False)
    turns = Turns(plan.trials, Rules(cells=plan.cells, caps=Caps(dollars=1.0)), 1)
    taken = turns.each(lambda: False)
    turns.tell(record_of(next(taken), "pass", usage=Spent(dollars=0.5)))
    turns.tell(record_of(next(taken), "error"))
    assert list(taken) == []


def test_what_was_interrupted_is_still_to_be_asked():
    plan, _ = plan_of(cases("a", trials=3), auto=False)
    turns = Turns(plan.trials, Rules(cells=plan.cells), 1)
    brakes = []
    taken = turns.each(lambda: bool(brakes))
    trial = next(taken)
    brakes.append(1)
    turns.give_back(trial)
    assert list(taken) == []
    assert turns.ended().why == "interrupted"
    assert len(turns._left) == 3


def test_errors_in_a_row_end_a_cell_and_spare_the_rest():
    turns, _ = auto()
    assert len(play(turns, lambda _: "error")) == 10
    assert turns.ended().spared == 85


def test_over_many_cells_at_once_the_mix_takes_half_the_trials_of_a_fixed_number():
    """Two hundred cells, four threads: what a run asks, trials in flight and all."""
    dice = random.Random(20)
    rates = dice.choices([rate for rate, _ in MIX], [share for _, share in MIX], k=200)
    wanted = [
        Case(id=f"{name}{skill}", prompt="p", skill=f"s{skill}", file="c.yaml")
        for skill in range(200)
        for name in "ab"
    ]
    plan, _ = plan_of(wanted)
    turns = Turns(plan.trials, Rules(cells=plan.cells), 4)
    chance = {f"s{number}": rate for number, rate in enumerate(rates)}
    asked = play(
        turns, lambda each: "pass" if dice.random() < chance[each.case.skill] else "fail", 4
    )
    assert len(asked) / 200 <= fixed_design(0.7, 0.9).trials / 2
    assert turns.ended().why == ""


@pytest.mark.parametrize("seed", range(12))
def test_whatever_arms_and_baselines_there_are_asking_comes_to_an_end(seed):
    dice = random.Random(seed)
    agent = replace(AGENT, deliveries=("native", "mcp", "none"))
    arms = [
        Arm(agent=agent, delivery=word if variant == "none" else delivery, variant=variant)
        for delivery in ("native", "mcp")[: dice.randint(1, 2)]
        for variant in ("", "none", "git:x")[: dice.randint(1, 3)]
        for word in ("none",)
    ]
    arms = [arm for place, arm in enumerate(arms) if arm not in arms[:place]]
    suite = Suite(
        file="c.yaml",
        cases=(
            *cases("a", "b", "c", checks=(CheckSpec(name="answer_contains"),)),
            *cases("n", should_trigger=False),
        ),
    )
    plan = plan_trials([suite], arms, Limits(auto=True))
    turns = Turns(plan.trials, Rules(cells=plan.cells), 3)
    rates = {arm.variant: dice.choice([0.0, 0.5, 0.8, 1.0]) for arm in arms}

    def outcome(trial):
        if dice.random() < 0.05:
            return "error"
        return "pass" if dice.random() < rates[trial.variant] else "fail"

    def one(trial):
        status = "ineligible" if trial.ineligible else outcome(trial)
        grade = Grade(by="answer_contains", status="pass" if status == "pass" else "fail")
        turns.tell(record_of(trial, status, variant=trial.variant, delivery=trial.delivery,
                             file="c.yaml", grades=(grade,)))  # fmt: skip
        return trial

    asked = list(threads(turns.each(lambda: False), one, 3))
    assert turns.ended().why == ""
    assert len(asked) + turns.ended().spared == len(plan.trials)
    mine = {(each.case.id, each.number) for each in asked if not each.variant}
    assert {(each.case.id, each.number) for each in asked if each.variant} <= mine
