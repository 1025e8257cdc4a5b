"""Every key of the native case format: how it is read, what an editor is told about it.

In: nothing. Out: two tables, of a case's keys and of a suite's. The reader, the JSON Schema
and the reference in the documentation all follow them.
Must not know: how a suite is put together.
"""

from collections.abc import Mapping
from typing import Any

from audition.cases.asked import (
    MOST_CRITERIA,
    read_checks,
    read_files,
    read_prompts,
    read_rubric,
    read_schema,
    read_skill_name,
    read_solution,
)
from audition.cases.fields import (
    MOST_COUNTED,
    MOST_SECONDS,
    Findings,
    Read,
    read_anything,
    read_count,
    read_flag,
    read_mapping,
    read_name,
    read_prompt,
    read_rates,
    read_seconds,
    read_text,
    read_texts,
    read_variables,
)
from audition.cases.paths import read_folder
from audition.model import Json, Value
from audition.yaml_file import Node

SCALARS = ["string", "number", "boolean"]
"""What is text, for text is taken as it is written: `1` and `no` are what they look like."""
TEXT: dict[str, Json] = {"type": SCALARS}
NAME: dict[str, Json] = {"type": SCALARS, "pattern": r"\S"}
PATH: dict[str, Json] = {"type": "string", "pattern": r"\S"}
TEXTS: dict[str, Json] = {"type": ["array", *SCALARS], "items": TEXT, "minLength": 1}
COUNT: dict[str, Json] = {"type": "integer", "minimum": 1, "maximum": MOST_COUNTED}
FLAG: dict[str, Json] = {"type": "boolean"}
MAPPING: dict[str, Json] = {"type": "object"}
VARIABLES: dict[str, Json] = {
    "type": "object",
    "propertyNames": {"pattern": "^[^=]+$"},
    "additionalProperties": {"type": [*SCALARS, "null"]},
}
RULES: dict[str, Json] = {
    "type": ["array", "string"],
    "items": {"$ref": "#/$defs/rule"},
    "minItems": 1,
    "pattern": r"\S",
}
RATE: dict[str, Json] = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
RATES: dict[str, Json] = {
    "anyOf": [
        RATE,
        {
            "type": "object",
            "additionalProperties": False,
            "properties": {"positives": RATE, "negatives": RATE},
        },
    ]
}
CRITERION: dict[str, Json] = {
    "type": "object",
    "required": ["question"],
    "additionalProperties": False,
    "properties": {
        "id": NAME,
        "question": NAME,
        "applies_when": NAME,
        "severity": {"enum": ["must", "should"]},
        "evidence": NAME,
    },
}


def _read_process(node: Node, findings: Findings) -> Json:
    # Rules bring the rooms of conduct with them: 3 ms that a file without rules need not wait.
    from audition.cases.process import read_process

    return read_process(node, findings)


class Key(Value, frozen=True, kw_only=True):
    """One key."""

    read: Read
    schema: Mapping[str, Any]
    about: str
    setting: bool = False
    """A wish to the agent: kept in the case's settings."""


def _key(read: Read, schema: Mapping[str, Any], about: str, *, setting: bool = False) -> Key:
    return Key(read=read, schema=schema, about=about, setting=setting)


