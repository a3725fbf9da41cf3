"""Passphrases: from the environment, once, or typed on the terminal without being seen."""

import os
import sys
from collections.abc import MutableMapping

from memory.errors import StrataError

VARIABLE = "STRATA_PASSPHRASE"
NEW_VARIABLE = "STRATA_NEW_PASSPHRASE"
SHORTEST = 8
"""Characters; below it no way of wrapping a key keeps it from being guessed."""

_taken: dict[str, str] = {}


class NoPassphrase(StrataError):
    """There is none that could be used."""


def take_passphrases(environment: MutableMapping[str, str] = os.environ) -> None:
    """Takes them out of the environment, so that no child process inherits one."""
    for name in (VARIABLE, NEW_VARIABLE):
        if name in environment:
            _taken[name] = environment.pop(name)


def given_passphrase(name: str = VARIABLE) -> str | None:
    """What stood in the environment at the start."""
    return _taken.get(name) or None


def can_ask() -> bool:
    """Whether somebody sits at the terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def ask_passphrase(question: str = "Passphrase: ") -> str:
    """What the user types; nothing of it is seen.

    Raises:
        NoPassphrase: Nothing was typed.
    """
    import getpass  # loaded only where somebody is asked

    try:
        text = getpass.getpass(question)
    except EOFError:
        text = ""
    if not text:
        raise NoPassphrase("No passphrase was given.", "Nothing was done.")
    return text


def new_passphrase(name: str = VARIABLE) -> str:
    """A passphrase that is to hold from now on, asked for twice.

    Args:
        name: The variable that holds it where nobody can be asked.

    Raises:
        NoPassphrase: There is none, it is too short, or the two were different.
    """
    text = given_passphrase(name)
    if text is None:
        if not can_ask():
            raise NoPassphrase(
                "A passphrase is needed, and nobody can be asked for one.", f"Give it in {name}."
            )
        text = ask_passphrase("New passphrase: ")
        refuse_short(text)
        if ask_passphrase("The same again: ") != text:
            raise NoPassphrase("The two were different.", "Nothing was done. Try again.")
    refuse_short(text)
    return text


def refuse_short(text: str) -> None:
    """Refuses what is guessed quickly.

    Raises:
        NoPassphrase: It is too short.
    """
    if len(text) < SHORTEST:
        raise NoPassphrase(
            f"A passphrase needs {SHORTEST} characters at least.", "Several words are a good one."
        )
