"""JSON Schema as `json_valid` takes it: draft 7 and nothing that would be ignored.

In: a schema. Out: a function that says what is wrong with a value; or BadArguments that
names the keyword. fastjsonschema passes over what it does not know, fetches remote
references, and writes limits unchecked into code that it runs: so every keyword is looked
at here first.
Must not know: traces, files, where the schema came from.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from audition.check import BadArguments
from audition.errors import did_you_mean
from audition.model import Json
from audition.pattern import excerpt

KINDS: dict[str, str] = {
    "type": "types",
    "enum": "list",
    "const": "any",
    "format": "format",
    "pattern": "pattern",
    "required": "strings",
    "uniqueItems": "bool",
    "$ref": "ref",
    "items": "schema or schemas",
    "dependencies": "dependencies",
    **dict.fromkeys(("title", "description", "$comment"), "any"),
    **dict.fromkeys(("default", "examples", "deprecated", "readOnly", "writeOnly"), "any"),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), "number"),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), "count"),
    **dict.fromkeys(("minProperties", "maxProperties"), "count"),
    "multipleOf": "step",
    **dict.fromkeys(("not", "if", "then", "else", "contains"), "schema"),
    **dict.fromkeys(("additionalItems", "additionalProperties", "propertyNames"), "schema"),
    **dict.fromkeys(("allOf", "anyOf", "oneOf"), "schemas"),
    **dict.fromkeys(("properties", "definitions", "$defs"), "schema by name"),
    "patternProperties": "schema by pattern",
}
"""Every keyword that is taken, and what its value must be."""
TYPES = ("null", "boolean", "number", "integer", "string", "array", "object")
FORMATS = (
    *("date-time", "date", "time", "email", "idn-email", "hostname", "idn-hostname", "ipv4"),
    *("ipv6", "uri", "uri-reference", "uri-template", "iri", "iri-reference"),
    *("json-pointer", "relative-json-pointer", "regex"),
)
ANNOTATIONS = ("title", "description", "$comment", "default", "examples", "deprecated")
BESIDE_REF = (*ANNOTATIONS, "readOnly", "writeOnly", "definitions", "$defs", "$ref")
"""In draft 7 whatever stands beside `$ref` is passed over: only what may be, is taken."""


def compile_schema(schema: Json) -> Callable[[Json], str]:
    """A function from a value to what is wrong with it; empty where nothing is."""
    try:
        return _compile(json.dumps(schema, allow_nan=False, sort_keys=True))
    except (TypeError, ValueError) as error:
        raise _bad(f"the schema is not JSON: {error}") from error
    except RecursionError as error:
        raise _bad("the schema is too deep") from error


@lru_cache(maxsize=64)
def _compile(text: str) -> Callable[[Json], str]:
    import fastjsonschema

    schema = json.loads(text)
    if isinstance(schema, dict):
        draft = str(schema.pop("$schema", ""))
        schema.pop("$id", None)
        if "draft-04" in draft or "draft-03" in draft:
            raise _bad(f"the schema is of an old draft, `{draft}`", "write it for draft 7")
    _look(schema, "")
    try:
        validate = fastjsonschema.compile(schema, handlers=_Nowhere(), use_default=False)
    except (fastjsonschema.JsonSchemaException, re.error, *_ODD) as error:
        raise _bad(f"the schema cannot be used: {error}") from error

    def trouble(value: Json) -> str:
        try:
            validate(value)
        except fastjsonschema.JsonSchemaValueException as error:
            return str(error.message)
        except ArithmeticError as error:  # 1e999 is read as infinity, which has no remainder
            raise ValueError(f"a number is too large for the schema: {error}") from error
        return ""

    return trouble


# What generating and running its code may end in; a RecursionError is told apart above.
_ODD = (ValueError, TypeError, LookupError, AttributeError, SyntaxError, ArithmeticError)


def _no(address: str) -> Json:
    raise _bad(f"`$ref` to `{address}`: references stay inside the schema")


class _Nowhere(Mapping[str, Callable[[str], Json]]):
    """Refuses addresses of every kind; what it does not hold, the library would fetch itself.

    It takes a `$ref` for one in plain data, too, as in a `const`.
    """

    def __getitem__(self, scheme: str) -> Callable[[str], Json]:
        return _no

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _bad(message: str, hint: str = "") -> BadArguments:
    return BadArguments(f"check `json_valid`: {excerpt(message, limit=300)}", hint, "schema")


def _look(schema: Json, at: str) -> None:
    """Refuse, by name, whatever would be ignored or misread."""
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        raise _bad(f"`{at or 'schema'}` must be a schema: a mapping, true or false")
    for name, value in schema.items():
        here = f"{at}.{name}".lstrip(".")
        if name not in KINDS:
            raise _bad(f"keyword `{here}` is not supported", did_you_mean(name, KINDS))
        if "$ref" in schema and name not in BESIDE_REF:
            raise _bad(f"`{here}` beside `$ref` would be ignored", "put both into an `allOf`")
        _look_at_value(KINDS[name], value, here)


def _look_at_value(kind: str, value: Json, at: str) -> None:
    if kind == "schema" or (kind == "schema or schemas" and not isinstance(value, list)):
        _look(value, at)
    elif kind in ("schemas", "schema or schemas"):
        if not isinstance(value, list) or not value:
            raise _bad(f"`{at}` must be a list of schemas")
        for index, each in enumerate(value):
            _look(each, f"{at}[{index}]")
    elif kind in ("schema by name", "schema by pattern", "dependencies"):
        _look_at_map(kind, value, at)
    elif not _FITS[kind](value):
        raise _bad(f"`{at}` {_WANTS.get(kind, f'must be a {kind}')}")


def _look_at_map(kind: str, value: Json, at: str) -> None:
    if not isinstance(value, dict):
        raise _bad(f"`{at}` must be a mapping")
    for name, each in value.items():
        if kind == "schema by pattern" and not _is_pattern(name):
            raise _bad(f"`{at}` has a name that is no pattern: `{name}`")
        if not (kind == "dependencies" and _are_strings(each)):
            _look(each, f"{at}.{name}")


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Json) -> bool:
    return _is_number(value) and value >= 0 and value == int(value)


def _are_strings(value: Json) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_pattern(value: Json) -> bool:
    try:
        re.compile(value)
    except (re.error, TypeError, OverflowError):
        return False
    return True


def _are_types(value: Json) -> bool:
    named = value if isinstance(value, list) and value else [value]
    return all(isinstance(each, str) and each in TYPES for each in named)


_FITS: dict[str, Callable[[Json], bool]] = {
    "any": lambda _: True,
    "bool": lambda value: isinstance(value, bool),
    "list": lambda value: isinstance(value, list) and bool(value),
    "number": _is_number,
    "count": _is_count,
    "step": lambda value: _is_number(value) and value > 0,
    "strings": _are_strings,
    "pattern": _is_pattern,
    "types": _are_types,
    "format": lambda value: isinstance(value, str) and value in FORMATS,
    "ref": lambda value: isinstance(value, str) and (value == "#" or value.startswith("#/")),
}
_WANTS = {
    "bool": "must be true or false",
    "list": "must be a list with something in it",
    "count": "must be a whole number, 0 or more",
    "step": "must be a number above 0",
    "strings": "must be a list of strings",
    "pattern": "must be a regular expression",
    "types": f"must be of {', '.join(TYPES)}",
    "format": f"must be of {', '.join(FORMATS)}",
    "ref": "must stay inside the schema: `#/$defs/…`",
}
