"""Has the data directory opened before a conversation: by itself, or by asking."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from app.encryption import opening, passphrases
from app.screens.stage import House
from app.screens.unlock import UnlockScreen
from memory.errors import StrataError
from memory.storage import keys
from memory.storage.failures import WrongKey
from memory.storage.header import is_there
from memory.storage.keys import Key


async def unlock_in_sight(directory: Path, begins: str, house: House) -> bool:
    """Gives the key of a data directory, where it has one, or lets a new one have one.

    Args:
        directory: The data directory.
        begins: `privacy.encryption`: what a new one begins with.
        house: Where a passphrase is asked for.

    Returns:
        False where the user has left.

    Raises:
        StrataError: It can't be opened, whatever the user would type.
    """
    lock = await asyncio.to_thread(keys.lock_of, directory)
    if lock is None:
        new = begins != opening.OFF and not is_there(directory)
        return not new or await _begin(directory, begins, house)
    if lock.way == opening.KEYRING:
        await asyncio.to_thread(opening.unlock_by_keyring, directory, lock)
        return True
    return await _ask(directory, house)


async def _begin(directory: Path, begins: str, house: House) -> bool:
    if begins == opening.KEYRING:
        await asyncio.to_thread(opening.begin_by_keyring, directory)
        return True
    given = passphrases.given_passphrase()
    if given is not None:
        await asyncio.to_thread(opening.begin, directory, begins)
        return True

    async def attempt(text: str) -> str:
        return await _problem(lambda: _begin_by(directory, text))

    opened = await house.ask(UnlockScreen(attempt, new=True))
    return opened is True


def _begin_by(directory: Path, text: str) -> None:
    passphrases.refuse_short(text)
    keys.unlock(directory, Key.passphrase(text))


async def _ask(directory: Path, house: House) -> bool:
    async def attempt(text: str) -> str:
        return await _problem(lambda: keys.unlock(directory, Key.passphrase(text)))

    given = passphrases.given_passphrase()
    problem = "" if given is None else await attempt(given)
    if given is not None and not problem:
        return True
    opened = await house.ask(UnlockScreen(attempt, problem=problem))
    return opened is True


async def _problem(work: Callable[[], None]) -> str:
    """What is wrong with a passphrase; empty where nothing is."""
    try:
        await asyncio.to_thread(work)
    except WrongKey:
        return "This passphrase does not open it. Try again."
    except StrataError as error:
        return str(error)
    return ""
