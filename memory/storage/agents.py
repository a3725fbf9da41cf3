"""The agents' own streams: what outlives a session (preferences, the folder used last)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

from memory.agent_events import AgentStarted
from memory.clock import utc_now
from memory.events import Event, Recorded
from memory.ids import new_id
from memory.privacy import Cleaned
from memory.storage import purging
from memory.storage.bodies import erase
from memory.storage.database import Database, Transaction
from memory.storage.failures import Conflict
from memory.storage.log import Batch, Log, numbered, write_events
from memory.storage.passages import remove_stream

Beside = Callable[[Transaction, str, str, Sequence[Recorded]], Awaitable[None]]
"""Told of the stream, its branch and the events that were written."""


class Agents:
    """The streams of agents; several processes may append, one transaction after the other."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, agent: str, kind: type[Event]) -> list[Recorded]:
        """The events of a kind in an agent's stream, oldest first; none where it has not begun."""
        log = await self._log(agent)
        return await log.read(kinds=(kind.KIND,)) if log else []

    async def newest(self, agent: str, kind: type[Event]) -> list[Recorded]:
        """The newest event of a kind in an agent's stream, if there is one."""
        log = await self._log(agent)
        return await log.read_newest((kind.KIND,), 1) if log else []

    async def head(self, agent: str) -> int:
        """The number of the last event of an agent's stream; 0 where it has not begun."""
        row = await self._database.one(
            "SELECT b.head FROM branch b JOIN stream s ON s.id = b.stream WHERE s.name = ?",
            (_name(self._stored(agent)),),
        )
        return int(row[0]) if row else 0

    async def read_after(self, agent: str, n: int, kinds: Sequence[str]) -> list[Recorded]:
        """The events of some kinds after number `n` of an agent's stream, oldest first."""
        log = await self._log(agent)
        return await log.read(after=n, kinds=kinds) if log else []

    async def stream(self, agent: str) -> str:
        """The id of an agent's stream; empty where it has not begun."""
        row = await self._database.one(
            "SELECT id FROM stream WHERE name = ?", (_name(self._stored(agent)),)
        )
        return str(row[0]) if row else ""

    async def names(self) -> list[str]:
        """The names of all agents that have a stream or a session, in their order."""
        rows = await self._database.all("SELECT DISTINCT agent FROM stream ORDER BY agent")
        return [row[0] for row in rows]

    async def sessions(self, agent: str) -> int:
        """How many sessions an agent has, those of its helpers left out."""
        row = await self._database.one(
            "SELECT count(*) FROM stream WHERE kind = 'session' AND owner IS NULL AND agent = ?",
            (self._stored(agent),),
        )
        return int(row[0]) if row else 0

    async def remove(self, agent: str) -> None:
        """Removes an agent's stream.

        Raises:
            StorageError: The database refused; nothing was changed.
        """

        async def write(transaction: Transaction) -> int | None:
            stream = await transaction.one(
                "SELECT id FROM stream WHERE name = ?", (_name(self._stored(agent)),)
            )
            if stream is None:
                return None
            await remove_stream(transaction, stream[0])
            await transaction.run("DELETE FROM stream WHERE id = ?", stream)
            return await purging.begin_cleaning(transaction)

        cleaning = await self._database.write(write)
        if cleaning is not None:
            await purging.clean_up(self._database, cleaning)

    async def append(
        self,
        agent: str,
        events: Sequence[Event],
        bodies: Mapping[str, Cleaned],
        *,
        after: int | None = None,
        erased: Sequence[str] = (),
        beside: Beside | None = None,
    ) -> list[Recorded]:
        """Appends events to an agent's stream, which begins with them where it has not begun.

        Args:
            agent: Whose stream it is.
            events: What happened.
            bodies: The texts that the events name.
            after: The number of the event that they were decided after; None where whatever
                came since does not matter.
            erased: Bodies whose texts are taken away in the same transaction.
            beside: What else is written in it, once the events are.

        Raises:
            Conflict: Something came after that event; nothing was written.
            StorageError: The database refused; nothing was written.
        """

        async def write(transaction: Transaction) -> list[Recorded]:
            stream, branch, head = await _stream(transaction, self._stored(agent))
            if after is not None and head != after:
                raise Conflict("Another Strata has changed what the agent knows.", "Try again.")
            started = [] if head else [AgentStarted(self._stored(agent))]
            recorded = numbered([*started, *events], head)
            await write_events(transaction, stream, branch, Batch(recorded, bodies))
            await transaction.run(
                "UPDATE branch SET head = ?, updated_at = ? WHERE id = ?",
                (recorded[-1].n, recorded[-1].at, branch),
            )
            if beside is not None:
                await beside(transaction, stream, branch, recorded)
            await erase(transaction, erased, recorded[-1].at)
            return recorded

        return await self._database.write(write)

    async def _log(self, agent: str) -> Log | None:
        row = await self._database.one(
            "SELECT b.id FROM branch b JOIN stream s ON s.id = b.stream WHERE s.name = ?",
            (_name(self._stored(agent)),),
        )
        return await Log.open(self._database, row[0]) if row else None

    def _stored(self, agent: str) -> str:
        return self._database.door.clean(agent).text


async def _stream(transaction: Transaction, agent: str) -> tuple[str, str, int]:
    """The stream of an agent, its branch, and the number of its last event."""
    name = _name(agent)
    row = await transaction.one(
        "SELECT s.id, b.id, b.head FROM branch b JOIN stream s ON s.id = b.stream WHERE s.name = ?",
        (name,),
    )
    if row is not None:
        return row[0], row[1], row[2]
    stream, branch, now = new_id(), new_id(), utc_now()
    await transaction.run(
        "INSERT INTO stream (id, kind, name, agent, user, started_at) "
        "VALUES (?, 'agent', ?, ?, '', ?)",
        (stream, name, agent, now),
    )
    await transaction.run(
        "INSERT INTO branch (id, stream, created_at, head, updated_at) VALUES (?, ?, ?, 0, ?)",
        (branch, stream, now, now),
    )
    return stream, branch, 0


def _name(agent: str) -> str:
    """What the stream is called; no session is, since their ids end with a time."""
    return f"agent:{agent}"
