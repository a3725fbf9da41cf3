"""Keys of providers, from the environment or the system's keyring.

They are handed to the request and to nothing else: no file, no log, no frame holds one.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress

SERVICE = "strata"
"""Under this name keys lie in the keyring: `keyring set strata OPENAI_API_KEY`."""

KEYRING_TIMEOUT_S = 10.0
"""A keyring that asks for its password must not hold up the request for ever."""

ANY_SERVER_KEY = "STRATA_API_KEY"
"""The key for the server in `model.api_base`; without it the one of OpenAI's name is used."""


async def find_key(names: Sequence[str], environment: Mapping[str, str] = os.environ) -> str | None:
    """Returns the first key found under one of the names; the environment comes first.

    Args:
        names: Names of environment variables, which are also the names in the keyring.
        environment: Where to look first.
    """
    for name in names:
        if environment.get(name):
            return environment[name]
    if not names or importlib.util.find_spec("keyring") is None:
        return None
    try:
        return await asyncio.wait_for(asyncio.to_thread(_from_keyring, names), KEYRING_TIMEOUT_S)
    except TimeoutError:
        return None


async def names_with_key(
    names: Sequence[str], environment: Mapping[str, str], timeout: float
) -> frozenset[str]:
    """Returns the names under which there is a key; no key itself is kept.

    Args:
        names: As in `find_key`.
        environment: Where to look first.
        timeout: Seconds for the keyring; 0 leaves it alone.
    """
    found = frozenset(name for name in names if environment.get(name))
    missing = [name for name in names if name not in found]
    if timeout <= 0 or not missing or importlib.util.find_spec("keyring") is None:
        return found
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[frozenset[str]] = loop.create_future()

    def tell(there: frozenset[str]) -> None:
        if not answer.done():
            answer.set_result(there)

    def look() -> None:
        there = frozenset(name for name in missing if _from_keyring([name]))
        with suppress(RuntimeError):  # it took so long that the program has ended meanwhile
            loop.call_soon_threadsafe(tell, there)

    # A thread of its own: a pool's would keep the program from ending.
    threading.Thread(target=look, name="strata keyring", daemon=True).start()
    try:
        return found | await asyncio.wait_for(answer, timeout)
    except TimeoutError:
        return found


def _from_keyring(names: Sequence[str]) -> str | None:
    """Asks the keyring; a machine without one simply has no keys in it."""
    keyring = importlib.import_module("keyring")
    errors = importlib.import_module("keyring.errors")
    for name in names:
        try:
            value = keyring.get_password(SERVICE, name)
        except (errors.KeyringError, RuntimeError, OSError):
            return None
        if value:
            return str(value)
    return None
