"""The check that an answer or a file is JSON of a given shape.

In: an Outcome, and a JSON Schema or none. Out: a Verdict.
Must not know: how a schema is checked; see schemas.py.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from audition.check import (
    BadArguments,
    Outcome,
    Verdict,
    failed,
    fails_early,
    looks_outside,
    passed,
    undecided,
)
from audition.checks.answer import answer_lines
from audition.checks.files import RelativePath, missing, writers
from audition.checks.looks import end_lines, look_at_path, unless_cut
from audition.checks.schemas import compile_schema
from audition.errors import AuditionError
from audition.model import Json
from audition.pattern import excerpt

FENCE = re.compile(r"[ \t]*(`{3,})[ \t]*([A-Za-z0-9_+-]*)[ \t]*\r?\n?")
READ_CAP = 16 * 1024 * 1024


def json_blocks(text: str) -> list[str]:
    """The contents of the blocks fenced as ```json, in order."""
    blocks: list[str] = []
    fence = ""
    kept: list[str] | None = None
    for line in text.splitlines(keepends=True):
        found = FENCE.fullmatch(line)
        if not fence and found:
            fence = found[1]
            kept = [] if found[2].lower() == "json" else None
        elif found and len(found[1]) >= len(fence) and not found[2]:
            if kept is not None:
                blocks.append("".join(kept))
            fence, kept = "", None
        elif kept is not None:
            kept.append(line)
    return blocks


def _read(text: str) -> Json:
    """The value; raises JSONDecodeError, also for NaN, Infinity and a key that stands twice."""

    def refuse(word: str) -> Json:
        raise json.JSONDecodeError(f"{word} is not JSON", text, max(text.find(word), 0))

    def once(pairs: list[tuple[str, Json]]) -> Json:
        held = dict(pairs)
        if len(held) < len(pairs):
            # Readers differ in which of the two they take: what was looked at is not known.
            twice = next(key for key, count in Counter(k for k, _ in pairs).items() if count > 1)
            place = max(text.find(json.dumps(twice, ensure_ascii=False)), 0)
            raise json.JSONDecodeError(f"the key `{excerpt(twice)}` stands twice", text, place)
        return held

    return json.loads(text, parse_constant=refuse, object_pairs_hook=once)


def _load_schema(schema: str, folder: Path) -> Json:
    """The schema in a file; a relative path is seen from the folder of the case file."""
    path = folder / schema
    try:
        return _read(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        why = getattr(error, "strerror", None) or error
        raise BadArguments(
            excerpt(f"check `json_valid`: the schema {path} cannot be read: {why}", limit=300),
            "the path is relative to the case file",
            "schema",
        ) from error


def _look(arguments: dict[str, Json]) -> None:
    look_at_path(arguments)
    schema = arguments["schema"]
    if isinstance(schema, str):
        if "\0" in schema or "://" in schema or not schema:
            raise BadArguments("`schema` must be a mapping or a file's path", "", "schema")
        # A relative path waits for the grading: only the outcome knows the case file.
        if schema.startswith("/"):
            compile_schema(_load_schema(schema, Path("/")))
    elif schema is not None:
        compile_schema(schema)


def _file_text(outcome: Outcome, path: str) -> str | Verdict:
    """The text of a file, or why there is none."""
    if verdict := missing(outcome, path):
        return verdict
    data = outcome.files.read(path) or b""
    if len(data) >= READ_CAP:
        return undecided(f"`{excerpt(path)}` is too large to be read whole")
    try:
        # As in `file_matches`: a byte order mark is left out.
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        said = f"`{excerpt(path)}` is not UTF-8: byte {error.start}"
        return failed(said, *writers(outcome, path))


def _answer_text(outcome: Outcome) -> str | Verdict:
    """The text of the answer that is to be JSON, or why there is none."""
    answer = outcome.trace.answer.strip()
    if not answer:
        return unless_cut(outcome, failed("the agent said nothing", *end_lines(outcome)))
    blocks = json_blocks(answer)
    if len(blocks) > 1:
        said = f"the answer has {len(blocks)} JSON blocks: which one counts is not known"
        return failed(said, *answer_lines(outcome.trace))
    return blocks[0] if blocks else answer


@looks_outside(lambda arguments: isinstance(arguments.get("schema"), str))
@fails_early(_look)
def json_valid(
    outcome: Outcome,
    *,
    schema: dict[str, Any] | str | None = None,
    path: RelativePath | None = None,
) -> Verdict:
    """The answer, or a file, is JSON, and fits a JSON Schema.

    Without `path`, the answer is read: the one block in it that is fenced as `json`, or else
    the whole of it. Prose around bare JSON fails, two such blocks fail, and so do `NaN`,
    `Infinity`, a key that stands twice and bytes that are not UTF-8. `path` is as in
    `file_exists`; a byte order mark is left out.

    `schema` is a mapping, or the path of a JSON file, relative to the case file. Without it
    any JSON passes. Schemas are of draft 7, with `$defs` too. A keyword that would be
    ignored (`prefixItems`, `unevaluatedProperties`, a misspelt one) is refused, and so is a
    `$ref` that leaves the schema. Formats are checked. Patterns inside a schema are
    Python's.

    Example:
        checks:
          - json_valid:
              path: out/result.json
              schema:
                type: object
                required: [name, count]
                properties:
                  name: {type: string}
                  count: {type: integer, minimum: 1}
          - json_valid: {schema: schemas/result.json}
    """
    if isinstance(schema, str):
        schema = _load_schema(schema, outcome.case_folder)
    text = _answer_text(outcome) if path is None else _file_text(outcome, path)
    if isinstance(text, Verdict):
        return text
    lines = answer_lines(outcome.trace) if path is None else writers(outcome, path)
    try:
        value = _read(text)
        trouble = "" if schema is None else compile_schema(schema)(value)
    except AuditionError:
        raise
    except json.JSONDecodeError as error:
        near = excerpt(text, error.pos, error.pos + 1, limit=60)
        return failed(f"not JSON: {error.msg}, line {error.lineno}: `{near}`", *lines)
    except RecursionError:
        return undecided("the JSON is too deep to be looked at")
    except ValueError as error:
        if "digits" not in str(error):
            raise
        # Python reads no whole number of more than 4300, and says so in words for programmers.
        return undecided("a number in the JSON has too many digits to be looked at")
    if trouble:
        return failed(f"does not fit the schema: {excerpt(trouble)}", *lines)
    return passed("is JSON" if schema is None else "fits the schema", *lines)
