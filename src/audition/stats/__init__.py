"""What counts say: intervals, tests, designs. Each formula is checked against scipy in the tests.

In: counts, outcomes, times. Out: numbers, or None where there is nothing to say.
Must not know: skills, trials, records.

    rates.py       one rate: Wilson, Clopper-Pearson, Jeffreys, trials that come in clusters
    repeats.py     pass@k, pass^k, flakes that were not seen
    labels.py      precision, recall, F1, MCC; who steals whose prompts
    fixed.py       is a rate good enough, from a fixed number of trials
    sequential.py  the same, stopping as soon as it is known
    paired.py      is B better than A: McNemar, sign flips, many tests at once
    duel.py        the same, stopping as soon as it is known
    power.py       the smallest difference that can be seen, and what it takes
    waiting.py     how long something took that sometimes never came
    curves.py      the distributions behind them
"""

from audition.stats.rates import Z95, Clustered, clopper_pearson, clustered, jeffreys, wilson

__all__ = ["Z95", "Clustered", "clopper_pearson", "clustered", "jeffreys", "wilson"]
