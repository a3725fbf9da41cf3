"""Texts, each stored once, and their token counts."""

from collections.abc import Iterable, Mapping

from memory.storage.database import Database, Transaction

ERASED = "[forgotten]"
"""What stands where a text was forgotten."""
AT_ONCE = 500
"""Ids in one query, below SQLite's limit on variables."""


class Bodies:
    """Reads texts and counts by body id."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def texts(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of the given bodies; one that has gone with its session reads as forgotten."""
        wanted = list(ids)
        found = dict.fromkeys(wanted, ERASED)
        for chunk in _chunks(wanted):
            rows = await self._database.all(
                f"SELECT id, text FROM body WHERE id IN ({_marks(chunk)})", chunk
            )
            found.update((id, ERASED if text is None else text) for id, text in rows)
        return found

    async def counts(self, ids: Iterable[str], tokenizer: str) -> dict[str, int]:
        """The known token counts of the given bodies for a tokenizer."""
        found: dict[str, int] = {}
        for chunk in _chunks(list(ids)):
            rows = await self._database.all(
                "SELECT body, tokens FROM token_count "
                f"WHERE body IN ({_marks(chunk)}) AND tokenizer = ?",
                [*chunk, tokenizer],
            )
            found.update((body, tokens) for body, tokens in rows)
        return found

    async def keep_counts(self, counts: Mapping[str, int], tokenizer: str) -> None:
        """Stores counts, so that no text is counted twice."""

        async def write(transaction: Transaction) -> None:
            await transaction.many(
                "INSERT OR REPLACE INTO token_count SELECT id, ?2, ?3 FROM body WHERE id = ?1",
                [(body, tokenizer, tokens) for body, tokens in counts.items()],
            )

        await self._database.write(write)


async def erase(transaction: Transaction, ids: Iterable[str], at: str) -> None:
    """Takes texts away; what names them stays."""
    rows = [(id,) for id in ids]
    await transaction.many("DELETE FROM token_count WHERE body = ?", rows)
    await transaction.many(
        "UPDATE body SET text = NULL, erased_at = ?2 WHERE id = ?1 AND text IS NOT NULL",
        [(id, at) for (id,) in rows],
    )


def _chunks(ids: list[str]) -> Iterable[list[str]]:
    return (ids[start : start + AT_ONCE] for start in range(0, len(ids), AT_ONCE))


def _marks(values: list[str]) -> str:
    return ",".join("?" * len(values))
