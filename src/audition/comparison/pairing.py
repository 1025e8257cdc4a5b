"""The trials of two runs, brought together: who is whose partner.

In: Records. Out: outcomes by case, arm and number; the pairs of each cell, counted.
Must not know: what the counts mean.
"""

import os.path
from collections.abc import Collection, Iterable, Mapping

from audition.comparison.figures import LeftOut
from audition.model import Record, Value

Arm = tuple[str, str, str | None, str]
"""Agent, delivery, model, variant."""
Key = tuple[str | None, str, Arm, str]
"""Skill, case, arm, file."""
Cell = tuple[str | None, Arm, bool]
"""Skill, arm, whether it should be called."""


class Outcome(Value, frozen=True, kw_only=True):
    """What comparing takes of a record."""

    right: bool | None
    should_trigger: bool
    took: tuple[float | None, float | None, float | None]
    reused: str = ""
    run: str = ""

    def is_also(self, other: "Outcome") -> bool:
        """Whether both are one and the same trial, taken over."""
        if not (self.reused or other.reused):
            return False
        return (self.reused or self.run) == (other.reused or other.run)


Trials = dict[Key, dict[tuple[int, int], Outcome]]


def gather(records: Iterable[Record], run: str = "") -> Trials:
    """The outcomes of a run, by case, arm and file."""
    found: Trials = {}
    for each in records:
        arm = (each.agent, each.delivery, each.model, each.variant)
        key = (each.skill, each.case, arm, each.file)
        usage = each.usage
        known = usage.input_tokens is not None and usage.output_tokens is not None
        tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0) if known else None
        trial = Outcome(
            right=each.status == "pass" if each.status in ("pass", "fail") else None,
            should_trigger=each.should_trigger,
            took=(tokens, each.seconds, each.turns),
            reused=each.reused,
            run=run,
        )
        # Where a file cannot be told from another, the second one's trials stand beside.
        mine, twin = found.setdefault(key, {}), 0
        while (each.trial, twin) in mine:
            twin += 1
        mine[each.trial, twin] = trial
    return found


def align_files(before: Trials, after: Trials, stood: tuple[str, str]) -> Trials:
    """A's outcomes under the files of B; `stood` are the folders that the runs were started in.

    A case is known by its file and its id; by its id alone where each run has it in one file,
    for that file may have been moved.
    """
    ours, theirs = files_of(before), files_of(after)
    partners = {
        name: _partners(files, theirs.get(name, frozenset()), stood) for name, files in ours.items()
    }
    return {
        (skill, case, arm, partners[skill, case][file]): found
        for (skill, case, arm, file), found in before.items()
    }


def files_of(trials: Trials) -> dict[tuple[str | None, str], set[str]]:
    """The files that have a case of each skill and id."""
    found: dict[tuple[str | None, str], set[str]] = {}
    for skill, case, _, file in trials:
        found.setdefault((skill, case), set()).add(file)
    return found


def _partners(
    ours: Collection[str], theirs: Collection[str], stood: tuple[str, str]
) -> dict[str, str]:
    """What each file of A is called in B; one that B does not have keeps a name of its own."""
    if len(ours) == len(theirs) == 1:
        return dict(zip(ours, theirs, strict=True))
    found: dict[str, str] = {}
    if all(stood):
        there = {_seen_from(stood[1], file): file for file in theirs}
        places = {file: _seen_from(stood[0], file) for file in ours}
        found = {file: there[place] for file, place in places.items() if place in there}
    # Another checkout of the same repository has them elsewhere, under the same names.
    free = set(theirs) - set(found.values())
    found |= {file: file for file in ours if file not in found and file in free}
    # What is left may be called in A as another file is in B, seen from where that was started.
    return {
        file: found.get(file) or (_seen_from(stood[0], file) if file in theirs else file)
        for file in ours
    }


def _seen_from(stood: str, file: str) -> str:
    return os.path.normpath(os.path.join(stood, file))


def pair_up(before: Trials, after: Trials) -> tuple[dict[Cell, tuple[int, ...]], LeftOut]:
    """How many pairs of each cell came out which way, and what has no partner."""
    counts: dict[Cell, list[int]] = {}
    only_a = only_b = reused = ungraded = 0
    for key in before.keys() | after.keys():
        one, two = before.get(key, {}), after.get(key, {})
        only_a += len(one.keys() - two.keys())
        only_b += len(two.keys() - one.keys())
        for number in one.keys() & two.keys():
            a, b = one[number], two[number]
            if a.is_also(b):
                reused += 1
                continue
            if a.right is None or b.right is None:
                ungraded += 1
                continue
            cell = (key[0], key[2], b.should_trigger)
            # both, only A, only B, neither
            counts.setdefault(cell, [0, 0, 0, 0])[2 * (not a.right) + (not b.right)] += 1
    left_out = LeftOut(only_a=only_a, only_b=only_b, reused=reused, ungraded=ungraded)
    return {cell: tuple(each) for cell, each in counts.items()}, left_out


def count(trials: Mapping[tuple[int, int], Outcome]) -> tuple[int, int]:
    """How many passed, of how many graded."""
    graded = [each.right for each in trials.values() if each.right is not None]
    return sum(graded), len(graded)


def sortable(key: Key) -> tuple[str, str, str, str]:
    """A key that can be put in order."""
    return (key[0] or "", key[1], str(key[2]), key[3])
