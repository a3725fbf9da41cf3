"""What the log tells of messages and requests in figures alone, without decoding events."""

from typing import NamedTuple

from memory.parts import Role
from memory.storage.database import Database
from memory.storage.log import Log


class MessageFigures(NamedTuple):
    """A message of the log."""

    n: int
    number: int
    role: Role
    tokens: int
    """Of its text, calls and reasoning, without what a template adds."""


class RequestFigures(NamedTuple):
    """A request of the log."""

    n: int
    tokens: int
    """Of its prompt, by the count that was made when it was prepared."""
    files: int = 0
    """Of them, those of memory files."""
    beside: int = 0
    """Of them, those of tools and of working memory."""


_ESTIMATE = "({chars} + ?5 - 1) / ?5"
_EXTRAS = (
    "CASE WHEN (m.calls IS NOT NULL AND c.tokens IS NULL) "
    "OR (m.reasoning IS NOT NULL AND r.tokens IS NULL) "
    f"THEN {_ESTIMATE.format(chars='m.extra')} "
    "ELSE ifnull(c.tokens, 0) + ifnull(r.tokens, 0) END"
)
# Few messages have calls or reasoning; looking for the word costs less than reading the JSON.
_RARE = "CASE WHEN instr(data, '\"extra_chars\"') THEN json_extract(data, '$.ref.{name}') END"
_MESSAGES = (
    "WITH m AS (SELECT n, number, json_extract(data, '$.ref.role') AS role, "
    "json_extract(data, '$.ref.body') AS body, json_extract(data, '$.ref.chars') AS chars, "
    f"{_RARE.format(name='calls')} AS calls, {_RARE.format(name='reasoning')} AS reasoning, "
    f"ifnull({_RARE.format(name='extra_chars')}, 0) AS extra "
    "FROM event WHERE branch = ?1 AND kind = 'message' AND n BETWEEN ?2 AND ?3) "
    "SELECT m.n, m.number, m.role, "
    f"ifnull(b.tokens, {_ESTIMATE.format(chars='m.chars')}) + {_EXTRAS} "
    "FROM m "
    "LEFT JOIN token_count b ON b.body = m.body AND b.tokenizer = ?4 "
    "LEFT JOIN token_count c ON c.body = m.calls AND c.tokenizer = ?4 "
    "LEFT JOIN token_count r ON r.body = m.reasoning AND r.tokenizer = ?4 "
    "ORDER BY m.n"
)
_SECTION = "ifnull(json_extract(data, '$.ledger.sections.{name}'), 0)"
_REQUESTS = (
    "SELECT n, ifnull(json_extract(data, '$.ledger.tokens'), 0), "
    f"{_SECTION.format(name='files')}, "
    f"{_SECTION.format(name='tools')} + {_SECTION.format(name='working')} FROM event "
    "WHERE branch = ? AND kind = 'request' AND n BETWEEN ? AND ? ORDER BY n"
)


async def message_figures(
    database: Database, log: Log, tokenizer: str, chars_per_token: int
) -> list[MessageFigures]:
    """The messages of a branch, oldest first.

    Args:
        database: Where they are.
        log: The branch.
        tokenizer: Whose counts are meant.
        chars_per_token: By which a text is estimated that it has not counted.
    """
    found: list[MessageFigures] = []
    for part in log.segments:
        values = (part.branch, part.low, part.high, tokenizer, chars_per_token)
        found += map(MessageFigures._make, await database.all(_MESSAGES, values))
    return found


async def request_figures(database: Database, log: Log) -> list[RequestFigures]:
    """The requests of a branch, oldest first."""
    found: list[RequestFigures] = []
    for part in log.segments:
        rows = await database.all(_REQUESTS, (part.branch, part.low, part.high))
        found += map(RequestFigures._make, rows)
    return found
