"""The pieces of a request as the prompt inspector lists them. Pure."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, overload

from rich.cells import cell_len

from app.screens.prompt_words import ink_of, name_of
from memory.parts import EditStage
from memory.recall_views import FoundView
from memory.views import LeftOutView, PieceView, PromptView, Sharing
from widgets.figures import count, short_number
from widgets.panes.recalled import source_of
from widgets.panes.summaries import span
from widgets.panes.view import PARTS, PaneView, clipped, spread, wrapped
from widgets.paths import below_home
from widgets.plain import one_line
from widgets.rows import EMPTY, Piece, Row

MARKS = {"shared": ("│", "dim"), "broke": ("≠", "lost"), "new": ("+", "you")}
SUMMARIES = ("long_term", "short_term")
HEADINGS = {"long_term": 1, "short_term": 1, "facts": 1, "working": 1, "recalled": 2}
"""Lines at the beginning of a piece that say what it is."""
STAGES: dict[EditStage, str] = {"shown": "receipt"}
"""What a stage leaves, where its name does not say that."""
CALLS = "tool_calls: "
"""What the line with the calls of a message begins with."""
HUE = "▌"
NOTHING_SAID = "Nothing has been said yet: every request will begin with what stands here."
NAME_CELLS = 10
LEFT_OUT = "  left out"
SHORTEST_PREVIEW = 8
SHARE_CELLS = 4
PREVIEWED = 400
"""Characters of a text that its row may need."""
KEPT_ROWS = 8_192
KEPT_CALLS = 512
"""Lists of calls that are not read again with every picture."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row: a piece, messages that are left out, or a fact or a passage that was found."""

    key: str
    piece: PieceView | None = None
    gone: LeftOutView | None = None
    found: FoundView | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """Cells of the columns that differ from request to request."""

    numbers: int
    tokens: int
    width: int


class Shown(NamedTuple):
    """All of a piece that its row tells."""

    sharing: Sharing
    ink: str
    numbers: str
    name: str
    stage: str
    text: Piece
    tokens: str
    share: str


def entries_of(view: PromptView) -> list[Entry]:
    """The rows of a request: each piece, and after it what it tells of: messages, facts, passages.

    What was found and left out ends them.
    """
    waiting = list(view.left_out)
    entries: list[Entry] = []
    keys: dict[str, int] = {}
    for piece in view.pieces:
        entries.append(Entry(_key(piece, keys), piece))
        if piece.receipt or piece.section in SUMMARIES:
            told = [gone for gone in waiting if (gone.first, gone.last) == piece.sources]
            waiting = [gone for gone in waiting if gone not in told]
            entries += map(_left_out, told)
        entries += _found(piece, view)
    without = view.recalled.left_out if view.recalled is not None else ()
    return [*map(_left_out, waiting), *entries, *_keyed("out", without)]


@dataclass(frozen=True, slots=True)
class EntryRows(Sequence[Row]):
    """The rows of entries, each made when it comes into sight."""

    entries: tuple[Entry, ...]
    columns: Columns

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...
    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        if isinstance(index, slice):
            return EntryRows(self.entries[index], self.columns)
        entry = self.entries[index]
        if entry.gone is not None:
            return _gone_row(entry.gone, self.columns)
        if entry.found is not None:
            return _found_row(entry.found, self.columns)
        return _piece_row(entry.piece, self.columns) if entry.piece is not None else EMPTY

    def __len__(self) -> int:
        return len(self.entries)


def list_rows(view: PromptView, entries: Sequence[Entry], width: int) -> PaneView:
    """One row a piece; it opens the piece.

    Args:
        view: The request.
        entries: Its rows.
        width: Cells of a row.
    """
    columns = Columns(
        numbers=max((len(_numbers(entry)) for entry in entries), default=0),
        tokens=max((len(short_number(_tokens(entry))) for entry in entries), default=0),
        width=width,
    )
    rows: Sequence[Row] = EntryRows(tuple(entries), columns)
    keys: list[str | None] = [entry.key for entry in entries]
    if not view.message:
        told = wrapped(NOTHING_SAID, width, "dim")
        rows, keys = (*told, *rows), [*(None for _ in told), *keys]
    figures = count(len(view.pieces), "piece")
    hidden = sum(gone.last - gone.first + 1 for gone in view.left_out)
    if hidden:
        figures += f"{PARTS}{count(hidden, 'message')} not word for word"
    return PaneView(rows, figures, tuple(keys))


def _key(piece: PieceView, seen: dict[str, int]) -> str:
    """A name for a piece that is the same in other requests, so that it stays chosen."""
    first, last = piece.sources or (0, 0)
    section = piece.section
    # A summary stands for more messages each time it is folded again.
    key = f"{section}:{first}-{last}" if section == "messages" else section
    seen[key] = seen.get(key, 0) + 1
    return key if seen[key] == 1 else f"{key}#{seen[key]}"


def _found(piece: PieceView, view: PromptView) -> list[Entry]:
    """What a piece is made of, where that was found or pinned."""
    recalled = view.recalled
    if piece.section == "facts":
        return _keyed("facts", (*view.pinned, *(recalled.facts if recalled else ())))
    return _keyed("recalled", recalled.texts) if piece.section == "recalled" and recalled else []


