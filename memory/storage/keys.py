"""Which key opens which data directory, and which of them this process was given.

A key is given once for a directory and used by every connection from then on. So it stands in no
argument on the way, and in no traceback.
"""

import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from memory import telemetry
from memory.storage import wrapping
from memory.storage.drivers import KEY_BYTES, DataKey
from memory.storage.failures import DatabaseDamaged, Locked, NotEncrypted, WrongKey
from memory.storage.header import PLAIN, SALT_BYTES, beginning, seems_encrypted
from memory.storage.key_file import KeyFileDamaged, Slot, Way, read_slots, write_first_slot
from memory.storage.places import FILE_NAME, KEY_FILE_NAME

_given: dict[str, DataKey] = {}


@dataclass(frozen=True, slots=True)
class Key:
    """What opens an encrypted data directory: a passphrase, or 32 bytes kept elsewhere.

    Made by `Key.passphrase` and `Key.random`, or from bytes that were kept.
    """

    text: str | None = field(default=None, repr=False)
    secret: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if (self.text is None) == (self.secret is None):
            raise ValueError("a key is a passphrase or bytes")
        if self.secret is not None and len(self.secret) != KEY_BYTES:
            raise ValueError(f"a key has {KEY_BYTES} bytes")

    @classmethod
    def passphrase(cls, text: str) -> "Key":
        """What a person knows by heart."""
        return cls(text=text)

    @classmethod
    def random(cls) -> "Key":
        """A new one, to be kept where only its owner finds it."""
        return cls(secret=secrets.token_bytes(KEY_BYTES))


@dataclass(frozen=True, slots=True)
class Lock:
    """What a data directory waits for.

    Args:
        way: Where its key is had from.
        name: What the key is called in the keyring.
        known: Whether `key.json` says so; without it the keyring is worth a try.
    """

    way: Way
    name: str
    known: bool = True


def lock_of(directory: Path) -> Lock | None:
    """What a data directory waits for; None where it is plain, new, or its key was given.

    Raises:
        DatabaseDamaged: It is encrypted, but not by the key that `key.json` leads to.
    """
    header = beginning(directory / FILE_NAME)
    if header == PLAIN or _key_given(directory, header):
        return None
    try:
        slot = _slot_for(directory, header)
    except KeyFileDamaged:
        slot = None
        if not header:
            raise
    if slot is None:
        return Lock("keyring", name_in_keyring(header), known=False) if header else None
    return Lock(slot.way, name_in_keyring(bytes.fromhex(slot.salt)))


def name_in_keyring(salt: bytes) -> str:
    """What the key of the database that begins so is called in the keyring."""
    return f"database-{salt.hex()}"


def unlock(directory: Path, key: Key) -> None:
    """Gives the key of a data directory; every connection of this process uses it from now on.

    Waits for a third of a second where it is a passphrase.

    Raises:
        WrongKey: It is another one.
        NotEncrypted: The directory is plain.
        KeyFileDamaged, DatabaseDamaged: Nobody can tell.
    """
    with telemetry.span("memory.unlock"):
        _unlock(directory, key)


def _unlock(directory: Path, key: Key) -> None:
    header = beginning(directory / FILE_NAME)
    if header == PLAIN:
        raise NotEncrypted(
            f"{directory} is not encrypted, but a key was given.", "`strata key encrypt` does it."
        )
    slot = _slot_for(directory, header)
    if slot is not None:
        give(directory, DataKey(opened(directory, slot, key), bytes.fromhex(slot.salt)))
    elif not header:
        if not begin(directory, fresh(key)):
            _unlock(directory, key)
    elif key.secret is not None:
        give(directory, DataKey(key.secret, header))
    else:
        raise _without_key_file(directory)


@dataclass(frozen=True, slots=True)
class Fresh:
    """A database's key that is new, and the new way to it."""

    data: DataKey
    slot: Slot

    @property
    def name(self) -> str:
        """What it is called in the keyring."""
        return name_in_keyring(self.data.salt)


