import pickle
import random
import tracemalloc
from statistics import median

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from records import any_record, make_inputs, make_record

from audition.model import Commands, Evidence, Spent
from audition.report.words import say_case, say_difference
from audition.summary.figures import Summary
from audition.summary.tally import Tally, summarise

INPUTS = make_inputs("greeting", "style", "never")


@given(st.lists(any_record(), max_size=30), st.randoms())
def test_the_order_of_trials_never_changes_the_summary(records, dice):
    shuffled = list(records)
    dice.shuffle(shuffled)
    assert summarise(shuffled, INPUTS) == summarise(records, INPUTS)


@given(st.lists(st.lists(any_record(), max_size=12), max_size=4))
def test_shares_counted_apart_add_up_to_the_whole(shares):
    whole = Tally(INPUTS)
    for share in shares:
        tally = Tally(INPUTS)
        for record in share:
            tally.add(record)
        whole.absorb(pickle.loads(pickle.dumps(tally)))
    assert whole.summary() == summarise([each for share in shares for each in share], INPUTS)


@given(st.lists(any_record(), max_size=30))
def test_every_trial_is_counted_once(records):
    summary = summarise(records, INPUTS)
    totals = summary.totals
    assert totals.trials == len(records)
    assert totals.trials == totals.passed + totals.fail + totals.error + totals.ineligible
    graded = sum(each.positives.of + each.negatives.of for each in summary.arms)
    assert graded == totals.passed + totals.fail
    assert sum(each.trials for each in summary.arms) == totals.trials


@given(st.lists(any_record(), max_size=30))
def test_a_summary_lives_through_json(records):
    summary = summarise(records, INPUTS)
    assert msgspec.json.decode(msgspec.json.encode(summary), type=Summary) == summary


def test_summary_json_has_the_keys_of_the_contract():
    records = [
        make_record("pass", 1),
        make_record("fail", 2, should_trigger=False),
        make_record("error", 3),
        make_record("ineligible", 4),
    ]
    found = msgspec.to_builtins(summarise(records, INPUTS))
    assert found["version"] == 1
    assert found["run_id"] == "20260102-030405"
    assert found["totals"] == {"trials": 4, "pass": 1, "fail": 1, "error": 1, "ineligible": 1}
    skill = found["skills"]["greeting"]
    assert skill["positives"] == {
        "passed": 1,
        "of": 1,
        "rate": 1.0,
        "low": pytest.approx(0.2065, abs=1e-4),
        "high": 1.0,
    }
    assert (skill["negatives"]["passed"], skill["negatives"]["of"]) == (0, 1)
    assert skill["verdict"] == "fail"
    (arm,) = found["arms"]
    assert set(arm) >= {
        "agent",
        "delivery",
        "model",
        "positives",
        "negatives",
        "seconds",
        "dollars",
    }


def test_errors_and_ineligible_trials_count_neither_way():
    records = [make_record("error", 1), make_record("error", 2, should_trigger=False)]
    skill = summarise(records, INPUTS).skills["greeting"]
    assert skill.positives.of == skill.negatives.of == 0
    assert skill.positives.rate is skill.positives.low is skill.positives.high is None
    assert (skill.verdict, skill.errors) == ("invalid", 2)


def test_an_error_beside_passes_leaves_the_verdict_to_the_graded():
    records = [make_record("error", 1), make_record("pass", 2)]
    assert summarise(records, INPUTS).skills["greeting"].verdict == "pass"


def test_a_case_without_a_skill_counts_for_its_arm_only():
    summary = summarise([make_record("fail", skill=None, should_trigger=False)], INPUTS)
    assert summary.skills == {}
    assert summary.arms[0].negatives.of == 1


def test_unknown_costs_stay_unknown():
    free = [make_record(number=1), make_record(number=2)]
    assert summarise(free, INPUTS).arms[0].dollars is None
    paid = [*free, make_record(number=3, usage=Spent(dollars=0.25))]
    arm = summarise(paid, INPUTS).arms[0]
    assert (arm.dollars, arm.dollars_known) == (0.25, 1)
    assert arm.seconds == pytest.approx(0.3)
    assert summarise([make_record(seconds=None)], INPUTS).arms[0].seconds is None


def test_a_time_or_a_price_that_is_no_number_is_unknown():
    odd = make_record(seconds=float("nan"), usage=Spent(dollars=float("inf")))
    arm = summarise([odd], INPUTS).arms[0]
    assert (arm.seconds, arm.dollars) == (None, None)


