import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audition.agent import Agent, Command
from audition.aim import Aim, rates_of
from audition.errors import UsageError
from audition.model import Case, Suite
from audition.plan import Arm, Limits, plan_trials
from audition.stats.fixed import fixed_design
from audition.stats.sequential import MIX, decide
from audition.verdict import (
    GIVE_UP,
    Cell,
    judge_cell,
    overall,
    plan_cells,
    stop_at,
)

FIXED = Cell(skill="greeting", agent="coin", delivery="native", model=None, positives=True)
AUTO = Cell(skill="greeting", agent="coin", delivery="native", model=None, positives=True, cap=52)
QUIET = Cell(
    skill="greeting", agent="coin", delivery="native", model=None, positives=False,
    target=0.95, unacceptable=0.75, cap=43,
)  # fmt: skip
OUTCOME = st.sampled_from(["pass", "fail", "error", "ineligible", None])


def test_three_of_three_proves_37_percent_at_best():
    found = judge_cell(FIXED, ["pass"] * 3)
    assert found.verdict == "inconclusive"
    assert found.reason == "3 of 3 proves 37 % at best; 9 of 9 would prove more than 70%"
    assert (found.passed, found.of, found.rate) == (3, 3, 1.0)
    assert found.proven == pytest.approx(0.05 ** (1 / 3))


@pytest.mark.parametrize(
    ("outcomes", "verdict"),
    [
        (["pass"] * 9, "pass"),
        (["fail"] * 2, "fail"),
        (["fail"], "inconclusive"),
        (["pass"] * 34 + ["fail"] * 7, "pass"),
        (["pass"] * 33 + ["fail"] * 8, "fail"),
        (["pass"] * 5 + ["fail"] * 2, "inconclusive"),
        (["error"] * 3, "invalid"),
        (["ineligible"] * 3, "invalid"),
        ([], "invalid"),
        (["error"] * 3 + ["pass"] * 9, "pass"),
    ],
)
def test_a_fixed_number_of_trials_says_what_it_establishes_and_no_more(outcomes, verdict):
    assert judge_cell(FIXED, outcomes).verdict == verdict


def test_nothing_but_errors_is_invalid_and_says_so():
    assert judge_cell(FIXED, ["error"] * 4).reason == "nothing could be graded: 4 in error"
    assert judge_cell(AUTO, ["error"] * 4 + [None] * 9).verdict == "invalid"


def test_what_a_cap_cut_off_is_inconclusive_for_the_budget():
    found = judge_cell(AUTO, ["pass"] * 10 + [None] * 42, cut="budget")
    assert found.verdict == "inconclusive"
    assert found.reason.startswith("budget: 10 of 10")
    assert judge_cell(FIXED, ["pass"] * 2 + [None], cut="budget").reason.startswith("budget: ")
    assert judge_cell(FIXED, [None], cut="budget").reason == "budget: nothing was asked"


def test_what_is_established_stays_so_when_the_budget_ends():
    assert judge_cell(AUTO, ["pass"] * 14 + [None] * 38, cut="budget").verdict == "pass"


def test_trials_in_flight_when_a_test_ended_do_not_overturn_it():
    found = judge_cell(AUTO, ["pass"] * 14 + ["fail"] * 3)
    assert (found.verdict, found.decided_at, found.of) == ("pass", 14, 17)


def test_outcomes_behind_a_missing_one_are_not_heard_yet():
    """Else quick failures would be counted before slow passes."""
    assert stop_at(AUTO, [None, "fail", "fail", "fail"]) is None
    assert stop_at(AUTO, ["fail", "fail", "fail"]).word == "fail"


def test_errors_count_neither_way_and_too_many_in_a_row_end_a_cell():
    assert stop_at(AUTO, ["fail", "error", "fail", "ineligible", "error", "fail"]).at == 3
    assert stop_at(AUTO, ["error"] * GIVE_UP) == "errors"
    assert stop_at(AUTO, [*["error"] * (GIVE_UP - 1), "pass", *["error"] * (GIVE_UP - 1)]) is None
    assert judge_cell(AUTO, ["pass", *["error"] * GIVE_UP]).reason.startswith("errors: ")


