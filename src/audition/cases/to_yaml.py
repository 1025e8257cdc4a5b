"""A suite in the native format, so that what was imported can be kept and edited.

In: suites. Out: the text of a case file that is read as the same cases.
Must not know: where the text goes.
"""

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from audition.model import Case, CheckSpec, Criterion, Json, Suite
from audition.yaml_file import guess

WISHES = (
    *("max_turns", "allowed_tools", "permission_mode", "system_prompt"),
    *("append_system_prompt", "sandbox", "output_schema", "solution"),
)
"""Settings that have a key of their own."""


def join_suites(suites: Iterable[Suite]) -> list[list[Suite]]:
    """The suites that may stand in one file: same format, skills and policy, no id twice.

    A suite without cases has nothing to be written down.
    """
    groups: list[list[Suite]] = []
    for suite in (each for each in suites if each.cases):
        mine = {case.id for case in suite.cases}
        for group in groups:
            same = _nature(group[0]) == _nature(suite)
            if same and not any(case.id in mine for each in group for case in each.cases):
                group.append(suite)
                break
        else:
            groups.append([suite])
    return groups


def _nature(suite: Suite) -> tuple[object, ...]:
    return suite.format, suite.policy, tuple(skill.path for skill in suite.skills)


def to_yaml(suites: Sequence[Suite], folder: Path | None = None) -> str:
    """The text of a case file; paths as seen from a folder, absolute without one."""
    first = suites[0]
    cases = [case for suite in suites for case in suite.cases]
    shared = cases[0].env if all(case.env == cases[0].env for case in cases) else {}
    told: dict[str, Json] = {"skills": [_path(each.path, folder) for each in first.skills]}
    if first.policy != "default":
        told["policy"] = first.policy
    if shared:
        told["env"] = shared
    told["cases"] = [_case(each, folder, shared) for each in cases]
    return _dump(told)


def _path(path: str, folder: Path | None) -> str:
    if folder is None:
        return os.path.abspath(path)
    return os.path.relpath(os.path.abspath(path), os.path.abspath(folder))


def _case(case: Case, folder: Path | None, shared: dict[str, str]) -> dict[str, Json]:
    settings = {key: value for key, value in case.settings.items() if key != "unknown_keys"}
    wishes = {key: settings.pop(key) for key in WISHES if key in settings}
    if "output_schema" in wishes:
        wishes["output_schema"] = _path(str(wishes["output_schema"]), folder)
    told: dict[str, Json] = {
        "id": case.id,
        **({"prompts": [*case.prompts]} if case.then else {"prompt": case.prompt}),
        **_expected(case),
        "checks": [_check(each, folder) for each in case.checks],
        "rubric": [_criterion(each) for each in case.rubric],
        "judge": case.judge,
        "fixture": _path(case.fixture, folder) if case.fixture else None,
        "files": {name: _path(source, folder) for name, source in case.files.items()},
        "timeout_s": _number(case.timeout_s),
        "trials": case.trials,
        "tags": list(case.tags),
        "env": {} if case.env == shared else case.env,
        **wishes,
        "settings": settings,
    }
    return {
        key: value
        for key, value in told.items()
        if key in {"prompt", "should_trigger", "judge"} | wishes.keys()
        or value not in (None, [], {})
        if value is not None
    }


def _expected(case: Case) -> dict[str, Json]:
    if case.expected:
        return {"any_of": list(case.any_of)} if case.any_of else {"skill": case.skill}
    if case.skill:
        return {"skill": case.skill, "should_trigger": False}
    return {"skill": "none"}


def _check(spec: CheckSpec, folder: Path | None) -> Json:
    arguments = dict(spec.arguments)
    if isinstance(arguments.get("schema"), str):
        arguments["schema"] = _path(arguments["schema"], folder)
    return {spec.name: arguments} if arguments else spec.name


def _criterion(each: Criterion) -> dict[str, Json]:
    told = {"id": each.id, "question": each.question, "applies_when": each.applies_when}
    told |= {"evidence": each.evidence}
    severity = {} if each.severity == "must" else {"severity": each.severity}
    return {**{key: value for key, value in told.items() if value}, **severity}


def _number(seconds: float | None) -> float | int | None:
    return int(seconds) if seconds is not None and seconds == int(seconds) else seconds


def _dump(told: dict[str, Json]) -> str:
    import yaml

    # The same folder may stand in several places; a reader of ours refuses aliases.
    dumper: Any = type("Dumper", (yaml.SafeDumper,), {"ignore_aliases": lambda *_: True})

    def write_text(into: Any, text: str) -> Any:
        # What our reader would take for a number, say, is quoted, whatever PyYAML thinks.
        odd = guess(text) != text or not all(each.isprintable() or each == "\n" for each in text)
        style = '"' if odd else "|" if "\n" in text else None
        return into.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    dumper.add_representer(str, write_text)
    dumped: str = yaml.dump(told, Dumper=dumper, sort_keys=False, allow_unicode=True, width=100)
    return dumped
