"""What is told of a row of the prompt inspector once it is chosen; which comes first. Pure."""

from collections.abc import Sequence

from app.screens.prompt_rows import Entry
from app.screens.prompt_words import found_lines, gone_lines, ink_of, title_of, why_lines
from memory.recall_views import FoundView
from memory.views import PromptView
from widgets.panes.recalled import source_of


def heading_of(entry: Entry) -> tuple[str, str]:
    """What stands over an opened row, and in which hue."""
    if entry.piece is not None:
        return title_of(entry.piece), ink_of(entry.piece)
    if entry.found is not None:
        ink = "dim" if entry.found.why_not else source_of(entry.found)[1]
        return entry.found.kind, ink
    return "left out", "dim"


def why_of(entry: Entry, view: PromptView) -> list[str]:
    """Why what a row tells of is there, or is not; sentences."""
    if entry.piece is not None:
        return why_lines(entry.piece, view)
    if entry.found is not None:
        return found_lines(entry.found, view.recalled.number if view.recalled is not None else 0)
    return gone_lines(entry.gone) if entry.gone is not None else []


def all_found(view: PromptView) -> list[FoundView]:
    """The facts and passages that were found for a request."""
    found = view.recalled
    return [*found.facts, *found.texts, *found.left_out] if found is not None else []


def first_to_see(entries: Sequence[Entry], file: str) -> str | None:
    """The piece to begin with: the wanted file, where the shared part ends, or the first."""
    for entry in entries:
        if file and entry.piece is not None and entry.piece.path == file:
            return entry.key
    for entry in entries:
        if entry.piece is not None and entry.piece.sharing == "broke":
            return entry.key
    return entries[0].key if entries else None
