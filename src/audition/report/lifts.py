"""What skills add to their baselines, in words.

In: a Summary. Out: sentences. Must not know: formats, the screen.
"""

from collections.abc import Iterable

from audition.counted import counted
from audition.report.escape import one_line
from audition.report.words import say_percent
from audition.summary.duels import PairTest
from audition.summary.figures import Summary
from audition.summary.lift import Gain, Lift


def say_lifts(summary: Summary) -> Iterable[str]:
    """One sentence for each skill, arm and baseline; and how much is not from this run."""
    if summary.reused:
        were = "was" if summary.reused == 1 else "were"
        trials = counted(summary.totals.trials, "trial")
        yield f"{summary.reused} of {trials} {were} taken over from earlier runs"
    for each in summary.lifts:
        yield one_line(say_lift(each))


def say_lift(lift: Lift) -> str:
    """How the same cases fare with the skill and with the baseline."""
    model = f"+{lift.model}" if lift.model else ""
    where = f"lift of {lift.skill or 'no skill'} on {lift.agent}+{lift.delivery}{model}"
    head = f"{where} over {lift.baseline}: "
    if not lift.as_offered.pairs:
        return f"{head}nothing to compare (the cases need checks of their own)"
    said = f"{head}as offered {say_gain(lift.as_offered)}"
    if lift.sequential:
        said += f" ({say_duel(lift.sequential)})"
    if lift.when_loaded.pairs and lift.when_loaded.pairs < lift.as_offered.pairs:
        said += f"; when loaded {say_gain(lift.when_loaded)}"
    for each in lift.took:
        if each.word in ("more", "less"):
            said += f"; {each.word} {each.metric}: {each.baseline:.4g} → {each.skill:.4g}"
    return said


def say_duel(test: PairTest) -> str:
    """After how many pairs it was known, and what was looked for."""
    sought = f"{test.effect * 100:.3g} points"
    if test.word == "open":
        pairs = counted(test.cap, "pair tells", "pairs tell")
        return f"not told yet whether it is worth {sought}; at most {pairs}"
    known = f"known after {counted(test.at or 0, 'pair')}"
    return f"{known}: not worth {sought}" if test.word == "no difference" else known


def say_gain(gain: Gain) -> str:
    """Two rates, the interval of their difference, and what that establishes."""
    if gain.baseline is None or gain.skill is None or gain.low is None or gain.high is None:
        return "nothing to compare"
    rates = f"{say_percent(gain.baseline)} → {say_percent(gain.skill)}"
    rates += f" ({gain.low:+.0%} to {gain.high:+.0%})"
    if gain.word != "no significant difference":
        return f"{rates}, it {gain.word}"
    pairs = counted(gain.pairs, "pair")
    if gain.smallest is None:
        return f"{rates}, {gain.word}; {pairs} could not show any"
    return f"{rates}, {gain.word}; the smallest that {pairs} can show is {gain.smallest:.0%}"
