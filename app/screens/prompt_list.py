"""The list of a request's pieces."""

from typing import ClassVar

from textual.binding import Binding, BindingType

from widgets.panes.long_list import LongList


class PieceList(LongList):
    """Lists pieces; what is marked stays marked while the text has the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "up", "up", show=False, id="prompt.up"),
        Binding("down,j", "down", "down", show=False, id="prompt.down"),
    ]

    def __init__(self) -> None:
        super().__init__("pieces", "pieces", "dim")
