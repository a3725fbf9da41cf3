"""Summaries by the digest of their request, for 24 hours (S2)."""

from datetime import UTC, datetime, timedelta

from memory.clock import format_time, utc_now
from memory.storage.database import Database, Transaction

FRESH_HOURS = 24


class StoredSummaryCache:
    """The summary cache of a data directory."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, digest: str) -> str | None:
        """The summary kept under the digest, if it is not older than 24 hours."""
        row = await self._database.one(
            "SELECT text FROM summary_cache WHERE digest = ? AND made_at >= ?",
            (digest, _oldest()),
        )
        return str(row[0]) if row else None

    async def keep(self, digest: str, text: str) -> None:
        """Keeps a summary, and drops those that are too old."""

        async def write(transaction: Transaction) -> None:
            await transaction.run("DELETE FROM summary_cache WHERE made_at < ?", (_oldest(),))
            await transaction.run(
                "INSERT OR REPLACE INTO summary_cache VALUES (?, ?, ?)",
                (digest, self._database.door.clean(text).text, utc_now()),
            )

        await self._database.write(write)


def _oldest() -> str:
    return format_time(datetime.now(UTC) - timedelta(hours=FRESH_HOURS))
