"""Makes findable what was written before there were passages, a little at a time (RECALL-2).

Each step is one short transaction, so that a conversation goes on beside it, and a stop at any
instant costs nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from memory import words
from memory.codec import decode
from memory.events import Recorded
from memory.storage.database import Database, Transaction
from memory.storage.passages import keep_findable
from memory.storage.reach import follow_branches
from memory.storage.sources import READ_KINDS

EVENTS_AT_ONCE = 50
"""Events gone through in one step, some 10 ms of the database's thread."""
TEXTS_AT_ONCE = 50
"""Parts of long texts whose words are found in one step."""
_BEHIND = (
    "SELECT (SELECT rules <> ? FROM search), "
    "(SELECT ifnull(sum(upto - done), 0) FROM unread), "
    "(SELECT count(*) FROM passage WHERE words IS NULL), "
    "(SELECT ifnull(max(id), 0) FROM passage), (SELECT ifnull(max(id), 0) FROM vector)"
)


@dataclass(frozen=True, slots=True)
class Behind:
    """What is still to be done, and how far the tables have got."""

    renew: bool
    """The search table is of other rules, or damaged."""
    events: int
    texts: int
    passage: int
    """The newest passage."""
    vector: int
    """The newest vector."""

    @property
    def any(self) -> bool:
        """Whether there is anything to do."""
        return self.renew or bool(self.events or self.texts)


async def behind(database: Database) -> Behind:
    """What is still to be done.

    Raises:
        StorageError: The database refused.
    """
    row = await database.one(_BEHIND, (words.RULES,))
    return Behind(*row) if row else Behind(renew=False, events=0, texts=0, passage=0, vector=0)


async def catch_up(database: Database, left: Behind) -> None:
    """Goes through a few events, or texts.

    Raises:
        StorageError: The database refused; what was done before is kept.
    """
    if left.renew:
        await renew_words(database)
    elif left.events:
        await database.write(_read_events)
    else:
        await database.write(_find_words)


async def renew_words(database: Database) -> None:
    """Empties the search table; it is filled again from the texts. Vectors stay.

    Raises:
        StorageError: The database refused; nothing was changed.
    """
    await database.write(_empty_words)


async def renew_passages(database: Database) -> None:
    """Forgets which passages sessions have, so that they are found again from the log.

    Facts stay: they stand in no session's log.

    Raises:
        StorageError: The database refused; nothing was changed.
    """

    async def write(transaction: Transaction) -> None:
        await transaction.run("DELETE FROM passage WHERE kind <> 'fact'")
        await transaction.run(
            "INSERT OR REPLACE INTO unread SELECT b.id, ifnull(b.parent_n, 0), b.head "
            "FROM branch b JOIN stream s ON s.id = b.stream "
            "WHERE s.kind = 'session' AND b.head > ifnull(b.parent_n, 0)"
        )
        await _empty_words(transaction)

    await database.write(write)


async def _empty_words(transaction: Transaction) -> None:
    # By the tables that it consists of: SQLite can neither empty nor drop one that is damaged.
    await transaction.run(
        "CREATE VIRTUAL TABLE blank_words USING fts5(words, content = '', tokenize = 'ascii')"
    )
    for part in ("data", "idx", "docsize", "config"):
        await transaction.run(f"DELETE FROM passage_words_{part}")
        await transaction.run(f"INSERT INTO passage_words_{part} SELECT * FROM blank_words_{part}")
    await transaction.run("DROP TABLE blank_words")
    await transaction.run("INSERT INTO passage_words (passage_words) VALUES ('delete-all')")
    await transaction.run("UPDATE passage SET words = NULL WHERE words IS NOT NULL")
    await transaction.run("UPDATE search SET rules = ?", (words.RULES,))


async def _read_events(transaction: Transaction) -> None:
    # Ids sort by time: a parent comes before its branches, so that episodes go on.
    row = await transaction.one(
        "SELECT u.branch, u.done, u.upto, b.stream FROM unread u JOIN branch b ON b.id = u.branch "
        "ORDER BY u.branch LIMIT 1"
    )
    if row is None:
        return
    branch, done, upto, stream = row
    last = min(done + EVENTS_AT_ONCE, upto)
    recorded = await _recorded(transaction, branch, done, last)
    await keep_findable(transaction, (stream, branch), recorded, {})
    if last < upto:
        await transaction.run("UPDATE unread SET done = ? WHERE branch = ?", (last, branch))
        return
    await transaction.run("DELETE FROM unread WHERE branch = ?", (branch,))
    await follow_branches(transaction, stream)


async def _recorded(
    transaction: Transaction, branch: str, after: int, upto: int
) -> Sequence[Recorded]:
    marks = ",".join("?" * len(READ_KINDS))
    rows = await transaction.all(
        "SELECT n, at, kind, version, data FROM event "
        f"WHERE branch = ? AND n > ? AND n <= ? AND kind IN ({marks}) ORDER BY n",
        (branch, after, upto, *READ_KINDS),
    )
    return [Recorded(n, at, decode(kind, version, data)) for n, at, kind, version, data in rows]


async def _find_words(transaction: Transaction) -> None:
    chosen = "SELECT id FROM passage WHERE words IS NULL ORDER BY id LIMIT ?"
    ids = [row[0] for row in await transaction.all(chosen, (TEXTS_AT_ONCE,))]
    if not ids:
        return
    low, high = ids[0], ids[-1]
    await transaction.run(
        "INSERT INTO passage_words (rowid, words) "
        "SELECT p.id, index_words(b.text, p.first, p.last) "
        "FROM passage p JOIN body b ON b.id = p.body "
        "WHERE p.words IS NULL AND p.id BETWEEN ? AND ?",
        (low, high),
    )
    await transaction.run(
        "UPDATE passage SET words = (SELECT count_words(b.text, first, last) FROM body b "
        "WHERE b.id = passage.body) WHERE words IS NULL AND id BETWEEN ? AND ?",
        (low, high),
    )
