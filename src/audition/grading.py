"""A sealed trial to its record: read, climb the ladder, check, conclude.

In: the sealed folder of a trial. Out: a Record, by one path for a live run and a stored one.
Must not know: the live workspace, how the agent was asked.
"""

import os
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec

from audition.agent import Agent, count_commands, make_trace, read_with_beside
from audition.beside import last_words, lines_beside
from audition.check import Outcome, Ran, may_stand
from audition.errors import RunTrouble
from audition.evidence import climb
from audition.faithful import weigh
from audition.figures import sound_all
from audition.judge import Judgement, decode_judgement, grade_rubric, judged_by
from audition.latency import measure
from audition.mending import STUMBLES
from audition.model import (
    RUNGS,
    AnyEvent,
    Call,
    Case,
    Commands,
    Evidence,
    Grade,
    Record,
    Sealed,
    Spent,
    Trace,
    Usage,
)
from audition.no_verdict import infrastructure_trouble
from audition.shell import is_look_around
from audition.stamp import Mark, take_mark, with_stamp
from audition.store import in_words, read_sealed, write_derived
from audition.trace_file import Cut, count_objects, numbered_lines, small_file
from audition.verifying import copied, verify
from audition.workspace import case_folder, sealed_files
from audition.yardstick import Grading

LOADED = RUNGS.index("loaded")
_reading = threading.Lock()
"""One trace of 2 MB at a time: eight took 12 MB more, and threads make no reading faster."""


def grade_sealed(folder: Path, grading: Grading, mark: Mark | None = None) -> Record:
    """Read what a trial left behind and say what it is worth."""
    mark = mark or take_mark(folder)  # before it is read: what changes meanwhile fits no stamp
    sealed = _as_mended(read_sealed(folder), grading)
    trial, blank = sealed.trial, _blank(sealed, grading, folder)
    if trial.ineligible:
        return msgspec.structs.replace(blank, status="ineligible", reason=trial.ineligible)
    if sealed.problem:
        return msgspec.structs.replace(blank, status="error", reason=sealed.problem)
    agent = grading.agents[trial.agent]
    skills = tuple(grading.skills[key] for key in trial.skills)
    delivered = as_delivered(agent, trial.delivery)
    try:
        with _reading, in_words("read", f"{folder}/trace.jsonl"):
            trace = read_sealed_trace(folder, agent, sealed)
            evidence = climb(trace, skills, delivered, sealed.catalogue, trial.case.prompts)
    except RunTrouble:
        if os.path.exists(f"{folder}/trace.jsonl"):
            raise
        # One damaged trial is no reason to leave the others ungraded.
        return msgspec.structs.replace(blank, reason=damage("trace.jsonl is missing"))
    write_derived(f"{folder}/final.txt", trace.answer)
    outcome = _outcome(folder, grading, sealed, trace, evidence)
    stderr = last_words(folder / "stderr.txt") if trace.end.status == "interrupted" else ""
    trouble = infrastructure_trouble(sealed, trace, agent, stderr)
    worth = weigh(outcome, trouble, grading.policy or trial.policy)
    record = msgspec.structs.replace(
        blank,
        status=worth.status,
        strict=worth.strict,
        reason=worth.reason,
        skills=mark_followed(evidence, trial.case, worth.grades),
        grades=worth.grades,
        usage=what_was_spent(sealed, trace),
        commands=outcome.commands,
        turns=trace.turns,
        unread=trace.unread_count,
        latency=measure(trace, evidence, trial.case, sealed),
    )
    stays = may_stand(trial.case)
    return with_stamp(record, mark, grading.ground, trial.policy) if stays else record


def _as_mended(sealed: Sealed, grading: Grading) -> Sealed:
    """The seal with the checks that the trial is to be graded by."""
    asked = sealed.trial.case
    now = grading.mended.get(asked.node) if grading.mended else None
    if now is None:
        return sealed
    # A baseline may have asked the case with other files; only its checks are those of today.
    case = msgspec.structs.replace(asked, checks=now.checks, process=now.process)
    return msgspec.structs.replace(sealed, trial=msgspec.structs.replace(sealed.trial, case=case))


def damage(what: str) -> str:
    """The reason of a trial of which something that was sealed is lost."""
    return f"damaged: {what}; remove the trial's folder and `--resume`: it is asked again"


def as_delivered(agent: Agent, delivery: str) -> Agent:
    """The agent with the ways of loading a skill that a delivery leaves it."""
    if delivery == "instructions":
        # The index in CLAUDE.md or AGENTS.md tells to read the file: that is the way.
        ways = tuple(dict.fromkeys((*agent.loads_by, "file-read", "shell-read")))
        return msgspec.structs.replace(agent, loads_by=ways, mention="")
    if delivery in ("mcp", "none"):
        # Nothing is installed that `/name` or `$name` could call: it goes to the model as text.
        return msgspec.structs.replace(agent, mention="")
    return agent


def _blank(sealed: Sealed, grading: Grading, folder: Path) -> Record:
    trial, case = sealed.trial, sealed.trial.case
    return Record(
        id=trial.id,
        skill=case.skill,
        case=case.id,
        agent=trial.agent,
        delivery=trial.delivery,
        model=trial.model,
        trial=trial.number,
        should_trigger=bool(case.expected),
        status="error",
        seconds=None if trial.ineligible or sealed.problem else sealed.seconds,
        dir=str(folder).removeprefix(f"{grading.run}/"),
        file=case.file,
        line=case.line,
        policy=grading.policy or trial.policy,
        agent_version=sealed.agent_version,
        listing_bytes=sealed.listing_bytes,
        variant=trial.variant,
        reused=sealed.reused,
        judge=judged_by(read_judgement(folder)) if case.rubric else None,
    )


