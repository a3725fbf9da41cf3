"""Finds memory files where they are looked for, and reads them; touches the disk (PROMPT-2).

Nothing here raises for what stands on the disk: what can't be read is a file with a note. All of
it may block for as long as a file system does, so it is called from a thread.
"""

import codecs
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from time import time

from app.schema import ToolsSettings
from app.tools.opening import open_file
from app.tools.texts import SAMPLE, encoding_of, kind_of
from app.tools.troubles import (
    FileNotFound,
    FileTrouble,
    IsAFolder,
    NotAFile,
    NotReadable,
    OutsideWorkspace,
)
from app.tools.workspace import NoWorkspace, Place, Workspace, shown, workspace_of
from memory.clock import format_time
from memory.files import FoundFile
from widgets.plain import printable

NAMES = ("AGENT.md", "MEMORY.md", ".agent-context.md")
OWN, EVERYBODYS = "~/.agent", "/etc/agent/global"
"""Names and folders in their order, the working directory before the two (S0)."""
LONGEST_CHARACTER = 4
"""Bytes of a character at most."""
FRESH_S = 2.0
"""A file written so short a time before it was read may be written once more without a trace in
its times; then it is read again. Some file systems note times to two seconds."""
LEGACY = {"cp1252": "Windows-1252", "latin-1": "Latin-1"}
Signature = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Folder:
    """Where memory files may stand.

    Args:
        path: The folder.
        confined: Whether links in it that lead out of it are refused. They are in the working
            directory, which may be somebody else's work: a link there could send any file of the
            user's to a model. In folders that are the user's or the administrator's own, links
            are how files are kept elsewhere, and are followed.
    """

    path: Path
    confined: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """A memory file with what tells it from others."""

    file: FoundFile
    identity: tuple[int, int] | None = None
    """Device and number of what was read."""


@dataclass(slots=True)
class Finder:
    """Looks into one folder again and again; reads only what has changed.

    Args:
        folder: Finds out which; None where there is none.
        chars: Characters of a file that can be used; little more is read.
    """

    folder: Callable[[], Folder | None]
    chars: int
    _known: dict[str, tuple[Signature, Seen]] = field(default_factory=dict)

    def look(self) -> tuple[Seen, ...]:
        """The memory files in the folder, in the order of their names."""
        folder = self.folder()
        return () if folder is None else tuple(self._look_into(folder))

    def _look_into(self, folder: Folder) -> Iterator[Seen]:
        for name in NAMES:
            try:
                signature = _signature(folder.path / name)
            except (FileNotFoundError, NotADirectoryError):
                self._known.pop(name, None)
                continue
            except OSError as error:
                yield _unreadable(folder.path, _reason(error))
                return
            seen = self._read_again(folder, name, signature)
            if seen is not None:
                yield seen

    def _read_again(self, folder: Folder, name: str, signature: Signature) -> Seen | None:
        known = self._known.get(name)
        if known is not None and known[0] == signature:
            return known[1]
        began = time()
        seen = read(folder, name, self.chars)
        self._known.pop(name, None)
        if seen is not None and not _is_fresh(signature, began):
            self._known[name] = signature, seen
        return seen


def finders(settings: ToolsSettings, chars: int) -> tuple[Finder, ...]:
    """Who looks for memory files, in the order of the folders.

    Args:
        settings: Where the workspace is.
        chars: The most characters of one file.
    """
    return (
        Finder(lambda: _workspace(settings), chars),
        Finder(lambda: _at(OWN), chars),
        Finder(lambda: _at(EVERYBODYS), chars),
    )


def together(found: Iterator[Seen]) -> tuple[FoundFile, ...]:
    """All files that were found, each once; another name of the same file is noted."""
    first: dict[tuple[int, int], str] = {}
    files: list[FoundFile] = []
    for seen in found:
        path = seen.file.path
        other = first.setdefault(seen.identity, path) if seen.identity else path
        if other == path and all(file.path != path for file in files):
            files.append(seen.file)
        elif other != path:
            files.append(FoundFile(path, note=f"is the same file as {other}"))
    return tuple(files)


