"""What the Timeline screen may read and do, whatever there is behind it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from memory.parts import SummarySlot
from memory.rewriting import Rewritten
from memory.versions import SummaryVersion
from memory.views import CompactionView


@dataclass(frozen=True, slots=True)
class RewriteDeeds:
    """How a summary is written anew."""

    preview: Callable[[SummarySlot, str, str], Awaitable[Rewritten]]
    """From a summary, instructions and the name of a model, both of which may be empty."""
    accept: Callable[[Rewritten], Awaitable[object]]
    model: str
    """Who writes where no model is named."""


@dataclass(frozen=True, slots=True)
class TimelineDeeds:
    """How compactions are read, taken back, and mended."""

    view: Callable[[str], Awaitable[CompactionView]]
    """Opens the compaction with an id."""
    versions: Callable[[], Awaitable[Sequence[SummaryVersion]]]
    undo: Callable[[str], Awaitable[None]]
    """Takes back the compaction with an id, and all after it."""
    redo: Callable[[], Awaitable[None]]
    """Lets the compaction undone last hold again."""
    pin: Callable[[str, int | None], Awaitable[None]]
    """Keeps a sentence, of a message where it is known of which."""
    rewrite: RewriteDeeds
