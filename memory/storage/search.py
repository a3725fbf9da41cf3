"""Finds the messages in which something was said, newest first."""

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

from memory.storage.database import Database, Row
from memory.storage.log import Log, Segment

WORDS = 12
"""Words of a text that the database looks for; the rest is compared with what it finds."""
PAGE = 50
"""Rows looked at before more are asked for."""
SAID = (
    # The sign before the id keeps its column's type from ruling out the index on the event's body.
    "SELECT b.rowid, e.n, e.at, e.number, b.id, b.text FROM body b NOT INDEXED "
    "CROSS JOIN event e INDEXED BY event_body ON e.branch = ?1 AND e.kind = 'message' "
    "AND json_extract(e.data, '$.ref.body') = +b.id "
    "WHERE b.stream = ?2 AND b.rowid < ?3 AND b.text LIKE ?4 AND b.text LIKE ?5 "
    "AND e.n BETWEEN ?6 AND ?7 ORDER BY b.rowid DESC LIMIT ?8"
)
NEWEST = 2**62
"""Above every row's number."""


@dataclass(frozen=True, slots=True)
class Said:
    """A message in which something was said."""

    n: int
    at: str
    number: int
    body: str
    text: str


async def find_said(
    database: Database, log: Log, text: str, holds: Callable[[str], bool], most: int
) -> list[Said]:
    """At most so many messages of a branch whose text has the words of another one, newest first.

    Args:
        database: The database.
        log: The branch, its ancestors included.
        text: What is looked for; case and spaces don't count.
        holds: Decides on a text that has the words in this order, perhaps with others between.
        most: Messages to return.

    Raises:
        StorageError: The database refused.
    """
    longest, joined = patterns(text)
    found: list[Said] = []
    for segment in reversed(log.segments):
        last = NEWEST
        while len(found) < most:
            rows = await database.all(SAID, _values(log, segment, last, longest, joined))
            found += [_said(row) for row in rows if holds(row[5])]
            if len(rows) < PAGE:
                break
            last = rows[-1][0]
    return sorted(found, key=lambda said: -said.number)[:most]


def _values(log: Log, segment: Segment, last: int, longest: str, joined: str) -> tuple[object, ...]:
    low, high = segment.low, segment.high
    return (segment.branch, log.stream, last, longest, joined, low, high, PAGE)


def patterns(text: str) -> tuple[str, str]:
    """Patterns for the longest word, which rules out most texts quickly, and for all of them."""
    composed = unicodedata.normalize("NFC", text)
    words = ["".join(map(_wild, word)) for word in composed.split()[:WORDS]]
    longest = max(words, key=lambda word: sum(map(str.isalnum, word)), default="")
    return f"%{longest}%", f"%{'%'.join(words)}%"


def _wild(character: str) -> str:
    """The character, or whatever may stand for it.

    Of letters beyond ASCII SQLite knows neither upper and lower case nor that some are stored as a
    letter and its accents; signs have variants.
    """
    if not character.isascii():
        return "%"
    return character if character.isalnum() else "_"


def _said(row: Row) -> Said:
    _, n, at, number, body, text = row
    return Said(n, at, number, body, text)
