"""The list of what a begun command could become, over the text above the composer."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from rich.cells import cell_len, set_cell_size
from rich.style import Style
from rich.text import Text
from textual.events import Click
from textual.widget import Widget

from widgets.plain import one_line
from widgets.typed import Offer

MOST = 6
"""Rows in sight at once."""
LONGEST_NAME = 22
"""Cells of the column of names; a longer name moves what it does to the right."""
FRAME = 2
"""Rows and columns of its border."""


def first_shown(chosen: int, rows: int, count: int) -> int:
    """The first offer in sight, so that the one that is chosen is too."""
    return max(0, min(chosen - rows // 2, count - rows))


def offer_row(offer: Offer, name_width: int, width: int) -> list[tuple[str, str]]:
    """One row: name and arguments in a column, then what it does; … where it is too long.

    Args:
        offer: What is offered.
        name_width: Cells of the column of names.
        width: Cells there are.
    """
    name, arguments = one_line(offer.name), one_line(offer.arguments)
    gap = max(0, name_width - cell_len(f"{name} {arguments}".rstrip()))
    pieces = [(name, "name"), (f" {arguments}" if arguments else "", "arguments")]
    pieces += [(" " * (gap + 2), "does"), (one_line(offer.description), "does")]
    shown = []
    for text, ink in pieces:
        shown.append((_cut(text, width), ink))
        width -= cell_len(shown[-1][0])
    return shown


def _cut(text: str, width: int) -> str:
    if cell_len(text) <= width:
        return text
    begun = set_cell_size(text, max(0, width - 1)).rstrip()
    return f"{begun}…" if begun else set_cell_size(text, width)


def name_column(offers: Sequence[Offer], width: int) -> int:
    """Cells of the column of names: what all of them need, but no more than leaves room.

    Args:
        offers: What is offered.
        width: Cells of a row.
    """
    names = [cell_len(f"{offer.name} {offer.arguments}".rstrip()) for offer in offers]
    return min(max(names, default=0), LONGEST_NAME, 2 * width // 5)


class Completion(Widget):
    """Shows offers and which one is chosen; it covers what is below, so that nothing moves.

    Args:
        take: Called with the number of an offer that is clicked.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"completion--{ink}" for ink in ("name", "arguments", "does", "chosen")
    }
    DEFAULT_CSS = """
    Completion {
        overlay: screen;
        display: none;
        padding: 0 1;
        background: $panel;
        color: $foreground;
        border: round $stratum-dim;
        border-title-color: $stratum-dim;
        border-subtitle-color: $stratum-dim;
        & > .completion--name { color: $stratum-short-term; }
        & > .completion--arguments { color: $foreground; }
        & > .completion--does { color: $stratum-dim; }
        & > .completion--chosen { background: $stratum-short-term 15%; text-style: bold; }
    }
    """

    def __init__(self, take: Callable[[int], None]) -> None:
        super().__init__()
        self._take = take
        self._offers: Sequence[Offer] = ()
        self._chosen: int | None = None
        self._rows = 0

    @property
    def lines(self) -> list[str]:
        """The rows in sight, as text."""
        return [line.plain.rstrip() for line in self._lines(self._inner)] if self.display else []

    def show(self, offers: Sequence[Offer], chosen: int | None, *, width: int, room: int) -> None:
        """Shows offers above the place where it stands, or nothing where there is no room.

        Args:
            offers: What is offered; nothing hides it.
            chosen: The number of the one that is chosen.
            width: Columns there are.
            room: Rows there are above it.
        """
        self._offers, self._chosen = offers, chosen
        self._rows = min(len(offers), MOST, room - FRAME)
        self.display = self._rows > 0
        if self.display:
            self.styles.width, self.styles.height = width, self._rows + FRAME
            self.styles.offset = (0, -self._rows - FRAME)
            more = len(offers) > self._rows
            self.border_title = f"{(chosen or 0) + 1} of {len(offers)}" if more else ""
            self.refresh()

    def render(self) -> Text:
        """The rows in sight."""
        return Text("\n", no_wrap=True, overflow="crop", end="").join(
            self._lines(self.content_size.width)
        )

    def on_click(self, event: Click) -> None:
        """Takes what is clicked."""
        place = event.get_content_offset(self)
        if place is not None and place.y < self._rows:
            self._take(self._first + place.y)

    # -- inside

    @property
    def _inner(self) -> int:
        return max(0, int(self.styles.width.value if self.styles.width else 0) - FRAME - 2)

    @property
    def _first(self) -> int:
        return first_shown(self._chosen or 0, self._rows, len(self._offers))

    def _lines(self, width: int) -> list[Text]:
        shown = self._offers[self._first : self._first + self._rows]
        names = name_column(self._offers, width)
        lines = []
        for number, offer in enumerate(shown, self._first):
            is_chosen = number == self._chosen
            row = [("› " if is_chosen else "  ", "name")]
            row += offer_row(offer, names, width - 2)
            row.append((" " * (width - sum(cell_len(text) for text, _ in row)), "does"))
            lines.append(Text.assemble(*((t, self._style(ink, is_chosen)) for t, ink in row)))
        return lines

    def _style(self, ink: str, is_chosen: bool) -> Style:
        names = [f"completion--{ink}", "completion--chosen"]
        return self.get_component_rich_style(*names[: 1 + is_chosen])
