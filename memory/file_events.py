"""Memory files as they stand in the prompt: which, from where, how much of each (PROMPT-2)."""

from dataclasses import dataclass
from typing import ClassVar

from memory.events import Event


@dataclass(frozen=True, slots=True)
class FileRef:
    """A memory file by reference."""

    path: str
    body: str | None = None
    """The text that stands in the prompt; None where nothing of it does."""
    chars: int = 0
    """Characters of that text."""
    size: int = 0
    """Bytes of the file."""
    cut: bool = False
    """Whether only its beginning stands in the prompt."""
    changed: str | None = None
    """When it had been written last as it was read (UTC); None where nobody knows."""
    note: str = ""
    """What the user should know of it: what was cut, or why nothing is shown."""
    redacted: int = 0
    """Secrets that were replaced in it."""


@dataclass(frozen=True, slots=True)
class MemoryFilesRead(Event):
    """From here on these memory files stand in every prompt."""

    KIND: ClassVar[str] = "memory_files"
    files: tuple[FileRef, ...] = ()
    """In the order in which they were looked for; those of which nothing can be shown as well."""


FILE_EVENTS: tuple[type[Event], ...] = (MemoryFilesRead,)
