"""The system's keyring, which may ask, hang, or not be there at all."""

import importlib
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from memory.errors import StrataError

SERVICE = "strata"
SECONDS = 30.0
"""A keyring that asks for its password is waited for so long, and no longer."""
RESTORE = "Unlock the keyring and try again; the entry is `{name}` of service `strata`."

Result = TypeVar("Result")


class KeyringFailed(StrataError):
    """The keyring did not do what was asked."""


def read_key(name: str) -> bytes | None:
    """The key of this name; None where there is none.

    Raises:
        KeyringFailed: It can't be asked, or holds something else under the name.
    """
    text = _asked(lambda keyring: keyring.get_password(SERVICE, name), name)
    try:
        return bytes.fromhex(text) if text else None
    except ValueError:
        raise KeyringFailed(
            "What the keyring holds is no key.", RESTORE.format(name=name)
        ) from None


def keep_key(name: str, secret: bytes) -> None:
    """Keeps a key under a name, and looks whether it is there.

    Raises:
        KeyringFailed: It is not.
    """
    _asked(lambda keyring: keyring.set_password(SERVICE, name, secret.hex()), name)
    if read_key(name) != secret:
        raise KeyringFailed(
            "The keyring did not keep the key.", "Use a passphrase, or another keyring."
        )


def drop_key(name: str) -> None:
    """Removes a key that opens nothing any more, where that can be done."""
    with suppress(KeyringFailed):
        _asked(lambda keyring: keyring.delete_password(SERVICE, name), name)


def _asked(question: Callable[[Any], Result], name: str) -> Result:
    """The keyring's answer; waits in a thread that can be left behind.

    Raises:
        KeyringFailed: There is none.
    """
    answers: list[Result] = []
    failures: list[BaseException] = []

    def ask() -> None:
        try:
            answers.append(question(importlib.import_module("keyring")))
        except Exception as error:  # noqa: BLE001 - backends raise what they like
            failures.append(error)

    thread = threading.Thread(target=ask, name="strata keyring", daemon=True)
    thread.start()
    thread.join(SECONDS)
    if answers:
        return answers[0]
    if failures:
        kind = type(failures[0]).__name__
        raise KeyringFailed(
            f"The keyring can't be used ({kind}).", "Use a passphrase, or set a keyring up."
        )
    raise KeyringFailed(
        f"The keyring has not answered in {SECONDS:.0f} seconds.", RESTORE.format(name=name)
    )
