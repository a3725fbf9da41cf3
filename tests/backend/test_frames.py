"""ALL-2, ALL-8: only whole, checked frames pass between the screen and the backend."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.backend import frames
from app.backend.errors import ModelFailure, ProtocolError
from app.backend.frames import encode_frame, parse_body, parse_length
from app.backend.protocol import (
    Attempt,
    CompletionRequest,
    Delta,
    Finished,
    Reading,
    Retrying,
    StreamEvent,
    ToolCall,
    Usage,
    event_from_json,
    event_to_json,
)

EVENTS: list[StreamEvent] = [
    Attempt(1, "light"),
    Retrying(1, 0.5, "It is overloaded."),
    Reading(32, 64),
    Delta("text", "reasoning"),
    ToolCall("call_1", "read_file", '{"path": "a"}'),
    Finished("stop", Usage(1, 2, 3, 0.5), "light", ({"type": "thinking"},), {"total": 1.0}),
]

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc"), inner),
)


def decode(frame: bytes) -> dict[str, object]:
    line, rest = frame.split(b"\n", 1)
    assert len(rest) == parse_length(line + b"\n") + 1
    return parse_body(rest)


@settings(max_examples=40)
@given(st.dictionaries(st.text("abc"), JSON))
def test_a_message_comes_out_as_it_went_in(message: dict[str, object]) -> None:
    """ALL-8: whatever the text, one message is one frame."""
    assert decode(encode_frame(message)) == message


def test_a_lone_surrogate_does_not_break_the_frame() -> None:
    """ALL-8: text that is no Unicode is sent as a question mark."""
    assert decode(encode_frame({"text": "a\ud800b"})) == {"text": "a?b"}


@pytest.mark.parametrize("line", [b"\n", b"-1\n", b"12a\n", b"99999999999\n", b"hello world\n"])
def test_a_line_that_is_no_length_is_refused(line: bytes) -> None:
    """ALL-2: a stray print is never taken for data."""
    with pytest.raises(ProtocolError):
        parse_length(line)


@pytest.mark.parametrize("body", [b"{}", b"[]\n", b"{\n", b"\xff\n"])
def test_a_body_that_is_no_object_is_refused(body: bytes) -> None:
    """ALL-2: what cannot be read is refused."""
    with pytest.raises(ProtocolError):
        parse_body(body)


def test_a_message_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """ALL-2: the limit is told in plain words."""
    monkeypatch.setattr(frames, "MAX_FRAME_BYTES", 2**20)
    with pytest.raises(ProtocolError, match="larger than 1 MB"):
        encode_frame({"text": "a" * 2**20})


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_survives_the_way(event: StreamEvent) -> None:
    """CHAT-2: events mean the same on both sides."""
    assert event_from_json(decode(encode_frame({"id": 3, **event_to_json(event)}))) == event


@pytest.mark.parametrize("data", [{}, {"event": "done"}, {"event": "x", "data": {}}])
def test_an_unknown_event_is_refused(data: dict[str, object]) -> None:
    """ALL-2: an event that is not understood is a clear error."""
    with pytest.raises(ProtocolError):
        event_from_json(data)


def test_requests_and_failures_survive_the_way() -> None:
    """ALL-2: the numbers of a refusal reach the screen."""
    request = CompletionRequest("light", [{"role": "user", "content": "hi"}], stop=["a"])
    assert CompletionRequest.from_json(decode(encode_frame(request.to_json()))) == request
    failure = ModelFailure("No.", "Go.", kind="too_large", limit_tokens=8, sent_tokens=9)
    copy = ModelFailure.from_json(decode(encode_frame({"id": 1, **failure.to_json()})))
    assert (str(copy), copy.kind, copy.limit_tokens, copy.sent_tokens) == (
        "No. Go.",
        "too_large",
        8,
        9,
    )


def test_requests_are_immutable() -> None:
    """CHAT-2: a request can be kept and sent again as it was."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        CompletionRequest("light", []).model = "x"  # type: ignore[misc]
