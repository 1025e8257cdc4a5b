"""pkbllm's `evals/skills/<slug>/prompts.csv`: a case a row.

In: the path of the file. Out: a Suite, graded as pkbllm does.
Must not know: how cases are run.
"""

import os
import re
from pathlib import Path

from audition.case_file import CaseFormat
from audition.cases.given import Given, Ledger
from audition.cases.imported import check_of, make_suite
from audition.cases.marked_csv import header_of, read_csv
from audition.cases.mounted import repository_of, skills_above, skills_at
from audition.model import Case, CheckSpec, Criterion, Json, Skill, Suite, Value

ROOTS = ("bootstrap", "common", "human", "knowledge", "productivity")
NEEDED = {"id", "should_trigger", "prompt"}
OWN = {
    *("sandbox", "timeout_s", "max_commands", "max_input_tokens", "max_output_tokens"),
    *("max_total_tokens", "output_schema", "judge", "require_files", "must_include"),
    *("must_not_include", "fixture"),
}
FLAGS = "(?im)"
"""Its patterns ignore case, and `^` and `$` are the ends of a line."""
SECONDS = 180.0


class _File(Value, frozen=True, kw_only=True):
    """What all rows of a file have in common."""

    path: Path
    root: Path
    columns: frozenset[str]


def claims(path: Path, head: bytes) -> bool:
    """CSV with pkbllm's columns; one with only the common three where pkbllm keeps its own."""
    if path.suffix.lower() != ".csv":
        return False
    columns = set(header_of(head))
    home = path.absolute().parts[-4:-2] == ("evals", "skills") and path.name == "prompts.csv"
    if home and not head.strip():
        return True  # an empty file where its cases belong is a file without cases
    return columns >= NEEDED and (home or bool(columns & OWN))


def slug_of(text: str) -> str:
    """A skill's name as pkbllm names its folder."""
    text = re.sub(r"\s", "-", text.lower())
    return re.sub(r"[^a-z0-9._-]", "-", re.sub(r"[/\\:]", "", text)).strip("-")


def root_of(path: Path) -> Path:
    """The root of the repository, from which schemas are named."""
    folder = Path(os.path.abspath(path)).parent
    if folder.parts[-3:-1] == ("evals", "skills"):
        return folder.parents[2]
    return repository_of(path) or folder


def skills_of(root: Path) -> tuple[Skill, ...]:
    """The skills of a repository in pkbllm's five folders."""
    return tuple(skill for name in ROOTS for skill in skills_at(root / name))


def read(path: Path) -> Suite:
    """Read one file of prompts."""
    ledger = Ledger(read_csv(path))
    root = root_of(path)
    skills = skills_of(root) or skills_above(path)
    folder = path.absolute().parent.name
    name = next((each.name for each in skills if slug_of(each.name) == folder), "")
    if not name:
        name = next((each.name for each in skills if each.folder == folder), folder)
    columns = frozenset(key for row in ledger.root.value for key in row)
    file = _File(path=path, root=root, columns=columns)
    cases = [_case(each, file, name) for each in ledger.root.items()]
    _say_absent(ledger, columns)
    if any(cases):
        words = "human_materials, as HUMAN_MATERIAL_PATH names it, is made, but is no repository of its own"
        ledger.say(ledger.root.node, words, "note")
    return make_suite(
        ledger,
        format="pkbllm",
        policy="pkbllm",
        cases=[each for each in cases if each],
        skills=skills,
    )


def _case(given: Given, file: _File, skill: str) -> Case | None:
    name, prompt = given.text("id").strip(), given.text("prompt").strip()
    triggers = given.text("should_trigger").strip().lower()
    if not name or not prompt or triggers not in {"true", "false"}:
        words = "the row is dropped, as there: it needs `id`, `prompt` and `should_trigger`"
        given.say(words)
        return None
    judged = given.text("judge").strip().lower() == "true"
    return Case(
        id=name,
        prompt=prompt,
        skill=skill,
        should_trigger=triggers == "true",
        checks=(*_limits(given), *_contents(given)),
        # Also where it is not asked for: `--judge` asks it of every case.
        rubric=_rubric(skill, wanted=triggers == "true"),
        judge=judged,
        fixture=_fixture(given, file.path),
        timeout_s=_whole(given, "timeout_s") or _default_seconds(given, file),
        settings=_settings(given, file),
        env=environment(file.path, file.root),
        line=given.line,
    )


