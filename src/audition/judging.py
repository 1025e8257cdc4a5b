"""Asks the judge about a sealed trial, and keeps what it says as judge.json.

In: the folder of a sealed trial; a Bench: which judge, and the doors it is asked through.
Out: a Judgement, kept beside the trial. Must not know: what it is worth (see judge/), the
command line.

An agent that judges gets a workspace of its own with nothing in it but the events that were
too long to show, no skills, and none of its tools that write or reach out. A command gets the
prompt on its standard input and answers on its standard output.
"""

import os
import secrets
import tempfile
from collections.abc import Mapping
from itertools import count
from pathlib import Path

import msgspec

from audition.attempt import Means, attempt
from audition.grading import (
    read_judgement,
    read_sealed_trace,
    what_was_spent,
)
from audition.installed import Ready
from audition.judge import FAMILIES, Identity, Judgement, Matter, Page, Said, hear
from audition.model import Call, Case, Json, Sealed, Trace, Trial, Value
from audition.no_verdict import infrastructure_trouble
from audition.patience import Listener, Patience
from audition.process import Start, run_command
from audition.store import read_sealed, write_whole
from audition.workspace import keep_inputs, sealed_files
from audition.yardstick import Grading

SECONDS = 180.0
FILES = 20
FILE_BYTES = 64 * 1024
ANSWER_CHARS = 64 * 1024
"""Of an answer no more is read or kept."""
READ_ONLY: dict[str, Json] = {
    "sandbox": "read-only",
    "permission_mode": "dontAsk",
    "allowed_tools": ["Read"],
    "disallowed_tools": ["Bash", "Write", "Edit", "Glob", "Grep", "WebFetch", "WebSearch", "Task"],
    "max_turns": 30,
}
"""Wishes that leave Claude Code only the tool that reads, and Codex a sandbox without writing."""


class Judge(Value, frozen=True, kw_only=True):
    """Who judges: an agent that is ready, or a command."""

    ready: Ready | None = None
    command: tuple[str, ...] = ()
    model: str | None = None
    votes: int = 1
    everywhere: bool = False
    """Also cases that say `judge: false`."""
    seconds: float = SECONDS
    nonce: str = ""
    """What event ids begin with; drawn anew for each trial where it is empty."""

    @property
    def identity(self) -> Identity:
        """Who it is, for the record."""
        if self.ready is None:
            return Identity(command=self.command)
        agent = self.ready.agent
        model = self.model or agent.model or ""
        return Identity(agent=agent.name, version=self.ready.version, model=model)


class Bench(Value, frozen=True, kw_only=True):
    """A judge, and the doors it is asked through."""

    judge: Judge
    means: Means
    patience: Patience


def judge_sealed(folder: Path, grading: Grading, bench: Bench, *, again: bool = False) -> bool:
    """Judge a sealed trial and keep judge.json; False where it was interrupted.

    A trial that says nothing, for the agent failed, is not judged.
    """
    sealed = read_sealed(folder)
    if not _is_due(sealed, bench.judge) or (read_judgement(folder) and not again):
        return True
    matter = read_matter(folder, sealed, grading)
    if matter is None:
        return True
    judgement = judge(matter, bench)
    if judgement.problem and bench.means.stop():
        return False
    same = bench.judge.identity.agent == sealed.trial.agent
    judgement = msgspec.structs.replace(judgement, same_agent=same)
    data = msgspec.json.format(msgspec.json.encode(judgement), indent=1)
    write_whole(f"{folder}/judge.json", data + b"\n", fsync=False)
    return True


def _is_due(sealed: Sealed, judge: Judge) -> bool:
    case = sealed.trial.case
    wanted = judge.everywhere or case.judge is not False
    return bool(case.rubric) and wanted and not (sealed.trial.ineligible or sealed.problem)


def read_matter(folder: Path, sealed: Sealed, grading: Grading) -> Matter | None:
    """What there is to judge about a sealed trial; None where the session says nothing."""
    trial, agent = sealed.trial, grading.agents[sealed.trial.agent]
    trace = read_sealed_trace(folder, agent, sealed)
    if infrastructure_trouble(sealed, trace, agent, ""):
        return None
    case = trial.case
    task = "\n\n".join(case.prompts)
    public = " ".join((task, *(each.question for each in case.rubric))).lower()
    names = {agent.name, trial.agent, trial.model, agent.model, *agent.program, *FAMILIES}
    return Matter(
        case=case.id,
        task=task,
        criteria=case.rubric,
        trace=trace,
        left=_left_behind(folder, grading.run, sealed),
        # A name that the task itself says is no secret, and hiding it would spoil the sense.
        names=tuple(sorted(each for each in names if each and each.lower() not in public)),
        pkbllm=(grading.policy or trial.policy) == "pkbllm",
    )


