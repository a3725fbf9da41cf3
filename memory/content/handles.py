"""Handles: the short names by which receipts cite what stands outside the prompt.

`c3` is a content item, `m14` a message by its number, `m14-m16` a run of messages.
"""

import re
from dataclasses import dataclass

from memory.errors import StrataError

HANDLE = r"(?:c[1-9]\d{0,8}|m[1-9]\d{0,8}(?:-m?[1-9]\d{0,8})?)"
"""Pattern of a handle; whatever else of it is longer than any session is no handle."""
_ITEM = re.compile(r"c([1-9]\d{0,8})", re.IGNORECASE | re.ASCII)
_MESSAGES = re.compile(r"m([1-9]\d{0,8})(?:-m?([1-9]\d{0,8}))?", re.IGNORECASE | re.ASCII)


class UnknownItem(StrataError):
    """A handle that names nothing there is."""


@dataclass(frozen=True, slots=True)
class ItemHandle:
    """Names a content item."""

    id: str


@dataclass(frozen=True, slots=True)
class MessagesHandle:
    """Names the messages `first` to `last` (inclusive)."""

    first: int
    last: int


def parse_handle(text: str) -> ItemHandle | MessagesHandle:
    """What a handle names, as a receipt or a person writes it.

    Raises:
        UnknownItem: It is no handle.
    """
    text = text.strip().strip("[]().,:;")
    if match := _ITEM.fullmatch(text):
        return ItemHandle(f"c{match[1]}")
    if match := _MESSAGES.fullmatch(text):
        first, last = int(match[1]), int(match[2] or match[1])
        return MessagesHandle(min(first, last), max(first, last))
    raise UnknownItem(
        f"{text[:40]!r} names nothing that is kept.",
        "Receipts name it: c3 is a stored item, m14 a message, m14-m16 a run of messages.",
    )


def item_handle(number: int) -> str:
    """The handle of content item `number`."""
    return f"c{number}"


def messages_handle(first: int, last: int) -> str:
    """The handle of the messages `first` to `last`."""
    return f"m{first}" if first == last else f"m{first}-m{last}"