def _rubric(skill: str, *, wanted: bool) -> tuple[Criterion, ...]:
    """The four questions of its judge; only the first depends on the row."""
    used = f"Was the skill `{skill}` used?" if wanted else f"Was the skill `{skill}` left alone?"
    questions = {
        "trigger": used,
        "outcome": "Does the result do what the prompt asks for?",
        "process": "Did the agent keep to the steps that the skill gives, if it was used?",
        "efficiency": "Did it get there without needless commands?",
    }
    return tuple(Criterion(id=name, question=text) for name, text in questions.items())


def environment(path: Path, root: Path) -> dict[str, str]:
    """What pkbllm tells its agents."""
    at_root = repository_of(path) == root
    return {
        "HUMAN_MATERIAL_PATH": "{workspace}/human_materials",
        "PKB_PATH": "{repo}" if at_root else str(root),
    }


DEFAULTS = {"timeout_s": f"{SECONDS:g} seconds", "sandbox": "workspace-write"}


def _say_absent(ledger: Ledger, columns: frozenset[str]) -> None:
    """The defaults of columns that are not there at all, once for the file."""
    for key, default in DEFAULTS.items():
        if columns and key not in columns:
            words = f"there is no column `{key}`: {default}, the default there"
            ledger.say(ledger.root.node, words, "note")


def _say_default(given: Given, key: str, columns: frozenset[str]) -> None:
    """That a cell is empty, or that its row ends before it."""
    words = f"is empty: {DEFAULTS[key]}, the default there"
    if key in given.keys():  # noqa: SIM118 - not a mapping
        given.at(key).say(words, "note")
    elif key in columns:
        given.ledger.say(given.node, f"`{key}` {words}", "note")


def _default_seconds(given: Given, file: _File) -> float:
    text = given.text("timeout_s").strip()
    if not text:
        _say_default(given, "timeout_s", file.columns)
    elif text.isdigit():
        given.at("timeout_s").say(f"no time at all is read as {DEFAULTS['timeout_s']}")
    return SECONDS


def _whole(given: Given, key: str) -> float | None:
    text = given.text(key).strip()
    if text.isascii() and text.isdigit():
        return float(text)
    if text:
        given.at(key).say(f"`{text}` is no whole number; not used, as there")
    return None


def _limits(given: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    count = _whole(given, "max_commands")
    if count is not None:
        checks += check_of(given.at("max_commands"), "max_commands", count=int(count))
    for side in ("input", "output", "total"):
        limit = _whole(given, f"max_{side}_tokens")
        if limit is not None:
            at = given.at(f"max_{side}_tokens")
            checks += check_of(at, "max_tokens", **{side: int(limit)})
    return checks


def _contents(given: Given) -> tuple[CheckSpec, ...]:
    checks: tuple[CheckSpec, ...] = ()
    for text in _split(given, "require_files", ";"):
        checks += check_of(given.at("require_files"), "file_exists", path=text)
    for text in _split(given, "must_include", "|"):
        checks += check_of(given.at("must_include"), "answer_matches", pattern=FLAGS + text)
    for text in _split(given, "must_not_include", "|"):
        checks += check_of(given.at("must_not_include"), "answer_lacks", pattern=FLAGS + text)
    return checks


def _split(given: Given, key: str, sign: str) -> list[str]:
    return [each.strip() for each in given.text(key).split(sign) if each.strip()]


def _settings(given: Given, file: _File) -> dict[str, Json]:
    sandbox = given.text("sandbox").strip()
    if not sandbox:
        _say_default(given, "sandbox", file.columns)
    settings: dict[str, Json] = {"sandbox": sandbox or "workspace-write"}
    schema = given.text("output_schema").strip()
    if schema:
        path = (file.root / schema).absolute()
        if "\0" in schema or not path.is_file():
            words = f"no file `{schema}` below the repository's root; not used"
            given.at("output_schema").say(words, "error")
        else:
            settings["output_schema"] = str(path)
    return settings


def _fixture(given: Given, path: Path) -> str | None:
    text = given.text("fixture").strip()
    if not text:
        return None
    folder = path.absolute().parent / text
    if "\0" in text or not folder.is_dir():
        given.at("fixture").say(f"no folder `{text}` beside the file; ignored, as there")
        return None
    return os.path.normpath(folder)


pkbllm = CaseFormat(name="pkbllm", claims=claims, read=read)
