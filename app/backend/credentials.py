"""Keys of providers, from the environment or the system's keyring.

They are handed to the request and to nothing else: no file, no log, no frame holds one.
"""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import os
from collections.abc import Mapping, Sequence

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