def fresh(key: Key, data: DataKey | None = None) -> Fresh:
    """A way to a database's key; waits for a third of a second where it is a passphrase.

    Args:
        key: What is to open it.
        data: The key; a new one, for a database that is to be written, without it.
    """
    if data is None:
        secret = key.secret or secrets.token_bytes(KEY_BYTES)
        data = DataKey(secret, os.urandom(SALT_BYTES))
    wrapped = None if key.text is None else wrapping.wrap(data.secret, key.text)
    return Fresh(data, Slot(data.salt.hex(), wrapped, wrapping.check_of(data.secret)))


def begin(directory: Path, new: Fresh) -> bool:
    """Lets a new data directory be encrypted, once its database is made.

    Returns:
        False where another process has let it be encrypted by a key of its own meanwhile.

    Raises:
        NotWritable: `key.json` can't be written.
    """
    begun = write_first_slot(directory, new.slot)
    if begun:
        give(directory, new.data)
    return begun


def given_key(directory: Path) -> DataKey:
    """The key that this process was given for the database.

    Raises:
        Locked: It was not.
    """
    given = _key_given(directory, beginning(directory / FILE_NAME))
    if given is None:
        raise Locked(directory)
    return given


def opened(directory: Path, slot: Slot, key: Key) -> bytes:
    """The database's key.

    Raises:
        WrongKey: What was given does not open it.
        KeyFileDamaged: `key.json` makes no sense.
    """
    try:
        unwrapped = slot.wrapped and key.text and wrapping.unwrap(slot.wrapped, key.text)
    except ValueError as error:
        raise KeyFileDamaged(
            f"{directory / KEY_FILE_NAME} is damaged.", "Restore a copy of it."
        ) from error
    secret = unwrapped or key.secret
    if secret is None or not wrapping.is_key(secret, slot.check):
        what = "This passphrase" if key.text is not None else "The key in the keyring"
        raise WrongKey(f"{what} does not open {directory}.", "Try again with the right one.")
    return secret


def key_for(directory: Path, header: bytes) -> DataKey | None:
    """The key for the database of a directory; None where it is plain.

    Raises:
        Locked: It was not given.
        DatabaseDamaged, KeyFileDamaged: Nobody can tell which one it is.
    """
    if header == PLAIN:
        return None
    given = _key_given(directory, header)
    if given is not None:
        return given
    if _slot_for(directory, header) is None:
        raise _without_key_file(directory)
    raise Locked(directory)


def new_beginning(directory: Path) -> bytes:
    """How a database will begin that is made now.

    Raises:
        Locked: It has to be encrypted, and the key was not given.
    """
    given = _given.get(_name(directory))
    if given is not None:
        return given.salt
    if read_slots(directory):
        raise Locked(directory)
    return PLAIN


def give_up_key(directory: Path) -> None:
    """Has this process know no key of the directory any more."""
    _given.pop(_name(directory), None)


def _key_given(directory: Path, header: bytes) -> DataKey | None:
    given = _given.get(_name(directory))
    # Another process may have encrypted it anew meanwhile.
    return given if given is not None and header in (given.salt, b"") else None


def give(directory: Path, data: DataKey) -> None:
    """Has every connection to the directory use this key from now on."""
    _given[_name(directory)] = data


def _slot_for(directory: Path, header: bytes) -> Slot | None:
    """The way to the key of the database; the newest one where there is no database."""
    slots = read_slots(directory)
    if not header or not seems_encrypted(header):
        return slots[-1] if slots else None
    fitting = [slot for slot in slots if slot.salt == header.hex()]
    if slots and not fitting:
        raise DatabaseDamaged(
            f"{directory / FILE_NAME} is damaged, or {KEY_FILE_NAME} belongs to another one.",
            "Nothing was changed. Restore a copy of both.",
        )
    return fitting[-1] if fitting else None


def _without_key_file(directory: Path) -> DatabaseDamaged:
    return DatabaseDamaged(
        f"{directory / FILE_NAME} is damaged, or encrypted and {KEY_FILE_NAME} is missing.",
        "Nothing was changed. Restore a copy of what is missing, or move it aside to start anew.",
    )


def _name(directory: Path) -> str:
    return os.path.realpath(directory)
