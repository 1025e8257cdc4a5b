"""What a check is: one function from an outcome to a verdict.

Its name is what case files write, its keyword arguments are what they give it, and its
docstring is its page in the documentation (`audition explain NAME`).

In: an Outcome and arguments from a case file. Out: a Grade.
Must not know: the live workspace, processes, clocks. (`program` starts a process through
the function that the Outcome carries.)
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, get_args, get_origin

import msgspec

from audition.errors import AuditionError, did_you_mean
from audition.model import (
    Call,
    Case,
    CheckSpec,
    Commands,
    Evidence,
    Grade,
    GradeStatus,
    Json,
    Sealed,
    Trace,
    Value,
)
from audition.registry import Registry, is_ours


class Files(Protocol):
    """The sealed workspace: what was there when the agent ended. See workspace.py."""

    def find(self, path: str) -> str | None:
        """The absolute path of a sealed file or folder; None where there is none.

        Raises ValueError with words for the user where the path leaves the workspace.
        """

    def read(self, path: str) -> bytes | None:
        """A file's bytes, at most 16 MiB; None where there is none."""

    def names(self) -> Iterator[str]:
        """Every file that was there, relative, sorted."""


class Ran(Value, frozen=True, kw_only=True):
    """What a verifier program said."""

    exit_code: int
    output: str
    timed_out: bool = False
    too_long: bool = False
    """It printed more than may be kept, and was ended for that."""


class Outcome(Value, frozen=True, kw_only=True):
    """All that a check may look at."""

    sealed: Sealed
    trace: Trace
    skills: tuple[Evidence, ...]
    commands: Commands
    files: Files
    as_json: Callable[[], bytes]
    """The outcome as a program is given it on stdin."""
    run_program: Callable[[str | list[str], bytes, float], Ran]
    """Runs a verifier in a copy of the sealed workspace."""
    is_effective: Callable[[Call], bool] = lambda _: True
    """Whether a shell call did more than look around, as `commands` counts it."""
    judged: tuple[Grade, ...] = ()
    """What the judge said of the rubric; it comes after all checks."""
    case_folder: Path = Path()
    """Where the case file lies: its relative paths are seen from there."""


class Verdict(Value, frozen=True, kw_only=True):
    """What a check found, and the lines that prove it."""

    status: GradeStatus
    reason: str = ""
    lines: tuple[int, ...] = ()


def passed(reason: str = "", *lines: int) -> Verdict:
    """It holds."""
    return Verdict(status="pass", reason=reason, lines=lines)


def failed(reason: str, *lines: int) -> Verdict:
    """It does not hold."""
    return Verdict(status="fail", reason=reason, lines=lines)


def undecided(reason: str, *lines: int) -> Verdict:
    """It cannot be told: evidence is missing. Never a pass."""
    return Verdict(status="error", reason=reason, lines=lines)


BOUND_KEPT = 1024
Check = Callable[..., Verdict]
checks: Registry[Check] = Registry("check")


class BadArguments(AuditionError):
    """The arguments of a check do not fit; `field` is the one."""

    def __init__(self, message: str, hint: str = "", field: str = "") -> None:
        super().__init__(message, hint)
        self.field = field


@cache
def arguments_of(check: Check) -> type[msgspec.Struct]:
    """The keyword arguments of a check as a struct, so that msgspec converts them."""
    fields: list[Any] = []
    for parameter in list(inspect.signature(check, eval_str=True).parameters.values())[1:]:
        if parameter.default is inspect.Parameter.empty:
            fields.append((parameter.name, parameter.annotation))
        else:
            fields.append((parameter.name, parameter.annotation, parameter.default))
    return msgspec.defstruct(
        check.__name__, fields, kw_only=True, frozen=True, forbid_unknown_fields=True
    )


_MISSING = re.compile(r"Object missing required field `([^`]+)`")
_KIND = re.compile(r"`(\w+)`")
_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}
"""What msgspec calls the kinds of values, in words."""
CheckT = TypeVar("CheckT", bound=Check)


