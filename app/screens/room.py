"""How much room there is beside the conversation, by the width of the terminal. Pure."""

from typing import NamedTuple

BESIDE, TWO_COLUMNS = 100, 160
"""Columns from which core and panes stand beside the conversation, and the panes in two."""
LOW = 8
"""Rows below which the gauge makes way for the conversation."""
DRAWER = 46
"""Columns of the drawer that the panes are where there is no room beside the conversation."""
FIGURES = 19
"""Cells at the end of the key line for how full the prompt is, where the core stands."""
GAPS = 3
"""Columns left free around the core and behind the panes."""


class Room(NamedTuple):
    """Columns of the core and of the panes, and in how many columns the panes stand."""

    core: int
    panes: int
    columns: int

    @property
    def taken(self) -> int:
        """Columns that the conversation leaves to core and panes."""
        return self.core + self.panes + GAPS if self.core else 0


def room_for(width: int) -> Room:
    """The room in a terminal of so many columns."""
    if width < BESIDE:
        return Room(0, DRAWER, 1)
    return Room(18, 38, 1) if width < TWO_COLUMNS else Room(20, 80, 2)
