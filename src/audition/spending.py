"""What a run may cost, and what it has cost so far.

In: caps, records as they come. Out: why nothing more may be asked.
Must not know: whose turn it is, how a trial is run.
"""

from math import isfinite

from audition.model import Record, Value
from audition.verdict import Cell


class Caps(Value, frozen=True, kw_only=True):
    """What a run may cost at most; None is no limit."""

    dollars: float | None = None
    tokens: int | None = None
    runs: int | None = None


class Rules(Value, frozen=True, kw_only=True):
    """When asking ends."""

    cells: tuple[Cell, ...] = ()
    caps: Caps = Caps()
    free: frozenset[str] = frozenset()
    """Agents that cost nothing."""
    one_fail_ends: bool = False
    """Whether nothing more is asked once one cell has failed: the rest cannot change that."""


class Spending:
    """What was spent so far, and whether a cap is reached."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._dollars = 0.0
        self._tokens = 0
        self._dearest: dict[str, float] = {"dollars": 0.0, "tokens": 0.0}
        self._asked = 0
        self._blind = ""

    def ask(self) -> None:
        """One more trial is asked."""
        self._asked += 1

    def tell(self, record: Record) -> None:
        """A trial has come back: what it cost, as far as known."""
        if record.status == "ineligible" or record.reused:
            return
        free = record.agent in self._rules.free
        usage, caps = record.usage, self._rules.caps
        known = [usage.input_tokens, usage.output_tokens]
        tokens = None if None in known else float(sum(each or 0 for each in known))
        # Nobody is paid for an embedded agent; the tokens that it tells are still tokens.
        dollars = 0.0 if free else usage.dollars
        tokens = 0.0 if free and tokens is None else tokens
        if caps.dollars is not None:
            self._dollars += self._cost("dollars", dollars, record)
        if caps.tokens is not None:
            self._tokens += round(self._cost("tokens", tokens, record))

    def _cost(self, what: str, cost: float | None, record: Record) -> float:
        """A cost; where it is unknown, that of the dearest trial so far."""
        if cost is not None and isfinite(cost):
            self._dearest[what] = max(self._dearest[what], cost)
            return cost
        if record.status != "error" and not self._dearest[what]:
            self._blind = (
                f"`{record.agent}` does not tell its {what}, so no cap on them can be kept"
            )
        return self._dearest[what]

    def exceeded(self) -> str:
        """Why nothing more may be asked, in words; empty while it may."""
        caps = self._rules.caps
        if caps.runs is not None and self._asked >= caps.runs:
            return f"--max-runs {caps.runs} is reached"
        if self._blind:
            return self._blind
        if caps.dollars is not None and self._dollars >= caps.dollars:
            return f"--budget {caps.dollars:g} is spent: ${self._dollars:.4f}"
        if caps.tokens is not None and self._tokens >= caps.tokens:
            return f"--max-tokens {caps.tokens} is spent: {self._tokens}"
        return ""
