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
TALK = 60
"""Columns of the conversation before anything stands beside it."""
CORE, PANES = (13, 18), (24, 38)
"""Columns of the core and of one column of panes: the least, and the most."""
TWO_PANES = (66, 80)
"""The same of two columns of panes."""


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
    if width >= TWO_COLUMNS:
        return Room(20, min(TWO_PANES[1], max(TWO_PANES[0], width - BESIDE)), 2)
    least, most = CORE[0] + PANES[0], CORE[1] + PANES[1]
    beside = min(width - TALK - GAPS, most)
    core = CORE[0] + (beside - least) * (CORE[1] - CORE[0]) // (most - least)
    return Room(core, beside - core, 1)
