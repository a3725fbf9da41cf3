"""Whether a screen can be drawn on: memory may change while it is still coming, or going."""

from typing import Any

from textual.screen import Screen

from widgets.hint_line import HintLine


def stands(screen: Screen[Any]) -> bool:
    """Whether a screen has its widgets; the last of them is the line with the keys."""
    return screen.is_attached and bool(screen.query(HintLine))
