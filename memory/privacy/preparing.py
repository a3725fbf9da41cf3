"""Loads what numbers are checked with, before the first of them is met."""

import time
from collections.abc import Collection, Iterator
from importlib import import_module

from memory.privacy.kinds import Kind
from memory.privacy.looked import Looked
from memory.privacy.national import CHECKS

BREATH_SECONDS = 0.01
"""Between two steps: whoever draws a screen meanwhile has its turn."""
_IBAN = "DE89 3704 0044 0532 0130 00"
_NUMBER = "+49 30 901820"


def prepare(kinds: Collection[Kind], region: str = "") -> None:
    """Loads it in small steps; for a thread beside whatever the program does.

    Args:
        kinds: What is replaced, by the names of the switches.
        region: The country whose phone numbers are known as they are written there.
    """
    for module in _modules(kinds):
        import_module(module)
        time.sleep(BREATH_SECONDS)
    if "ibans" in kinds:
        from memory.privacy.numbers import find_ibans

        list(find_ibans(Looked(_IBAN)))
    if "phones" in kinds:
        from memory.privacy.contacts import find_phones

        list(find_phones(Looked(_NUMBER), region))


def _modules(kinds: Collection[Kind]) -> Iterator[str]:
    if "national_ids" in kinds:
        yield from (f"stdnum.{check}" for check in CHECKS)
    if "ibans" in kinds:
        yield "stdnum.iban"
    if "phones" in kinds:
        yield "phonenumbers"
