"""The kinds of what is replaced, by the names of their switches."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

Kind = Literal[
    "private_keys",
    "api_keys",
    "passwords",
    "cards",
    "ibans",
    "national_ids",
    "emails",
    "phones",
    "ip_addresses",
]
LABELS: dict[Kind, str] = {
    "private_keys": "private key",
    "api_keys": "API key",
    "passwords": "password",
    "cards": "payment card",
    "ibans": "IBAN",
    "national_ids": "national id",
    "emails": "e-mail",
    "phones": "phone number",
    "ip_addresses": "IP address",
}
"""What stands in a text where something was replaced: `[redacted: API key]`."""
KINDS: tuple[Kind, ...] = tuple(LABELS)
ALWAYS: tuple[Kind, ...] = KINDS[:6]
"""Those that are replaced unless they are switched off."""


class Span(NamedTuple):
    """Characters of a text that are to be replaced."""

    start: int
    end: int
    kind: Kind


def left_out(number: int, kinds: Sequence[tuple[str, int]]) -> str:
    """What was replaced in a message, in words.

    Args:
        number: How many in all.
        kinds: How many of which kind; logs of older versions don't say it.
    """
    labels = {str(kind): label for kind, label in LABELS.items()}
    named = [_counted(many, labels.get(kind, "secret")) for kind, many in kinds]
    named = named or [_counted(number, "secret")]
    listed = " and ".join(filter(None, (", ".join(named[:-1]), named[-1])))
    return f"{listed} {'was' if number == 1 else 'were'} left out before storing"


def _counted(number: int, label: str) -> str:
    return f"{number:,} {label}{'' if number == 1 else 'es' if label.endswith('s') else 's'}"


def marker(kind: Kind) -> str:
    """What stands in the place of something."""
    return f"[redacted: {LABELS[kind]}]"