def test_a_case_with_both_outcomes_is_named():
    records = [make_record("pass", 1), make_record("fail", 2), make_record("pass", 1, case="other")]
    (mixed,) = summarise(records, INPUTS).mixed
    assert (mixed.case, mixed.passed, mixed.of) == ("explicit", 1, 2)


def test_cases_of_one_id_in_two_files_are_two_cases():
    def asked(file, *statuses):
        return [make_record(each, n, file=file) for n, each in enumerate(statuses, 1)]

    found = summarise([*asked("a.yaml", "pass"), *asked("b.yaml", "fail")], INPUTS)
    assert found.mixed == ()
    found = summarise([*asked("a.yaml", "pass", "pass"), *asked("b.yaml", "pass", "fail")], INPUTS)
    (mixed,) = found.mixed
    assert (mixed.file, mixed.twin, mixed.passed, mixed.of) == ("b.yaml", True, 1, 2)
    assert sum(each.flaky for each in found.repeats) == 1
    assert say_case(mixed) == "greeting/explicit of b.yaml"


def test_what_the_default_policy_judges_otherwise_is_told_by_file():
    records = [make_record(file=name, strict="fail", policy="cat") for name in ("a.yaml", "b.yaml")]
    found = [say_difference(each) for each in summarise(records, INPUTS).differs]
    assert [each.partition(" on ")[0] for each in found] == [
        "greeting/explicit of a.yaml",
        "greeting/explicit of b.yaml",
    ]


def test_a_skill_on_offer_that_no_trial_was_about_is_named():
    assert summarise([make_record()], INPUTS).untried == ("never", "style")


def test_each_rung_of_the_funnel_needs_its_own_proof():
    evidence = [
        Evidence(skill="greeting", rung="none"),
        Evidence(skill="greeting", rung="denied"),
        Evidence(skill="greeting", rung="followed"),
        Evidence(skill="greeting", rung="followed", resources=("a.md",)),
        Evidence(skill="other", rung="followed"),
    ]
    records = [make_record(number=n, skills=(each,)) for n, each in enumerate(evidence)]
    funnel = summarise(records, INPUTS).skills["greeting"].funnel
    assert msgspec.structs.astuple(funnel)[:9] == (5, 3, 3, 1, 2, 1, 0, 2, 0)
    assert [(each.rung, each.given, each.passed, each.of) for each in funnel.steps] == [
        ("offered", "graded", 3, 5),
        ("asked", "offered", 3, 3),
        ("loaded", "asked", 2, 3),
        ("read", "loaded", 1, 2),
        ("ran", "loaded", 0, 2),
        ("followed", "loaded", 2, 2),
    ]
    assert funnel.steps[2].rate == pytest.approx(2 / 3)
    assert funnel.steps[2].low < 2 / 3 < funnel.steps[2].high


def test_what_was_read_without_the_skill_is_no_step_from_it():
    records = [
        make_record(number=1, skills=(Evidence(skill="greeting", resources=("a.md",)),)),
        make_record(number=2, skills=(Evidence(skill="greeting", rung="loaded"),)),
    ]
    funnel = summarise(records, INPUTS).skills["greeting"].funnel
    read = next(each for each in funnel.steps if each.rung == "read")
    assert (funnel.read, read.passed, read.of, read.rate) == (1, 0, 1, 0)


def test_asking_again_tells_pass_at_k_pass_all_k_and_flakes_by_the_mean_over_cases():
    tried = {"always": "ppppp", "flaky": "ppfpf", "never": "fff"}
    records = [
        make_record("pass" if each == "p" else "fail", number, case=case)
        for case, outcomes in tried.items()
        for number, each in enumerate(outcomes)
    ]
    records.append(make_record("error", 9, case="never"))
    (found,) = summarise(records, INPUTS).repeats
    counts = (found.cases, found.fewest, found.always_passed, found.never_passed, found.flaky)
    assert counts == (3, 3, 1, 1, 1)
    assert found.unseen_flake == pytest.approx(0.73)
    assert found.pass_at == pytest.approx(
        {"1": (1 + 0.6 + 0) / 3, "2": (1 + 0.9 + 0) / 3, "3": (1 + 1 + 0) / 3}
    )
    assert found.pass_all == pytest.approx(
        {"1": (1 + 0.6 + 0) / 3, "2": (1 + 0.3 + 0) / 3, "3": (1 + 0.1 + 0) / 3}
    )


