"""Identifiers that sort by the time they were made."""

import secrets
import threading
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_lock = threading.Lock()
_last = 0


def new_id() -> str:
    """A new identifier: 48 bits of milliseconds, 80 random bits, 26 characters (the ULID layout).

    Within one process later identifiers are always greater.
    """
    global _last
    with _lock:
        fresh = (time.time_ns() // 1_000_000 << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
        _last = max(fresh, _last + 1)
        return _encode(_last)


def _encode(value: int) -> str:
    return "".join(_ALPHABET[(value >> shift) & 31] for shift in range(125, -1, -5))
