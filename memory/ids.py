"""Identifiers that sort by the time they were made."""

import secrets
import threading
import time

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM_BITS = 80
_DIGITS = 26
_BITS_A_DIGIT = 5


class _Source:
    """Hands out numbers that only grow, also within one millisecond."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0

    def next(self) -> int:
        with self._lock:
            fresh = (time.time_ns() // 1_000_000 << _RANDOM_BITS) | secrets.randbits(_RANDOM_BITS)
            self._last = max(fresh, self._last + 1)
            return self._last


_source = _Source()


def new_id() -> str:
    """A new identifier: 48 bits of milliseconds, 80 random bits, 26 characters (the ULID layout).

    Within one process later identifiers are always greater.
    """
    return _encode(_source.next())


def _encode(value: int) -> str:
    shifts = range((_DIGITS - 1) * _BITS_A_DIGIT, -1, -_BITS_A_DIGIT)
    return "".join(_ALPHABET[(value >> shift) % len(_ALPHABET)] for shift in shifts)