EXPECTED: dict[str, Key] = {
    "skill": _key(
        read_skill_name,
        {"type": [*SCALARS, "null"], "pattern": r"\S"},
        "The skill that should be called, by its name; `none` where all must stay quiet.",
    ),
    "any_of": _key(
        read_texts,
        TEXTS,
        "Skills of which one should be called; an empty list is the same as `skill: none`.",
    ),
    "should_trigger": _key(
        read_flag, FLAG, "`false`: the named skill must stay quiet; without one, all must."
    ),
}
SETTINGS: dict[str, Key] = {
    "max_turns": _key(read_count, COUNT, "How many turns the agent may take.", setting=True),
    "allowed_tools": _key(
        read_texts, TEXTS, "The tools that the agent may use, as it names them.", setting=True
    ),
    "permission_mode": _key(
        read_name, NAME, "The agent's permission mode, as it names it.", setting=True
    ),
    "system_prompt": _key(read_text, TEXT, "Replaces the agent's system prompt.", setting=True),
    "append_system_prompt": _key(
        read_text, TEXT, "Is put behind the agent's system prompt.", setting=True
    ),
    "sandbox": _key(read_name, NAME, "The agent's own sandbox mode.", setting=True),
    "output_schema": _key(
        read_schema, PATH, "A file with the JSON Schema that the answer must obey.", setting=True
    ),
    "solution": _key(
        read_solution,
        TEXTS,
        "What the oracle runs in the workspace to do the case right: a command, or several.",
        setting=True,
    ),
}
RUBRIC: Json = {
    "type": ["array", *SCALARS],
    "items": {"anyOf": [NAME, CRITERION]},
    "maxItems": MOST_CRITERIA,
    "pattern": r"\S",
}
SHARED: dict[str, Key] = {
    **EXPECTED,
    "checks": _key(
        read_checks,
        {"$ref": "#/$defs/checks"},
        "What must hold beside the activation: `- name: {argument: value}`.",
    ),
    "process": _key(
        _read_process,
        RULES,
        "Rules on how the session goes, or the path of a file that holds them.",
    ),
    "rubric": _key(
        read_rubric,
        RUBRIC,
        "Yes-or-no questions for the judge.",
    ),
    "fixture": _key(
        read_folder, PATH, "A folder whose contents are copied into the workspace first."
    ),
    "files": _key(
        read_files,
        {"type": "object", "propertyNames": {"minLength": 1}, "additionalProperties": PATH},
        "Single files that the workspace begins with: `path there: path of the file`.",
    ),
    "timeout_s": _key(
        read_seconds,
        {"type": "number", "exclusiveMinimum": 0, "maximum": MOST_SECONDS},
        "How many seconds the agent has.",
    ),
    "trials": _key(read_count, COUNT, "How often the case is tried."),
    "tags": _key(read_texts, TEXTS, "Words to select cases by."),
    "judge": _key(read_flag, FLAG, "Whether the judge is asked; needs a rubric."),
    "env": _key(
        read_variables,
        VARIABLES,
        "Environment variables for the agent; `{workspace}` and `{repo}` are filled in.",
    ),
    "settings": _key(read_mapping, MAPPING, "Wishes to the agent, passed on as they are."),
    **SETTINGS,
}
CASE: dict[str, Key] = {
    "id": _key(read_name, NAME, "The case's name; unique in the file."),
    "prompt": _key(read_prompt, TEXT, "What the user says; may be empty."),
    "prompts": _key(
        read_prompts,
        {**TEXTS, "minItems": 1},
        "What the user says, turn by turn, in one session; instead of `prompt`.",
    ),
    **SHARED,
}
SUITE: dict[str, Key] = {
    "description": _key(read_text, TEXT, "What the suite is for."),
    "skills": _key(
        read_texts,
        {**TEXTS, "type": ["array", *SCALARS, "null"]},
        "The skills on offer: folders, folders of folders, or globs, relative to this file.",
    ),
    "policy": _key(read_name, NAME, "What counts as activation; see `audition explain`."),
    "env": _key(
        read_variables,
        VARIABLES,
        "Environment variables for every case; `{workspace}` and `{repo}` are filled in.",
    ),
    "defaults": _key(
        read_anything,
        {"anyOf": [{"$ref": "#/$defs/defaults"}, {"type": "null"}]},
        "Keys for every case.",
    ),
    "cases": _key(
        read_anything,
        {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/case"}},
        "The cases.",
    ),
    "process": _key(
        _read_process,
        RULES,
        "Rules for every case, beside its own; one of a case with the same id replaces it.",
    ),
    "rubric": _key(
        # With numbers of their own: the case counts its questions from 1 as well.
        lambda node, findings: read_rubric(node, findings, "suite-"),
        RUBRIC,
        "Questions about every case, beside its own; one of a case with the same id replaces it.",
    ),
    "target": _key(
        read_rates,
        RATES,
        "The rate that is good enough: a number, or one each for \
`positives` and `negatives`.",
    ),
    "unacceptable": _key(
        read_rates, RATES, "The rate that is not acceptable any more, as `target`."
    ),
}
