"""A text that a pattern matches, and a value that a JSON Schema accepts: best effort.

In: a pattern, or a schema. Out: the simplest example. Whoever needs certainty tries it.
Must not know: cases, checks, files.
"""

import re
from collections.abc import Callable
from typing import Any

SIMPLE = {"integer": 1, "number": 1, "boolean": True, "null": None}


def match_pattern(pattern: str) -> str | None:
    """A text in which the pattern is found; None where we cannot think of one."""
    try:
        # The parse tree is private to `re`, but the same from 3.11 on; the search below is
        # what makes this safe. re2's own spelling of the end, `\z`, is `\Z` here.
        from re import _parser  # type: ignore[attr-defined]

        tree = _parser.parse(pattern.replace(r"\z", r"\Z"))
        text = _spell(tree)
        return text if re.search(pattern.replace(r"\z", r"\Z"), text) else None
    except (ImportError, re.error, ValueError, TypeError, RecursionError):
        return None


def _spell(tree: Any) -> str:
    return "".join(_spell_one(str(what).lower(), value) for what, value in tree)


def _spell_one(what: str, value: Any) -> str:
    spell: Callable[[], str] | None = {
        "literal": lambda: chr(value),
        "not_literal": lambda: "y" if value == ord("x") else "x",
        "any": lambda: "x",
        "in": lambda: _spell_set(value),
        "category": lambda: _spell_set([(what, value)]),
        "max_repeat": lambda: _spell(value[2]) * value[0],
        "min_repeat": lambda: _spell(value[2]) * value[0],
        "branch": lambda: _spell(value[1][0]),
        "subpattern": lambda: _spell(value[-1]),
    }.get(what)
    return spell() if spell else ""


def _spell_set(parts: Any) -> str:
    """The first printable character that a set holds."""
    within = [(str(what).lower(), value) for what, value in parts]
    candidates = [chr(v) for w, v in within if w == "literal"]
    candidates += [chr(v[0]) for w, v in within if w == "range"]
    candidates += [*"a1 _-xA.\n"]
    refuse = bool(within and within[0][0] == "negate")
    return next((each for each in candidates if _holds(within, each) is not refuse), "")


def _holds(parts: list[tuple[str, Any]], character: str) -> bool:
    kinds = {"digit": r"\d", "space": r"\s", "word": r"\w"}
    for what, value in parts:
        if what == "literal" and ord(character) == value:
            return True
        if what == "range" and value[0] <= ord(character) <= value[1]:
            return True
        if what == "category":
            name = str(value).lower().removeprefix("category_")
            found = re.match(kinds[name.removeprefix("not_")], character) is not None
            if found is not name.startswith("not_"):
                return True
    return False


def fit_schema(schema: Any) -> Any:
    """The simplest value that a JSON Schema accepts, as far as its plainest keywords tell."""
    if not isinstance(schema, dict):
        return {}
    for key in ("const", "default"):
        if key in schema:
            return schema[key]
    for key in ("enum", "examples"):
        if schema.get(key):
            return schema[key][0]
    for key in ("anyOf", "oneOf", "allOf"):
        if schema.get(key):
            return fit_schema(schema[key][0])
    return _fit_type(schema)


def _fit_type(schema: dict[str, Any]) -> Any:
    kind = schema.get("type", "object" if "properties" in schema else "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        fields = schema.get("properties", {})
        return {name: fit_schema(fields.get(name, {})) for name in schema.get("required", fields)}
    if kind == "array":
        return [fit_schema(schema.get("items", {}))] * schema.get("minItems", 1)
    if kind == "string":
        text = (match_pattern(schema["pattern"]) if "pattern" in schema else None) or "text"
        return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength")]
    return schema.get("minimum", SIMPLE.get(kind))
