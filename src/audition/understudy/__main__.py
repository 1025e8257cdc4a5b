"""The program: `python -m audition.understudy [understudy|oracle|nop|coin]`.

In: on stdin one JSON object, `{"prompts": […], "max_turns": n}`; a referee is also told the
`case`, the coin its `rate` and `seed`. The working directory is the workspace.
Out: our own event model as JSON lines, one event a line.
Must not know: what the case expects, when it is the understudy; the network, ever.
"""

# `os` instead of pathlib, whose import would be a fifth of the start (5 of 25 ms).
import json
import os
import sys
from typing import Any

from audition.understudy.act import Acting, Action, Loaded, perform
from audition.understudy.choice import choose, find_explicit
from audition.understudy.front import split_front
from audition.understudy.shown import Shown, find_shown, list_resources, read_text

OUTPUT_CAP = 64 * 1024
PARTS = ("understudy", "oracle", "nop", "coin")


def emit(kind: str, **fields: Any) -> None:
    """Print one event."""
    line = json.dumps({"kind": kind, **fields}, ensure_ascii=False)
    # A lone surrogate in a prompt cannot be printed; what cannot be printed becomes `?`.
    sys.stdout.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


class TurnsSpent(Exception):
    """The allowed turns are used up."""


class Session:
    """One session: what is shown, and what has been done and printed so far."""

    def __init__(self, workspace: str, max_turns: int | None) -> None:
        self.workspace = workspace
        self.max_turns = max_turns
        self.turns = 0
        self.calls = 0
        self.read_chars = 0
        self.written_chars = 0
        self.shown = find_shown(workspace)
        self.offered = {
            name: skill.description for name, skill in self.shown.items() if skill.model_invocable
        }
        self.callable = {name for name, skill in self.shown.items() if skill.user_invocable}

    def take_turn(self) -> None:
        """Count a turn: a call, or an answer."""
        if self.max_turns is not None and self.turns >= self.max_turns:
            raise TurnsSpent
        self.turns += 1

    def call(self, tool: str, does: str, arguments: dict[str, str], **fields: Any) -> str:
        """Print a call; its id."""
        self.take_turn()
        self.calls += 1
        self.written_chars += sum(map(len, arguments.values()))
        name = f"call-{self.calls}"
        emit("call", id=name, tool=tool, does=does, input=arguments, **fields)
        return name

    def answer_call(
        self, name: str, output: str, *, failed: bool = False, exit_code: int | None = None
    ) -> None:
        """Print what a call came back with."""
        output = output[:OUTPUT_CAP]
        self.read_chars += len(output)
        emit("result", id=name, output=output, failed=failed, exit_code=exit_code)


def offer(session: Session) -> None:
    """Print what is on offer, as it is shown: name and description in full."""
    for name, description in session.offered.items():
        size = len(name) + len(description)
        session.read_chars += size
        emit("offer", skill=name, offered="full", shown_chars=size, of_chars=size)


def load(session: Session, name: str, explicit: str | None) -> Loaded | None:
    """Bring a skill into the conversation: put there by name, called, or read from its path."""
    skill = session.shown.get(name, Shown(name, "", "", model_invocable=False))
    path = f"{skill.folder}/SKILL.md"
    text = read_text(os.path.join(session.workspace, path)) if skill.folder else None
    body = split_front(text or "")[1].strip()
    if not skill.native:
        call = session.call("read", "read", {"path": path}, paths=[path])
        session.answer_call(call, text or "no such file", failed=text is None)
    elif text is not None and name == explicit:
        session.read_chars += len(body)
        emit("message", role="system", skill=name, text=body)
    else:
        call = session.call("skill", "skill", {"name": name}, skill=name)
        refused = text is None or not skill.model_invocable
        session.answer_call(
            call, f"`{name}` cannot be invoked" if refused else body, failed=refused
        )
        text = None if refused else text
    if text is None:
        return None
    return Loaded(body, list_resources(os.path.join(session.workspace, skill.folder)))


def read(session: Session, skill: str, path: str, tool: str) -> str | None:
    """Read a file of a skill."""
    where = f"{session.shown[skill].folder}/{path}"
    call = session.call(tool, "read", {"path": where}, paths=[where])
    text = read_text(os.path.join(session.workspace, where))
    session.answer_call(call, text if text is not None else "no such file", failed=text is None)
    return text


