"""Whether what a search looks through is what was said (RECALL-2)."""

from app.doctor.check import Check, note, ok
from memory.storage.failures import StorageError
from memory.storage.inspection import Inspection
from memory.storage.inspection_search import look_at_search
from widgets.figures import count

ANEW = "`strata sessions reindex` makes it anew from the conversations, which are safe."


def search_checks(database: Inspection) -> list[Check]:
    """What there is to say of the search tables of a sound database."""
    try:
        found = look_at_search(database)
    except (StorageError, MemoryError):  # damage makes SQLite ask for absurd amounts of it
        return [note("search", "The search table can't be read.", ANEW)]
    if found.missing or found.surplus:
        wrong = [
            *([f"{count(found.missing, 'message')} can't be found"] if found.missing else []),
            *([f"{count(found.surplus, 'row')} of it belong to nothing"] if found.surplus else []),
        ]
        return [note("search", f"The search table is not complete: {', '.join(wrong)}.", ANEW)]
    if not found.sound:
        return [note("search", "The search table has other words than the conversations.", ANEW)]
    if found.behind:
        left = f"{count(found.behind, 'older event')} are still to be gone through for searches."
        return [note("search", left, "The chat does so in the background while it is open.")]
    return [ok("search", f"{count(found.passages, 'passage')} can be found by their words.")]
