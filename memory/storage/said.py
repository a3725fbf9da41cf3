"""What was said at a place, wherever it was: by its number in a branch, or as a passage."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.storage.database import Database

_COLUMNS = (
    "SELECT p.id, p.kind, p.branch, p.n, s.name, s.title, p.number, p.role, p.at, b.text "
    "FROM passage p JOIN body b ON b.id = p.body JOIN stream s ON s.id = p.stream "
    "WHERE b.text IS NOT NULL AND "
)


@dataclass(frozen=True, slots=True)
class Said:
    """A text with where it stands."""

    passage: int
    kind: str
    branch: str
    n: int
    """The event's number in the branch."""
    session: str
    """The session's id."""
    title: str | None
    number: int
    """The message's number; 0 for what is no message."""
    role: str
    at: str
    text: str
    """All of it."""

    @property
    def name(self) -> str:
        """What a person calls the session."""
        return self.title or self.session


async def said_at(database: Database, branch: str, numbers: Sequence[int]) -> list[Said]:
    """The messages of a branch with these numbers, in their order.

    Raises:
        StorageError: The database refused.
    """
    marks = ", ".join("?" * len(numbers))
    rows = await database.all(
        f"{_COLUMNS} p.kind = 'message' AND p.branch = ? AND p.number IN ({marks}) "
        "GROUP BY p.number ORDER BY p.number",
        (branch, *numbers),
    )
    return [Said(*row) for row in rows]


async def passages_of(database: Database, ids: Sequence[int]) -> dict[int, Said]:
    """The whole texts that passages are part of, by the passage; without those that have gone.

    Raises:
        StorageError: The database refused.
    """
    marks = ", ".join("?" * len(ids))
    rows = await database.all(f"{_COLUMNS} p.id IN ({marks})", tuple(ids))
    return {row[0]: Said(*row) for row in rows}
