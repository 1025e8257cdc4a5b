"""What a judge may answer, as a schema, and its text read as that.

In: the text of an answer. Out: Answers or an Overall; BadAnswer where it is neither.
Must not know: whether what it says is true.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import msgspec

from audition.judge.values import WORDS, Answer, Overall, Part
from audition.model import Json

T = TypeVar("T")


class BadAnswer(ValueError):
    """The text is no answer; the words say why."""


def answer_schema(ids: Sequence[str]) -> Json:
    """The JSON Schema of an answer to these criteria; citations stand before the verdict."""
    text = {"type": "string"}
    citation = _object(event=text, quote=text)
    answer = _object(
        criterion={"type": "string", "enum": list(ids)},
        citations={"type": "array", "items": citation},
        reason=text,
        verdict={"type": "string", "enum": list(WORDS)},
    )
    return _object(answers={"type": "array", "items": answer})


def overall_schema() -> Json:
    """The JSON Schema of pkbllm's rubric."""
    check: dict[str, Any] = {"id": {"type": "string"}}
    check |= {"pass": {"type": "boolean"}, "notes": {"type": "string"}}
    return _object(
        overall_pass={"type": "boolean"},
        score={"type": "integer", "minimum": 0, "maximum": 100},
        checks={"type": "array", "items": _object(**check)},
    )


def _object(**properties: Json) -> dict[str, Json]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


class _Answers(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    answers: tuple[Answer, ...]


class _Part(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    passed: bool = msgspec.field(name="pass")
    notes: str


class _Overall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    overall_pass: bool
    score: int
    checks: tuple[_Part, ...]


def read_answers(text: str) -> tuple[Answer, ...]:
    """The answers in a text; prose around one JSON object is forgiven."""
    return _read(text, "answers", _Answers).answers


def read_overall(text: str) -> Overall:
    """Read the answer to the rubric of pkbllm in a text."""
    found = _read(text, "overall_pass", _Overall)
    if not 0 <= found.score <= 100:
        raise BadAnswer(f"the score {found.score} is not from 0 to 100")
    parts = tuple(Part(id=e.id, passed=e.passed, notes=e.notes) for e in found.checks)
    return Overall(overall_pass=found.overall_pass, score=found.score, checks=parts)


def _read(text: str, key: str, kind: type[T]) -> T:
    found = [each for each in _objects(text) if key in each]
    if not found:
        begins = " ".join(text.split())[:80]
        raise BadAnswer(
            f"no JSON object with `{key}`; it begins `{begins}`" if begins else "silence"
        )
    if any(each != found[0] for each in found):
        raise BadAnswer(f"{len(found)} JSON objects with `{key}` that differ; one is wanted")
    try:
        return msgspec.convert(found[0], kind)
    except msgspec.ValidationError as error:
        raise BadAnswer(f"the JSON does not obey the schema: {error}") from error


def _once(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    """An object whose keys are there once: of two verdicts, neither counts."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise BadAnswer("the JSON has a key twice in one object")
    return found


def _objects(text: str) -> Iterator[dict[str, Json]]:
    """Every JSON object that stands in the text, those inside of others left out."""
    decoder, at = json.JSONDecoder(object_pairs_hook=_once), 0
    while (at := text.find("{", at)) >= 0:
        try:
            found, end = decoder.raw_decode(text, at)
        except BadAnswer:
            raise
        except (ValueError, RecursionError):
            at += 1
            continue
        if isinstance(found, dict):
            yield found
        at = end
