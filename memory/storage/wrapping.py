"""Wraps the key of a database in a passphrase (decision 15).

scrypt makes 64 bytes of passphrase and salt: the first half hides the key, the second half seals
it. The salt is new each time, so no half is ever used twice.
"""

import hashlib
import hmac
import json
import os
import unicodedata
from dataclasses import asdict, dataclass

SALT_BYTES = 16
COST = 2**17
"""scrypt's N: 128 MB and a third of a second a try (OWASP's recommendation with r = 8, p = 1)."""
COSTS = frozenset(2**power for power in range(10, 21))
"""What a file may ask for; more would only hold the program up."""
BLOCK = 8
HALF = 32
_KEY_CHECK = b"strata: this key"


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A key that only its passphrase gives back. Byte strings as hexadecimal.

    Args:
        n: scrypt's cost.
        salt: For scrypt.
        key: The hidden key.
        seal: Tells the right passphrase.
    """

    n: int
    salt: str
    key: str
    seal: str


def wrap(secret: bytes, passphrase: str, cost: int = COST) -> Wrapped:
    """Hides 32 random bytes behind a passphrase."""
    salt = os.urandom(SALT_BYTES)
    hiding, sealing = _halves(passphrase, salt, cost)
    hidden = _xor(secret, hiding)
    return Wrapped(cost, salt.hex(), hidden.hex(), _seal(sealing, cost, salt, hidden))


def unwrap(wrapped: Wrapped, passphrase: str) -> bytes | None:
    """The key; None where the passphrase is another one.

    Raises:
        ValueError: What is kept can't be a wrapped key.
    """
    if wrapped.n not in COSTS:
        raise ValueError("a cost that nobody has set")
    salt, hidden = bytes.fromhex(wrapped.salt), bytes.fromhex(wrapped.key)
    if len(hidden) != HALF:
        raise ValueError("a key of another length")
    hiding, sealing = _halves(passphrase, salt, wrapped.n)
    if not hmac.compare_digest(_seal(sealing, wrapped.n, salt, hidden), wrapped.seal.lower()):
        return None
    return _xor(hidden, hiding)


def check_of(secret: bytes) -> str:
    """By which a key of 32 random bytes is known again; tells nothing about it."""
    return hmac.new(secret, _KEY_CHECK, "sha256").hexdigest()


def is_key(secret: bytes, check: str) -> bool:
    """Whether the check was made of this key."""
    return hmac.compare_digest(check_of(secret), check.lower())


def as_document(wrapped: Wrapped) -> dict[str, int | str]:
    """For JSON."""
    return asdict(wrapped)


def _halves(passphrase: str, salt: bytes, cost: int) -> tuple[bytes, bytes]:
    # One text, whichever way the terminal composes its letters.
    text = unicodedata.normalize("NFC", passphrase).encode("utf-8", "surrogateescape")
    room = 128 * BLOCK * (cost + 32)
    made = hashlib.scrypt(text, salt=salt, n=cost, r=BLOCK, p=1, maxmem=2 * room, dklen=2 * HALF)
    return made[:HALF], made[HALF:]


def _seal(sealing: bytes, cost: int, salt: bytes, hidden: bytes) -> str:
    sealed = json.dumps([cost, salt.hex(), hidden.hex()]).encode()
    return hmac.new(sealing, sealed, "sha256").hexdigest()


def _xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
