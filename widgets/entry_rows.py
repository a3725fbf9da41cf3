"""The rows in which the entries of the transcript are drawn. Pure."""

from rich.cells import cell_len

from widgets.entries import (
    CallEntry,
    Entry,
    LiveEntry,
    LiveMarkEntry,
    MarkEntry,
    MessageEntry,
    NoticeEntry,
)
from widgets.figures import short_seconds
from widgets.plain import printable
from widgets.rows import EMPTY, Piece, Row
from widgets.wrapping import plain_rows

LONGEST_SHOWN = 100_000
"""Characters of a message that are shown; nobody reads more of it here, and it stays quick."""
DASHES = "── "
NARROW = 16
"""Cells for the text of a mark below which it goes without dashes."""
SIGNS = {"note": "! ", "problem": "✗ "}
"""What stands before a notice, by its tone."""
MARKDOWN = frozenset({"you", "strata"})
"""Speakers whose text is Markdown; what tools say is shown as it came."""


def rows_of(entry: Entry, width: int, *, plain: bool = False, unfolded: bool = False) -> list[Row]:
    """The rows of an entry, with the empty one that parts it from the next.

    Args:
        entry: The entry.
        width: Cells of a row.
        plain: Whether Markdown is shown as it was typed.
        unfolded: Whether all of a call is shown.
    """
    match entry:
        case CallEntry():
            from widgets.calls import call_rows  # many conversations have none

            rows = call_rows(entry, width, unfolded=unfolded)
        case MessageEntry():
            rows = [*heading_rows(entry, width), *text_rows(entry, width, plain=plain)]
            if entry.mark:
                rows += _plain(entry.mark, "note", width)
        case LiveEntry():
            rows = heading_rows(entry, width)
        case NoticeEntry():
            rows = _plain(entry.heading, "short-term", width) if entry.heading else []
            rows += notice_rows(entry, width)
        case MarkEntry():
            rows = mark_rows(entry.text, width)
        case LiveMarkEntry():
            since = "" if entry.seconds is None else f" · {short_seconds(entry.seconds)}"
            rows = mark_rows(f"{entry.text}{since}", width)
    return [*rows, EMPTY]


def guessed_height(entry: Entry, width: int) -> int:
    """About how many rows an entry takes, found without making them."""
    text = "" if isinstance(entry, LiveEntry | CallEntry) else entry.text
    # Rows are broken before they are full.
    full = max(1, width * 9 // 10)
    return 2 + sum(1 + len(line) // full for line in text[:LONGEST_SHOWN].split("\n"))


def heading_rows(entry: MessageEntry | LiveEntry, width: int) -> list[Row]:
    """Who speaks, and the figures; on two rows where they don't fit beside each other."""
    figures = [_line(figure) for figure in entry.figures]
    parts = [Piece(part, "dim") for part in (*figures[:1], " · ".join(figures[1:])) if part]
    if isinstance(entry, LiveEntry):
        parts.append(Piece(f"● {_line(entry.state)}", "live"))
    name = plain_rows(entry.speaker, width, entry.speaker)
    rows = [[piece._replace(style="b") for piece in row.pieces] for row in name]
    for part in parts:
        taken = sum(cell_len(piece.text) for piece in rows[-1])
        if taken + 2 + cell_len(part.text) <= width:
            rows[-1] += [Piece("  ", "dim"), part]
        else:
            rows += [list(row.pieces) for row in plain_rows(part.text, width, part.ink)]
    return [Row(tuple(pieces)) for pieces in rows]


def text_rows(entry: MessageEntry, width: int, *, plain: bool) -> list[Row]:
    """The rows of a message's text."""
    text = _shown(entry.text)
    if not text.strip():
        return []
    if plain or entry.speaker not in MARKDOWN:
        return _plain(text.strip("\n"), "text", width)
    from widgets.markdown.render import markdown_rows

    return markdown_rows(text, width)


def notice_rows(entry: NoticeEntry, width: int) -> list[Row]:
    """The rows of a notice; what is to be noted stands behind a sign, so that hue is not all."""
    sign = SIGNS.get(entry.tone, "")
    if not sign or width - len(sign) < NARROW:
        return _plain(entry.text, "report" if entry.tone == "plain" else entry.tone, width)
    rows = _plain(entry.text, entry.tone, width - len(sign))
    leads = [Piece(sign, entry.tone), *[Piece(" " * len(sign), entry.tone)] * (len(rows) - 1)]
    return [
        Row((lead, *row.pieces), row.glue, len(sign)) for lead, row in zip(leads, rows, strict=True)
    ]


def mark_rows(text: str, width: int) -> list[Row]:
    """A mark between dashes: on one row where it fits, else broken between its figures."""
    room = width - 2 * len(DASHES)
    if room < NARROW:
        return _plain(text, "short-term", width)
    drawn: list[Row] = []
    for line, joint in _lines_of(_line(text).split(" · "), room):
        for row in plain_rows(line, room, "short-term"):
            lead = Piece(" " * len(DASHES) if drawn else DASHES, "short-term")
            glue = row.glue if row.glue is not None else joint
            drawn.append(Row((lead, *row.pieces), glue, len(DASHES)))
    last = drawn[-1]
    drawn[-1] = Row((*last.pieces, Piece(f" {DASHES.strip()}", "short-term")), last.glue, last.bare)
    return drawn


def _lines_of(parts: list[str], room: int) -> list[tuple[str, str | None]]:
    """Parts put beside each other as far as they fit, each line with what joins it to the last."""
    lines: list[tuple[str, str | None]] = [(parts[0], None)]
    for part in parts[1:]:
        joined = f"{lines[-1][0]} · {part}"
        if cell_len(joined) <= room:
            lines[-1] = joined, lines[-1][1]
        else:
            lines.append((part, " · "))
    return lines


def _shown(text: str) -> str:
    if len(text) <= LONGEST_SHOWN:
        return text
    rest = len(text) - LONGEST_SHOWN
    return f"{text[:LONGEST_SHOWN]}\n… {rest:,} more characters are in the log, not shown here"


def _line(text: str) -> str:
    return printable(text).replace("\n", " ").expandtabs(1)


def _plain(text: str, ink: str, width: int) -> list[Row]:
    return plain_rows(printable(text), width, ink)
