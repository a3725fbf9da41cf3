"""What stands around the content screen's list: the first line, the search, the list itself."""

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len

from widgets.figures import count
from widgets.line import Line, Piece
from widgets.panes.content import type_word
from widgets.search_line import SearchLine

if TYPE_CHECKING:
    from memory.content.transforms import How

HOWS: "tuple[tuple[How, str], ...]" = (
    ("full", "all of it"),
    ("excerpt", "its beginning"),
    ("summary", "its digest"),
    ("first", "its first lines"),
    ("last", "its last lines"),
    ("filtered", "lines with the words"),
)
"""How an item can be shown, and what that is called."""
SEARCH = "/ searches sources, tags, digests and contents"


class ContentHead(Line):
    """How much there is, what is listed of it, which part is shown."""

    PREFIX = "content"
    COMPONENT_CLASSES: ClassVar[set[str]] = {"content--name", "content--dim", "content--type"}
    DEFAULT_CSS = """
    ContentHead {
        height: 1;
        padding: 0 1;
        background: $panel;
        & > .content--name { color: $stratum-recalled; text-style: bold; }
        & > .content--dim { color: $stratum-dim; }
        & > .content--type { color: $foreground; }
    }
    """

    def __init__(self) -> None:
        super().__init__()
        self._figures = ""
        self._type = ""
        self._part = ""

    @property
    def part(self) -> str:
        """Which part of the item is shown."""
        return self._part

    @part.setter
    def part(self, part: str) -> None:
        self._part = part
        self.refresh()

    def show(self, number: int, total: int, type: str | None) -> None:
        """Tells other figures.

        Args:
            number: How many items are listed.
            total: How many there are.
            type: Of which type alone they are.
        """
        every = count(total, "item")
        self._figures = every if number == total else f"{number:,} of {every}"
        self._type = f"only {type_word(type).strip()}" if type else "all types"
        self.refresh()

    def pieces(self, width: int) -> list[Piece]:
        """The name and the figures left, the part right."""
        left: list[Piece] = [("Content  ", "name"), (f"{self._figures}  ", "dim")]
        left.append((self._type, "type"))
        gap = width - sum(cell_len(text) for text, _ in left) - cell_len(self._part)
        return [*left, (" " * gap + self._part, "dim")] if gap > 1 else left


class ContentFilter(SearchLine):
    """Takes what is looked for in the content."""

    def __init__(self) -> None:
        super().__init__("content-filter", SEARCH)
