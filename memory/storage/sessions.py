"""Sessions by name: found, made, listed, deleted."""

import asyncio
import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count

from memory import telemetry
from memory.clock import utc_now
from memory.errors import StrataError
from memory.ids import new_id
from memory.parts import Usage
from memory.privacy import encodable
from memory.storage import purging
from memory.storage.database import Database, Row, Transaction
from memory.storage.everywhere import Heard, said_anywhere
from memory.storage.leases import SessionHeld, living_holder
from memory.storage.passages import remove_stream
from memory.storage.said import Said, passages_of, said_at
from memory.storage.shown_names import begun, titled
from memory.storage.vault import Vault

_OF_ALL = "(SELECT {} FROM branch x WHERE x.stream = s.id)"
_WITH_HELPERS = (
    "(SELECT {} FROM branch x WHERE x.stream IN "
    "(SELECT y.id FROM stream y WHERE y.id = s.id OR y.owner = s.id))"
)
COLUMNS = ", ".join(
    (
        "s.name, s.title, s.agent, b.id, b.messages, b.model, s.started_at, b.updated_at, s.bytes",
        _OF_ALL.format("sum(NOT x.hidden)"),
        "l.label, l.host, l.pid, l.epoch, l.expires_at",
        *(
            _WITH_HELPERS.format(f"sum(x.{name})")
            for name in ("used_in", "used_out", "used_cached", "cost")
        ),
    )
)
HEADS = (
    "FROM branch b JOIN stream s ON s.id = b.stream LEFT JOIN lease l ON l.branch = "
    "(SELECT y.branch FROM lease y JOIN branch x ON x.id = y.branch WHERE x.stream = s.id "
    "ORDER BY y.expires_at DESC LIMIT 1) "
    "WHERE s.kind = 'session'"
)
"""The branches with their sessions, and with the lease that was renewed last in each session."""
NEWEST = (
    " AND b.id = (SELECT x.id FROM branch x WHERE x.stream = s.id AND NOT x.hidden "
    "ORDER BY x.updated_at DESC, x.id DESC LIMIT 1)"
)
"""Of each session the branch that was used last."""
OWN = " AND s.owner IS NULL"
"""Sessions of the user's own, without those that were begun for a task of one of them."""
LEASES = (
    "SELECT l.label, l.host, l.pid, l.epoch, l.expires_at FROM lease l "
    "JOIN branch b ON b.id = l.branch "
    "WHERE b.stream IN (SELECT y.id FROM stream y WHERE y.id = ?1 OR y.owner = ?1)"
)
"""Of a session and of those that work for it, which are deleted with it."""
COST_DIGITS = 9
"""Of US dollars; what is beyond them is the rounding of sums."""
LAST_CHARACTER = "\U0010ffff"


class UnknownSession(StrataError):
    """No session has this name."""

    def __init__(self, name: str | None) -> None:
        what = f"No session is named {name!r}." if name else "There is no session yet."
        super().__init__(what, "`strata sessions` lists those there are.")


class SeveralSessions(StrataError):
    """Several sessions are shown under one name."""

    def __init__(self, name: str, ids: Sequence[str]) -> None:
        super().__init__(
            f"Several sessions are shown as {name!r}.", f"Their ids are {', '.join(ids)}."
        )


class UnknownBranch(StrataError):
    """A branch is not there, or no longer."""

    def __init__(self) -> None:
        super().__init__("That branch is no longer there.", "Open its session by name.")


@dataclass(frozen=True, slots=True)
class SessionInfo:
    """A line of the session list."""

    id: str
    """`user:agent:started-at` (S1)."""
    title: str | None
    agent: str
    branch: str
    """The one that was used last, or that was asked for; messages and model are its own."""
    messages: int
    model: str | None
    started_at: str
    last_used: str
    usage: Usage
    """Of all its branches and helpers together."""
    bytes: int = 0
    """Of all its texts, in UTF-8."""
    holder: str | None = None
    """The label of the living process that writes to it."""
    branches: int = 1

    @property
    def name(self) -> str:
        """What a person calls it: its title, else its id."""
        return self.title or self.id

    def usage_beside(self, own: Usage) -> Usage:
        """What the session has used beyond what one of its branches and its past have."""
        cost = round((self.usage.cost or 0.0) - (own.cost or 0.0), COST_DIGITS)
        return Usage(
            input=max(0, self.usage.input - own.input),
            output=max(0, self.usage.output - own.output),
            cached=max(0, self.usage.cached - own.cached),
            cost=cost if cost > 0 else None,
        )


