"""`key.json`: how the key of an encrypted database is had. It holds no key that could be used."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from memory.storage import wrapping
from memory.storage.failures import NotWritable, StorageError
from memory.storage.places import KEY_FILE_NAME
from memory.storage.whole_files import write_whole
from memory.storage.wrapping import Wrapped

VERSION = 1
_HEX = re.compile(r"[0-9a-f]{16,128}")

Way = Literal["keyring", "passphrase"]


class KeyFileDamaged(StorageError):
    """What tells how the key is had can't be read."""


@dataclass(frozen=True, slots=True)
class Slot:
    """The way to the key of one database.

    Args:
        salt: The first bytes of the database, as hexadecimal: whose key it is.
        wrapped: The key, behind a passphrase; None where the keyring has it.
        check: By which the key is known again.
    """

    salt: str
    wrapped: Wrapped | None
    check: str

    @property
    def way(self) -> Way:
        """Where the key is had from."""
        return "keyring" if self.wrapped is None else "passphrase"


def read_slots(directory: Path) -> tuple[Slot, ...]:
    """The ways that are kept, the newest last; none where there is no file.

    Raises:
        KeyFileDamaged: It can't be read or makes no sense.
    """
    path = directory / KEY_FILE_NAME
    try:
        document = json.loads(path.read_bytes())
        return tuple(_slot(entry) for entry in document["databases"])
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except OSError as error:
        raise _damaged(path, f"can't be read: {error.strerror}") from error
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise _damaged(path, "is damaged") from error


def write_slots(directory: Path, slots: Sequence[Slot]) -> None:
    """Keeps these ways and no others, whole or not at all.

    Raises:
        NotWritable: They could not be kept; those of before are.
    """
    path = directory / KEY_FILE_NAME
    try:
        if slots:
            write_whole(path, _content(slots))
        else:
            path.unlink(missing_ok=True)
    except OSError as error:
        raise _not_written(path, error) from error


def write_first_slot(directory: Path, slot: Slot) -> bool:
    """Keeps a way where none is kept; returns False where another process has been faster.

    Raises:
        NotWritable: It could not be kept.
    """
    path = directory / KEY_FILE_NAME
    try:
        write_whole(path, _content([slot]), instead=False)
    except FileExistsError:
        return False
    except OSError as error:
        raise _not_written(path, error) from error
    return True


def _content(slots: Sequence[Slot]) -> bytes:
    document = {"version": VERSION, "databases": [_document(slot) for slot in slots]}
    return (json.dumps(document, indent=1) + "\n").encode()


def _document(slot: Slot) -> dict[str, object]:
    wrapped = {} if slot.wrapped is None else {"scrypt": wrapping.as_document(slot.wrapped)}
    return {"salt": slot.salt, "opens": slot.way, "check": slot.check, **wrapped}


def _slot(entry: Mapping[str, Any]) -> Slot:
    """A way as it stands in the file.

    Raises:
        ValueError, LookupError, TypeError: It is none.
    """
    wrapped = None
    if entry["opens"] == "passphrase":
        kept = entry["scrypt"]
        cost = kept["n"]
        if not isinstance(cost, int):
            raise TypeError(cost)
        wrapped = Wrapped(cost, _hex(kept["salt"]), _hex(kept["key"]), _hex(kept["seal"]))
    return Slot(_hex(entry["salt"]), wrapped, _hex(entry["check"]))


def _hex(text: str) -> str:
    if not _HEX.fullmatch(text):
        raise ValueError("not hexadecimal")
    return text


def _not_written(path: Path, error: OSError) -> NotWritable:
    return NotWritable(
        f"{path} can't be written: {error.strerror}.", "Check the folder's permissions."
    )


def _damaged(path: Path, how: str) -> KeyFileDamaged:
    return KeyFileDamaged(
        f"{path} {how}, and it holds the way to the key of the database.",
        "Nothing was changed. Restore a copy of it.",
    )