def read(folder: Folder, name: str, chars: int) -> Seen | None:
    """A file of a folder, or what is wrong with it; None where it has gone meanwhile.

    Args:
        folder: The folder.
        name: The file's name in it.
        chars: Characters that can be used; the beginning of a longer file is read.
    """
    path = folder.path / name
    try:
        place = _place(folder, path)
        with open_file(place) as file:
            return _taken(file, FoundFile(shown(str(path)), inside=_inside(folder, name)), chars)
    except FileNotFound:
        is_link = os.path.islink(path)  # noqa: PTH114 - pathlib raises where nobody may look
        return _unreadable(path, "is a link that leads nowhere") if is_link else None
    except FileTrouble as trouble:
        return _unreadable(path, _note(trouble))
    except OSError as error:
        return _unreadable(path, _reason(error))


def _place(folder: Folder, path: Path) -> Place:
    if folder.confined:
        return Workspace.at(folder.path).place(path.name)
    real = Path(os.path.realpath(path))
    return Workspace.at(real.parent).place(real.name)


def _inside(folder: Folder, name: str) -> str:
    """The path for the tool `read_file`, which reads in the workspace only."""
    return name if folder.confined else ""


def _taken(file: FileIO, found: FoundFile, chars: int) -> Seen:
    status = os.fstat(file.fileno())
    data = _beginning(file, chars * LONGEST_CHARACTER + SAMPLE)
    whole = not file.read(1)
    identity = (status.st_dev, status.st_ino)
    found = replace(found, size=status.st_size, changed=_written(status.st_mtime), whole=whole)
    sample = data[:SAMPLE]
    encoding = encoding_of(sample)
    if encoding is None:
        kind = kind_of(sample)
        return Seen(replace(found, note=f"is no text but {kind}, and is not read"), identity)
    text = codecs.getincrementaldecoder(encoding)("replace").decode(data, whole)
    note = f"is not UTF-8; it is read as {LEGACY[encoding]}" if encoding in LEGACY else ""
    return Seen(replace(found, text=printable(text), note=note), identity)


def _beginning(file: FileIO, most: int) -> bytes:
    parts: list[bytes] = []
    while most > 0 and (part := file.read(most)):
        parts.append(part)
        most -= len(part)
    return b"".join(parts)


def _signature(path: Path) -> Signature:
    """What changes with what stands at a path: with the file, and with a link to it.

    Raises:
        OSError: There is nothing, or nobody may look.
    """
    own = path.lstat()
    parts = [own]
    if stat.S_ISLNK(own.st_mode):
        with suppress(OSError):
            parts.append(path.stat())
    return tuple(
        figure
        for s in parts
        for figure in (s.st_dev, s.st_ino, s.st_mode, s.st_size, s.st_mtime_ns, s.st_ctime_ns)
    )


def _is_fresh(signature: Signature, now: float) -> bool:
    """Whether what stands there was written only just now."""
    newest = max(signature[4], signature[5], *signature[10:12])
    return newest / 1e9 > now - FRESH_S


def _workspace(settings: ToolsSettings) -> Folder | None:
    try:
        return Folder(workspace_of(settings).root, confined=True)
    except (NoWorkspace, OSError):
        return None


def _at(folder: str) -> Folder | None:
    path = Path(os.path.expanduser(folder))  # noqa: PTH111 - pathlib raises where there is no home
    return Folder(path) if path.is_absolute() else None


def _unreadable(path: Path, note: str) -> Seen:
    return Seen(FoundFile(shown(str(path)), note=note))


def _note(trouble: FileTrouble) -> str:
    """What is wrong with a file, as the end of a sentence that its path begins."""
    match trouble:
        case OutsideWorkspace():
            return "is a link that leads out of its folder, and is not read"
        case IsAFolder():
            return "is a folder, and is not read"
        case NotAFile():
            return "is a device, a pipe or a socket, and is not read"
        case NotReadable():
            return "is there, but the system does not allow reading it"
    return "can't be read"


def _reason(error: OSError) -> str:
    return f"can't be read: {error.strerror or 'the system gives no reason'}"


def _written(seconds: float) -> str | None:
    try:
        return format_time(datetime.fromtimestamp(seconds, UTC))
    except (OSError, OverflowError, ValueError):
        return None
