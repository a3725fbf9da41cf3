"""Conversations that arrive whole: each a session of its own, there entirely or not at all."""

from dataclasses import dataclass

from memory.events import Imported, Message
from memory.ids import new_id
from memory.storage.database import Database, Transaction
from memory.storage.log import Batch, write_events, write_rows

FOUND_AT_ONCE = 500
"""Messages that are made findable in the same transaction, half a second of the database at most;
those of a longer conversation are gone through behind the next chat."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A session as it is to be."""

    user: str
    agent: str
    title: str | None
    started_at: str
    used_at: str
    """When something was said in it last."""
    batch: Batch


@dataclass(frozen=True, slots=True)
class Arrived:
    """A conversation that is here already."""

    session: str
    branch: str
    messages: int
    """How many messages of it there were."""
    digest: str
    before: bool = True
    """Whether it was here before."""


async def arrived(database: Database | Transaction, agent: str) -> dict[str, Arrived]:
    """What has been imported for an agent, by its source.

    Raises:
        StorageError: The database refused.
    """
    rows = await database.all(
        "SELECT json_extract(e.data, '$.source'), s.name, b.id, "
        "json_extract(e.data, '$.messages'), json_extract(e.data, '$.digest') "
        "FROM stream s JOIN branch b ON b.stream = s.id "
        "JOIN event e INDEXED BY event_kind ON e.branch = b.id AND e.kind = ? "
        "AND e.kind NOT IN ('message', 'request', 'attempt') "
        "WHERE s.kind = 'session' AND s.agent = ? ORDER BY e.at, e.n",
        (Imported.KIND, agent),
    )
    return {source: Arrived(*rest) for source, *rest in rows}


async def is_there(database: Database, session: str) -> bool:
    """Whether there is a session of this id.

    Raises:
        StorageError: The database refused.
    """
    row = await database.one("SELECT 1 FROM stream WHERE kind = 'session' AND name = ?", (session,))
    return row is not None


async def put(database: Database, arrival: Arrival, seen: int) -> Arrived:
    """Writes a session in one transaction, unless another process was faster.

    Args:
        database: Where to.
        arrival: The session.
        seen: What `data_version` was when `arrived` was asked.

    Returns:
        The session; the one of before where it is here by now.

    Raises:
        StorageError: The database refused; nothing was written.
    """
    stream, branch = new_id(), new_id()
    recorded = arrival.batch.recorded
    messages = sum(isinstance(entry.event, Message) for entry in recorded)

    imported = next(e.event for e in recorded if isinstance(e.event, Imported))

    async def write(transaction: Transaction) -> Arrived:
        if await transaction.one("PRAGMA data_version") != (seen,):
            here = (await arrived(transaction, arrival.agent)).get(imported.source)
            if here is not None:
                return here
        name = f"{arrival.user}:{arrival.agent}:{arrival.started_at}"
        taken = await transaction.one("SELECT 1 FROM stream WHERE name = ?", (name,))
        name = f"{name}-{stream[-6:]}" if taken else name
        size = sum(len(cleaned.text.encode()) for cleaned in arrival.batch.bodies.values())
        await transaction.run(
            "INSERT INTO stream (id, kind, name, agent, user, title, started_at, bytes) "
            "VALUES (?, 'session', ?, ?, ?, ?, ?, ?)",
            (stream, name, arrival.agent, arrival.user, arrival.title, arrival.started_at, size),
        )
        await transaction.run(
            "INSERT INTO branch (id, stream, created_at, head, messages, updated_at) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            (branch, stream, arrival.started_at, len(recorded), messages, arrival.used_at),
        )
        if messages <= FOUND_AT_ONCE:
            await write_events(transaction, stream, branch, arrival.batch)
        else:
            await write_rows(transaction, stream, branch, arrival.batch)
            await transaction.run("INSERT INTO unread VALUES (?, 0, ?)", (branch, len(recorded)))
        return Arrived(name, branch, imported.messages, imported.digest, before=False)

    return await database.write(write)
