"""Recorded sessions of an agent, what they are read as, and how to make lines by hand.

Run `python tests/recorded.py codex` to write the expected events anew, then read the diff.
"""

import json
import sys
from pathlib import Path

import msgspec

from audition.agent import find_agent, make_trace, read_with_beside
from audition.model import Call, Result

TRACES = Path(__file__).parent / "traces"


def sessions(name):
    found = sorted((TRACES / name).glob("*/*.jsonl"))
    return [each for each in found if not each.name.endswith((".expected.jsonl", ".rollout.jsonl"))]


def lines_of(path):
    return enumerate(path.read_bytes().splitlines(), 1)


def agent_of(name, path):
    """The agent; of ACP the one whose name the file begins with."""
    program = path.stem.partition("-")[0]
    return find_agent(f"acp:{program}" if name == "acp" else name)


def read(name, path):
    """A session with the rollout beside it, where there is one."""
    beside = path.with_suffix(".rollout.jsonl")
    agent = agent_of(name, path)
    more = [lines_of(beside)] if beside.exists() else []
    return make_trace(agent, *read_with_beside(agent, lines_of(path), more))


def session(name, scenario):
    (path,) = [each for each in sessions(name) if each.stem == scenario]
    return read(name, path)


def said(name, *lines, beside=()):
    """A trace of lines made by hand; a string is a raw line."""
    agent = find_agent(name)

    def raw(lines):
        texts = (each if isinstance(each, str) else json.dumps(each) for each in lines)
        return enumerate((each.encode() for each in texts), 1)

    return make_trace(agent, *read_with_beside(agent, raw(lines), [raw(beside)] if beside else []))


def only(kind, trace):
    return [each for each in trace.events if isinstance(each, kind)]


def calls(trace):
    """(does, what) of each call, and whether it failed."""
    results = {each.id: each for each in only(Result, trace)}
    return [
        (each.does, each.skill or each.command or each.tool, getattr(results.get(each.id), "failed", None))
        for each in only(Call, trace)
    ]  # fmt: skip


def as_lines(trace):
    """One event a line, only what is not at its default, long text cut: to be read by eye."""
    out = [{"end": trace.end.status, "reason": trace.end.reason, "turns": trace.turns}]
    usage = trace.usage
    out[0] |= {"answer": trace.answer, "unread": trace.unread}
    out[0]["usage"] = usage and [usage.input_tokens, usage.cached_input_tokens, usage.output_tokens]
    for event in trace.events:
        fields = {"kind": type(event).__name__.lower()}
        for field in msgspec.structs.fields(event):
            value = getattr(event, field.name)
            if value != field.default and not (field.name == "input" and not value):
                fields[field.name] = value[:300] if isinstance(value, str) else value
        out.append(fields)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in out)


def check_golden(name, path):
    trace = read(name, path)
    assert trace.unread_count == 0
    assert as_lines(trace) == path.with_suffix(".expected.jsonl").read_text("utf-8")


if __name__ == "__main__":
    for each_name in sys.argv[1:]:
        for each in sessions(each_name):
            text = as_lines(read(each_name, each))
            each.with_suffix(".expected.jsonl").write_text(text, "utf-8")