def fails_early(prepare: Callable[[dict[str, Json]], None]) -> Callable[[CheckT], CheckT]:
    """Give a check a look at its arguments that fails before money is spent."""

    def attach(check: CheckT) -> CheckT:
        vars(check)["prepare"] = prepare
        return check

    return attach


def looks_outside(when: Callable[[Mapping[str, Json]], bool]) -> Callable[[CheckT], CheckT]:
    """Say with which arguments a check looks at more than the sealed folder holds."""

    def attach(check: CheckT) -> CheckT:
        vars(check)["looks_outside"] = when
        return check

    return attach


def rests_on_seal(spec: CheckSpec) -> bool:
    """Whether a check of ours looks at nothing but what is sealed: then its grade may stand."""
    if spec.name not in checks or not is_ours(check := checks[spec.name]):
        return False
    outside = getattr(check, "looks_outside", None)
    return outside is None or not outside(spec.arguments)


def may_stand(case: Case) -> bool:
    """Whether the grades of a case rest on what is sealed alone, by any policy."""
    return all(map(rests_on_seal, (*case.checks, *schema_of(case))))


def schema_of(case: Case) -> tuple[CheckSpec, ...]:
    """The check that the answer fits the schema which the agent was given."""
    schema = case.settings.get("output_schema")
    if not isinstance(schema, str) or not schema:
        return ()
    return (CheckSpec(name="json_valid", arguments={"schema": schema}),)


@cache
def _prepare(check: Check) -> Callable[[dict[str, Json]], None] | None:
    """A check may carry `prepare`: a look at its arguments that fails before money is spent."""
    found: Callable[[dict[str, Json]], None] | None = getattr(check, "prepare", None)
    return found


def _nearest_word(struct: type[msgspec.Struct], field: str, given: Mapping[str, Json]) -> str:
    """A hint with the nearest of the words that an argument may be; empty where it may be any."""
    wanted = {each.name: each.type for each in msgspec.structs.fields(struct)}.get(field)
    words = get_args(wanted) if get_origin(wanted) is Literal else ()
    return did_you_mean(str(given.get(field)), map(str, words)) if words else ""


def bind(spec: CheckSpec) -> dict[str, Json]:
    """The checked arguments of a check; raises BadArguments naming the field."""
    check = checks[spec.name]
    struct = arguments_of(check)
    known = struct.__struct_fields__
    for name in spec.arguments:
        if name not in known:
            raise BadArguments(
                f"check `{spec.name}` has no argument `{name}`", did_you_mean(name, known), name
            )
    try:
        bound = msgspec.convert(spec.arguments, struct, strict=True)
    except msgspec.ValidationError as error:
        text, _, where = str(error).partition(" - at `$.")
        field = where.rstrip("`")
        if missing := _MISSING.fullmatch(text):
            text, near = f"needs `{missing[1]}`", ""
        else:
            near = _nearest_word(struct, field, spec.arguments)
            text = _KIND.sub(lambda kind: _KINDS.get(kind[1], kind[0]), text)
        hint = near or f"see `audition explain {spec.name}`"
        raise BadArguments(f"check `{spec.name}`: {text}", hint, field) from error
    arguments = {name: getattr(bound, name) for name in known}
    if prepare := _prepare(check):
        prepare(arguments)
    return arguments


_bound: dict[bytes, dict[str, Json]] = {}
"""Arguments that were looked at already: the cases of a suite mostly share their checks."""


def _bind_once(spec: CheckSpec) -> dict[str, Json]:
    key = msgspec.json.encode(spec)
    if key not in _bound:
        if len(_bound) >= BOUND_KEPT:
            _bound.clear()
        _bound[key] = bind(spec)
    return _bound[key]


def grade_check(outcome: Outcome, spec: CheckSpec) -> Grade:
    """Run one check. What it trips over makes the grade an error, never a pass."""
    try:
        verdict = checks[spec.name](outcome, **_bind_once(spec))
    except (AuditionError, ValueError, OSError, RecursionError) as error:
        verdict = undecided(str(error))
    return Grade(by=spec.name, status=verdict.status, reason=verdict.reason, lines=verdict.lines)