def write(session: Session, path: str, text: str) -> None:
    """Write a file beneath the workspace, and nowhere else."""
    call = session.call("write", "write", {"path": path, "text": text}, paths=[path])
    root = os.path.realpath(session.workspace)
    where = os.path.realpath(os.path.join(root, path))
    if os.path.commonpath((root, where)) != root or where == root:
        session.answer_call(call, f"`{path}` is not in the workspace", failed=True)
        return
    try:
        os.makedirs(os.path.dirname(where), exist_ok=True)
        with open(where, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
    except OSError as error:
        session.answer_call(call, str(error), failed=True)
        return
    session.answer_call(call, "written")


def run(session: Session, line: str) -> None:
    """Run a command of the case's own in the workspace."""
    import shlex
    import subprocess

    call = session.call("shell", "shell", {"command": line}, command=line)
    try:
        done = subprocess.run(
            shlex.split(line),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
    except (OSError, ValueError) as error:
        session.answer_call(call, str(error), failed=True)
        return
    output = done.stdout.decode("utf-8", "replace")
    session.answer_call(call, output, failed=done.returncode != 0, exit_code=done.returncode)


def say(session: Session, text: str) -> None:
    """Print an answer."""
    session.take_turn()
    session.written_chars += len(text)
    emit("message", role="assistant", text=text)


def carry_out(session: Session, action: Action, explicit: str | None) -> Loaded | str | None:
    """Do one action; what came back."""
    if action.does == "load":
        return load(session, action.skill, explicit)
    if action.does == "read":
        return read(session, action.skill, action.path, action.text or "read")
    if action.does == "write":
        write(session, action.path, action.text)
    elif action.does == "run":
        run(session, action.text)
    elif action.does == "call":
        session.answer_call(session.call(action.path, "other", {}), "done")
    else:
        say(session, action.text)
    return None


def play(session: Session, acting: Acting, explicit: str | None) -> None:
    """Do every action, and hand each one's result back."""
    try:
        action = next(acting)
        while True:
            action = acting.send(carry_out(session, action, explicit))
    except StopIteration:
        return


def decide(mode: str, asked: dict[str, Any], session: Session, prompt: str) -> Acting:
    """The part that is played for one prompt."""
    if mode == "understudy":
        explicit = find_explicit(prompt, session.callable)
        skill = explicit or choose(prompt, session.offered)
        acting = perform(prompt, skill)
        return answer_by(asked["schema"], acting, skill) if asked.get("schema") else acting
    if mode == "nop":
        return iter_nothing()
    from audition.understudy.oracle import list_expected, perform_case, toss

    case = with_schemas(asked["case"])
    if mode == "oracle":
        return perform_case(case, prompt, session.shown)
    expected = list_expected(case)
    trial = os.environ.get("AUDITION_TRIAL_ID", "")
    right = toss(asked["rate"], asked["seed"], case["id"], trial)
    if right and (not expected or any(name in session.shown for name in expected)):
        return perform_case(case, prompt, session.shown)
    wrong = None if expected else case.get("skill") or min(session.offered, default=None)
    return perform(prompt, wrong)


def answer_by(schema: Any, acting: Acting, skill: str | None) -> Acting:
    """The same part, with an answer of the shape that is wanted."""
    from audition.understudy.oracle import say_by_schema

    held = with_schemas({"settings": {"output_schema": schema}})["settings"]["output_schema"]
    return say_by_schema(held, acting, (skill,) if skill else ())


def with_schemas(case: dict[str, Any]) -> dict[str, Any]:
    """The case with what its files of JSON Schema hold in the place of their paths."""

    def held(schema: Any) -> Any:
        try:
            return json.loads(read_text(schema) or "") if isinstance(schema, str) else schema
        except ValueError:
            return schema

    def filled(given: dict[str, Any], name: str) -> dict[str, Any]:
        return {**given, name: held(given[name])} if name in given else given

    checks = [{**e, "arguments": filled(e["arguments"], "schema")} for e in case.get("checks", ())]
    settings = filled(case.get("settings") or {}, "output_schema")
    return {**case, "checks": checks, "settings": settings}


def iter_nothing() -> Acting:
    """The part of nop."""
    yield Action("say", text="I did nothing.")


def report_usage(session: Session) -> None:
    """Print what was used since the last time: four characters are one token, no model is paid."""
    emit(
        "usage",
        input_tokens=-(-session.read_chars // 4),
        output_tokens=-(-session.written_chars // 4),
        dollars=0.0,
    )
    session.read_chars = session.written_chars = 0


def run_session(mode: str, asked: dict[str, Any]) -> None:
    """Handle the prompts one after another, and print how it ended."""
    session = Session(os.getcwd(), asked.get("max_turns"))
    offer(session)
    status, reason = "completed", ""
    for prompt in map(str, asked["prompts"]):
        session.read_chars += len(prompt)
        emit("message", role="user", text=prompt)
        explicit = find_explicit(prompt, session.callable)
        try:
            play(session, decide(mode, asked, session, prompt), explicit)
        except TurnsSpent:
            status, reason = "limited", f"max_turns {session.max_turns} reached"
        report_usage(session)
        if reason:
            break
    emit("end", status=status, reason=reason, turns=session.turns)


def read_asked() -> dict[str, Any] | None:
    """What stdin asks; None where it is no request."""
    try:
        asked = json.loads(sys.stdin.buffer.read())
    except (ValueError, RecursionError):
        return None
    return asked if isinstance(asked, dict) and isinstance(asked.get("prompts"), list) else None


def main() -> int:
    """Read what is asked from stdin and play the part that argv names."""
    mode = sys.argv[1] if len(sys.argv) > 1 else "understudy"
    asked = read_asked()
    if asked is None or mode not in PARTS:
        reason = "stdin is not a request" if asked is None else f"there is no part `{mode}`"
        emit("fault", what="invalid", text=reason)
        emit("end", status="failed", reason=reason)
        return 2
    run_session(mode, asked)
    case = asked.get("case") or {}
    codes = [c["arguments"].get("code") for c in case.get("checks", ()) if c["name"] == "exit_code"]
    return int(codes[0]) if mode == "oracle" and codes else 0


if __name__ == "__main__":
    sys.exit(main())
