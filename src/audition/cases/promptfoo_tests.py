"""promptfoo's tests in files of their own: YAML, JSON, JSON lines, and CSV with its columns.

In: what a configuration names. Out: the tests, each knowing its place in its own file.
Must not know: prompts, what a test asserts.
"""

import os
import re
from collections.abc import Collection
from pathlib import Path

import msgspec

from audition.cases.given import Given, Ledger
from audition.cases.marked_csv import read_csv
from audition.cases.marked_json import read_json, read_json_lines
from audition.model import Json
from audition.yaml_aliases import read_yaml
from audition.yaml_file import Field, Marked, Place

READ = {".yaml", ".yml", ".json", ".jsonl", ".csv"}
COLUMN = re.compile(r"__(expected\d*|description|prefix|suffix|metric|threshold|metadata.*)")
TYPED = re.compile(r"(?P<kind>[a-z][a-z:-]*?)(\((?P<threshold>[\d.]+)\))?:(?P<value>.*)", re.DOTALL)
ALONE = {"is-json", "contains-json", "not-is-json"}
SHORT = {"fn": "javascript", "eval": "javascript", "grade": "llm-rubric"}
"""What a cell of `__expected` may begin with beside the names of assertions."""
MOST_FILES = 100


def file_named(text: str, path: Path, among: Collection[str] = READ) -> list[Path]:
    """The files that a text names, with `file://` or without it, seen from a file's folder."""
    name = text.removeprefix("file://")
    if not name or "\0" in name or "\n" in name or len(name) > 1000 or "{{" in name:
        return []
    folder = path.parent
    try:
        if Path(name).is_absolute() or not any(each in name for each in "*?["):
            found = [folder / name]
        else:
            found = sorted(folder.glob(name))[:MOST_FILES]
        plain = [Path(os.path.normpath(each)) for each in found]
        return [each for each in plain if each.suffix.lower() in among and each.is_file()]
    except (ValueError, OSError, NotImplementedError):
        return []


def read_tests(path: Path) -> list[Given]:
    """The tests of one file."""
    suffix = path.suffix.lower()
    if suffix == ".csv":
        ledger = Ledger(_as_tests(read_csv(path)))
    else:
        readers = {".json": read_json, ".jsonl": read_json_lines}
        ledger = Ledger(readers.get(suffix, read_yaml)(path))
    listed = ledger.root.items() or ([] if ledger.root.is_list() else [ledger.root])
    for each in listed:
        if not isinstance(each.value, dict):
            each.wrong("a test")
    return [each for each in listed if isinstance(each.value, dict)]


def _as_tests(marked: Marked) -> Marked:
    """The rows of a CSV file as tests: columns are variables, those with `__` are not."""
    tests: list[Json] = []
    places: dict[Field, Place] = {(): marked.places[()]} if () in marked.places else {}
    for number, row in enumerate(marked.value or ()):
        test: dict[str, Json] = {"vars": {}, "assert": []}
        for name, cell in row.items():
            at = marked.places[number, name]
            field: Field = (number, "vars", name)
            if not COLUMN.fullmatch(name):
                test["vars"][name] = cell
            elif name.startswith("__expected"):
                if not cell.strip():
                    continue
                field = (number, "assert", len(test["assert"]))
                said = _assertion(cell)
                test["assert"].append(said)
                for key, value in said.items():
                    places[*field, key] = msgspec.structs.replace(at, text=str(value))
            else:
                key = name.removeprefix("__")
                field = (number, key)
                test[key] = cell
            places[field] = at
        whole = marked.places[number,]
        places |= {(number,): whole, (number, "vars"): whole, (number, "assert"): whole}
        tests.append(test)
    return Marked(path=marked.path, value=tests, places=places, findings=marked.findings)


def _assertion(cell: str) -> dict[str, Json]:
    """What a cell of `__expected` says: a kind and a value, or a text that is equal."""
    text = cell.strip()
    if text in ALONE:
        return {"type": text}
    typed = TYPED.fullmatch(text)
    if not typed:
        return {"type": "equals", "value": text}
    kind = SHORT.get(typed["kind"], typed["kind"])
    threshold = {"threshold": float(typed["threshold"])} if typed["threshold"] else {}
    return {"type": kind, "value": typed["value"].strip(), **threshold}
