"""Reads passages: those with words, those beside others, how common words are."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from memory.storage.database import Database

MOST_MATCHED = 6_000
"""Passages that are ranked by their words, the newest of those that have one: about 10 ms."""
WORD_CHARS = 6
"""Characters of a word and the space behind it, where nobody has counted words yet."""
BODY, FIRST, LAST = 2, 3, 4
"""Columns of a passage that is read."""
AVERAGES = 1
"""Row in which FTS5 keeps how many rows and words it holds, as variable-length integers."""

_MATCHED = (
    "SELECT id FROM (SELECT p.id AS id, bm25(passage_words) AS score "
    "FROM passage_words CROSS JOIN passage p ON p.id = passage_words.rowid "
    "WHERE passage_words MATCH ? AND {} ORDER BY passage_words.rowid DESC LIMIT ?) "
    "ORDER BY score, id DESC LIMIT ?"
)
_READ = (
    "SELECT p.id, p.kind, p.body, p.first, p.last, p.stream, p.episode, p.number, p.role, "
    "p.origin, p.at, p.importance, p.pinned, p.tags, p.words, v.data "
    "FROM json_each(?) w CROSS JOIN passage p ON p.id = w.value "
    "LEFT JOIN vector v ON v.passage = p.id AND v.embedder = ?"
)
_TEXTS = (
    "SELECT b.id, b.text FROM json_each(?) w CROSS JOIN body b ON b.id = w.value "
    "WHERE b.text IS NOT NULL"
)
_BESIDE = (
    "(SELECT o.id FROM passage o WHERE o.stream = p.stream AND o.number > 0 "
    "AND (o.number, o.id) {} (p.number, p.id) AND o.kind = 'message' AND NOT o.hidden "
    "ORDER BY o.number {}, o.id {} LIMIT 1 OFFSET {})"
)


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a passage `p`, with its values."""

    sql: str
    values: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which passages are asked for; None is open."""

    agent: str
    streams: Iterable[str] | None = None
    kinds: Iterable[str] | None = None
    roles: Iterable[str] | None = None
    origins: Iterable[str] | None = None
    tags: Iterable[str] | None = None
    since: str | None = None
    until: str | None = None

    @property
    def only_by_stream(self) -> bool:
        """Whether nothing but sessions is asked for."""
        asked = (self.kinds, self.roles, self.origins, self.tags, self.since, self.until)
        return all(each is None for each in asked)

    def filter(self) -> Filter:
        """The condition."""
        parts, values = ["p.agent = ? AND NOT p.hidden"], [self.agent]
        for column, allowed in (
            ("p.stream", self.streams),
            ("p.kind", self.kinds),
            ("p.role", self.roles),
            ("p.origin", self.origins),
        ):
            if allowed is not None:
                parts.append(f"{column} IN (SELECT value FROM json_each(?))")
                values.append(json.dumps(list(allowed)))
        if self.tags is not None:
            tagged = "SELECT 1 FROM json_each(p.tags) t JOIN json_each(?) a ON a.value = t.value"
            parts.append(f"EXISTS ({tagged})")
            values.append(json.dumps(list(self.tags)))
        for sign, moment in ((">=", self.since), ("<=", self.until)):
            if moment is not None:
                parts.append(f"p.at {sign} ?")
                values.append(moment)
        return Filter(" AND ".join(parts), tuple(values))


class PassageRow(NamedTuple):
    """A passage as the tables have it."""

    id: int
    kind: str
    body: str
    first: int
    last: int
    """Characters of the text at which it begins and ends."""
    stream: str
    episode: int
    number: int
    role: str
    origin: str
    at: str
    importance: float
    pinned: int
    tags: str
    """As JSON."""
    words: int
    """How many; told by the number of characters until it is indexed."""
    vector: bytes | None
    text: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many passages have words, and how many words they have."""

    passages: int = 0
    words: int = 0
    having: Mapping[str, int] = field(default_factory=dict)


async def matched(database: Database, words: Sequence[str], wanted: Wanted, most: int) -> list[int]:
    """Ids of passages that have at least one of the words, likeliest first.

    Raises:
        StorageError: The database refused.
    """
    if not words or most <= 0:
        return []
    condition = wanted.filter()
    query = " OR ".join(f'"{word}"' for word in words)
    rows = await database.all(
        _MATCHED.format(condition.sql), (query, *condition.values, MOST_MATCHED, most)
    )
    return [row[0] for row in rows]