@given(st.lists(OUTCOME, max_size=60))
def test_a_stop_depends_on_the_graded_outcomes_before_the_first_gap_only(outcomes):
    heard = outcomes[: outcomes.index(None)] if None in outcomes else outcomes
    graded = [each == "pass" for each in heard if each in ("pass", "fail")]
    found = stop_at(AUTO, outcomes)
    assert found in ("errors", decide(AUTO.design, graded)) or found.at <= len(graded)


@given(st.lists(OUTCOME, max_size=60))
def test_no_error_ever_makes_a_verdict_better(outcomes):
    """An outcome turned into an error never turns a cell from fail to pass."""
    before = judge_cell(FIXED, outcomes).verdict
    failed = [("error" if each == "pass" else each) for each in outcomes]
    assert (before, judge_cell(FIXED, failed).verdict) != ("fail", "pass")


PLANTED = [
    ("never fires", AUTO, 0.0, "fail"),
    ("fires but is useless", AUTO, 0.05, "fail"),
    ("a neighbour steals most of it", AUTO, 0.4, "fail"),
    ("works", AUTO, 0.98, "pass"),
    ("stays quiet", QUIET, 1.0, "pass"),
    ("fires at every other negative", QUIET, 0.5, "fail"),
]


@pytest.mark.parametrize(("what", "cell", "rate", "verdict"), PLANTED, ids=[p[0] for p in PLANTED])
def test_planted_skills_get_the_right_verdict(what, cell, rate, verdict):
    dice = random.Random(what)
    wrong = 0
    for _ in range(1000):
        outcomes = ["pass" if dice.random() < rate else "fail" for _ in range(cell.cap)]
        wrong += judge_cell(cell, outcomes).verdict != verdict
    assert wrong / 1000 <= 0.01


def test_a_skill_flaky_at_80_percent_is_told_from_70_and_90():
    """Between the two rates either word may come; against .85 and .95 it fails."""
    strict = Cell(
        skill="s", agent="a", delivery="native", model=None, positives=True,
        target=0.95, unacceptable=0.85, cap=117,
    )  # fmt: skip
    dice, failed = random.Random(8), 0
    for _ in range(500):
        outcomes = ["pass" if dice.random() < 0.8 else "fail" for _ in range(strict.cap)]
        failed += judge_cell(strict, outcomes).verdict == "fail"
    assert failed / 500 >= 0.95


def test_over_a_mix_of_skills_verdicts_are_rarely_wrong_and_take_half_the_trials():
    dice = random.Random(12)
    used, wrong, judged = 0, 0, 0
    for _ in range(3000):
        (rate,) = dice.choices([rate for rate, _ in MIX], [share for _, share in MIX])
        outcomes = ["pass" if dice.random() < rate else "fail" for _ in range(AUTO.cap)]
        found = judge_cell(AUTO, outcomes)
        used += found.decided_at
        if not 0.7 < rate < 0.9:
            judged += 1
            wrong += found.verdict != ("pass" if rate >= 0.9 else "fail")
    assert wrong / judged <= 0.05
    assert used / 3000 <= fixed_design(0.7, 0.9).trials / 2


def test_the_interval_over_cases_is_wider_than_that_over_trials():
    counts = {"a": (5, 5), "b": (5, 5), "c": (1, 5), "d": (4, 5)}
    found = judge_cell(FIXED, ["pass"] * 15 + ["fail"] * 5, counts)
    assert found.cases_low < found.low
    assert found.cases_high > found.high
    assert judge_cell(FIXED, ["pass"] * 5, {"a": (5, 5)}).cases_low is None


def judged(verdict, cap=52):
    outcomes = {"pass": ["pass"] * 20, "fail": ["fail"] * 5, "inconclusive": ["pass"] * 2}
    cell = AUTO if cap else FIXED
    return judge_cell(cell, [*outcomes[verdict], None])


@pytest.mark.parametrize(
    ("cells", "passed", "of", "word"),
    [
        ([], 0, 0, "invalid"),
        ([], 3, 3, "pass"),
        ([], 2, 3, "fail"),
        ([("inconclusive", None)], 3, 3, "pass"),
        ([("pass", None)], 20, 21, "fail"),
        ([("pass", 52)], 20, 21, "pass"),
        ([("inconclusive", 52)], 3, 3, "inconclusive"),
        ([("pass", 52), ("fail", 52)], 20, 25, "fail"),
        ([("fail", 52), ("inconclusive", 52)], 20, 25, "fail"),
    ],
)
def test_the_word_of_a_skill_follows_its_cells_and_fixed_trials(cells, passed, of, word):
    assert overall([judged(*each) for each in cells], passed=passed, of=of) == word


