"""Whether the database is encrypted, its key is at hand, and what lies readable beside it."""

from pathlib import Path

from app.doctor.check import Check, ok, problem, unseen
from app.encryption.changing import plain_copies
from app.encryption.opening import unlock_by
from memory.errors import StrataError
from memory.storage import keys, sealing
from memory.storage.failures import Locked
from memory.storage.header import is_encrypted

NOT_GIVEN = (
    "The database is encrypted; without its passphrase nothing in it was looked at.",
    "Run it in a terminal, or give the passphrase in STRATA_PASSPHRASE.",
)


def encryption_checks(directory: Path) -> tuple[list[Check], bool]:
    """What there is to say, and whether the database can be opened; asks for its passphrase.

    Args:
        directory: The data directory; it has a database.
    """
    if not is_encrypted(directory):
        return [], True
    try:
        lock = keys.lock_of(directory)
        if lock is not None:
            unlock_by(directory, lock)
    except Locked:
        return [unseen("encryption", *NOT_GIVEN), *_readable(directory)], False
    except StrataError as error:
        step = error.next_step or "Restore a copy of the data directory."
        return [problem("encryption", error.sentence, step)], False
    if lock is None or not lock.known:
        return [], True  # opening it tells what is wrong, if something is
    told = f"The database is encrypted, and its key is had by the {lock.way}."
    return [ok("encryption", told), *_readable(directory)], True


def _readable(directory: Path) -> list[Check]:
    found = [*sealing.readable_files(directory), *plain_copies(directory)]
    if not found:
        return []
    sentence = f"Beside the encrypted database there is what anybody can read: {found[0]}."
    return [problem("beside it", sentence, "Remove it, if it is of no use to you.")]