class Sessions:
    """The sessions of a data directory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def list(self, agent: str | None = None) -> list[SessionInfo]:
        """All sessions, of one agent or of all, the one used last first; each once."""
        where = OWN + (" AND s.agent = ?" if agent else "")
        rows = await self._database.all(
            f"SELECT {COLUMNS} {HEADS}{NEWEST}{where} ORDER BY b.updated_at DESC, b.id DESC",
            (self._stored(agent),) if agent else (),
        )
        return [_info(row) for row in rows]

    async def find(self, name: str | None, agent: str | None = None) -> SessionInfo:
        """The session with this title or id; without a name the agent's newest.

        Where no title is the same to the letter, one is found that differs in large and small
        letters alone, or a session without a title by the name that lists show.

        Raises:
            UnknownSession: There is none.
            SeveralSessions: Lists show several under this name.
        """
        row = await self._database.one(*self._newest(name, agent))
        if row is None and name:
            # Stored before what stands in it was switched on; an id has its time as it was made.
            row = await self._database.one(*_newest(encodable(name), named=True))
        if row is not None:
            return _info(row)
        there = await self.list() if name else []
        name = self._stored(name or "")
        same = titled(there, name)
        if len(same) == 1:
            return same[0]
        shown = begun(there, name, datetime.now(UTC))
        if len(shown) > 1:
            raise SeveralSessions(name, [one.id for one in shown])
        if not shown:
            raise UnknownSession(name or None)
        return shown[0]

    async def at(self, branch: str) -> SessionInfo:
        """The session that a branch belongs to, as that branch has it.

        Raises:
            UnknownBranch: It is no longer there.
        """
        query = f"SELECT {COLUMNS} {HEADS} AND b.id = ?"
        row = await self._database.one(query, (branch,))
        if row is None:
            raise UnknownBranch
        return _info(row)

    async def helpers(self, session: str) -> builtins.list[SessionInfo]:
        """The sessions that were begun for a task of this one, the newest first."""
        rows = await self._database.all(
            f"SELECT {COLUMNS} {HEADS}{NEWEST} AND s.owner = "
            "(SELECT o.id FROM stream o WHERE o.name = ?) ORDER BY s.started_at DESC, s.id DESC",
            (session,),
        )
        return [_info(row) for row in rows]

    async def owner(self, session: str) -> SessionInfo | None:
        """The session that this one was begun for; None where it is the user's own."""
        row = await self._database.one(
            f"SELECT {COLUMNS} {HEADS}{NEWEST} AND s.id = "
            "(SELECT h.owner FROM stream h WHERE h.name = ?)",
            (session,),
        )
        return _info(row) if row is not None else None

    async def create(
        self,
        *,
        user: str,
        agent: str,
        title: str | None,
        unless_there: bool = False,
        owner: str | None = None,
    ) -> SessionInfo:
        """A new, empty session.

        Args:
            user: Whose it is.
            agent: With whom.
            title: What it is called.
            unless_there: Return the one that `find` would, where another process was faster.
            owner: The id of the session for a task of which it is; it goes with that one.
        """
        now = utc_now()
        user, agent = self._stored(user), self._stored(agent)
        title = self._stored(title) if title else None
        stream, branch = new_id(), new_id()

        async def write(transaction: Transaction) -> SessionInfo:
            there = await transaction.one(*self._newest(title, agent)) if unless_there else None
            if there is not None:
                return _info(there)
            name = f"{user}:{agent}:{now}"
            taken = await transaction.one("SELECT 1 FROM stream WHERE name = ?", (name,))
            name = f"{name}-{stream[-6:]}" if taken else name
            await transaction.run(
                "INSERT INTO stream (id, kind, name, agent, user, title, started_at, owner) "
                "VALUES (?, 'session', ?, ?, ?, ?, ?, (SELECT id FROM stream WHERE name = ?))",
                (stream, name, agent, user, title, now, owner),
            )
            await transaction.run(
                "INSERT INTO branch (id, stream, created_at, head, updated_at) "
                "VALUES (?, ?, ?, 0, ?)",
                (branch, stream, now, now),
            )
            return SessionInfo(name, title, agent, branch, 0, None, now, now, Usage())

        return await self._database.write(write)

    async def free_title(self, title: str, session: SessionInfo) -> str:
        """The title, with a number after it where another session of the agent has it already."""
        title = self._stored(title)
        rows = await self._database.all(
            "SELECT title FROM stream WHERE title >= ?1 AND title < ?1 || ?2 "
            "AND agent = ?3 AND name <> ?4",
            (title, LAST_CHARACTER, session.agent, session.id),
        )
        taken = {row[0] for row in rows}
        if title not in taken:
            return title
        return next(free for n in count(2) if (free := f"{title} {n}") not in taken)

    @telemetry.operation("memory.session.delete")
    async def delete(self, name: str) -> SessionInfo:
        """Removes a session with all its branches and texts, those in the vault included.

        Raises:
            UnknownSession: There is none of this name.
            SessionHeld: It is open in another process.
            VaultFailed: Its files can't be removed; it is still there.
        """
        info = await self.find(name)
        cleaning: list[int] = []

        async def write(transaction: Transaction) -> None:
            stream = await transaction.one("SELECT stream FROM branch WHERE id = ?", (info.branch,))
            if stream is None:
                raise UnknownSession(name)
            for lease in await transaction.all(LEASES, stream):
                if (label := living_holder(lease)) is not None:
                    raise SessionHeld(label)
            await remove_stream(transaction, stream[0])
            await transaction.run("DELETE FROM stream WHERE id = ?", stream)
            await transaction.run("DELETE FROM summary_cache")
            cleaning.append(await purging.begin_cleaning(transaction))
            # Before the commit, so that a session is not gone while its files are still there.
            vault = Vault.beside(self._database.path)
            await asyncio.to_thread(vault.remove, info.agent, info.id)

        await self._database.write(write)
        await purging.clean_up(self._database, cleaning[-1])
        return info

    @telemetry.operation("memory.session.search")
    async def search(
        self, text: str, agent: str | None = None, most: int = 20
    ) -> builtins.list[Heard]:
        """Where all the words of a text were said, in any session, likeliest first.

        Args:
            text: What is looked for; its last word may be the beginning of one.
            agent: Whose sessions; None for those of all agents.
            most: Places at most.

        Raises:
            StorageError: The database refused.
        """
        stored = self._stored(agent) if agent else None
        return await said_anywhere(self._database, text, stored, most)

    async def said(self, branch: str, numbers: Sequence[int]) -> builtins.list[Said]:
        """The messages of a branch, of whatever session, with these numbers, in their order.

        Raises:
            StorageError: The database refused.
        """
        return await said_at(self._database, branch, numbers)

    async def passages(self, ids: Sequence[int]) -> dict[int, Said]:
        """The whole texts that passages are part of; without those that have gone.

        Raises:
            StorageError: The database refused.
        """
        return await passages_of(self._database, ids)

    async def usage_in_all(self) -> Usage:
        """Tokens and money of all sessions together."""
        row = await self._database.one(
            "SELECT ifnull(sum(used_in), 0), ifnull(sum(used_out), 0), "
            "ifnull(sum(used_cached), 0), sum(cost) FROM branch"
        )
        return Usage(*row) if row else Usage()

    def _newest(self, name: str | None, agent: str | None) -> tuple[str, tuple[str]]:
        """The query for the session with this title or id, or the agent's newest."""
        return _newest(self._stored(name or agent or "default"), named=bool(name))

    def _stored(self, name: str) -> str:
        """A name as the database has it: names pass the door like all that a user writes."""
        return self._database.door.clean(name).text


def _newest(wanted: str, *, named: bool) -> tuple[str, tuple[str]]:
    """The query for the session with a title or id as they are stored, or for an agent's newest."""
    titled = "(y.title = ?1 AND y.owner IS NULL)"
    where = f"(y.name = ?1 OR {titled})" if named else "y.agent = ?1 AND y.owner IS NULL"
    # Chosen before the columns are computed: they take long, and SQLite would do it for each.
    chosen = (
        "SELECT x.id FROM branch x JOIN stream y ON y.id = x.stream "
        f"WHERE y.kind = 'session' AND NOT x.hidden AND {where} "
        "ORDER BY x.updated_at DESC, x.id DESC LIMIT 1"
    )
    return f"SELECT {COLUMNS} {HEADS} AND b.id = ({chosen})", (wanted,)


def _info(row: Row) -> SessionInfo:
    name, title, agent, branch, messages, model, started, used, size, branches, *rest = row
    lease, usage = tuple(rest[:5]), Usage(*rest[5:])
    return SessionInfo(
        id=name,
        title=title,
        agent=agent,
        branch=branch,
        messages=messages,
        model=model,
        started_at=started,
        last_used=used,
        usage=usage,
        bytes=size,
        holder=living_holder(lease),
        branches=branches,
    )
