"""What every agent must keep: no line, no truncation and no damage is fatal to its reader."""

import json
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audition.agent import Agent, agents, find_agent, read_events, read_trace
from audition.errors import AuditionError
from audition.evidence import climb
from audition.grading import read_whole
from audition.model import AnyEvent, Call, End, Skill, Usage
from audition.trace_file import count_objects, numbered_lines

TRACES = Path(__file__).parent / "traces"
SKILLS = (Skill(name="greeting", path="/w/greeting", resources=("a.md",), body="x" * 40),)


def made(name):
    """The agent; one that is made with an argument is made with a plain one."""
    try:
        return find_agent(name)
    except (AuditionError, TypeError, ValueError):
        return find_agent(f"{name}:0.5")  # `acp` takes it for a program's name


AGENTS = {name: made(name) for name in agents}


def recorded(name):
    return [
        each
        for each in sorted((TRACES / name).glob("*/*.jsonl"))
        if each.stat().st_size and not each.name.endswith(".expected.jsonl")
    ]


def survives(agent, lines):
    """Reads, and holds what every trace must hold."""
    lines = list(enumerate(lines, 1))
    trace = read_trace(agent, lines)
    assert trace.agent == agent.name
    assert trace.unread_count <= len(lines)
    assert all(0 <= each.line <= len(lines) for each in trace.events)
    climb(trace, SKILLS, agent, prompts=("/greeting $greeting",))
    # Every field holds what its type says, however the line was damaged.
    msgspec.json.decode(msgspec.json.encode(trace.events), type=list[AnyEvent])
    return trace


WHOLE = [
    pytest.param(name, path, id=f"{name}-{path.stem}")
    for name, agent in AGENTS.items()
    if agent.read_all
    for path in recorded("claude" if name.startswith("claude") else name)
]


@pytest.mark.parametrize(("name", "path"), WHOLE)
def test_a_session_read_whole_is_the_one_read_line_by_line(name, path):
    raw, agent = path.read_bytes(), AGENTS[name]
    assert count_objects(raw) in (0, raw.count(b"\n"))
    whole = read_whole(agent, raw)
    events, unread = read_events(agent, enumerate(raw.splitlines(), 1))
    assert whole is None or (whole, []) == (events, unread)


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\n",
        b"{}",
        b"{}\n\n{}\n",
        b"\n{}\n",
        b"{}\r\n{}\r\n",
        b'{"a":\n{}}\n',
        b'{"a": {}\n,"b":{}}\n',
        b'[{"a":{}\n}]\n',
    ],
)
def test_what_is_not_an_object_a_line_is_not_read_whole(raw):
    assert count_objects(raw) == 0


def test_two_values_on_one_line_are_not_read_as_two_lines():
    line = b'{"type":"user","message":{"content":"hi"}}'
    raw = line + b" " + line + b"\n" + line + b"\n"
    assert count_objects(raw) == 2
    assert read_whole(AGENTS["claude"], raw) is None
    events, unread = read_events(AGENTS["claude"], enumerate(raw.splitlines(), 1))
    assert ([each.line for each in events], unread) == ([1, 1, 2], [])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", AGENTS)
def test_an_agent_is_a_value_under_its_own_name(name):
    assert isinstance(AGENTS[name], Agent)
    assert AGENTS[name].name.partition(":")[0] == name


@pytest.mark.parametrize("name", AGENTS)
@given(lines=st.lists(st.binary(max_size=80), max_size=5))
@settings(max_examples=60, deadline=None)
def test_no_bytes_are_fatal(name, lines):
    trace = survives(AGENTS[name], lines)
    assert trace.end.status != "completed"


@pytest.mark.parametrize("name", AGENTS)
@given(values=st.lists(JSON, max_size=4))
@settings(max_examples=60, deadline=None)
def test_no_json_is_fatal(name, values):
    survives(AGENTS[name], [json.dumps(each).encode() for each in values])


@pytest.mark.parametrize("name", AGENTS)
def test_nothing_at_all_is_an_interrupted_session(name):
    trace = survives(AGENTS[name], [])
    assert (trace.end.status, trace.usage, trace.turns) == ("interrupted", None, None)


@pytest.mark.parametrize("name", AGENTS)
@pytest.mark.parametrize(
    "line",
    [b"[" * 100_000, b'{"type":' * 50_000, b"\0" * 1000, b"NaN", b'{"type":NaN}', b'"\\ud800"'],
)
def test_hostile_lines_are_unread(name, line):
    assert survives(AGENTS[name], [line]).unread_count == 1


