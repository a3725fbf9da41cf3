"""Opens what stands at a place, one folder after the other, and never through a link.

A place was looked up without links in it. If one stands there when it is opened, somebody put it
there meanwhile: it is refused, not followed.
"""

import os
import stat
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import Literal, Protocol, Self

from app.tools.handle_path import path_of
from app.tools.troubles import (
    FileTrouble,
    NotAFolder,
    gone,
    link_trouble,
    special_trouble,
    trouble_of,
)
from app.tools.workspace import Place, shown

Kind = Literal["file", "folder", "link", "special"]
_Scan = AbstractContextManager[Iterable["os.DirEntry[str]"]]

_REPARSE_POINT = 0x400
_SAFE = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOINHERIT", 0)
_AS_FOLDER = os.O_RDONLY | _SAFE | getattr(os, "O_DIRECTORY", 0)
_AS_FILE = (
    os.O_RDONLY
    | _SAFE
    | getattr(os, "O_NONBLOCK", 0)  # a pipe without a writer opens at once
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)


@dataclass(frozen=True, slots=True)
class Entry:
    """Something that stands in a folder."""

    name: str
    kind: Kind


class Folder(Protocol):
    """An open folder below the workspace: what it holds is reached by name."""

    def __enter__(self) -> Self: ...
    def __exit__(self, *_: object) -> None: ...

    def entries(self) -> list[Entry]:
        """What it holds, by name.

        Raises:
            FileTrouble: It can't be listed.
        """
        ...

    def size(self, name: str) -> int:
        """Bytes of a file in it; 0 where that can't be told."""
        ...

    def enter(self, name: str) -> "Folder":
        """Opens a folder in it.

        Raises:
            FileTrouble: It is missing, a link, no folder, or not to be read.
        """
        ...

    def open(self, name: str) -> FileIO:
        """Opens an ordinary file in it.

        Raises:
            FileTrouble: It is missing, a link, no ordinary file, or not to be read.
        """
        ...


def open_root(place: Place) -> Folder:
    """The folder of the place's workspace.

    Raises:
        WorkspaceGone: It is no longer there.
    """
    if not place.handles:
        if not place.root.is_dir():
            raise gone(place.root)
        return _ByPath(place.root, "")
    try:
        return _ByHandle(os.open(place.root, _AS_FOLDER), "")
    except OSError as error:
        raise gone(place.root) from error


def open_folder(place: Place) -> Folder:
    """The folder that stands at a place.

    Raises:
        FileTrouble: It is missing, no folder, not to be read, or a link by now.
    """
    with ExitStack() as passed:
        folder = open_root(place)
        for name in place.parts:
            passed.enter_context(folder)
            folder = folder.enter(name)
    return folder


def open_file(place: Place) -> FileIO:
    """The ordinary file that stands at a place.

    Raises:
        FileTrouble: It is missing, no ordinary file, not to be read, or a link by now.
    """
    if not place.parts:
        raise special_trouble(stat.S_IFDIR, "The workspace") or FileTrouble("No file.")
    with ExitStack() as passed:
        folder = passed.enter_context(open_root(place))
        for name in place.parts[:-1]:
            folder = passed.enter_context(folder.enter(name))
        return folder.open(place.parts[-1])


class _ByHandle:
    """A folder by its handle: whatever its path comes to mean, it stays the same folder."""

    def __init__(self, handle: int, inside: str) -> None:
        self._handle = handle
        self._inside = inside

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def entries(self) -> list[Entry]:
        return _entries(lambda: os.scandir(self._handle), self._inside)

    def size(self, name: str) -> int:
        return _size(lambda: self._stat(name))

    def enter(self, name: str) -> "Folder":
        inside = f"{self._inside}{shown(name)}"
        try:
            handle = os.open(name, _AS_FOLDER, dir_fd=self._handle)
        except NotADirectoryError as error:
            raise self._no_folder(name, inside) from error
        except OSError as error:
            raise self._refusal(error, name, inside) from error
        return _ByHandle(handle, inside + "/")

    def open(self, name: str) -> FileIO:
        inside = f"{self._inside}{shown(name)}"
        try:
            # Asked before opening as well: opening some devices does something.
            if trouble := special_trouble(self._stat(name).st_mode, inside):
                raise trouble
            handle = os.open(name, _AS_FILE, dir_fd=self._handle)
        except OSError as error:
            raise self._refusal(error, name, inside) from error
        return _ordinary(handle, inside)

    def _stat(self, name: str) -> os.stat_result:
        return os.stat(name, dir_fd=self._handle, follow_symlinks=False)

    def _no_folder(self, name: str, inside: str) -> FileTrouble:
        try:
            is_link = stat.S_ISLNK(self._stat(name).st_mode)
        except OSError:
            is_link = True
        return link_trouble(inside) if is_link else _not_a_folder(inside)

    def _refusal(self, error: OSError, name: str, inside: str) -> FileTrouble:
        try:
            is_link = stat.S_ISLNK(self._stat(name).st_mode)
        except OSError:
            is_link = False
        return link_trouble(inside) if is_link else trouble_of(error, inside)


