"""Every wire keeps the same promises, whatever it is sent."""

import json

import pytest
from conversations import FORMS, TOOLS, events, path_of
from hypothesis import given, settings
from hypothesis import strategies as st

from audition.model import Spent
from audition.provider import Asked, Reply, Request, wires

NAMES = sorted(wires)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
KEYS = st.sampled_from(
    [
        "messages",
        "role",
        "content",
        "type",
        "text",
        "tool_use",
        "tool_result",
        "id",
        "name",
        "input",
        "tools",
        "input_schema",
        "system",
        "max_tokens",
        "stream",
        "output_config",
        "tool_calls",
        "function",
        "arguments",
        "tool_call_id",
        "parameters",
        "response_format",
        "contents",
        "parts",
        "functionCall",
        "functionResponse",
        "response",
        "args",
        "functionDeclarations",
        "systemInstruction",
        "generationConfig",
        "instructions",
        "call_id",
        "output",
        "namespace",
        "custom",
        "exec",
        "message",
        "additional_tools",
        "description",
        "is_error",
        "user",
        "assistant",
        "developer",
        "local_shell_call",
        "action",
    ]
)
KNOWN = st.recursive(
    JSON | KEYS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=40,
)


def request_of(name, body, stream=True):
    return Request(method="POST", path=path_of(name, stream), body=body)


def asked_by(name, turns, system="", stream=True):
    body = FORMS[name].body(system, turns, stream)
    return wires[name].understand(request_of(name, json.dumps(body).encode(), stream))


def test_every_wire_is_tried_here():
    assert set(FORMS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=200, deadline=None)
@given(body=st.binary() | JSON.map(json.dumps).map(str.encode))
def test_no_body_is_fatal(name, body):
    assert isinstance(wires[name].understand(request_of(name, body)), Asked)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=300, deadline=None)
@given(body=st.dictionaries(KEYS, KNOWN, max_size=8))
def test_no_body_of_known_words_in_wrong_places_is_fatal(name, body):
    wire = wires[name]
    asked = wire.understand(request_of(name, json.dumps(body).encode()))
    assert wire.answer(Reply(text="Hello"), asked)


@pytest.mark.parametrize("name", NAMES)
def test_no_cut_of_a_real_request_is_fatal(name):
    body = json.dumps(FORMS[name].body("s", [("user", "Hi"), ("call", ("1", "Read", {}))], True))
    for end in range(0, len(body), 7):
        wires[name].understand(request_of(name, body[:end].encode()))


def test_deeply_nested_json_is_not_fatal():
    for name in NAMES:
        body = b'{"messages":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        assert wires[name].understand(request_of(name, body)).parts == ()


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_an_answer_says_what_the_reply_says(name, stream):
    asked = asked_by(name, [("user", "Hi")], stream=stream)
    assert asked.stream is stream
    reply = Reply(text="One\n“two” ★", calls=(("Read", {"file_path": "a b"}), ("Bash", {})))
    raw = b"".join(wires[name].answer(reply, asked))
    text, calls = FORMS[name].read(raw, stream)
    assert text == reply.text
    assert [(tool, value) for _, tool, value in calls] == list(reply.calls)
    assert len({id_ for id_, _, _ in calls}) == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_is_understood_as_it_was_held(name):
    turns = [
        ("user", "First"),
        ("call", ("c1", "Read", {"file_path": "x"})),
        ("result", ("c1", "text of x", False)),
        ("assistant", "Done"),
        ("user", "<system-reminder>psst</system-reminder>Second"),
    ]
    asked = asked_by(name, turns)
    seen = [type(each).__name__ for each in asked.parts if getattr(each, "role", "") != "system"]
    assert seen == ["Said", "Called", "Returned", "Said", "Said"]
    said = [each.text for each in asked.parts if getattr(each, "role", "") == "user"]
    assert said == ["First", "Second"]
    (called,) = (each for each in asked.parts if type(each).__name__ == "Called")
    assert (called.id, called.tool, called.input) == ("c1", "Read", {"file_path": "x"})
    assert {each.name for each in asked.tools} == set(TOOLS)
    assert not asked.side


@pytest.mark.parametrize("name", NAMES)
def test_usage_is_as_scripted_and_estimated_where_it_is_not(name):
    wire, asked = wires[name], asked_by(name, [("user", "Hi")], stream=False)
    usage = Spent(input_tokens=1234, cached_input_tokens=0, output_tokens=77)
    raw = b"".join(wire.answer(Reply(text="x", usage=usage), asked)).decode()
    assert "1234" in raw
    assert "77" in raw
    guessed = b"".join(wire.answer(Reply(text="x" * 40), asked)).decode()
    assert str(-(-asked.size // 4)) in guessed


@pytest.mark.parametrize("name", NAMES)
def test_the_same_request_is_answered_with_the_same_bytes(name):
    one, two = (asked_by(name, [("user", "Hi")]) for _ in range(2))
    reply = Reply(calls=(("Read", {"file_path": "a"}),))
    assert wires[name].answer(reply, one) == wires[name].answer(reply, two)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 418, 429, 500, 503, 529])
@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_is_json_that_says_why(name, status):
    got, headers, body = wires[name].refuse(status, "no “way”", "7")
    assert got == status
    assert headers == {"retry-after": "7"}
    assert json.loads(body)["error"]["message"] == "no “way”"


@pytest.mark.parametrize("name", NAMES)
def test_every_stop_reason_can_be_said(name):
    asked = asked_by(name, [("user", "Hi")])
    plain = wires[name].answer(Reply(text="x"), asked)
    others = [
        wires[name].answer(Reply(text="x", stop_reason=each), asked)
        for each in ("refusal", "max_tokens")
    ]
    assert len({plain, *others}) == 3


def test_the_events_of_a_messages_stream_come_in_order():
    asked = asked_by("anthropic", [("user", "Hi")])
    raw = b"".join(wires["anthropic"].answer(Reply(text="x", calls=(("Read", {}),)), asked))
    block = ["content_block_start", "content_block_delta", "content_block_stop"]
    expected = ["message_start", *block, *block, "message_delta", "message_stop"]
    assert [each["type"] for each in events(raw)] == expected


def test_two_wires_never_claim_the_same_request():
    for name in NAMES:
        path = path_of(name, True)
        assert [each for each in NAMES if wires[each].claims("POST", path)] == [name]
