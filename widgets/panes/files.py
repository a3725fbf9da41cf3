"""Memory files as a pane shows them: where each stands, what it costs, when it changed. Pure."""

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from widgets.figures import count, short_number
from widgets.panes.blocks import Keyed
from widgets.panes.content import short_age
from widgets.panes.fitting import indented, line, paragraph
from widgets.panes.view import PARTS, PaneView
from widgets.paths import below_home
from widgets.plain import one_line
from widgets.rows import Piece, Row

if TYPE_CHECKING:
    from datetime import datetime

    from memory.snapshot import FileView, Snapshot

NO_FILES = (
    "No memory file yet: AGENT.md, MEMORY.md or .agent-context.md in the working directory, in "
    "~/.agent or in /etc/agent/global stands in every prompt."
)
WHOLE, CUT, LEFT = ("●", "files"), ("◐", "note"), ("○", "lost")
"""How much of a file stands in the prompt: all, its beginning, nothing."""
MOST_NOTE_ROWS = 4
INDENT = 2
TOKEN_CELLS, AGE_CELLS = 5, 6
KEPT_FILES = 256


def file_rows(snapshot: "Snapshot", width: int, now: "datetime") -> PaneView:
    """A file: sign, name, folder, tokens, age; below it what should be known of it."""
    files = snapshot.files
    if not files:
        return PaneView(tuple(paragraph(NO_FILES, width)))
    rows: list[Keyed] = []
    for file in files:
        age = short_age(file.changed, now) if file.changed is not None else ""
        rows += [(row, file.path) for row in _rows_of(file, age, width)]
    keys = tuple(key for _, key in rows)
    return PaneView(tuple(row for row, _ in rows), _figures(snapshot), keys)


def has_files(snapshot: "Snapshot") -> bool:
    """Whether there is any, or what should have been one."""
    return bool(snapshot.files)


@lru_cache(maxsize=KEPT_FILES)
def _rows_of(file: "FileView", age: str, width: int) -> tuple[Row, ...]:
    folder, name = os.path.split(one_line(below_home(file.path)))
    sign, ink = CUT if file.cut else WHOLE if file.tokens else LEFT
    left = [Piece(f"{sign} ", ink), Piece(f"{name} " if name else folder, "files")]
    where = Piece(folder if name else "", "dim")
    tokens = short_number(file.tokens) if file.tokens else ""
    right = [Piece(f" {tokens:>{TOKEN_CELLS}}"), Piece(f" {age:>{AGE_CELLS}}", "dim")]
    head = line(left, where, right, width)
    note = "; ".join(filter(None, (file.note, _redacted(file))))
    if not note:
        return (head,)
    below = paragraph(note, max(2, width - INDENT), "dim", most=MOST_NOTE_ROWS)
    return (head, *indented(below, INDENT))


def _redacted(file: "FileView") -> str:
    return f"{count(file.redacted, 'secret')} replaced" if file.redacted else ""


def _figures(snapshot: "Snapshot") -> str:
    shown = [file for file in snapshot.files if file.tokens]
    about = "~" if snapshot.context.counted_by == "estimate" else ""
    tokens = snapshot.context.sections.get("files", 0)
    return PARTS.join((count(len(shown), "file"), f"{about}{short_number(tokens)} tok"))
