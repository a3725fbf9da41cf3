"""Makes findable what was written before there were passages, a little at a time (RECALL-2).

Each step is one short transaction, so that a conversation goes on beside it, and a stop at any
instant costs nothing.
"""

from collections.abc import Sequence

from memory import words
from memory.codec import decode
from memory.events import Recorded
from memory.storage.database import Database, Transaction
from memory.storage.passages import keep_findable
from memory.storage.reach import follow_branches
from memory.storage.sources import READ_KINDS

EVENTS_AT_ONCE = 100
"""Events gone through in one step, some 20 ms of the database's thread."""
TEXTS_AT_ONCE = 20
"""Parts of long texts whose words are found in one step."""


async def behind(database: Database) -> int:
    """How many events and texts are still to be gone through.

    Raises:
        StorageError: The database refused.
    """
    row = await database.one(
        "SELECT (SELECT ifnull(sum(upto - done), 0) FROM unread) "
        "+ (SELECT count(*) FROM passage WHERE words IS NULL)"
    )
    return int(row[0]) if row else 0


async def catch_up(database: Database) -> bool:
    """Goes through a few events, or texts; whether there was anything.

    Raises:
        StorageError: The database refused; what was done before is kept.
    """
    if await database.one("SELECT 1 FROM search WHERE rules <> ?", (words.RULES,)):
        await renew_words(database)
        return True
    if await database.one("SELECT 1 FROM unread LIMIT 1"):
        await database.write(_read_events)
        return True
    if await database.one("SELECT 1 FROM passage WHERE words IS NULL LIMIT 1"):
        await database.write(_find_words)
        return True
    return False


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
    # Made anew: what is damaged can't be emptied.
    rows = await transaction.all(
        "SELECT name, sql FROM sqlite_schema "
        "WHERE name IN ('passage_words', 'passage_vocabulary') ORDER BY name DESC"
    )
    for name, _ in rows[::-1]:
        await transaction.run(f"DROP TABLE {name}")
    for _, sql in rows:
        await transaction.run(sql)
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
