"""The JSON Schema of the native case format, for editors.

In: the tables of keys, and the checks that are installed. Out: a schema of draft 2020-12.
Must not know: files.
"""

import inspect
from collections.abc import Mapping

import msgspec

from audition.cases.keys import CASE, SHARED, SUITE, Key
from audition.check import Check, arguments_of, checks
from audition.errors import AuditionError
from audition.model import Json
from audition.policy import policies

Schema = dict[str, Json]


def case_schema() -> Schema:
    """The JSON Schema of a case file."""
    items, definitions = _checks()
    case = _mapping(CASE, "A case", "One prompt and what is expected of it.")
    case["required"] = ["id"]
    case["anyOf"] = [{"required": ["prompt"]}, {"required": ["prompts"]}]
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


def _checks() -> tuple[Schema, Schema]:
    """What one item of `checks:` may be, and the definitions that it needs."""
    properties: Schema = {}
    bare: list[Schema] = []
    definitions: Schema = {}
    for name in checks:
        about = ""
        try:
            check = checks[name]
            about = next(iter((inspect.getdoc(check) or "").splitlines()), "")
            given = _given(name, check, definitions)
        except (AuditionError, TypeError):
            # A check of somebody else's that cannot be loaded or described may still be named.
            given = {}
        properties[name] = {"title": name, "description": about, **given}
        bare.append({"const": name, "title": name, "description": about})
    named = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": False,
        "properties": properties,
    }
    return {"anyOf": [named, *bare]}, definitions


def _given(name: str, check: Check, definitions: Schema) -> Schema:
    struct = arguments_of(check)
    template = "#/$defs/check-{name}"
    (reference,), found = msgspec.json.schema_components([struct], ref_template=template)
    for each, schema in found.items():
        definitions[f"check-{each}"] = schema
    fields = msgspec.structs.fields(struct)
    required = [each for each in fields if each.required]
    shapes: list[Schema] = [reference]
    if len(required) == 1:
        only = definitions[f"check-{struct.__name__}"]["properties"][required[0].encode_name]
        shapes.append(only)
    if not required:
        shapes.append({"type": "null"})
    definitions[f"check-{struct.__name__}"]["title"] = name
    return shapes[0] if len(shapes) == 1 else {"anyOf": shapes}
