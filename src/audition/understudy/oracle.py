"""The referee that does what a case expects, so that a suite that fails it is wrong itself.

In: a case, and the names of the skills on offer. Out: actions, as in `act`.
Must not know: files, processes. What only a `program` can judge, such as a workbook, is made
by the case's own `solution`.
"""

import hashlib
import json
import re
from collections.abc import Collection
from contextlib import suppress
from typing import Any

from audition.understudy.act import (
    PLAIN,
    Acting,
    Action,
    Loaded,
    find_files,
    find_resources,
    recite,
)
from audition.understudy.example import fit_schema, match_pattern

Case = dict[str, Any]


def list_expected(case: Case) -> tuple[str, ...]:
    """The skills of which one should be called; none for a negative."""
    if not case.get("should_trigger", True):
        return ()
    return tuple(case.get("any_of") or filter(None, [case.get("skill")]))


def toss(rate: float, seed: str, case: str, trial: str) -> bool:
    """Whether a coin of that rate falls right, the same for the same words."""
    drawn = hashlib.sha256(f"{seed}\0{case}\0{trial}".encode()).digest()
    return int.from_bytes(drawn[:8], "big") / 2**64 < rate


def perform_case(case: Case, prompt: str, offered: Collection[str]) -> Acting:
    """Do the case right: load what it expects, read and write what its checks want, say so."""
    skill = next((name for name in list_expected(case) if name in offered), None)
    loaded = (yield Action("load", skill)) if skill else None
    body, resources = loaded if isinstance(loaded, Loaded) else ("", ())
    resource = _arguments(case, "resource_read")
    wanted = [a["path"] for a in resource if "path" in a]
    # skilljack knows a resource by the tool that read it, and by nothing else.
    tool = "skill-resource" if resource else ""
    pointed = find_resources(body, resources)
    read: dict[str, str] = {}
    for path in dict.fromkeys((*pointed, *(each for each in wanted if each in resources))):
        text = yield Action("read", skill or "", path, tool)
        if isinstance(text, str):
            read[path] = text
    for arguments in _arguments(case, "tool_used"):
        yield Action("call", path=str(arguments.get("tool", "")))
    for path, text in mend_files(case, find_files(body, prompt, read)).items():
        yield Action("write", path=path, text=text)
    for line in (case.get("settings") or {}).get("solution") or ():
        yield Action("run", text=str(line))
    yield Action("say", text=mend_answer(case, recite(body, prompt, read) if body else PLAIN))


def mend_files(case: Case, files: dict[str, str]) -> dict[str, str]:
    """The files that the case wants, made from those that the skill would write."""
    files = dict(files)
    for arguments in _arguments(case, "file_exists"):
        files.setdefault(arguments["path"], "")
    solved = (case.get("settings") or {}).get("solution")
    for arguments in () if solved else _arguments(case, "files_added"):
        for glob in arguments.get("paths") or ():
            files.setdefault(_fitting(str(glob)), "")
    for arguments in _arguments(case, "json_valid"):
        if arguments.get("path"):
            files[arguments["path"]] = json.dumps(fit_schema(arguments.get("schema")))
    for arguments in _arguments(case, "file_matches"):
        path = arguments["path"]
        files[path] = _with_match(files.get(path, ""), arguments["pattern"])
    for arguments in _arguments(case, "file_lacks"):
        if (path := arguments["path"]) in files:
            files[path] = _without(files[path], arguments.get("pattern", ""))
    return files


def mend_answer(case: Case, answer: str) -> str:
    """The answer that the case wants, made from the one that the skill would give."""
    for arguments in _arguments(case, "json_valid"):
        if not arguments.get("path"):
            return json.dumps(fit_schema(arguments.get("schema")))
    if schema := (case.get("settings") or {}).get("output_schema"):
        return json.dumps(_fit_report(schema, {"summary": answer}, list_expected(case)))
    for arguments in _arguments(case, "answer_lacks"):
        pattern = arguments.get("pattern") or re.escape(arguments.get("text") or "")
        answer = _without(answer, pattern)
    for arguments in _arguments(case, "answer_contains"):
        text = str(arguments.get("text", ""))
        answer = answer if text in answer else f"{answer}\n{text}"
    for arguments in _arguments(case, "answer_matches"):
        answer = _with_match(answer, arguments["pattern"])
    return answer.strip() or "Done."


def _fitting(glob: str) -> str:
    """A path that fits a glob, plain as it can be."""
    glob = re.sub(r"\[!?(.)[^\]/]*\]", r"\1", glob.replace("**/", ""))
    return glob.replace("**", "x").replace("*", "x").replace("?", "x")


def _fit_report(schema: Any, report: dict[str, Any], skills: tuple[str, ...]) -> Any:
    """A value for the schema, with the report that pkbllm asks for where it has room for one."""
    empty = ("questions", "steps", "verifications", "artifacts")
    report = {"invoked_skills": skills, **report, **{name: [] for name in empty}}
    value = fit_schema(schema) if isinstance(schema, dict) else report
    if isinstance(value, dict) and isinstance(schema, dict):
        room = schema.get("properties") or {}
        value |= {name: told for name, told in report.items() if name in room}
    return value


def say_by_schema(schema: Any, acting: Acting, skills: tuple[str, ...]) -> Acting:
    """A part whose answers are put into the shape of a schema; the skills are what it reports."""
    with suppress(StopIteration):
        action = next(acting)
        while True:
            if action.does == "say":
                report = _fit_report(schema, {"summary": action.text}, skills)
                action = action._replace(text=json.dumps(report))
            action = acting.send((yield action))


def _arguments(case: Case, check: str) -> list[dict[str, Any]]:
    return [each["arguments"] for each in case.get("checks", ()) if each["name"] == check]


def _with_match(text: str, pattern: str) -> str:
    try:
        if re.search(pattern, text):
            return text
    except re.error:
        return text
    example = match_pattern(pattern)
    if example is None:
        return text
    joined = f"{text.rstrip()}\n{example}" if text.strip() else example
    return joined if re.search(pattern, joined) else example


def _without(text: str, pattern: str) -> str:
    """The text with what the pattern matches left out; nothing at all where that fails."""
    try:
        kept = re.sub(pattern, "", text) if pattern else text
        return "" if pattern and re.search(pattern, kept) else kept
    except re.error:
        return text