def test_positives_negatives_and_arms_are_never_mixed_in_what_repeating_says():
    records = [
        make_record("pass", 1),
        make_record("fail", 1, should_trigger=False),
        make_record("pass", 1, delivery="mcp"),
        make_record("error", 1, delivery="none"),
    ]
    found = summarise(records, INPUTS).repeats
    assert [(each.delivery, each.positives, each.pass_at) for each in found] == [
        ("mcp", True, {"1": 1.0}),
        ("native", True, {"1": 1.0}),
        ("native", False, {"1": 0.0}),
    ]


def test_causes_are_counted_the_commonest_first():
    records = [
        make_record("error", 1, reason="no network"),
        make_record("error", 2, reason="rate limit"),
        make_record("error", 3, reason="rate limit"),
    ]
    causes = summarise(records, INPUTS).causes
    assert [(each.reason, each.trials) for each in causes] == [("rate limit", 2), ("no network", 1)]


def test_counting_more_trials_takes_no_more_memory():
    dice = random.Random(1)
    tally = Tally(INPUTS)

    def count(trials):
        for number in range(trials):
            tally.add(make_record(dice.choice(["pass", "fail"]), number, case=f"c{number % 50}"))

    count(500)
    tracemalloc.start()
    count(9500)
    grown, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert grown < 64 * 1024
    assert tally.summary().totals.trials == 10_000


def test_who_was_called_for_whom_is_in_the_matrix_and_the_scores():
    def trial(number, called, **given):
        evidence = tuple(
            Evidence(skill=name, rung="loaded" if name in called else "offered")
            for name in ("greeting", "style")
        )
        return make_record("pass", number, skills=evidence, **given)

    records = [
        trial(1, ["greeting"]),
        trial(2, ["style"]),
        trial(3, []),
        trial(4, ["style"], skill="style"),
        trial(5, [], skill=None, should_trigger=False),
        trial(6, ["greeting"], skill=None, should_trigger=False),
        make_record("error", 7),
    ]
    summary = summarise(records, INPUTS)
    assert summary.matrix == {
        "greeting": {"greeting": 1, "none": 1, "style": 1},
        "none": {"greeting": 1, "none": 1},
        "style": {"style": 1},
    }
    found = summary.calls["greeting"]
    assert (found.tp, found.fp, found.fn, found.tn) == (1, 1, 2, 2)
    assert (found.precision.value, found.recall.value) == (0.5, pytest.approx(1 / 3))
    assert found.false_positive_rate.value == pytest.approx(1 / 3)
    assert summary.calls["style"].recall.value == 1


def test_cells_carry_what_is_established_and_a_fixed_run_keeps_its_simple_word():
    summary = summarise([make_record(number=n) for n in range(3)], INPUTS)
    (cell,) = summary.cells
    assert (summary.skills["greeting"].verdict, cell.verdict) == ("pass", "inconclusive")
    assert cell.reason.startswith("3 of 3 proves 37 % at best")


@given(st.lists(st.floats(0.001, 1e6), min_size=1, max_size=30))
def test_the_spread_of_what_trials_took_is_that_of_their_values(seconds):
    records = [make_record(number=n, seconds=each) for n, each in enumerate(seconds)]
    (found,) = summarise(records, INPUTS).distributions
    assert (found.trials, found.seconds.of) == (len(seconds), len(seconds))
    assert (found.seconds.least, found.seconds.most) == (min(seconds), max(seconds))
    # Three digits are kept of each value.
    assert found.seconds.median == pytest.approx(median(seconds), rel=0.006)


def test_only_graded_trials_say_what_the_work_takes_and_unknown_stays_unknown():
    records = [
        make_record(number=1, usage=Spent(input_tokens=10, output_tokens=5)),
        make_record("error", number=2, seconds=500.0),
        make_record("fail", number=3, usage=Spent(input_tokens=10)),
        make_record(number=4, skill="other"),
    ]
    one, two = summarise(records, INPUTS).distributions
    assert (one.skill, one.trials, one.seconds.most) == ("greeting", 2, 0.1)
    assert (one.tokens.of, one.tokens.median) == (1, 15)
    assert (two.skill, two.tokens) == ("other", None)
    assert (one.turns, one.dollars) == (None, None)


def test_turns_dollars_and_effective_commands_have_spreads_too():
    took = {"usage": Spent(dollars=0.25), "commands": Commands(total=4, effective=2)}
    records = [make_record(number=n, turns=n, **took) for n in (1, 2, 6)]
    (found,) = summarise(records, INPUTS).distributions
    turns = (found.turns.least, found.turns.median, found.turns.most)
    assert turns == (1, 2, 6)
    assert (found.dollars.median, found.commands.most, found.effective.most) == (0.25, 4, 2)