def test_rates_come_from_the_options_then_the_suite_then_ours():
    suite = Suite(
        file="c", target={"positives": 0.8, "negatives": 0.99}, unacceptable={"positives": 0.5}
    )
    assert rates_of(Suite(file="c"), True, Aim()) == (0.9, 0.7)
    assert rates_of(Suite(file="c"), False, Aim()) == (0.95, 0.75)
    assert rates_of(suite, True, Aim()) == (0.8, 0.5)
    assert rates_of(suite, False, Aim(target=0.6)) == (0.99, 0.75)
    assert rates_of(suite, True, Aim(target=0.6)) == (0.6, 0.5)


def test_rates_that_cannot_be_told_apart_are_refused_with_the_file():
    with pytest.raises(UsageError, match=r"c: a target of 0\.6 is not above"):
        rates_of(Suite(file="c"), True, Aim(target=0.6))
    with pytest.raises(UsageError, match="one of them is 0 or 1"):
        rates_of(Suite(file="c", target={"positives": 1.0}), True, Aim())


def test_rates_that_nobody_could_tell_apart_are_refused_at_once_with_what_it_would_take():
    with pytest.raises(UsageError, match=r"to tell 0\.9 from 0\.8999 .* about 97,[0-9,]+ trials"):
        rates_of(Suite(file="c"), True, Aim(target=0.9, unacceptable=0.8999))
    assert rates_of(Suite(file="c"), True, Aim(unacceptable=0.88)) == (0.9, 0.88)


AGENT = Agent(
    name="coin", command=lambda ask: Command(argv=("x",)), read=lambda n, raw: (),
    version=(), deliveries=("native",), loads_by=("skill-tool",),
)  # fmt: skip


def plan_of(cases, auto=True):
    suite = Suite(file="c.yaml", cases=tuple(cases))
    arms = [Arm(agent=AGENT, delivery="native", model=None)]
    return plan_trials([suite], arms, Limits(auto=auto)), suite


def test_all_trials_that_a_cell_may_need_are_planned_in_rounds_over_its_cases():
    cases = [Case(id=name, prompt=name, skill="s", file="c.yaml") for name in "abc"]
    cases.append(Case(id="n", prompt="n", skill="s", should_trigger=False, file="c.yaml"))
    plan, _ = plan_of(cases)
    positives = [each for each in plan.trials if each.case.expected]
    assert len(positives) == 52
    assert len(plan.trials) == 52 + 43
    assert [each.case.id for each in positives[:7]] == ["a", "b", "c", "a", "b", "c", "a"]
    assert [each.index for each in plan.trials] == list(range(95))
    assert len({each.place for each in plan.trials}) == 95
    assert {(cell.positives, cell.cap) for cell in plan.cells} == {(True, 52), (False, 43)}


def test_what_an_arm_cannot_run_is_planned_once_and_leaves_the_cap_to_the_rest():
    cases = [
        Case(id="a", prompt="a", skill="s", file="c.yaml"),
        Case(id="b", prompt="b", then=("c",), skill="s", file="c.yaml"),
    ]
    plan, _ = plan_of(cases)
    assert sum(bool(each.ineligible) for each in plan.trials) == 1
    assert sum(not each.ineligible for each in plan.trials) == 52


def test_of_two_suites_with_one_skill_the_stricter_rates_hold():
    cases = [Case(id="a", prompt="a", skill="s", file=name) for name in ("one", "two")]
    suites = [
        Suite(file="one", cases=(cases[0],)),
        Suite(
            file="two",
            cases=(cases[1],),
            target={"positives": 0.95},
            unacceptable={"positives": 0.8},
        ),
    ]
    plan = plan_trials(suites, [Arm(agent=AGENT, delivery="native", model=None)], Limits())
    (cell,) = plan_cells(plan.trials, suites, Aim(), auto=False)
    assert (cell.target, cell.unacceptable, cell.cap) == (0.95, 0.8, None)
