"""The JSON Schema of the native case format, for editors.

In: the tables of keys, and the checks that are installed. Out: a schema of draft 2020-12.
Must not know: files.
"""

import inspect
from collections.abc import Mapping

import msgspec

from audition.cases.keys import CASE, SCALARS, SHARED, SUITE, Key
from audition.check import Check, arguments_of, checks
from audition.conduct import FORMS, KINDS
from audition.errors import AuditionError
from audition.model import EventPattern, Json
from audition.policy import policies

Schema = dict[str, Json]


def case_schema() -> Schema:
    """The JSON Schema of a case file."""
    items, definitions = _checks()
    case = _mapping(CASE, "A case", "One prompt and what is expected of it.")
    case["required"] = ["id"]
    case["oneOf"] = [{"required": ["prompt"]}, {"required": ["prompts"]}]
    suite = _mapping(SUITE, "audition cases", "Cases, and the skills they are tried with.")
    suite["properties"]["policy"]["enum"] = sorted(policies)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **suite,
        "required": ["cases"],
        "$defs": {
            "case": case,
            "defaults": _mapping(SHARED, "Defaults", "Keys for every case."),
            "checks": {"type": "array", "title": "Checks", "items": items},
            **_rules(),
            **definitions,
        },
    }


def _mapping(keys: Mapping[str, Key], title: str, about: str) -> Schema:
    return {
        "type": "object",
        "title": title,
        "description": about,
        "additionalProperties": False,
        "properties": {
            name: {"title": name, "description": key.about, **key.schema}
            for name, key in keys.items()
        },
    }


def _rules() -> Schema:
    """What a rule of `process:` may be, and a pattern in it."""
    pattern: Schema = {"$ref": "#/$defs/pattern"}
    forms: Schema = {}
    for name, form in FORMS.items():
        numbers = {each: {"type": "integer", "minimum": 0} for each in form.numbers}
        forms[name] = {
            "type": "object",
            "additionalProperties": False,
            "required": list(form.roles),
            "properties": {**dict.fromkeys(form.roles, pattern), **numbers},
        }
        if form.roles == ("of",) and not numbers:
            forms[name] = pattern
    text: Schema = {"type": "string", "minLength": 1}
    fields: Schema = {
        **dict.fromkeys(EventPattern.__struct_fields__, text),
        "kind": {"enum": list(KINDS)},
        "exit": {"type": "integer"},
        "failed": {"type": "boolean"},
        "subagent": {"type": ["boolean", "string"]},
    }
    rule: Schema = {
        "type": "object",
        "title": "A rule",
        "description": "How the session must go: an id and one form.",
        "additionalProperties": False,
        "required": ["id"],
        "properties": {
            "id": {"type": ["string", "integer"]},
            "vacuous": {"const": "allow"},
            **forms,
        },
        "oneOf": [{"required": [name]} for name in forms],
    }
    given: Schema = {
        "type": "object",
        "additionalProperties": False,
        "minProperties": 1,
        "properties": fields,
    }
    return {"rule": rule, "pattern": {"title": "Events", "anyOf": [given, {"enum": list(KINDS)}]}}


def _checks() -> tuple[Schema, Schema]:
    """What one item of `checks:` may be, and the definitions that it needs."""
    properties: Schema = {}
    bare: list[Schema] = []
    definitions: Schema = {}
    for name in checks:
        about = ""
        alone = True
        try:
            check = checks[name]
            about = next(iter((inspect.getdoc(check) or "").splitlines()), "")
            given = _given(name, check, definitions)
            alone = not any(each.required for each in msgspec.structs.fields(arguments_of(check)))
        except (AuditionError, TypeError):
            # A check of somebody else's that cannot be loaded or described may still be named.
            given = {}
        properties[name] = {"title": name, "description": about, **given}
        if alone:
            bare.append({"const": name, "title": name, "description": about})
    named = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": properties,
    }
    return {"anyOf": [named, *bare]}, definitions


def _takes_text(wanted: type) -> bool:
    try:
        return isinstance(msgspec.convert("text", wanted), str)
    except msgspec.ValidationError:
        return False


def _widened(schema: Json) -> Json:
    """Where a check wants text, it gets a number or `no` as it is written."""
    if isinstance(schema, list):
        return [_widened(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    wide = {key: _widened(each) for key, each in schema.items()}
    return {**wide, "type": SCALARS} if wide.get("type") == "string" else wide


def _given(name: str, check: Check, definitions: Schema) -> Schema:
    struct = arguments_of(check)
    template = "#/$defs/check-{name}"
    (reference,), found = msgspec.json.schema_components([struct], ref_template=template)
    for each, schema in found.items():
        definitions[f"check-{each}"] = _widened(schema)
    fields = msgspec.structs.fields(struct)
    required = [each for each in fields if each.required]
    shapes: list[Schema] = [reference]
    if len(required) == 1:
        only = definitions[f"check-{struct.__name__}"]["properties"][required[0].encode_name]
        shapes.append(only)
    if not required:
        shapes.append({"type": "null"})
        if fields and _takes_text(fields[0].type):
            shapes.append({"type": SCALARS, "minLength": 1})
    definitions[f"check-{struct.__name__}"]["title"] = name
    return shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
