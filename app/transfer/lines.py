"""A JSONL of messages as a conversation of its own, known again when it comes once more."""

import json

from app.transfer.files import Part
from app.transfer.messages import RecordedMessage, read_jsonl
from memory.importing import Elsewhere

FORMAT = "jsonl"


def conversation(part: Part) -> Elsewhere:
    """The conversation of a text that holds a line a message.

    Raises:
        UnreadableFile: The text can't be read.
        UnreadableRecording: A line is no message; the line is named.
    """
    title = part.title or part.name
    messages = read_jsonl("".join(part.chunks()), part.name)
    marks = [_mark(message) for message in messages]
    return Elsewhere(
        FORMAT,
        # Files of different folders may bear one name.
        "\n".join([title, *marks[:1]]),
        title,
        [message.imported() for message in messages],
        marks=marks,
        started_at=next((message.at for message in messages if message.at), None),
    )


def _mark(message: RecordedMessage) -> str:
    calls = json.dumps(list(message.tool_calls), sort_keys=True)
    return "\n".join([message.role, message.content, calls, message.tool_call_id or ""])
