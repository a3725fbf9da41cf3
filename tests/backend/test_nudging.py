"""CHAT-10: small models are reminded, behind a tool's result, that they may answer."""

from app.backend.nudging import NUDGE, nudged

TOOLS = [{"type": "function", "function": {"name": "look"}}]
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "seen"}
ASKED = {"role": "user", "content": "Look."}


def test_the_last_result_ends_in_the_reminder() -> None:
    """Only the last: the next request begins with what the model has read."""
    assert nudged([ASKED, RESULT, RESULT], TOOLS) == [
        ASKED,
        RESULT,
        {**RESULT, "content": f"seen{NUDGE}"},
    ]
    assert RESULT["content"] == "seen"


def test_nothing_else_is_changed() -> None:
    """A question, a request without tools, and nothing at all stay as they are."""
    for messages, tools in (([ASKED], TOOLS), ([ASKED, RESULT], None), ([], TOOLS)):
        assert nudged(messages, tools) == messages