class _ByPath:
    """A folder by its path, where systems have no handles of folders: Windows.

    What was opened is asked for its own path afterwards. A folder that is swapped for a link while
    it is listed, and back at once, may show names from behind the link.
    """

    def __init__(self, path: Path, inside: str) -> None:
        self._path = path
        self._inside = inside

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return

    def entries(self) -> list[Entry]:
        found = _entries(lambda: os.scandir(self._path), self._inside)
        self._same(self._path, self._inside or "The workspace")
        return found

    def size(self, name: str) -> int:
        return _size(lambda: os.lstat(self._path / name))

    def enter(self, name: str) -> "Folder":
        path, inside = self._path / name, f"{self._inside}{shown(name)}"
        try:
            mode = os.lstat(path).st_mode
        except OSError as error:
            raise trouble_of(error, inside) from error
        self._same(path, inside)
        if not stat.S_ISDIR(mode):
            raise _not_a_folder(inside)
        return _ByPath(path, inside + "/")

    def open(self, name: str) -> FileIO:
        path, inside = self._path / name, f"{self._inside}{shown(name)}"
        try:
            if trouble := special_trouble(os.lstat(path).st_mode, inside):
                raise trouble
            opened = _ordinary(os.open(path, _AS_FILE), inside)
        except OSError as error:
            raise trouble_of(error, inside) from error
        try:
            real = path_of(opened.fileno())
        except OSError as error:
            opened.close()
            raise trouble_of(error, inside) from error
        if os.path.normcase(real) != os.path.normcase(path):
            opened.close()
            raise link_trouble(inside)
        return opened

    def _same(self, path: Path, inside: str) -> None:
        """Raises where a path leads elsewhere than it says."""
        try:
            real = os.path.realpath(path)
        except OSError as error:
            raise link_trouble(inside) from error
        if os.path.normcase(real) != os.path.normcase(path):
            raise link_trouble(inside)


def _ordinary(handle: int, inside: str) -> FileIO:
    """The open file, if it is an ordinary one; else it is closed."""
    trouble = special_trouble(os.fstat(handle).st_mode, inside)
    if trouble is None:
        return FileIO(handle, "rb")
    os.close(handle)
    raise trouble


def _entries(scan: Callable[[], _Scan], inside: str) -> list[Entry]:
    try:
        with scan() as found:
            entries = [Entry(entry.name, _kind(entry)) for entry in found]
    except OSError as error:
        raise trouble_of(error, inside or "The workspace") from error
    return sorted(entries, key=lambda entry: (entry.name.casefold(), entry.name))


def _kind(entry: "os.DirEntry[str]") -> Kind:
    try:
        if entry.is_symlink() or _is_junction(entry):
            return "link"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if entry.is_file(follow_symlinks=False) else "special"
    except OSError:
        return "special"


def _is_junction(entry: "os.DirEntry[str]") -> bool:
    """Whether it is one of Windows' other kinds of links."""
    if os.name != "nt":
        return False
    attributes = getattr(entry.stat(follow_symlinks=False), "st_file_attributes", 0)
    return bool(attributes & _REPARSE_POINT)


def _size(look: Callable[[], os.stat_result]) -> int:
    try:
        return look().st_size
    except OSError:
        return 0


def _not_a_folder(inside: str) -> NotAFolder:
    return NotAFolder(f"{inside} is a file, not a folder.", "Read it with read_file.")
