"""How a call of a tool looks: one line, its output while it runs, all of it unfolded. Pure."""

import json
from typing import Any

from rich.cells import cell_len, set_cell_size

from widgets.entries import CallEntry
from widgets.failure_words import failure_words
from widgets.figures import call_seconds, count, short_size
from widgets.plain import complete_part, one_line, printable
from widgets.rows import Piece, Row
from widgets.wrapping import plain_rows

TELLING = (
    "command", "url", "query", "pattern", "path", "handle", "goal", "task", "name", "text",
)  # fmt: skip
"""Arguments that tell what a call is about, the most telling first."""
FROM_ITS_END = frozenset({"path"})
"""Arguments that say most at their end."""
OUTPUT_ROWS = 4
"""Rows of what a call that runs has shown last."""
LONGEST_ARGUMENTS, LONGEST_RESULT = 4_000, 8_000
"""Characters of each that are shown unfolded; all of it would push the conversation away."""
FOLDED, UNFOLDED = "▸ ", "▾ "
OUTPUT = "│ "
INDENT = "  "
GAP = 3
"""Cells before the figures."""
TAB = 4
NARROW = 16
"""Cells below which nothing stands in."""
LEAST_TELLING = 8
"""Cells below which the figures stand on rows of their own."""


def call_rows(entry: CallEntry, width: int, *, unfolded: bool) -> list[Row]:
    """The rows of a call.

    Args:
        entry: The call.
        width: Cells of a row.
        unfolded: Whether arguments and result are shown.
    """
    rows = _head(entry, width, UNFOLDED if unfolded else FOLDED)
    if unfolded:
        rows += _indented("arguments", "dim", width)
        arguments = arguments_text(entry, width - len(INDENT))
        rows += _indented(_cut(arguments, LONGEST_ARGUMENTS), "code", width)
    if unfolded and entry.result:
        rows += _indented(f"result · @retrieve {_handle(entry)}", "dim", width)
        rows += _indented(entry.result[:LONGEST_RESULT].strip("\n"), "text", width)
        rows += _indented(_rest(entry), "note", width)
    if entry.state == "running":
        rows += _output(entry.output, width)
    return rows


def call_text(entry: CallEntry) -> str:
    """A call as it is copied: its name with its arguments, and all of its result."""
    parts = (f"{entry.name} {arguments_text(entry)}", failure_words(entry.error), entry.result)
    return "\n\n".join(part for part in parts if part)


def arguments_text(entry: CallEntry, width: int = 0) -> str:
    """The arguments as JSON that can be read; as they came where they are no JSON.

    Args:
        entry: The call.
        width: Characters up to which they stand on one line.
    """
    arguments = _parsed(entry.arguments)
    if arguments is None:
        return entry.arguments
    short = json.dumps(arguments, ensure_ascii=False)
    return short if len(short) <= width else json.dumps(arguments, ensure_ascii=False, indent=2)


def telling_argument(arguments: str) -> tuple[str, bool]:
    """What a call is about, in one line, and whether its end says most."""
    given = _parsed(arguments)
    if not isinstance(given, dict):
        return one_line(arguments[:LONGEST_ARGUMENTS]), False
    names = [name for name in TELLING if isinstance(given.get(name), str) and given[name].strip()]
    names += [name for name, value in given.items() if isinstance(value, str) and value.strip()]
    if names:
        name = names[0]
        text = given[name]
        kept = text[-LONGEST_ARGUMENTS:] if name in FROM_ITS_END else text[:LONGEST_ARGUMENTS]
        return one_line(kept), name in FROM_ITS_END
    return one_line(json.dumps(given, ensure_ascii=False)) if given else "", False


# -- inside


def _parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return None


