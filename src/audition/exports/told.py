"""What an export is told of one trial, and what every export says in the same way.

In: a record, its seal, its trace, its raw output. Out: plain words and figures.
Must not know: any one tool.
"""

import json
from collections.abc import Iterable

from audition.model import Case, Evidence, Json, Record, Sealed, Trace, Value


class Told(Value, frozen=True, kw_only=True):
    """All that there is of one trial."""

    record: Record
    sealed: Sealed
    trace: Trace
    stdout: str = ""
    stderr: str = ""

    @property
    def case(self) -> Case:
        """The case that was tried."""
        return self.sealed.trial.case

    @property
    def passed(self) -> bool:
        """Other tools know two results: whatever is no pass is a fail."""
        return self.record.status == "pass"


def asked_for(told: Told) -> list[Evidence]:
    """The skills that were asked for, in their order."""
    asked = [each for each in told.record.skills if each.order is not None]
    return sorted(asked, key=lambda each: each.order or 0)


def dump(value: Json, *, sort: bool = False) -> str:
    """JSON as these tools write it."""
    return json.dumps(value, indent=2, sort_keys=sort, ensure_ascii=False) + "\n"


def mean(values: Iterable[float]) -> float:
    """The mean; 0 for nothing, as these tools have it."""
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def expected_skill(told: Told) -> str | None:
    """The skill that should be called; the first where there are several."""
    return told.case.expected[0] if told.case.expected else None


def beyond(told: Told) -> list[tuple[str, bool, str]]:
    """The grades but the activation's: what was checked, whether it held, why."""
    grades = [each for each in told.record.grades if each.by != "activation"]
    return [(each.by, each.status == "pass", each.reason) for each in grades]


def total_tokens(told: Told) -> int | None:
    """Input and output together; None where either is unknown."""
    usage = told.record.usage
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    return usage.input_tokens + usage.output_tokens
