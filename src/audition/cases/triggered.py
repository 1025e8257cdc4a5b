"""One query of a trigger set as a case, with what Skill Lab wants to be so beside it.

In: what was read of it. Out: a Case. Must not know: how a set is laid out.
"""

from collections.abc import Sequence

from audition.cases.given import Given
from audition.cases.imported import check_of, path_check
from audition.model import Case, CheckSpec, Value


class Triggered(Value, frozen=True, kw_only=True):
    """A query, and whether it should call a skill."""

    id: str
    prompt: str
    skill: str
    triggers: bool
    tags: tuple[str, ...] = ()


def make_case(given: Given, said: Triggered, wanted: Sequence[Given] = ()) -> Case:
    """The case; `wanted` holds its further expectations, where they stand apart."""
    return Case(
        id=said.id,
        prompt=said.prompt,
        skill=said.skill,
        should_trigger=said.triggers,
        checks=tuple(check for each in wanted or (given,) for check in _checks(each)),
        tags=said.tags,
        line=given.line,
    )


def _checks(given: Given) -> tuple[CheckSpec, ...]:
    """Skill Lab's expectations beside the trigger, as far as they map."""
    checks: tuple[CheckSpec, ...] = ()
    if not isinstance(given.value, dict):
        return checks
    for each, text in given.texts("files_created"):
        checks += path_check(each, text)
    code = given.value.get("exit_code")
    if isinstance(code, int) and not isinstance(code, bool):
        given.at("exit_code").take()
        checks += check_of(given.at("exit_code"), "exit_code", code=code)
    return checks
