"""What readers of foreign formats have in common. Pure; whatever it is given, it has an answer."""

import math
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from memory.clock import format_time, utc_now
from memory.errors import StrataError

EARLIEST = datetime(1990, 1, 1, tzinfo=UTC)
"""What claims to be older has no clock."""
LONGEST_ID = 200

IMAGES, SOUNDS, FILES = "images", "sounds", "files"
HIDDEN, REASONING, BRANCHES, EMPTY = "hidden", "reasoning", "other branches", "empty"
OTHER = "other parts"

SUMMARIES = "summaries"
_ONE = {
    IMAGES: "image", SOUNDS: "sound", FILES: "file",
    BRANCHES: "other branch", OTHER: "other part", SUMMARIES: "summary",
}  # fmt: skip

LeftOut = Counter[str]


class Unreadable(StrataError):
    """A conversation of an export can't be read; the others can."""


def table(value: object) -> Mapping[str, Any]:
    """The value where it is an object; else an empty one."""
    return value if isinstance(value, dict) else {}


def entries(value: object) -> list[Any]:
    """The value where it is a list; else an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str:
    """The value where it is a text; else an empty one."""
    return value if isinstance(value, str) else ""


def counted(kind: str, number: int) -> str:
    """How many of what stays behind: 1 image, 2 images, 3 hidden."""
    return f"{number:,} {_ONE.get(kind, kind) if number == 1 else kind}"


def name(value: object) -> str:
    """An id or a name of the export, as short as those are."""
    return text(value)[:LONGEST_ID]


def moment(value: object) -> str | None:
    """A time of an export (seconds since 1970, or ISO 8601) as the log writes it, if it is one.

    One that is still to come is the present.
    """
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value)
        elif (
            isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
        ):
            at = datetime.fromtimestamp(value, UTC)
        else:
            return None
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return min(format_time(at), utc_now()) if at >= EARLIEST else None


def path_to(leaf: str, parents: Mapping[str, str | None], title: str) -> list[str]:
    """The way from the beginning of a tree to one of its nodes.

    Args:
        leaf: The last node.
        parents: From each node to the one before it.
        title: What the conversation is called, for a message.

    Raises:
        Unreadable: It goes in a circle.
    """
    way: list[str] = []
    seen: set[str] = set()
    node: str | None = leaf
    while node is not None and node in parents:
        if node in seen:
            raise Unreadable(f"The messages of {title!r} follow one another in a circle.")
        seen.add(node)
        way.append(node)
        node = parents[node]
    return way[::-1]
