"""The requests of a branch, read in figures alone, without decoding events."""

from typing import NamedTuple

from memory.storage.database import Database
from memory.storage.log import Log

_FIELDS = (
    "n, at, json_extract(data, '$.request'), ifnull(json_extract(data, '$.ledger.last'), 0), "
    "ifnull(json_extract(data, '$.ledger.tokens'), 0)"
)
_CHARS = "ifnull(json_extract(data, '$.ref.{name}'), 0)"


class RequestRow(NamedTuple):
    """A request of the log."""

    n: int
    at: str
    request: str
    message: int
    """Newest message that it was made after."""
    tokens: int


async def request_rows(database: Database, log: Log, after: int = 0) -> list[RequestRow]:
    """The requests of a branch after event `after`, oldest first."""
    # From the beginning, the index of requests spares walking over all other events.
    source = "event" if after else "event INDEXED BY event_request"
    found: list[RequestRow] = []
    for part in log.segments:
        low = max(part.low, after + 1)
        if low <= part.high:
            rows = await database.all(
                f"SELECT {_FIELDS} FROM {source} "
                "WHERE branch = ? AND kind = 'request' AND n BETWEEN ? AND ? ORDER BY n",
                (part.branch, low, part.high),
            )
            found += map(RequestRow._make, rows)
    return found


async def chars_of_messages(database: Database, log: Log, first: int, last: int) -> int:
    """Characters of the messages with numbers `first` to `last`, calls and reasoning included."""
    chars = 0
    for part in log.segments:
        row = await database.one(
            f"SELECT sum({_CHARS.format(name='chars')} + {_CHARS.format(name='extra_chars')}) "
            "FROM event WHERE branch = ? AND number BETWEEN ? AND ? AND n BETWEEN ? AND ?",
            (part.branch, first, last, part.low, part.high),
        )
        chars += int(row[0] or 0) if row else 0
    return chars
