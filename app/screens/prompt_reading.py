"""What the prompt inspector reads, and where it leads."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from app.screens.place import Place
from app.screens.prompt_rows import Entry
from memory.recall_views import FoundView
from memory.views import PromptView, RequestInfo

if TYPE_CHECKING:
    from app.screens.prompt_sources import Way
    from memory.storage.said import Said


class Requests(Protocol):
    """Reads the requests of a session."""

    async def requests(self) -> Sequence[RequestInfo]:
        """The requests that were made, oldest first."""

    async def inspect(self, request: str | None = None, draft: str = "") -> PromptView:
        """One request; the next one where there is no id."""


class Sources(Protocol):
    """Leads from what stands in a request to where it is from."""

    async def said(self, found: Sequence[FoundView]) -> "Mapping[int, Said]":
        """The whole texts of passages, and where they stand."""

    def way_of(self, entry: Entry, said: "Said | None") -> "Place | Way":
        """The message that a row is from, or the way to what it is from."""

    async def recalled(self, number: int) -> Place | None:
        """Shows what was recalled for a message."""
