"""What `strata key status` tells. Asks for no key."""

from dataclasses import asdict, dataclass
from pathlib import Path

from app.encryption.opening import OFF
from memory.storage import keys
from memory.storage.failures import DatabaseDamaged
from memory.storage.header import is_encrypted, is_there

WAYS = {"keyring": "a key in the system's keyring", "passphrase": "a passphrase"}


@dataclass(frozen=True, slots=True)
class Standing:
    """How a data directory is protected.

    Args:
        data: The data directory.
        encrypted: Whether its database is.
        opens: Where the key is had from; None where there is none, or nobody can tell.
        keyring_entry: What the key is called in the keyring.
        cipher: What it is encrypted by.
        new_directories: What a new data directory begins with.
        problem: What is wrong with it; empty where nothing is.
    """

    data: str
    encrypted: bool
    opens: str | None
    keyring_entry: str | None
    cipher: str | None
    new_directories: str
    there: bool
    problem: str = ""

    def document(self) -> dict[str, object]:
        """For JSON."""
        return asdict(self)

    def lines(self) -> list[str]:
        """In words."""
        if not self.encrypted:
            begins = WAYS.get(self.new_directories)
            if not self.there and begins:
                return [f"{self.data} is new: it will be encrypted, by {begins}."]
            return [f"{self.data} is not encrypted.", "`strata key encrypt` encrypts it."]
        if self.problem:
            return [f"{self.data} is encrypted.", self.problem]
        opened = f"opened by {WAYS[self.opens or 'keyring']}"
        entry = f" ({self.keyring_entry})" if self.keyring_entry else ""
        return [f"{self.data} is encrypted ({self.cipher}), {opened}{entry}."]


def standing_of(directory: Path, begins: str = OFF) -> Standing:
    """Looks at a data directory, opened or not."""
    encrypted = is_encrypted(directory)
    problem, lock = "", None
    try:
        lock = keys.lock_of(directory) if encrypted else None
        if lock is not None and not lock.known:
            problem = "key.json is missing or damaged; without it only the keyring opens it."
    except DatabaseDamaged as error:
        problem = str(error)
    known = lock is not None and lock.known
    return Standing(
        data=str(directory),
        encrypted=encrypted,
        opens=lock.way if lock is not None and known else None,
        keyring_entry=lock.name if lock is not None and lock.way == "keyring" else None,
        cipher="SQLCipher 4, AES-256" if encrypted else None,
        new_directories=begins,
        there=is_there(directory),
        problem=problem,
    )
