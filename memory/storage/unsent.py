"""What the user has begun to write and has not sent: one row a branch, written again and again."""

import asyncio
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from memory.clock import utc_now
from memory.privacy import Door
from memory.quoting import FLAG, Quotes, flat
from memory.storage.database import Database, Row, Transaction
from memory.storage.leases import Lease, assert_held, living_holder

COMMAND = "@forget"
_OF_SESSION = (
    "SELECT u.branch, u.text, u.kinds, l.label, l.host, l.pid, l.epoch, l.expires_at "
    "FROM branch o JOIN branch b ON b.stream = o.stream JOIN unsent u ON u.branch = b.id "
    "LEFT JOIN lease l ON l.branch = u.branch WHERE o.id = ? ORDER BY u.at DESC"
)
_IN_STREAMS = (
    "SELECT u.branch, u.text, u.kinds FROM unsent u JOIN branch b ON b.id = u.branch "
    "WHERE b.stream IN (SELECT value FROM json_each(?))"
)
_WITH_AGENT = (
    "SELECT s.id, ifnull(s.title, s.name), u.text FROM unsent u JOIN branch b ON b.id = u.branch "
    "JOIN stream s ON s.id = b.stream WHERE s.agent = ?"
)


@dataclass(frozen=True, slots=True)
class Begun:
    """A text that was begun, as it was kept."""

    text: str = ""
    kinds: Mapping[str, int] = field(default_factory=dict)
    """How many secrets of which kind were replaced in it."""


class UnsentTexts:
    """What was begun in a branch."""

    def __init__(self, database: Database, branch: str) -> None:
        self._database = database
        self._branch = branch

    async def write(self, text: str, lease: Lease, *, rests: bool) -> None:
        """Replaces what is kept; an empty text leaves nothing.

        Args:
            text: As it was typed.
            lease: The right to write to the branch.
            rests: Nothing is typed any more; else what may be the beginning of a secret at the
                end is held back.

        Raises:
            Conflict: The session was taken over.
            StorageError: The database refused.
        """
        # In a thread: a long text takes longer than a key may.
        begun = await asyncio.to_thread(_cleaned, self._database.door, text, rests)

        async def write(transaction: Transaction) -> None:
            await assert_held(transaction, lease)
            await _put(transaction, self._branch, begun)

        await self._database.write(write)

    async def take_up(self, lease: Lease) -> Begun:
        """What was begun in the session, brought together in this branch.

        What a living process writes to another branch of it stays there.

        Raises:
            Conflict: The session was taken over.
            StorageError: The database refused.
        """
        row = await self._database.one(f"SELECT EXISTS ({_OF_SESSION})", (self._branch,))
        if row is None or not row[0]:
            return Begun()

        async def write(transaction: Transaction) -> Begun:
            await assert_held(transaction, lease)
            rows = await transaction.all(_OF_SESSION, (self._branch,))
            ours = [row for row in rows if row[0] == self._branch or not living_holder(row[3:])]
            begun = _together(ours)
            if [row[0] for row in ours] != [self._branch]:
                await remove(transaction, [row[0] for row in ours])
                await _put(transaction, self._branch, begun)
            return begun

        return await self._database.write(write)


async def remove(transaction: Transaction, branches: Iterable[str]) -> None:
    """Removes what was begun in some branches."""
    await transaction.many("DELETE FROM unsent WHERE branch = ?", [(one,) for one in branches])


async def cut(transaction: Transaction, streams: Iterable[str], quotes: Quotes) -> None:
    """Takes quotes out of what was begun in some sessions."""
    rows = await transaction.all(_IN_STREAMS, (json.dumps(list(streams)),)) if quotes else []
    for branch, text, kinds in rows:
        left = quotes.without(text)
        if left is not None:
            left = left.replace(FLAG, "").strip()
            await _put(transaction, branch, Begun(left, json.loads(kinds)))


async def begun_with(database: Database, agent: str, text: str) -> list[tuple[str, str, str]]:
    """What was begun with an agent and has a text in it: streams, sessions' names, texts.

    Raises:
        StorageError: The database refused.
    """
    rows = await database.all(_WITH_AGENT, (agent,))
    wanted = flat(text)
    return [
        (stream, name, begun)
        for stream, name, begun in rows
        # The command that asks for this may stand there for a moment.
        if wanted in flat(begun) and not begun.startswith(COMMAND)
    ]


async def older(database: Database, oldest: str) -> list[str]:
    """The branches with a text that nobody has touched since a time.

    Raises:
        StorageError: The database refused.
    """
    rows = await database.all("SELECT branch FROM unsent WHERE at < ?", (oldest,))
    return [branch for (branch,) in rows]


async def _put(transaction: Transaction, branch: str, begun: Begun) -> None:
    if not begun.text:
        await remove(transaction, [branch])
        return
    await transaction.run(
        "INSERT OR REPLACE INTO unsent (branch, at, text, kinds) VALUES (?, ?, ?, ?)",
        (branch, utc_now(), begun.text, json.dumps(dict(begun.kinds))),
    )


def _cleaned(door: Door, text: str, rests: bool) -> Begun:
    if not text.strip():
        return Begun()
    whole = door.clean(text)
    kinds = {str(kind): number for kind, number in whole.kinds.items()}
    return Begun(whole.text if rests else door.clean_growing(text), kinds)


def _together(rows: Iterable[Row]) -> Begun:
    """Texts below each other, the newest first, each once."""
    texts: dict[str, None] = {}
    kinds: Counter[str] = Counter()
    for _, text, replaced, *_ in rows:
        if text not in texts:
            texts[text] = None
            kinds.update(json.loads(replaced))
    return Begun("\n\n".join(texts), dict(kinds))
