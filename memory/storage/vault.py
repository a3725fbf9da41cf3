"""Writes the vault's files, each of them whole or not at all. The only place that touches them.

Everything here waits for the disk: it is for a thread, not for the event loop.
"""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path, PurePosixPath

from memory.errors import StrataError
from memory.storage.whole_files import TEMPORARY, write_whole
from memory.vault_names import context_path, session_folder, summaries_folder

FOLDER = "vault"
DAMAGED = ".damaged"


class VaultFailed(StrataError):
    """The files beside the database are not what they should be; the database itself is."""


class Vault:
    """The folder of human-readable files beside the database."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def beside(cls, database: Path) -> "Vault":
        """The vault that belongs to a database file."""
        return cls(database.parent / FOLDER)

    def missing(self, paths: Iterable[str]) -> list[str]:
        """Those of the files that are not there."""
        return [path for path in paths if not _is_there(self._inside(path))]

    def write(self, files: Mapping[str, str | None]) -> list[str]:
        """Brings files up to date; those that are so already are left alone.

        A damaged file is kept aside before another takes its place.

        Args:
            files: What each file is to hold, by its path below the root; None where there is to
                be none.

        Returns:
            What was kept aside, as sentences.

        Raises:
            VaultFailed: A file can't be written; each is the old one or the new one.
        """
        kept: list[str] = []
        for name, text in files.items():
            path = self._inside(name)
            try:
                if text is None:
                    path.unlink(missing_ok=True)
                    continue
                data, old = text.encode("utf-8"), _content(path)
                if data == old:
                    continue
                if old is not None and _is_damaged(path, old):
                    aside = _keep_aside(path)
                    kept.append(f"{path} was damaged. It is kept as {aside.name}.")
                write_whole(path, data)
            except OSError as error:
                raise _failed(path, "written", error) from error
        return kept

    def clean(self, agent: str, session: str) -> None:
        """Removes what a killed process had begun to write for a session."""
        context = self._inside(str(context_path(session)))
        summaries = self._inside(str(summaries_folder(agent, session)))
        with suppress(OSError):  # they only take room, and the next start tries again
            for path in (*_belonging(context), *_children(summaries)):
                if path.name.endswith(TEMPORARY):
                    path.unlink(missing_ok=True)

    def remove(self, agent: str, session: str) -> None:
        """Removes all files of a session.

        Raises:
            VaultFailed: One of them can't be removed.
        """
        context = self._inside(str(context_path(session)))
        folder = self._inside(str(session_folder(agent, session)))
        try:
            for path in list(_belonging(context)):
                path.unlink(missing_ok=True)
            if folder.exists():
                shutil.rmtree(folder)
        except OSError as error:
            raise _failed(Path(error.filename or context), "removed", error) from error
        with suppress(OSError):  # other sessions of the agent have files there
            folder.parent.rmdir()

    def _inside(self, name: str) -> Path:
        """The path of a file of the vault.

        Raises:
            ValueError: It would lie outside; `memory.vault_names` makes no such name.
        """
        parts = PurePosixPath(name).parts
        if not parts or "/" in parts or ".." in parts:
            raise ValueError(f"{name!r} is no place in the vault")
        return self.root.joinpath(*parts)


def _is_there(path: Path) -> bool:
    try:
        return path.exists()
    except OSError:
        return False  # writing it will say what is wrong


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _is_damaged(path: Path, data: bytes) -> bool:
    """Whether a file can't be one that was written here, or by a person."""
    try:
        text = data.decode("utf-8")
        if path.suffix == ".json":
            json.loads(text)
    except (ValueError, RecursionError):
        return True
    return "\0" in text


def _belonging(path: Path) -> Iterator[Path]:
    """A file with what was kept aside of it and what was begun of it."""
    for other in _children(path.parent):
        begun = other.name.startswith(f".{path.name}.") and other.name.endswith(TEMPORARY)
        if other == path or other.name.startswith(f"{path.name}{DAMAGED}") or begun:
            yield other


def _children(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except FileNotFoundError:
        return []


def _keep_aside(path: Path) -> Path:
    names = (f"{path.name}{DAMAGED}{'' if n == 1 else f'-{n}'}" for n in count(1))
    aside = next(free for name in names if not (free := path.with_name(name)).exists())
    os.replace(path, aside)
    return aside


def _failed(path: Path, done: str, error: OSError) -> VaultFailed:
    return VaultFailed(
        f"{path} can't be {done}: {error.strerror or error}.",
        "The conversation itself is safe in the database. Check the folder's room and permissions.",
    )
