"""One piece of a request, opened: its text, what it carries, what it replaced. Pure."""

from datetime import datetime
from typing import TYPE_CHECKING

from app.screens.prompt_rows import Entry
from app.screens.prompt_words import gone_lines
from app.screens.recalled_rows import detail_rows
from memory.views import PieceView
from widgets.figures import count, short_number
from widgets.panes.view import PARTS, PaneView, wrapped
from widgets.rows import EMPTY, Piece, Row

if TYPE_CHECKING:
    from memory.storage.said import Said

BAR = "▎ "
LONGEST = 200_000
"""Characters of a text that are laid out: more than anybody reads here."""
NO_TEXT = "This piece has no text: its tokens are the template's own."


def text_rows(entry: Entry, said: "Said | None", width: int, now: datetime) -> PaneView:
    """The exact text of a piece, then what it carries and what it replaced.

    Args:
        entry: The piece, what is left out, or what was found.
        said: The whole text of what was found, where it is known.
        width: Cells of a row.
        now: The present.
    """
    if entry.found is not None:
        return detail_rows(entry.found, said, width, now)
    if entry.gone is not None:
        rows = [row for line in gone_lines(entry.gone) for row in wrapped(line, width, "dim")]
        return PaneView(tuple(rows), f"~{short_number(entry.gone.tokens)} tok")
    piece = entry.piece
    if piece is None:
        return PaneView()
    rows = _whole(piece.text, width, "text") if piece.text else []
    if not piece.text and not piece.extras:
        rows = wrapped(NO_TEXT, width, "dim")
    if piece.extras:
        rows += [EMPTY, _heading("beside its text"), *_whole(piece.extras, width, "dim")]
    if piece.replaced is not None:
        rows += [EMPTY, _heading(_replaced_heading(piece))]
        rows += [_barred(row) for row in _whole(piece.replaced, width - len(BAR), "dim")]
    return PaneView(tuple(rows), _figures(piece))


def copied_text(piece: PieceView) -> str:
    """What copying a piece gives: all of what is sent."""
    return "\n".join(filter(None, (piece.text, piece.extras)))


def _whole(text: str, width: int, ink: str) -> list[Row]:
    rows = wrapped(text[:LONGEST], width, ink)
    if len(text) > LONGEST:
        more = count(len(text) - LONGEST, "character")
        rows += wrapped(f"[… {more} more, not laid out here; copying takes them all …]", width)
    return rows


def _figures(piece: PieceView) -> str:
    parts = (
        f"{short_number(piece.tokens)} tok",
        f"{piece.share:.0%}",
        count(len(piece.text), "character"),
    )
    return PARTS.join(parts)


def _replaced_heading(piece: PieceView) -> str:
    if piece.version is not None:
        return "it replaced the version before"
    return "it stands for" if piece.receipt else "it replaced"


def _heading(text: str) -> Row:
    return Row((Piece(text, "dim", "b"),))


def _barred(row: Row) -> Row:
    return Row((Piece(BAR, "dim"), *row.pieces), row.glue, len(BAR) + row.bare)
