"""Reads a file that the user names into a text (CHAT-6)."""

import os
import re
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.schema import ToolsSettings
from app.tools.texts import SAMPLE, encoding_of, kind_of
from app.tools.workspace import NoWorkspace, workspace_of
from memory.errors import StrataError

MOST_BYTES = 20_000_000
"""Bytes of a file that is taken in: a book has one million."""


_FILE_NAME = re.compile(r"(?!\w+://)\S*(?:/\S+|[^\s./]\.[A-Za-z]\w{0,9})")


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


def find_file(text: str, settings: ToolsSettings) -> Path:
    """The file that is meant, in the working directory or else in the workspace.

    Raises:
        NotAttached: It is in neither.
    """
    try:
        path = path_of(text)
        if path.is_absolute():
            return path
        folders = _looked_in(settings)
        found = next((folder / path for folder in folders if (folder / path).exists()), None)
    except (OSError, ValueError, RuntimeError) as error:
        raise NotAttached("That can't be the path of a file.", "Check the name.") from error
    if found is None:
        where = " nor in ".join(map(str, folders)) or "the working directory, which is gone"
        raise NotAttached(f"There is no file {path} in {where}.", "Check the name.")
    return found


def names_file(text: str) -> bool:
    """Whether a text looks like the name of a file, such as `notes.txt` or `docs/notes`."""
    return _FILE_NAME.fullmatch(text.strip().strip("\"'")) is not None


def _looked_in(settings: ToolsSettings) -> list[Path]:
    """The folders in which a file is looked for, each once."""
    folders: list[Path] = []
    # One of them may be there where the other is gone.
    with suppress(OSError):
        folders.append(Path.cwd())
    with suppress(NoWorkspace):
        folders.append(workspace_of(settings).root)
    return list({os.path.realpath(folder): folder for folder in folders}.values())


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
