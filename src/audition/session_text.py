"""One trial's session as a person reads it: what was said and done, and what that proves.

In: what was sealed, the trace, the record, the end of stderr. Out: text or markdown.
Must not know: files, the screen. All of it was written by an agent: control characters
are made visible, and no text can leave its block.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import category

import msgspec

from audition.counted import counted, numbered
from audition.model import (
    AnyEvent,
    Call,
    Denial,
    End,
    Evidence,
    Fault,
    Grade,
    Message,
    Offer,
    Record,
    Result,
    Sealed,
    Trace,
    Usage,
    Value,
)

SHOWN_LINES = 40
SHOWN_CHARS = 4000
_JOINERS = "\u200c\u200d"


class Step(Value, frozen=True, kw_only=True):
    """One thing of a session: a heading, what was said, and the marks beside it."""

    line: int
    head: str
    body: str = ""
    marks: tuple[str, ...] = ()
    is_call: bool = False


class Session(Value, frozen=True, kw_only=True):
    """All that is shown of one trial."""

    sealed: Sealed
    trace: Trace
    record: Record | None = None
    stderr: str = ""


class _Visible(dict[int, str]):
    """What would act or hide as its escape, found out once for each character."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        shown = letter.isprintable() or category(letter) == "Zs" or letter in _JOINERS
        self[code] = letter if shown else letter.encode("unicode_escape").decode()
        return self[code]


_TEXT = _Visible({ord("\n"): "\n", ord("\t"): "\t"})
_WORD = _Visible()


def visible(text: str) -> str:
    """Text that cannot move the cursor, change colours or hide what follows."""
    return text.replace("\r\n", "\n").translate(_TEXT)


def visible_word(text: str) -> str:
    """The same on one line."""
    return text.translate(_WORD)


def shorten(text: str) -> str:
    """The beginning of a long text, and how much is left out."""
    lines = text[:SHOWN_CHARS].split("\n")
    kept = "\n".join(lines[:SHOWN_LINES])
    left = len(text) - len(kept)
    return f"{kept}\n… {left:,} more characters" if left > 0 else kept


def make_steps(session: Session) -> tuple[Step, ...]:
    """The session in order, with evidence and grades beside the lines that prove them."""
    record = session.record
    return steps_of(session.trace, record.skills if record else (), record.grades if record else ())


def steps_of(
    trace: Trace, skills: Sequence[Evidence], grades: Sequence[Grade] = ()
) -> tuple[Step, ...]:
    """The same of a trace that is in no run."""
    marks = _marks(skills, grades)
    steps: list[Step] = []
    for event in trace.events:
        found = _describe(event)
        if found is not None:
            head = f"{_sub(event)}{found[0]}"
            is_call = isinstance(event, Call)
            steps.append(Step(line=event.line, head=head, body=found[1], is_call=is_call))
    placed = _place(steps, marks)
    return tuple(
        msgspec.structs.replace(step, marks=tuple(placed[number]))
        for number, step in enumerate(steps)
    )


def _place(steps: list[Step], marks: dict[int, list[str]]) -> dict[int, list[str]]:
    """Marks by the step they stand at: that of their line, a call before other things."""
    placed: dict[int, list[str]] = defaultdict(list)
    for line, texts in sorted(marks.items()):
        here = [number for number, step in enumerate(steps) if step.line == line]
        calls = [number for number in here if steps[number].is_call]
        before = [number for number, step in enumerate(steps) if step.line <= line]
        at = (calls or here or before[-1:] or [0])[0]
        placed[at].extend(texts if here else (f"{text} (line {line})" for text in texts))
    return placed


def _marks(skills: Sequence[Evidence], grades: Sequence[Grade]) -> dict[int, list[str]]:
    marks: dict[int, list[str]] = defaultdict(list)
    for each in skills:
        if each.rung == "offered":
            continue  # The offer itself is a step.
        name = f"skill `{visible_word(each.skill)}`"
        how = f" ({each.how})" if each.how else ""
        noodled = "; its SKILL.md was read another way" if each.noodled else ""
        for number, line in enumerate(each.lines):
            marks[line].append(name if number else f"{name} {each.rung}{how}{noodled}")
    for grade in grades:
        for line in grade.lines:
            marks[line].append(f"{grade.by}: {grade.status}")
    return marks


def _sub(event: AnyEvent) -> str:
    return f"[{visible_word(event.sub)}] " if event.sub else ""


def _describe(event: AnyEvent) -> tuple[str, str] | None:
    """What a step is called, and what was said; None for what is told once for all."""
    told: tuple[str, str] | None = None
    match event:
        case Message():
            skill = f" (skill `{visible_word(event.skill)}`)" if event.skill else ""
            told = f"{event.role}{skill}", event.text
        case Call():
            told = f"call {visible_word(event.tool)}", event.command or _arguments(event)
        case Result():
            code = "" if event.exit_code is None else f", exit code {event.exit_code}"
            told = f"result: {'failed' if event.failed else 'ok'}{code}", event.output
        case Denial():
            told = f"denied {visible_word(event.tool)}", event.reason
        case Fault():
            told = f"fault: {event.what}{', trying again' if event.retrying else ''}", event.text
        case Offer():
            told = f"offered `{visible_word(event.skill)}` ({event.offered})", ""
        case Usage() | End():
            pass
    return told


