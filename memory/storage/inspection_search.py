"""Looks at the search tables without changing them (RECALL-2)."""

from dataclasses import dataclass

from memory.storage.inspection import Inspection

_MISSING = (
    "SELECT count(*) FROM event e "
    "JOIN branch b ON b.id = e.branch JOIN stream s ON s.id = b.stream "
    "JOIN body t ON t.id = json_extract(e.data, '$.ref.body') "
    "WHERE e.kind = 'message' AND s.owner IS NULL "
    "AND json_extract(e.data, '$.ref.role') IN ('user', 'assistant') "
    "AND trim(t.text, char(9, 10, 11, 12, 13, 32)) <> '' "
    "AND NOT EXISTS (SELECT 1 FROM passage p WHERE p.body = t.id) "
    "AND NOT EXISTS (SELECT 1 FROM unread u "
    "WHERE u.branch = e.branch AND e.n > u.done AND e.n <= u.upto)"
)


@dataclass(frozen=True, slots=True)
class SearchTables:
    """What the search tables hold, against the log."""

    passages: int
    missing: int
    """Messages that have no passage, or passages whose words are missing."""
    surplus: int
    """Words of passages that are not there."""
    behind: int
    """Events and texts that the background has not got to yet."""
    sound: bool
    """Whether the search table has as many words as the passages."""


def look_at_search(database: Inspection) -> SearchTables:
    """Compares them with the log.

    Raises:
        StorageError: They can't be read.
    """
    ((held,),) = database.rows("SELECT ifnull(sum(cnt), 0) FROM passage_vocabulary")
    ((passages, waiting, words),) = database.rows(
        "SELECT count(*), count(*) - count(words), ifnull(sum(words), 0) FROM passage"
    )
    ((events,),) = database.rows("SELECT ifnull(sum(upto - done), 0) FROM unread")
    ((without,),) = database.rows(_MISSING)
    ((wordless,),) = database.rows(
        "SELECT count(*) FROM passage WHERE words IS NOT NULL "
        "AND id NOT IN (SELECT id FROM passage_words_docsize)"
    )
    ((surplus,),) = database.rows(
        "SELECT count(*) FROM passage_words_docsize WHERE id NOT IN (SELECT id FROM passage)"
    )
    return SearchTables(passages, without + wordless, surplus, events + waiting, held == words)
