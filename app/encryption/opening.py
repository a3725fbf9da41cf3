"""Has the data directory opened for a command: by the keyring, the environment, or a question."""

from pathlib import Path

from app.encryption import keyring, passphrases
from memory.storage import keys
from memory.storage.failures import Locked
from memory.storage.header import is_encrypted, is_there
from memory.storage.keys import Key, Lock

OFF, KEYRING, PASSPHRASE = "off", "keyring", "passphrase"


def unlock(directory: Path, begins: str) -> None:
    """Gives the key of a data directory, where it has one; a new one gets one where that is wanted.

    Args:
        directory: The data directory; need not be there.
        begins: `privacy.encryption`: what a new one begins with.

    Raises:
        StrataError: There is no key, or another one.
    """
    lock = keys.lock_of(directory)
    if lock is not None:
        unlock_by(directory, lock)
    elif begins != OFF and not is_there(directory):
        begin(directory, begins)


def unlock_by(directory: Path, lock: Lock) -> None:
    """Gives the key by the way that leads to it.

    Raises:
        StrataError: There is no key, or another one.
    """
    if lock.way == KEYRING:
        unlock_by_keyring(directory, lock)
        return
    text = passphrases.given_passphrase()
    if text is None:
        if not passphrases.can_ask():
            raise Locked(directory)
        text = passphrases.ask_passphrase()
    keys.unlock(directory, Key.passphrase(text))


def unlock_by_keyring(directory: Path, lock: Lock) -> None:
    """Gives the key that the keyring has.

    Raises:
        KeyringFailed: It has none, or does not answer.
        StorageError: It is another one.
    """
    secret = _of_keyring(lock)
    if secret is not None:
        keys.unlock(directory, Key(secret=secret))


def _of_keyring(lock: Lock) -> bytes | None:
    """The key; None where it was only worth a try: opening the file says what is wrong with it."""
    try:
        secret = keyring.read_key(lock.name)
    except keyring.KeyringFailed:
        if lock.known:
            raise
        return None
    if secret is None and lock.known:
        raise keyring.KeyringFailed(
            "The keyring has no key for the data directory.",
            keyring.RESTORE.format(name=lock.name),
        )
    return secret


def becomes_encrypted(directory: Path, begins: str) -> bool:
    """Whether a data directory is encrypted, or will be once it has a database."""
    return is_encrypted(directory) or (begins != OFF and not is_there(directory))


def begin(directory: Path, begins: str) -> None:
    """Lets a new data directory be encrypted.

    Raises:
        StrataError: There is no passphrase, or the keyring can't be used.
    """
    if begins == KEYRING:
        begin_by_keyring(directory)
    else:
        keys.unlock(directory, Key.passphrase(passphrases.new_passphrase()))


def begin_by_keyring(directory: Path) -> None:
    """Lets a new data directory be encrypted by a key that the keyring keeps.

    Raises:
        KeyringFailed: It does not.
    """
    new = keys.fresh(Key.random())
    keyring.keep_key(new.name, new.data.secret)
    if not keys.begin(directory, new):
        keyring.drop_key(new.name)
        lock = keys.lock_of(directory)
        if lock is not None:
            unlock_by(directory, lock)