def _head(entry: CallEntry, width: int, sign: str) -> list[Row]:
    """Mark, name, what it is about, and the figures: beside it, or below where that is narrow."""
    figures = _figures(entry)
    about, from_end = telling_argument(entry.arguments)
    if width < NARROW:
        text = f"{sign}{one_line(entry.name)} {_clipped(about, width, from_end=from_end)}"
        return [*plain_rows(text, width, "tool"), *_below(figures, width)]
    length = sum(cell_len(piece.text) for piece in figures)
    name = _clipped(one_line(entry.name) or "?", (width - len(sign)) * 2 // 3)
    left = width - len(sign) - cell_len(name) - 1
    if entry.handle and entry.number:
        kept = [Piece(" · ", "dim"), Piece(f"kept as {one_line(entry.handle)}", "recalled")]
        more = sum(cell_len(piece.text) for piece in kept)
        if left - GAP - length - more >= cell_len(about):
            figures, length = [*figures, *kept], length + more
    beside = not length or left - GAP - length >= min(LEAST_TELLING, cell_len(about))
    room = left - GAP - length if beside and length else left
    shown = _clipped(about, room, from_end=from_end) if room > 0 else ""
    pieces = [Piece(sign, "tool"), Piece(name, "tool")]
    if shown:
        pieces += [Piece(" "), Piece(shown)]
    if beside and length:
        pieces += [Piece(" " * GAP, "dim"), *figures]
        return [Row(tuple(pieces), bare=len(sign))]
    return [Row(tuple(pieces), bare=len(sign)), *_below(figures, width)]


def _below(figures: list[Piece], width: int) -> list[Row]:
    """The figures under the line: on one row, or each on its own where that is narrow."""
    if figures and len(INDENT) + sum(cell_len(piece.text) for piece in figures) <= width:
        return [Row((Piece(INDENT), *figures), bare=len(INDENT))]
    return [row for piece in figures[::2] for row in _indented(piece.text, piece.ink, width)]


def _figures(entry: CallEntry) -> list[Piece]:
    """How it went, how much came of it, and how long it took."""
    parts: list[Piece] = []
    match entry.state:
        case "queued":
            parts.append(Piece("waits", "dim"))
        case "asking":
            parts.append(Piece("? waits for your answer", "note"))
        case "running":
            since = entry.seconds
            parts.append(Piece("● running" + (f" {since:.0f} s" if since else ""), "live"))
        case "failed":
            kind = failure_words(entry.error)
            parts.append(Piece(f"✗ failed: {kind}" if kind else "✗ failed", "problem"))
        case "stopped":
            parts.append(Piece("stopped", "note"))
        case "unanswered":
            parts.append(Piece("no result", "note"))
    if entry.result or entry.state in ("done", "failed"):
        parts.append(Piece(short_size(len(entry.result.encode(errors="replace"))), "dim"))
        if entry.seconds is not None:
            parts.append(Piece(call_seconds(entry.seconds), "dim"))
    parts += [Piece(one_line(figure), "dim") for figure in entry.figures]
    joined: list[Piece] = []
    for part in parts:
        joined += [Piece(" · ", "dim"), part] if joined else [part]
    return joined


def _output(output: str, width: int) -> list[Row]:
    """The last rows of what a call has shown, each cut where the row ends."""
    shown = printable(complete_part(output)[0]).expandtabs(TAB)
    lines = [line.rstrip() for line in shown.split("\n") if line.strip()][-OUTPUT_ROWS:]
    lead = f"{INDENT}{OUTPUT}" if width >= NARROW else ""
    return [
        Row((Piece(lead, "tool"), Piece(_clipped(line, width - len(lead)), "dim")), bare=len(lead))
        for line in lines
    ]


def _rest(entry: CallEntry) -> str:
    """How much of the result is not shown, and how to have it; empty where that is nothing."""
    rest = len(entry.result) - LONGEST_RESULT
    return f"… {count(rest, 'more character')}: @retrieve {_handle(entry)}" if rest > 0 else ""


def _handle(entry: CallEntry) -> str:
    return one_line(entry.handle) or f"m{entry.number}"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}\n… {len(text) - longest:,} more"


def _indented(text: str, ink: str, width: int) -> list[Row]:
    """A text in rows that stand in a little, where there is room for that."""
    if not text:
        return []
    lead = INDENT if width >= NARROW else ""
    rows = plain_rows(printable(text), width - len(lead), ink)
    return [Row((Piece(lead), *row.pieces), row.glue, len(lead)) for row in rows]


def _clipped(text: str, width: int, *, from_end: bool = False) -> str:
    """A text cut to so many cells, with a sign where something is missing."""
    if cell_len(text) <= width:
        return text
    if width < 1:
        return ""
    if not from_end:
        return set_cell_size(text, width - 1).rstrip() + "…"
    kept = text[-width:]
    while cell_len(kept) > width - 1:
        kept = kept[1:]
    folder = kept.find("/")
    # Rather a whole name less than a part of one.
    return "…" + (kept[folder:] if 0 <= folder <= len(kept) // 2 else kept.lstrip())
