"""Messages of role and content, as a JSONL or a JSON holds them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from app.transfer.fields import moment
from memory.answer import NewMessage
from memory.errors import StrataError
from memory.parts import Role

ROLES = ("system", "user", "assistant", "tool")


class UnreadableRecording(StrataError):
    """A file is no recorded conversation; names the place."""


@dataclass(frozen=True, slots=True)
class RecordedMessage:
    """A message of a recorded conversation."""

    role: Role
    content: str
    tool_calls: Sequence[Mapping[str, Any]] = ()
    tool_call_id: str | None = None
    at: str | None = None
    """When it was said, where the recording tells."""

    def imported(self) -> NewMessage:
        """The message as memory takes it in."""
        return NewMessage(
            self.role,
            self.content,
            "import",
            tool_calls=self.tool_calls,
            tool_call_id=self.tool_call_id,
            said_at=self.at,
        )


def read_messages(document: Any, text: str, name: str) -> list[RecordedMessage]:
    """The messages of a JSON list, of a JSON with `messages`, or of a JSONL.

    Args:
        document: The text as one JSON document; None where it is none.
        text: The text.
        name: What its file is called, for messages.

    Raises:
        UnreadableRecording: Something in it is no message; the place is named.
    """
    listed = document.get("messages") if isinstance(document, dict) else document
    if isinstance(listed, list):
        return [
            _message(entry, f"message {place} of {name}")
            for place, entry in enumerate(listed, start=1)
        ]
    return read_jsonl(text, name)


def read_jsonl(text: str, name: str) -> list[RecordedMessage]:
    """The messages of a JSONL, one object of role and content a line.

    Raises:
        UnreadableRecording: A line is not such an object; the line is named.
    """
    messages = []
    # Not splitlines: JSON strings may hold line separators of Unicode.
    for place, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        where = f"line {place} of {name}"
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UnreadableRecording(
                f"{where.capitalize()} is not JSON.", "Nothing was read of it."
            ) from error
        messages.append(_message(entry, where))
    return messages


def whole_document(text: str) -> Any:
    """The text as one JSON document, or None where it is something else."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _message(entry: Any, where: str) -> RecordedMessage:
    if not isinstance(entry, dict) or entry.get("role") not in ROLES:
        raise UnreadableRecording(
            f"{where.capitalize()} is not a message.",
            f"It must be an object with a role ({', '.join(ROLES)}) and a content.",
        )
    calls = entry.get("tool_calls") or ()
    if not isinstance(calls, list | tuple) or not all(isinstance(call, dict) for call in calls):
        raise UnreadableRecording(f"The tool_calls in {where} are not a list of objects.")
    answers = entry.get("tool_call_id")
    return RecordedMessage(
        role=cast(Role, entry["role"]),
        content=_text(entry.get("content"), where),
        tool_calls=tuple(calls),
        tool_call_id=None if answers is None else str(answers),
        at=moment(entry.get("at")),
    )


def _text(content: Any, where: str) -> str:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        # OpenAI's content parts: what is no text has no place in a transcript.
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    raise UnreadableRecording(f"The content in {where} is neither text nor a list of parts.")