def _keyed(name: str, found: Sequence[FoundView]) -> list[Entry]:
    return [Entry(f"{name}:{place}", found=one) for place, one in enumerate(found)]


def _left_out(gone: LeftOutView) -> Entry:
    return Entry(f"gone:{gone.first}-{gone.last}", gone=gone)


def _numbers(entry: Entry) -> str:
    if entry.gone is not None:
        return span(entry.gone.first, entry.gone.last)
    if entry.found is not None:
        return _number_of(entry.found)
    piece = entry.piece
    return span(*piece.sources) if piece is not None and piece.sources else ""


def _tokens(entry: Entry) -> int:
    for other in (entry.gone, entry.found):
        if other is not None:
            return other.tokens
    return entry.piece.tokens if entry.piece is not None else 0


def _piece_row(piece: PieceView, columns: Columns) -> Row:
    shown = Shown(
        sharing=piece.sharing,
        ink=ink_of(piece),
        numbers=span(*piece.sources) if piece.sources else "",
        name=name_of(piece),
        stage=f"({STAGES.get(piece.stage, piece.stage)}) "
        if piece.stage and not piece.receipt
        else "",
        text=_preview(piece),
        tokens=short_number(piece.tokens),
        share=f"{piece.share:.0%}",
    )
    return _row(shown, columns)


@lru_cache(maxsize=KEPT_ROWS)
def _row(shown: Shown, columns: Columns) -> Row:
    mark, mark_ink = MARKS[shown.sharing]
    left = [
        Piece(mark, mark_ink, "b" if shown.sharing == "broke" else ""),
        Piece(HUE, shown.ink),
        Piece(f" {shown.numbers:>{columns.numbers}} ", "dim"),
        Piece(f"{shown.name:<{NAME_CELLS}} ", shown.ink),
    ]
    if shown.stage:
        left.append(Piece(shown.stage, "note"))
    right = [
        Piece(f"{shown.tokens:>{columns.tokens}}"),
        Piece(f" {shown.share:>{SHARE_CELLS}}", "dim"),
    ]
    return _filled(left, shown.text, right, columns.width)


def _gone_row(gone: LeftOutView, columns: Columns) -> Row:
    left = [Piece(f"   {span(gone.first, gone.last):>{columns.numbers}} ", "dim")]
    tokens = f"{short_number(gone.tokens):>{columns.tokens}}"
    right = [Piece(tokens, "dim", "i"), Piece(" " * (SHARE_CELLS + 1), "dim")]
    return _filled(left, Piece(f"not word for word: {gone.why}", "dim", "i"), right, columns.width)


def _found_row(found: FoundView, columns: Columns) -> Row:
    """A fact or a passage: who said it, and in the place of a share its score."""
    name, ink = source_of(found)
    out = bool(found.why_not)
    left = [
        Piece("  ", "dim"),
        Piece(f" {_number_of(found):>{columns.numbers}} ", "dim"),
        Piece(f"{LEFT_OUT if out else f'  {name}':<{NAME_CELLS}} ", "dim" if out else ink),
    ]
    score = f"{found.score:.1f}" if found.parts else "pin"
    right = [
        Piece(f"{short_number(found.tokens):>{columns.tokens}}", "dim"),
        Piece(f" {score:>{SHARE_CELLS}}", "dim" if out else "recalled"),
    ]
    style = "i" if out else ""
    return _filled(left, Piece(found.text[:PREVIEWED], "dim", style), right, columns.width)


def _number_of(found: FoundView) -> str:
    """The number of a message of this session; those of others would read as if of this one."""
    return f"{found.number:,}" if found.number and found.here else ""


def _filled(left: list[Piece], text: Piece, right: list[Piece], width: int) -> Row:
    """A row whose text takes what is left between its ends."""
    taken = sum(cell_len(piece.text) for piece in (*left, *right)) + 1
    if width - taken < SHORTEST_PREVIEW:
        return spread(left, right, width)
    cut = clipped(one_line(text.text), width - taken)
    return spread([*left, text._replace(text=cut)], right, width)


def _preview(piece: PieceView) -> Piece:
    if piece.section == "tools":
        names = _functions(piece.text)
        return Piece(PARTS.join((count(len(names), "tool"), ", ".join(names))))
    if piece.path:
        return Piece(below_home(piece.path))
    text = piece.text[:PREVIEWED]
    for _ in range(HEADINGS.get(piece.section, 0)):
        # They say what the row says already.
        text = text.partition("\n")[2] or text
    if text.strip():
        return Piece(text)
    return Piece(_beside(piece.extras) if piece.extras else "no text", "dim")


def _beside(extras: str) -> str:
    """What a message without a text does: the tools that it calls, each once."""
    line = next((line for line in extras.split("\n") if line.startswith(CALLS)), "")
    called = Counter(_functions(line.removeprefix(CALLS)))
    told = [name if times == 1 else f"{times} × {name}" for name, times in called.items()]
    return f"calls {', '.join(told)}" if told else "calls tools"


@lru_cache(maxsize=KEPT_CALLS)
def _functions(text: str) -> tuple[str, ...]:
    """The names of functions in a list of calls or schemas; none where it can't be read."""
    try:
        return tuple(str(one["function"]["name"]) for one in json.loads(text))
    except (ValueError, LookupError, TypeError):
        return ()