async def counts(database: Database, words: Sequence[str]) -> Counts:
    """How common words are among all passages.

    Raises:
        StorageError: The database refused.
    """
    rows = await database.all(
        "SELECT '', block FROM passage_words_data WHERE id = ? "
        "UNION ALL SELECT v.term, v.doc FROM json_each(?) w "
        "CROSS JOIN passage_vocabulary v ON v.term = w.value",
        (AVERAGES, json.dumps(list(words))),
    )
    having = {word: int(found) for word, found in rows if word}
    averages = next((block for word, block in rows if not word), b"")
    passages, total, *_ = *_integers(averages or b""), 0, 0
    return Counts(passages, total, having)


async def within(database: Database, ids: Sequence[int], wanted: Wanted) -> list[int]:
    """Those of the passages that are all that is asked for, in their order."""
    condition = wanted.filter()
    rows = await database.all(
        "SELECT p.id FROM json_each(?) w CROSS JOIN passage p ON p.id = w.value "
        f"WHERE {condition.sql} ORDER BY w.key",
        (json.dumps(list(ids)), *condition.values),
    )
    return [row[0] for row in rows]


async def read(database: Database, ids: Sequence[int], embedder: str) -> list[PassageRow]:
    """Passages by id, with their vectors of an embedder; those that have gone are left out."""
    rows = await database.all(_READ, (json.dumps(list(ids)), embedder))
    # Apart, so that a long text with many passages is read once.
    bodies = list(dict.fromkeys(row[BODY] for row in rows))
    texts: dict[str, str] = dict(await database.all(_TEXTS, (json.dumps(bodies),)))
    return [_row(row, texts[row[BODY]]) for row in rows if row[BODY] in texts]


def _row(row: Sequence[Any], text: str) -> PassageRow:
    *known, words, vector = row
    part = text[row[FIRST] : row[LAST]]
    count = len(part) // WORD_CHARS if words is None else words
    return PassageRow._make((*known, count, vector, part))


async def beside(database: Database, ids: Sequence[int], reach: int) -> dict[int, tuple[int, ...]]:
    """For each message, the ids of those at most `reach` before and after it, in order."""
    before = [_BESIDE.format("<", "DESC", "DESC", place) for place in reversed(range(reach))]
    after = [_BESIDE.format(">", "ASC", "ASC", place) for place in range(reach)]
    rows = await database.all(
        f"SELECT p.id, {', '.join((*before, *after))} "
        "FROM json_each(?) w CROSS JOIN passage p ON p.id = w.value WHERE p.kind = 'message'",
        (json.dumps(list(ids)),),
    )
    return {row[0]: tuple(id for id in row[1:] if id is not None) for row in rows}


def _integers(block: bytes) -> list[int]:
    """SQLite's variable-length integers: seven bits a byte, the highest bit says one follows."""
    found: list[int] = []
    value = 0
    for byte in block:
        value = value << 7 | byte & 0x7F
        if not byte & 0x80:
            found.append(value)
            value = 0
    return found


async def agent_streams(database: Database, agent: str) -> list[str]:
    """The streams of what an agent knows from all of its sessions."""
    rows = await database.all("SELECT id FROM stream WHERE kind = 'agent' AND agent = ?", (agent,))
    return [row[0] for row in rows]


async def streams_of(database: Database, branches: Sequence[str]) -> list[str]:
    """The streams of some branches."""
    rows = await database.all(
        "SELECT DISTINCT b.stream FROM json_each(?) w JOIN branch b ON b.id = w.value",
        (json.dumps(list(branches)),),
    )
    return [row[0] for row in rows]


async def names_of(database: Database, streams: Iterable[str]) -> dict[str, tuple[str, str | None]]:
    """The ids and titles of sessions by their streams."""
    rows = await database.all(
        "SELECT s.id, s.name, s.title FROM json_each(?) w JOIN stream s ON s.id = w.value "
        "WHERE s.kind = 'session'",
        (json.dumps(list(streams)),),
    )
    return {id: (name, title) for id, name, title in rows}
