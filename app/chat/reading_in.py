"""Reads a file that the user names into a text (CHAT-6)."""

import stat
from dataclasses import dataclass
from pathlib import Path

from app.tools.texts import SAMPLE, encoding_of, kind_of
from memory.errors import StrataError

MOST_BYTES = 20_000_000
"""Bytes of a file that is taken in: a book has one million."""


class NotAttached(StrataError):
    """A file that can't be taken in."""


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's name and text."""

    name: str
    text: str


def path_of(text: str) -> Path:
    """The path that is meant: quotation marks around it and `~` are understood."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    return Path(text).expanduser()


def read_file(path: Path) -> FileText:
    """The text of a file.

    Raises:
        NotAttached: It is not there, no plain file, too large, unreadable, or no text.
    """
    name = path.name or str(path)
    try:
        data = _bytes(path)
    except FileNotFoundError as error:
        raise NotAttached(f"There is no file {path}.", "Check the name.") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "bad name"
        raise NotAttached(f"{path} can't be read: {why}.", "Check the file.") from error
    encoding = encoding_of(data[:SAMPLE])
    if encoding is None:
        raise NotAttached(f"{name} is no text but {kind_of(data[:SAMPLE])}.", "Attach a text file.")
    text = data.decode(encoding, "replace").replace("\r\n", "\n").replace("\0", "\ufffd")
    if not text.strip():
        raise NotAttached(f"{name} is empty.", "There is nothing to attach.")
    return FileText(name, text)


def _bytes(path: Path) -> bytes:
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise NotAttached(f"{path} is a folder.", "Name a file in it.")
    if not stat.S_ISREG(found.st_mode):
        raise NotAttached(f"{path} is no plain file.", "Name a text file.")
    if found.st_size > MOST_BYTES:
        raise NotAttached(
            f"{path.name} is too large: {found.st_size / 1e6:,.0f} MB.",
            f"Up to {MOST_BYTES / 1e6:,.0f} MB can be taken in; make a file of what matters.",
        )
    with path.open("rb") as file:
        return file.read(MOST_BYTES)
