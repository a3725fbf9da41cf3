"""The last line: the keys there are, or what is worth knowing while one types."""

from collections.abc import Sequence
from typing import ClassVar

from rich.cells import cell_len

from widgets.line import Line, Piece
from widgets.plain import printable

Key = tuple[str, str]
"""A key and what it does."""


class HintLine(Line):
    """Shows one line: a hint where there is one, else a standing note, else the keys."""

    PREFIX = "hint"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"hint--key", "hint--does", "hint--hint", "hint--note"}
    DEFAULT_CSS = """
    HintLine {
        height: 1;
        padding: 0 1;
        background: $background;
        color: $stratum-dim;
        & > .hint--key { color: $foreground; }
        & > .hint--does { color: $stratum-dim; }
        & > .hint--hint { color: $stratum-short-term; }
        & > .hint--note { color: $stratum-warning; }
    }
    """

    def __init__(self, keys: Sequence[Key]) -> None:
        super().__init__(id="hints")
        self.keys = tuple(keys)
        self.hint = ""
        self.note = ""

    def show(
        self,
        *,
        keys: Sequence[Key] | None = None,
        hint: str | None = None,
        note: str | None = None,
    ) -> None:
        """Changes what is given."""
        self.keys = self.keys if keys is None else tuple(keys)
        self.hint = self.hint if hint is None else _flat(hint)
        self.note = self.note if note is None else _flat(note)
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The hint, the note, or as many keys as there is room for."""
        if self.hint:
            return [(self.hint, "hint")]
        if self.note:
            return [(self.note, "note")]
        pieces: list[Piece] = []
        room = width
        for key, does in self.keys:
            length = cell_len(key) + 1 + cell_len(does)
            if length > room:
                break
            pieces += [(f"{key} ", "key"), (does, "does"), ("   ", "does")]
            room -= length + 3
        return pieces


def _flat(text: str) -> str:
    return printable(text).replace("\n", " ").replace("\t", " ")
