"""What is left of what was forgotten: that it was, and which numbers it had (RECALL-6)."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from memory.events import Event

ForgottenBy = Literal["user", "model", "age"]
"""Who wanted it: the user by a command, the model by a tool with the user's leave, or retention."""


@dataclass(frozen=True, slots=True)
class Forgotten(Event):
    """Texts of this branch were taken away; what they were is told nowhere (RECALL-6, RECALL-7)."""

    KIND: ClassVar[str] = "forgotten"
    numbers: tuple[tuple[int, int], ...] = ()
    """Ranges of messages (inclusive)."""
    items: tuple[str, ...] = ()
    """Content items with texts of their own."""
    cut: int = 0
    """Texts of the session that quoted them: summaries, notes, receipts."""
    by: ForgottenBy = "user"


FORGETTING_EVENTS: tuple[type[Event], ...] = (Forgotten,)
