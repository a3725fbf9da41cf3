"""Recorded conversations: JSONL of role and content, Strata's export, LoCoMo's format."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.transfer.messages import (
    RecordedMessage,
    UnreadableRecording,
    read_messages,
    whole_document,
)
from memory.parts import Role

SESSION = re.compile(r"session_(\d+)")


@dataclass(frozen=True, slots=True)
class Recording:
    """A conversation of a file."""

    messages: list[RecordedMessage]
    conversation: str | None = None
    """Its name, where the file holds several."""
    conversations: int = 1
    """How many there are in the file."""

    def note(self, asked: str | None) -> str:
        """Says which one was taken, where nobody asked for it; else empty."""
        if asked is not None or self.conversations == 1:
            return ""
        return (
            f"{self.conversation} is the first of {self.conversations:,} conversations. "
            "--conversation ID takes another."
        )

    @property
    def told(self) -> dict[str, Any]:
        """What a report says of it besides its messages."""
        return {"conversation": self.conversation, "conversations": self.conversations}


def read_recording(path: Path, conversation: str | None = None) -> list[RecordedMessage]:
    """The messages of a file in any of the forms.

    Args:
        path: A JSONL, a JSON with `messages`, or a LoCoMo file.
        conversation: Which conversation of a LoCoMo file; its first without it.

    Raises:
        UnreadableRecording: The file can't be read, or is of no such form.
    """
    return recording(path, conversation).messages


def recording(path: Path, conversation: str | None = None) -> Recording:
    """The same, and which conversation of the file it is.

    Raises:
        UnreadableRecording: The file can't be read, or is of no such form.
    """
    text = file_text(path)
    document = whole_document(text)
    if is_locomo(document):
        return _locomo(document, conversation, path)
    return Recording(read_messages(document, text, str(path)))


def file_text(path: Path) -> str:
    """The text of a file.

    Raises:
        UnreadableRecording: It can't be read, or is no text.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise UnreadableRecording(
            f"{path} can't be read: {error.strerror}.", "Name another file."
        ) from error
    except UnicodeDecodeError as error:
        raise UnreadableRecording(f"{path} is not text in UTF-8 (byte {error.start}).") from error


def is_locomo(document: Any) -> bool:
    """Whether a document has LoCoMo's shape."""
    return (
        isinstance(document, list)
        and bool(document)
        and all(isinstance(entry, dict) and "conversation" in entry for entry in document)
    )


def _locomo(document: Sequence[Mapping[str, Any]], wanted: str | None, path: Path) -> Recording:
    named = {str(entry.get("sample_id")): entry for entry in document}
    if wanted is not None and wanted not in named:
        raise UnreadableRecording(
            f"{path} has no conversation {wanted!r}.", f"It has {', '.join(named)}."
        )
    name = wanted or next(iter(named))
    try:
        turns = list(_locomo_turns(named[name]["conversation"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise UnreadableRecording(
            f"The conversation {name!r} of {path} is not in LoCoMo's format.",
            "It needs speaker_a, and sessions of turns with speaker and text.",
        ) from error
    return Recording(turns, name, len(named))


def _locomo_turns(conversation: Mapping[str, Any]) -> Iterator[RecordedMessage]:
    user = conversation["speaker_a"]
    for key in session_keys(conversation):
        for turn in conversation[key]:
            role: Role = "user" if turn["speaker"] == user else "assistant"
            yield RecordedMessage(role, f"{turn['speaker']}: {turn['text']}")


def session_keys(conversation: Mapping[str, Any]) -> list[str]:
    """The keys of a LoCoMo conversation's sessions, in their order."""
    found = ((int(match[1]), key) for key in conversation if (match := SESSION.fullmatch(key)))
    return [key for _, key in sorted(found)]
