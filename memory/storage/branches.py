"""The branches of a session: made, listed, looked up. Their events are the log's affair."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

from memory.clock import utc_now
from memory.events import Recorded, SessionRenamed
from memory.ids import new_id
from memory.parts import TitledBy
from memory.storage.database import Database, Transaction
from memory.storage.leases import Lease, assert_held
from memory.storage.log import Batch, write_events
from memory.storage.reach import follow_branches


@dataclass(frozen=True, slots=True)
class BranchRow:
    """A branch as the tables have it."""

    id: str
    parent: str | None
    parent_n: int
    """The last event it shares with its parent; 0 for the first branch."""
    messages: int
    last_used: str
    reason: str
    """Why it was begun; empty for the first branch."""
    shared: int
    """The newest message it shares with its parent; 0 where there is none."""
    first_body: str | None
    """The text of its first own message."""


@dataclass(frozen=True, slots=True)
class NewBranch:
    """A branch that is about to be made, with its first events."""

    stream: str
    parent: str
    parent_n: int
    messages: int
    model: str | None
    recorded: Sequence[Recorded]


async def create(database: Database, new: NewBranch, lease: Lease) -> str:
    """Makes a branch with its first events in one transaction; returns its id.

    Args:
        database: Where it is made.
        new: What it begins with.
        lease: The right to write to the branch it is made from.

    Raises:
        Conflict: The session was taken over; nothing was written.
        StorageError: The database refused; nothing was written.
    """
    branch, now = new_id(), utc_now()

    async def write(transaction: Transaction) -> str:
        await assert_held(transaction, lease)
        await transaction.run(
            "INSERT INTO branch (id, stream, parent, parent_n, created_at, head, messages, model, "
            "updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                branch,
                new.stream,
                new.parent,
                new.parent_n,
                now,
                new.recorded[-1].n,
                new.messages,
                new.model,
                now,
            ),
        )
        await write_events(transaction, new.stream, branch, Batch(new.recorded))
        await follow_branches(transaction, new.stream)
        return branch

    return await database.write(write)


async def touch(database: Database, branch: str) -> None:
    """Notes that a branch was gone to: it is the one that is opened by the session's name."""

    async def write(transaction: Transaction) -> None:
        await transaction.run("UPDATE branch SET updated_at = ? WHERE id = ?", (utc_now(), branch))
        stream = await transaction.one("SELECT stream FROM branch WHERE id = ?", (branch,))
        if stream is not None:
            await follow_branches(transaction, stream[0])

    await database.write(write)


async def rows(database: Database, stream: str) -> list[BranchRow]:
    """The branches of a stream in the order in which they were begun."""
    found = await database.all(
        "SELECT b.id, b.parent, ifnull(b.parent_n, 0), b.messages, b.updated_at, "
        "ifnull(json_extract(f.data, '$.reason'), ''), "
        "ifnull(json_extract(f.data, '$.message'), 0), "
        "(SELECT json_extract(e.data, '$.ref.body') FROM event e "
        " WHERE e.branch = b.id AND e.number IS NOT NULL ORDER BY e.number LIMIT 1) "
        "FROM branch b LEFT JOIN event f "
        "ON f.branch = b.id AND f.n = b.parent_n + 1 AND f.kind = 'forked' "
        "WHERE b.stream = ? AND NOT b.hidden ORDER BY b.created_at, b.id",
        (stream,),
    )
    return [BranchRow(*row) for row in found]


async def titled_by(database: Database, stream: str) -> TitledBy:
    """Who gave a stream the title it has, in whichever branch that was."""
    row = await database.one(
        "SELECT json_extract(e.data, '$.by') FROM branch b CROSS JOIN event e "
        "INDEXED BY event_kind ON e.branch = b.id AND e.kind = ? "
        "AND e.kind NOT IN ('message', 'request', 'attempt') "
        "WHERE b.stream = ? ORDER BY e.at DESC, e.n DESC LIMIT 1",
        (SessionRenamed.KIND, stream),
    )
    return cast(TitledBy, row[0]) if row and row[0] else "user"
