"""Encrypts a data directory, changes its key, decrypts it, with what the user has to say to it."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from app.encryption import keyring, passphrases
from app.encryption.opening import KEYRING, unlock_by
from app.encryption.passphrases import NEW_VARIABLE, VARIABLE
from memory.errors import StrataError
from memory.storage import keys, sealing
from memory.storage.database import Database
from memory.storage.failures import NotEncrypted, StorageError
from memory.storage.header import PLAIN, beginning, is_encrypted
from memory.storage.keys import Fresh, Key, Lock
from memory.storage.places import FILE_NAME
from widgets.plain import printable


def confirmed(question: str, *, yes: bool) -> bool:
    """Whether the user wants it.

    Raises:
        StrataError: Nobody can be asked.
    """
    if yes:
        return True
    if not passphrases.can_ask():
        raise StrataError(f"{question} Nobody can be asked.", "Say --yes to do it.")
    return input(printable(f"{question} [y/N] ")).strip().lower() in ("y", "yes")


def refuse_encrypted(directory: Path) -> None:
    """Refuses to encrypt what is encrypted.

    Raises:
        StrataError: It is.
    """
    if is_encrypted(directory):
        raise StrataError(
            f"{directory} is encrypted already.", "`strata key change` gives it another key."
        )


def what_goes(directory: Path) -> str:
    """What encrypting removes, in words; empty where there is nothing."""
    names = [path.relative_to(directory).as_posix() for path in sealing.readable_files(directory)]
    told = {"vault": "the vault (readable copies of the sessions)", "index": "the search index"}
    return ", ".join(told.get(name, name) for name in names)


def plain_copies(directory: Path) -> list[Path]:
    """Databases that somebody has put beside the one that is in use, and that anybody can read."""
    found = []
    for path in sorted(directory.glob("*")):
        # What can't be read by the user is not for anybody to read.
        with suppress(OSError):
            if path.name != FILE_NAME and path.is_file() and _begins(path) == PLAIN:
                found.append(path)
    return found


def _begins(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(len(PLAIN))


async def bring_up_to_date(directory: Path) -> None:
    """Makes a database where there is none, and migrates one of an older Strata.

    Raises:
        StorageError: It can't be opened.
    """
    await (await Database.open(directory)).close()


def opened_lock(directory: Path) -> Lock:
    """Opens a data directory by the key it has; returns where that is had from.

    Raises:
        NotEncrypted: It has none.
        StrataError: The key is not there, or another one.
    """
    lock = keys.lock_of(directory)
    if lock is None:
        raise NotEncrypted(f"{directory} is not encrypted.", "`strata key encrypt` does it.")
    unlock_by(directory, lock)
    return lock


def encrypt(directory: Path, way: str) -> None:
    """Encrypts a plain data directory.

    Raises:
        StrataError: It was left as it was.
    """
    if way == KEYRING:
        new = keys.fresh(Key.random())
        _with_keyring(directory, new, lambda: sealing.encrypt(directory, new))
    else:
        passphrase = passphrases.new_passphrase(VARIABLE)
        sealing.encrypt(directory, keys.fresh(Key.passphrase(passphrase)))


def change(directory: Path, before: Lock, way: str, *, new_key: bool) -> bool:
    """Changes the key of an opened data directory, or the way to it.

    Args:
        directory: The data directory.
        before: Where its key is had from.
        way: Where the new one is to be had from.
        new_key: Whether the database is to be written anew under another one. From keyring to
            keyring nothing else would change anything.

    Returns:
        Whether the database was written anew.

    Raises:
        StrataError: It was left as it was.
    """
    anew = new_key or way == before.way == KEYRING
    data = None if anew else keys.given_key(directory)
    put = sealing.renew if anew else sealing.rewrap
    if way == KEYRING:
        key = Key.random() if data is None else Key(secret=data.secret)
        new = keys.fresh(key, data)
        _with_keyring(directory, new, lambda: put(directory, new))
    else:
        passphrase = passphrases.new_passphrase(NEW_VARIABLE)
        put(directory, keys.fresh(Key.passphrase(passphrase), data))
    if before.way == KEYRING and (anew or way != KEYRING):
        keyring.drop_key(before.name)
    return anew


def decrypt(directory: Path, before: Lock) -> None:
    """Makes an opened data directory plain.

    Raises:
        StrataError: It was left as it was.
    """
    sealing.decrypt(directory)
    if before.way == KEYRING:
        keyring.drop_key(before.name)


def _with_keyring(directory: Path, new: Fresh, change: Callable[[], None]) -> None:
    """Keeps a key in the keyring, then makes the change that needs it there."""
    keyring.keep_key(new.name, new.data.secret)
    try:
        change()
    except StorageError:
        # Never the key of what is there: without it nobody could read that again.
        if beginning(directory / FILE_NAME) != new.data.salt:
            keyring.drop_key(new.name)
        raise
