"""Addresses in text: which of them may be followed, and how they are shown."""

import re
from urllib.parse import unquote

_FOLLOWED = re.compile(r"(?:https?://|mailto:)[\x21-\x7e]+", re.IGNORECASE)
_BARE = re.compile(
    r"\bwww\.[^\s<>\[\]\"`|\\]+\.[^\s<>\[\]\"`|\\]+"
    r"|(?<![\w.+-])[a-zA-Z0-9][\w.+-]{0,63}@(?:[a-zA-Z0-9-]{1,63}\.)+[a-zA-Z]{2,24}\b"
)
BEGUN = re.compile(r"(?<![a-zA-Z0-9+.-])https?$", re.IGNORECASE)
REST = re.compile(r"://[^\s<>\[\]\"`|\\]+")
_PLACE = re.compile(
    r"(?:https?://|mailto:)?(?:[^/@\s]{0,64}@)?([\w.-]{1,250}\.\w{2,24})(?=[/:?#]|$)", re.IGNORECASE
)
_AFTER = ")?!.,:;*_~'"
SHORT = 30
"""Characters of an address that is shown beside its text."""


def may_follow(address: str) -> bool:
    """Whether an address leads to the web or to a mailbox, which is all that is opened."""
    return _FOLLOWED.fullmatch(address) is not None


def trimmed(address: str) -> str:
    """An address without what rather belongs to the sentence around it."""
    end = len(address)
    unopened = address.count(")") - address.count("(")
    while end and address[end - 1] in _AFTER:
        if address[end - 1] == ")":
            if unopened <= 0:
                break
            unopened -= 1
        end -= 1
    return address[:end]


def bare_addresses(text: str) -> list[tuple[int, int, str]]:
    """Where addresses without a scheme stand, and where they lead."""
    if "www." not in text and "@" not in text:
        return []
    found = []
    for match in _BARE.finditer(text):
        shown = trimmed(match.group())
        mail = not shown.startswith("www.")
        address = f"mailto:{shown}" if mail else f"http://{shown}"
        if may_follow(address):
            found.append((match.start(), match.start() + len(shown), address))
    return found


def shown(address: str) -> str:
    """The address as it stands beside a text: without what every one has."""
    for scheme in ("https://", "mailto:"):
        address = address.removeprefix(scheme)
    return address.removesuffix("/")


def beside(text: str, address: str) -> str:
    """The address where it should stand beside the text that leads there, else nothing.

    A short one does. So does one whose text names another place, or one that only looks like it,
    in letters of another script: nobody should be led astray.
    """
    address_shown = shown(address)
    same = address_shown, unquote(address_shown), address_shown.removeprefix("http://")
    if shown(text.strip()) in same:
        return ""
    claimed, real = _place(text.strip()), _place(address)
    return address_shown if claimed not in ("", real) or len(address_shown) <= SHORT else ""


def _place(address: str) -> str:
    """The name of the machine in an address, or in what looks like one."""
    match = _PLACE.match(address)
    return match.group(1).lower().removeprefix("www.") if match else ""