def _left_behind(folder: Path, run: Path, sealed: Sealed) -> dict[str, str]:
    """What became of the workspace, by a heading for each file."""
    files, changes = sealed_files(folder, run, sealed), sealed.changes
    marked = [("added", each) for each in changes.added]
    marked += [("changed", each) for each in changes.changed]
    left: dict[str, str] = {}
    for how, path in marked[:FILES]:
        data = files.read(path) or b""
        try:
            text = data[:FILE_BYTES].decode(
                "utf-8", "strict" if len(data) <= FILE_BYTES else "ignore"
            )
        except UnicodeDecodeError:
            text = f"(no text: {len(data)} bytes)"
        left[f"file that was {how}: {path}"] = text or "(empty)"
    if more := marked[FILES:]:
        left["further files"] = "\n".join(f"{how}: {path}" for how, path in more)
    if changes.removed:
        left["files that were removed"] = "\n".join(changes.removed)
    return left


def judge(matter: Matter, bench: Bench) -> Judgement:
    """Ask every question through the bench's doors; what the answers come to."""
    who = bench.judge
    asked = _ask_command if who.ready is None else _ask_agent

    def ask(prompt: str, schema: Json, page: Page) -> Said:
        return asked(prompt, schema, page, matter.case, bench)

    nonce = who.nonce or f"e{secrets.token_hex(3)}"
    blank = Judgement(by=who.identity, nonce=nonce, votes=who.votes)
    return hear(matter, ask, blank)


def _write_files(files: Mapping[str, str], into: Path) -> None:
    into.mkdir()
    for path, text in files.items():
        (into / path).parent.mkdir(exist_ok=True)
        (into / path).write_text(text, "utf-8", "replace")


def _ask_command(prompt: str, schema: Json, page: Page, case: str, bench: Bench) -> Said:
    """Ask a program of the user's."""
    del schema, case
    with tempfile.TemporaryDirectory(prefix="audition-judge-") as name:
        folder = Path(name)
        _write_files(page.files, folder / "work")
        finished = run_command(
            Start(
                argv=bench.judge.command,
                cwd=str(folder / "work"),
                env=dict(os.environ),
                stdin=prompt.encode("utf-8", "replace"),
                stdout=folder / "said",
                stderr=folder / "errors",
                seconds=bench.judge.seconds,
                output_cap=1024 * 1024,
                stop=bench.means.stop,
            )
        )
        text = (folder / "said").read_bytes().decode("utf-8", "replace")
        errors = (folder / "errors").read_bytes()[-500:].decode("utf-8", "replace")
    problem = ""
    if finished.stopped == "timeout":
        problem = f"it gave no answer in {bench.judge.seconds:g} s"
    elif finished.stopped:
        problem = finished.reason or finished.stopped
    elif finished.exit_code:
        problem = f"it ended with exit code {finished.exit_code}: {' '.join(errors.split())[-200:]}"
    return Said(text=text[:ANSWER_CHARS], problem=problem, seconds=round(finished.seconds, 3))


def _ask_agent(prompt: str, schema: Json, page: Page, case: str, bench: Bench) -> Said:
    """Ask an agent, in a workspace of its own, without skills and without tools that write."""
    ready = bench.judge.ready
    if ready is None:
        raise ValueError("there is no agent to ask")
    with tempfile.TemporaryDirectory(prefix="audition-judge-") as name:
        folder = Path(name)
        _write_files(page.files, folder / "events")
        (folder / "schema.json").write_bytes(msgspec.json.encode(schema))
        keep_inputs(folder, {}, [str(folder / "events")])
        trial = _trial(prompt, case, folder, bench.judge)
        means = msgspec.structs.replace(bench.means, run=folder, skills={})
        sealed = _ask_with_patience(trial, folder, ready, means, bench.patience)
        if sealed.problem or sealed.stopped == "interrupted":
            return Said(problem=sealed.problem or "interrupted", seconds=sealed.seconds)
        trace = read_sealed_trace(folder, ready.agent, sealed)
    return Said(
        text=_answer_of(trace)[:ANSWER_CHARS],
        problem=infrastructure_trouble(sealed, trace, ready.agent, ""),
        seconds=sealed.seconds,
        usage=what_was_spent(sealed, trace),
    )


def _ask_with_patience(
    trial: Trial, folder: Path, ready: Ready, means: Means, patience: Patience
) -> Sealed:
    account = patience.account(ready)
    for number in count(1):
        if refused := account.wait(means.stop):
            return Sealed(trial=trial, problem=refused)
        if means.stop():
            break
        listener = Listener(account)
        sealed = attempt(trial, folder, ready, means, listener)
        if not account.may_try_again(listener.faults, number):
            return sealed
    return Sealed(trial=trial, stopped="interrupted")


def _trial(prompt: str, case: str, folder: Path, judge: Judge) -> Trial:
    agent = judge.ready.agent if judge.ready else None
    settings = {**READ_ONLY, "output_schema": str(folder / "schema.json")}
    return Trial(
        id="judge",
        place="judge",
        index=0,
        case=Case(
            id=f"judge:{case}", prompt=prompt, fixture=str(folder / "events"), settings=settings
        ),
        agent=agent.name if agent else "",
        delivery="none" if agent and "none" in agent.deliveries else "native",
        model=judge.model,
        number=1,
        skills=(),
        timeout_s=judge.seconds,
    )


def _answer_of(trace: Trace) -> str:
    """The answer; with Claude Code's schema it is what the tool of that name was given."""
    for event in reversed(trace.events):
        if isinstance(event, Call) and event.tool == "StructuredOutput" and not event.sub:
            return msgspec.json.encode(event.input).decode()
    return trace.answer