def _arguments(call: Call) -> str:
    return "\n".join(
        f"{name}: {value if isinstance(value, str) else repr(value)}"
        for name, value in call.input.items()
    )


def say_facts(session: Session) -> Iterator[tuple[str, str]]:
    """What is known about the whole session, by name."""
    trial, sealed, trace = session.sealed.trial, session.sealed, session.trace
    version = f" {sealed.agent_version}" if sealed.agent_version else ""
    model = f", model {trial.model}" if trial.model else ""
    yield "agent", f"{trial.agent}{version}, {trial.delivery}{model}"
    end = f"{trace.end.status}{f': {trace.end.reason}' if trace.end.reason else ''}"
    code = "unknown" if sealed.exit_code is None else str(sealed.exit_code)
    stopped = f", stopped by us ({sealed.stopped})" if sealed.stopped else ""
    ran = sealed.exit_code is not None or sealed.seconds or sealed.stopped
    took = f"exit code {code}{stopped}, {sealed.seconds:.1f} s" if ran else "the agent did not run"
    yield "end", f"{end} ({took})"
    yield "usage", usage_in_words(trace.usage)
    if trace.unread_count:
        yield "unread", f"{counted(trace.unread_count, 'line')}, the first is {trace.unread[0]}"
    if trace.truncated or sealed.truncated:
        yield "cut", "the output was longer than is kept"
    for kind in ("added", "changed", "removed", "refused"):
        if names := getattr(sealed.changes, kind):
            yield f"files {kind}", ", ".join(names[:20]) + (" …" if len(names) > 20 else "")


def usage_in_words(usage: Usage | None) -> str:
    """Tokens and cost, unknown where they are."""

    def count(number: int | None) -> str:
        return "unknown" if number is None else f"{number:,}"

    if usage is None:
        return "unknown"
    digits = 4 if usage.dollars else 0
    dollars = "unknown" if usage.dollars is None else f"${usage.dollars:.{digits}f}"
    cached = "" if usage.cached_input_tokens is None else f" ({usage.cached_input_tokens:,} cached)"
    tokens = f"{count(usage.input_tokens)} tokens in{cached}, {count(usage.output_tokens)} out"
    return f"{tokens}, cost {dollars}"


def _verdict(session: Session) -> tuple[str, str]:
    record = session.record
    if record is None:
        return "not graded", session.sealed.problem
    return record.status, record.reason


def session_as_text(session: Session) -> str:
    """For a terminal."""
    status, reason = _verdict(session)
    case = session.sealed.trial.case
    out = [visible_word(session.sealed.trial.id), f"{status}: {reason}" if reason else status, ""]
    for turn in case.prompts:
        out += ["      prompt", *_inset(turn)]
    for step in make_steps(session):
        out.append(f"{step.line:>5} {step.head}" + "".join(f"  ◀ {mark}" for mark in step.marks))
        out += _inset(step.body)
    out += ["", *(f"{name}: {visible_word(value)}" for name, value in say_facts(session))]
    out += ["", "grades", *(f"  {visible_word(text)}" for text in say_grades(session))]
    if session.stderr.strip():
        out += ["", "stderr, the end of it", *_inset(session.stderr)]
    return visible("\n".join(out)) + "\n"


def _inset(text: str) -> list[str]:
    text = visible(shorten(text)).rstrip("\n")
    return [f"        {line}" for line in text.split("\n")] if text else []


def say_grades(session: Session) -> Iterable[str]:
    """Each grade with its reason and its lines."""
    for grade in session.record.grades if session.record else ():
        lines = f" ({numbered('line', grade.lines)})" if grade.lines else ""
        reason = f": {grade.reason}" if grade.reason else ""
        yield f"{grade.status} {grade.by}{reason}{lines}"


def session_as_markdown(session: Session) -> str:
    """For a pull request or a page."""
    status, reason = _verdict(session)
    case = session.sealed.trial.case
    out = [f"# {code(session.sealed.trial.id)}", "", f"**{status}** {code(reason)}".rstrip(), ""]
    for turn in case.prompts:
        out += ["## Prompt", "", fence(turn)]
    out += ["## Session", ""]
    for step in make_steps(session):
        out += [f"**{step.line}** {code(step.head)}", ""]
        out += [f"- ◀ {code(mark)}" for mark in step.marks]
        out += ["", fence(shorten(step.body))] if step.body else [""]
    out += ["## What is known", ""]
    out += [f"- {name}: {code(value)}" for name, value in say_facts(session)]
    out += ["", "## Grades", "", *(f"- {code(text)}" for text in say_grades(session)), ""]
    if session.stderr.strip():
        out += ["## The end of stderr", "", fence(shorten(session.stderr))]
    return "\n".join(out).rstrip("\n") + "\n"


def fence(text: str) -> str:
    """A block of code that the text cannot close: its fence is longer than any run in it."""
    text = visible(text).rstrip("\n")
    marks = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    return f"{marks}text\n{text}\n{marks}\n"


def code(text: str) -> str:
    """A code span that the text cannot close; nothing where there is no text."""
    text = visible_word(text)
    if not text.strip():
        return ""
    marks = "`" * (1 + max(map(len, re.findall(r"`+", text)), default=0))
    space = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{marks}{space}{text}{space}{marks}"