@pytest.mark.parametrize("stray", [rb"half \ud83d", b"bad \xff byte", rb"\udc00\ud800"])
def test_half_a_character_costs_no_evidence(stray):
    block = b'{"type":"tool_use","id":"t","name":"Skill","input":{"skill":"greeting","n":NaN}}'
    text = b'{"type":"text","text":"' + stray + b'"}'
    line = b'{"type":"assistant","message":{"content":[' + text + b"," + block + b"]}}"
    trace = survives(AGENTS["claude"], [line])
    assert trace.unread_count == 0
    assert [each.skill for each in trace.events if isinstance(each, Call)] == ["greeting"]


@pytest.mark.parametrize("name", ["opencode", "claude", "codex", "pi"])
def test_a_byte_order_mark_costs_nothing(name):
    for path in recorded(name)[:5]:
        raw = path.read_bytes()
        marked = survives(AGENTS[name], (b"\xef\xbb\xbf" + raw).splitlines())
        assert marked.events == survives(AGENTS[name], raw.splitlines()).events


RECORDED = [(name, path) for name in AGENTS for path in recorded(name)]
_ids = [f"{name}-{path.stem}" for name, path in RECORDED]


@pytest.mark.parametrize(("name", "path"), RECORDED, ids=_ids)
def test_a_session_cut_at_any_line_is_read_up_to_there(name, path):
    lines = path.read_bytes().splitlines()
    first = min(
        (each.line for each in survives(AGENTS[name], lines).events if isinstance(each, End)),
        default=0,
    )
    for end in range(0, len(lines), 1 + len(lines) // 60):
        trace = survives(AGENTS[name], lines[:end])
        assert trace.unread_count == 0
        if end < first:
            assert trace.end.status != "completed"


@pytest.mark.parametrize(("name", "path"), RECORDED, ids=_ids)
def test_a_line_cut_at_any_byte_is_unread(name, path):
    agent = AGENTS[name]
    for number, line in enumerate(path.read_bytes().splitlines(), 1):
        if not line.strip().startswith(b"{"):
            continue  # goose prints a banner
        step = max(1, len(line) // 60)
        for end in range(1, len(line), step):
            if line[:end].strip():
                assert read_trace(agent, [(number, line[:end])]).unread_count == 1


def mutate(value, pick):
    """The same JSON with one part of it replaced by something else."""
    if isinstance(value, dict) and value and pick.draw(st.booleans(), label="into"):
        key = pick.draw(st.sampled_from(sorted(value)))
        return {**value, key: mutate(value[key], pick)}
    if isinstance(value, list) and value and pick.draw(st.booleans(), label="into"):
        place = pick.draw(st.integers(0, len(value) - 1))
        return [*value[:place], mutate(value[place], pick), *value[place + 1 :]]
    return pick.draw(JSON)


@given(pick=st.data())
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_damage_inside_a_recorded_session_is_fatal(pick):
    name, path = pick.draw(st.sampled_from(RECORDED))
    lines = path.read_bytes().splitlines()
    place = pick.draw(st.integers(0, len(lines) - 1))
    if lines[place].strip().startswith(b"{"):
        lines[place] = json.dumps(mutate(json.loads(lines[place]), pick)).encode()
    survives(AGENTS[name], lines)


def with_numbers(value, junk):
    """The same JSON with every number in it replaced."""
    if isinstance(value, dict):
        return {key: with_numbers(each, junk) for key, each in value.items()}
    if isinstance(value, list):
        return [with_numbers(each, junk) for each in value]
    return junk if isinstance(value, int | float) and not isinstance(value, bool) else value


@pytest.mark.parametrize("junk", ["many", [1], {"a": 1}, True, -7, 2**70])
@pytest.mark.parametrize(("name", "path"), RECORDED, ids=_ids)
def test_what_is_no_figure_is_unknown_and_never_fatal(name, path, junk):
    lines = path.read_bytes().splitlines()
    lines = [
        json.dumps(with_numbers(json.loads(each), junk)).encode() if _is_json(each) else each
        for each in lines
    ]
    trace = survives(AGENTS[name], lines)
    for each in (each for each in trace.events if isinstance(each, Usage)):
        figures = (each.input_tokens, each.cached_input_tokens, each.output_tokens, each.dollars)
        assert not any(figures)


def _is_json(line):
    try:
        return json.loads(line) is not None
    except ValueError:
        return False


@given(lines=st.lists(st.binary(max_size=40).filter(lambda each: b"\n" not in each), max_size=6))
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_has_the_lines_that_were_written(tmp_path, lines):
    file = tmp_path / "lines"
    file.write_bytes(b"".join(each + b"\n" for each in lines))
    assert [each.removesuffix(b"\n") for _, each in numbered_lines(file)] == lines
