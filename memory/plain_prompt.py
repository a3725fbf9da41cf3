"""A prompt as plain text, for base models: what they read they continue (PROMPT-6). Pure."""

import json
import re
from collections.abc import Mapping, Sequence

from memory.pieces import ChatMessage, Piece
from memory.rendering import render

FRAMING = (
    "This is a conversation between User and Assistant. "
    "Assistant answers what User said last, truthfully and to the point."
)
LABELS = {"user": "User", "assistant": "Assistant", "system": "System", "tool": "Tool"}
OPENING = "Assistant:"
"""Ends the text: the model goes on from here."""

TURN_STOPS = ("\nUser:", "\nAssistant:", "\nSystem:", "\nTool:")
"""Where the model would go on with the next turn itself; OpenAI takes four at most."""
TASK_STOPS = ("\n\n", "\nSUMMARY:", "\nUser:", "\nuser:")
"""The same after a task, whose answer is one paragraph."""
TASK_ENDS = ":\n"
"""A request that ends so is plain text already."""

_LABEL = re.compile(r"\n(?=(?:User|Assistant|System|Tool):)")


def plain_text(pieces: Sequence[Piece], texts: Mapping[str, str], draft: str = "") -> str:
    """The text that a base model is to continue: the same pieces in the same order.

    Args:
        pieces: The pieces of a prompt, in their order.
        texts: Texts by body id: tool calls.
        draft: A user message that follows them; empty for none.
    """
    before = ("system", "lead")
    opening = [
        # A summary quotes others; the system prompt is the user's own.
        _nobody_speaks(piece.text) if piece.place == "lead" else piece.text
        for piece in pieces
        if piece.place in before and piece.text
    ]
    turns = [piece for piece in pieces if piece.place not in before]
    return _joined([*opening, FRAMING], render(turns, texts, draft))


def plain_messages(messages: Sequence[ChatMessage]) -> str:
    """Messages as the text that a base model is to continue; one that is a task stays as it is."""
    if len(messages) == 1 and str(messages[0]["content"]).endswith(TASK_ENDS):
        return str(messages[0]["content"])
    system = [str(m["content"]) for m in messages if m["role"] == "system"]
    return _joined(system, [m for m in messages if m["role"] != "system"])


def _joined(opening: Sequence[str], turns: Sequence[ChatMessage]) -> str:
    return "\n\n".join([*opening, *map(_turn, turns), OPENING])


def _turn(message: ChatMessage) -> str:
    text = str(message.get("content") or "").strip()
    calls = [call["function"] for call in message.get("tool_calls", ())]
    called = [f"[calls {call['name']}({_arguments(call)})]" for call in calls]
    inside = "\n".join(filter(None, [text, *called]))
    return f"{LABELS.get(message['role'], 'System')}: {_nobody_speaks(inside)}".rstrip()


def _nobody_speaks(text: str) -> str:
    """A text that would begin a turn itself, and so speak for somebody else, without doing so."""
    return _LABEL.sub("\n ", text)


def _arguments(call: Mapping[str, object]) -> str:
    arguments = call.get("arguments", "")
    return arguments if isinstance(arguments, str) else json.dumps(arguments)
