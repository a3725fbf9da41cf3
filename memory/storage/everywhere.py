"""Finds the sessions in which something was said, whoever's they are (CHAT-4)."""

from collections.abc import Sequence
from dataclasses import dataclass

from memory.storage.database import Database, Row
from memory.storage.finding import MOST_MATCHED
from memory.storage.sources import PassageKind
from memory.words import index_words

BEFORE, AFTER = 40, 120
"""Characters around a word that are shown."""
_FROM = "JOIN body b ON b.id = p.body JOIN stream s ON s.id = p.stream "
_OPEN = "s.kind = 'session' AND NOT p.hidden AND b.text IS NOT NULL AND (?2 = '' OR s.agent = ?2) "
_COLUMNS = (
    "s.id, s.name, s.title, s.agent, p.kind, p.number, p.at, p.role, p.body, b.text, p.first, "
    "p.last"
)
# Texts are read of those alone that are shown.
_BY_WORDS = (
    f"SELECT {_COLUMNS} FROM (SELECT id, score FROM (SELECT p.id AS id, "
    "bm25(passage_words) AS score "
    "FROM passage_words CROSS JOIN passage p ON p.id = passage_words.rowid "
    f"{_FROM} WHERE passage_words MATCH ?1 AND {_OPEN}"
    f"ORDER BY passage_words.rowid DESC LIMIT {MOST_MATCHED}) ORDER BY score LIMIT ?3) w "
    f"CROSS JOIN passage p ON p.id = w.id {_FROM} ORDER BY w.score"
)
_BY_SIGNS = (
    f"SELECT {_COLUMNS} FROM passage p {_FROM}"
    f"WHERE {_OPEN} AND b.text LIKE ?1 ESCAPE '\\' ORDER BY p.id DESC LIMIT ?3"
)


@dataclass(frozen=True, slots=True)
class Heard:
    """A place in a session where something was said."""

    stream: str
    session: str
    """The session's id, which its stream has as its name."""
    title: str | None
    agent: str
    kind: PassageKind
    number: int
    """The message's number; 0 for what is no message."""
    at: str
    role: str
    body: str
    """The body of the text that it is part of."""
    excerpt: str
    """The words with what stands around them, in one line."""

    @property
    def name(self) -> str:
        """What a person calls the session."""
        return self.title or self.session


async def said_anywhere(
    database: Database, text: str, agent: str | None = None, most: int = 20
) -> list[Heard]:
    """The places that have all the words of a text, likeliest first.

    The last word may be the beginning of one: a person is still typing it.

    Args:
        database: The database.
        text: What is looked for; without any word in it, it is looked for to the letter.
        agent: Whose sessions; None for those of all agents.
        most: Places at most.

    Raises:
        StorageError: The database refused.
    """
    words = index_words(text)
    if not text.strip() or most <= 0:
        return []
    if words:
        wanted = " AND ".join((*(f'"{word}"' for word in words[:-1]), f'"{words[-1]}"*'))
        query = _BY_WORDS
    else:
        signs = "".join(f"\\{c}" if c in "%_\\" else c for c in text.strip())
        wanted, query = f"%{signs}%", _BY_SIGNS
    rows = await database.all(query, (wanted, agent or "", most))
    sought = words or (text.strip(),)
    return [_heard(row, sought) for row in rows]


def _heard(row: Row, sought: Sequence[str]) -> Heard:
    stream, session, title, agent, kind, number, at, role, body, text, first, last = row
    shown = excerpt(text[first:last], sought)
    return Heard(stream, session, title, agent, kind, number, at, role, body, shown)


def excerpt(text: str, words: Sequence[str]) -> str:
    """The part of a text in which the first of some words stands, in one line. Pure."""
    line = " ".join(text.split())
    small = line.casefold()
    places = [place for word in words if (place := small.find(word)) >= 0]
    start = max(0, min(places, default=0) - BEFORE)
    start = line.rfind(" ", 0, start) + 1 if start else 0
    end = start + BEFORE + AFTER
    return f"{'…' if start else ''}{line[start:end].rstrip()}{'…' if end < len(line) else ''}"