def read_sealed_trace(folder: Path, agent: Agent, sealed: Sealed) -> Trace:
    """The trace of a sealed trial, from its raw lines."""
    cut, path = Cut(), f"{folder}/trace.jsonl"
    raw = small_file(path) if agent.read_all and not agent.read_beside else None
    whole = read_whole(agent, raw) if raw else None
    if whole is not None:
        return make_trace(agent, whole, truncated=sealed.truncated)
    events, unread = read_with_beside(agent, numbered_lines(path, cut), lines_beside(folder, cut))
    return make_trace(agent, events, unread, truncated=sealed.truncated or cut.happened)


def read_whole(agent: Agent, raw: bytes) -> list[AnyEvent] | None:
    """The events of a small session, all of it understood; None: read it line by line."""
    lines = count_objects(raw)
    try:
        found = agent.read_all(raw, lines) if agent.read_all and lines else None
    except STUMBLES:
        return None
    return None if found is None else sound_all(found)


def mark_followed(
    evidence: Sequence[Evidence], case: Case, grades: Sequence[Grade]
) -> tuple[Evidence, ...]:
    """A loaded skill whose case's checks all passed was followed."""
    deciding = [grade for grade in grades if grade.gates]
    beyond = [grade for grade in deciding if grade.by not in ("activation", "answer")]
    if not beyond or any(grade.status != "pass" for grade in deciding):
        return tuple(evidence)
    return tuple(
        msgspec.structs.replace(
            each,
            rung="followed",
            lines=tuple(sorted({*each.lines, *(n for grade in beyond for n in grade.lines)})),
        )
        if each.skill in case.expected and RUNGS.index(each.rung) >= LOADED
        else each
        for each in evidence
    )


def what_was_spent(sealed: Sealed, trace: Trace) -> Spent:
    """Usage as reported; nothing was paid where no real model answered."""
    usage = spent(trace.usage)
    free = sealed.answered_by != "live" and usage.dollars is not None
    return msgspec.structs.replace(usage, dollars=0.0) if free else usage


def spent(usage: Usage | None) -> Spent:
    """Usage as it is recorded; null where the agent does not say."""
    if usage is None:
        return Spent()
    return Spent(**{name: getattr(usage, name) for name in Spent.__struct_fields__})


def read_judgement(folder: Path) -> Judgement | None:
    """What the judge said of a sealed trial; None where it was not asked."""
    path = folder / "judge.json"
    return decode_judgement(path.read_bytes()) if path.exists() else None


def _outcome(
    folder: Path, grading: Grading, sealed: Sealed, trace: Trace, evidence: tuple[Evidence, ...]
) -> Outcome:
    names = frozenset(f"{grading.skills[key].folder}/SKILL.md" for key in sealed.trial.skills)

    counts: dict[str, bool] = {}  # the lines are asked for again by `max_commands`

    def effective(call: Call) -> bool:
        if call.command not in counts:
            counts[call.command] = not is_look_around(call.command, names)
        return counts[call.command]

    files, case = sealed_files(folder, grading.run, sealed), sealed.trial.case
    judgement = read_judgement(folder) if case.rubric else None
    asked = bool(case.rubric) and (judgement is not None or case.judge is not False)
    beside = case_folder(sealed.trial.case.file, grading.stood)

    def run_program(command: str | list[str], stdin: bytes, seconds: float) -> Ran:
        with copied(files, trace.answer) as into:
            told = {
                "AUDITION_ANSWER": f"{into}/answer.txt",
                "AUDITION_TRACE": os.path.abspath(folder / "trace.jsonl"),
                "AUDITION_CASE_DIR": str(beside),
            }
            return verify(command, stdin, seconds, into, told, grading.stop)

    commands = count_commands(trace, effective)
    # `as_json` must not hold its own outcome: such a circle keeps every trace in memory.
    return Outcome(
        sealed=sealed,
        trace=trace,
        skills=evidence,
        commands=commands,
        is_effective=effective,
        files=files,
        case_folder=beside,
        as_json=lambda: tell_program(sealed, trace, evidence, commands, folder),
        run_program=run_program,
        judged=grade_rubric(case.rubric, judgement) if asked else (),
    )


def tell_program(
    sealed: Sealed, trace: Trace, evidence: tuple[Evidence, ...], commands: Commands, folder: Path
) -> bytes:
    """The outcome as a verifier program reads it on its standard input."""
    trial = sealed.trial
    return msgspec.json.encode(
        {
            "id": trial.id,
            "case": {"id": trial.case.id, "prompt": trial.case.prompt, "skill": trial.case.skill},
            "agent": trial.agent,
            "delivery": trial.delivery,
            "model": trial.model,
            "answer": trace.answer,
            "end": {"status": trace.end.status, "reason": trace.end.reason},
            "skills": evidence,
            "commands": commands,
            "usage": spent(trace.usage),
            "exit_code": sealed.exit_code,
            "seconds": sealed.seconds,
            "changes": sealed.changes,
            "trace": str(folder / "trace.jsonl"),
            "folder": str(folder),
        }
    )
