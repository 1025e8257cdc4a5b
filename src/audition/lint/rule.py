"""What a lint rule is: an id, a severity, a page, and one function that finds.

In: a function with a docstring. Out: a Rule, whose page is that docstring: a title, why, a bad
example and a good one. Must not know: any one rule.
"""

import inspect
import textwrap
from collections.abc import Callable, Iterable
from typing import Any, Literal

from audition.model import Finding, Value

Severity = Literal["error", "warning", "note"]
Over = Literal["skill", "skills", "suite", "evals"]
"""What a rule is shown: one skill, all skills, one suite, or all suites with all skills."""
Find = Callable[[Any], Iterable[Finding]]


class Repair(Value, frozen=True, kw_only=True):
    """A mechanical change to one file of a skill."""

    file: str
    """Relative to the skill's folder."""
    what: str
    data: bytes | None = None
    """What the file shall hold; None leaves it as it is."""
    executable: bool = False


class Rule(Value, frozen=True, kw_only=True):
    """One thing that can be wrong."""

    id: str
    severity: Severity
    over: Over
    page: str
    find: Find
    mend: Callable[[Any], Iterable[Repair]] | None = None
    """What `--fix` does; only where nothing can be lost."""

    @property
    def title(self) -> str:
        """What is wrong, in one line."""
        return self.page.partition("\n")[0]


def rule(
    name: str,
    severity: Severity,
    over: Over = "skill",
    mend: Callable[[Any], Iterable[Repair]] | None = None,
) -> Callable[[Find], Rule]:
    """Make a rule of a function; its docstring is the rule's page."""

    def make(find: Find) -> Rule:
        page = inspect.getdoc(find) or ""
        return Rule(id=name, severity=severity, over=over, page=page, find=find, mend=mend)

    return make


def split_page(page: str) -> tuple[str, str, str]:
    """Why the rule is there, the bad example and the good one."""
    why, _, rest = page.partition("\nBad:\n")
    bad, _, good = rest.partition("\nGood:\n")
    _, _, why = why.partition("\n")
    return why.strip(), _block(bad), _block(good)


def _block(text: str) -> str:
    return textwrap.dedent(text).strip("\n")
