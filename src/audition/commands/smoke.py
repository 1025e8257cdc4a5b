"""`--smoke-first`: a few representative trials before the rest, which is spared if they break.

In: the trials, and a function that runs some of them. Out: records as they come.
Must not know: how a trial is run.
"""

from collections.abc import Callable, Iterator, Sequence

from audition.commands.finish import say
from audition.model import Record, Trial
from audition.selection import representatives

Go = Callable[[Sequence[Trial]], Iterator[Record]]


def run_smoke_first(trials: Sequence[Trial], finished: set[str], go: Go) -> Iterator[Record]:
    """The first trial of each representative case, then the rest, unless nothing of it worked."""
    cases = list({each.case.node: each.case for each in trials}.values())
    chosen = {each.node for each in representatives(cases)}
    first = [each for each in trials if each.number == 1 and each.case.node in chosen]
    statuses = []
    for record in go(first):
        # CAT's own rules call a broken harness a fail, and of a negative a pass.
        statuses.append(record.strict or record.status)
        yield record
    tried = [each for each in statuses if each != "ineligible"]
    if tried and all(each == "error" for each in tried):
        say(f"all {len(tried)} smoke trials ended in error: the rest is not asked")
        return
    done = {each.id for each in first} | finished
    yield from go([each for each in trials if each.id not in done])
