"""Digests by rule: what a text is, how large, and the names by which one would look for it.

Deterministic and quick: only the beginning of a long text is read for names, and its end for
errors and totals.
"""

import json
import re
from collections.abc import Callable, Iterable
from itertools import islice

from memory.content.telling import MOST_NAMES, READ, first_line, names, one_line, trouble
from memory.parts import ItemType

LONGEST = 300
"""Characters of a digest."""
PARSED = 200_000
"""Characters of JSON that are parsed; what is longer is told by its first keys."""
SHORTEST_NAME = 3
"""Characters of a name with what parts it from the one before."""
LEAST_KEYS = 3
"""Keys in what can't be parsed that make it JSON all the same."""
MOST_SIGNATURES = 12
LEAST_CODE = 4
"""Lines that look like code: prose has fewer."""

_WEB_TOOL = re.compile(r"web|fetch|url|http|brows|page", re.IGNORECASE)
_DATA_TOOL = re.compile(r"sql|query|database|(?:^|_)db(?:_|$)|table|select", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,300})", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,4} +(\S.*)$|<h[1-3][^>]{0,200}>([^<]{1,200})", re.MULTILINE)
_SIGNATURE = re.compile(
    r"^[ \t]*(?:export |public |private |protected |static |async |pub |abstract |final |default )*"
    r"((?:def|class|func|fn|function|struct|enum|interface|trait|impl|type|module|namespace"
    r"|CREATE TABLE) +[\w.$]+)",
    re.MULTILINE,
)
_CODE_LINE = re.compile(
    r"^[ \t]*(?:import |from [\w.]+ import |#include|return\b|if .*[:{]$|for .*[:{]$"
    r"|[\w.]+ = |[}\])];?$|const |let |var |@\w)",
    re.MULTILINE,
)
_CHANGED = re.compile(r"^(?:diff --git a/\S+ b/|\+\+\+ b/)(\S+)", re.MULTILINE)
_TAG = re.compile(r"<[^<>]{1,300}>")
_HIT = re.compile(r"^([^\s:][^:\n]{0,200}):\d+[:-]", re.MULTILINE)
_JSON_KEY = re.compile(r'"([^"\\\n]{1,60})"\s*:')

Told = tuple[str, list[str]]
"""What a text is, and what is worth naming of it, the most telling first."""


def digest(text: str, type: ItemType, longest: int = LONGEST) -> str:
    """A short description of a text, in one line.

    Args:
        text: The text.
        type: What it is stored as; decides where its form alone does not.
        longest: Characters it may have.
    """
    kind, telling = _told(text, type)
    return _packed(kind, telling, longest)


def item_type(tool: str) -> ItemType:
    """The type that the results of a tool are stored as."""
    if _WEB_TOOL.search(tool):
        return "web_content"
    if _DATA_TOOL.search(tool):
        return "database_result"
    return "action_result"


def _told(text: str, type: ItemType) -> Told:
    stripped = text.strip()
    if not stripped:
        return "empty", []
    readers: tuple[Callable[[str], Told | None], ...] = (_json, _page, _diff, _hits, _code, _table)
    if type == "code":
        readers = (_code_block, *readers)
    for read in readers:
        told = read(stripped)
        if told is not None:
            return told
    return _plain(stripped)


def _packed(kind: str, telling: Iterable[str], longest: int) -> str:
    """The kind, and as much of what tells as there is room for; nothing is cut in a word."""
    told = kind[:longest]
    separator = ": "
    seen: set[str] = set()
    for part in map(one_line, telling):
        if len(told) + SHORTEST_NAME > longest:
            break
        if part and part not in seen and len(told) + len(separator) + len(part) <= longest:
            told += separator + part
            separator = ", "
            seen.add(part)
    return told


def _json(text: str) -> Told | None:
    if text[0] not in "{[":
        return None
    keys = list(dict.fromkeys(islice(_JSON_KEY.findall(text[:READ]), MOST_NAMES)))
    if len(text) > PARSED:
        return (f"JSON of {len(text):,} characters", keys) if keys else None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ("JSON, not complete", keys) if len(keys) >= LEAST_KEYS else None
    if isinstance(value, list):
        return f"JSON list of {_many(len(value), 'entry', 'entries')}", keys or names(text)
    return f"JSON object with {_many(len(value), 'key')}", [*map(str, value), *keys]


def _page(text: str) -> Told | None:
    head = text[:READ]
    if "#" not in head and "<" not in head:
        return None
    title = _TITLE.search(head)
    headings = [first or second for first, second in _HEADING.findall(head)]
    if title is None and (head[0] != "#" or len(headings) < 2 or _SIGNATURE.search(head)):  # noqa: PLR2004 (one may be a comment)
        return None
    named = [title[1], *headings] if title else headings
    return f"page, {_lines(text)}", [*named[:8], *names(_TAG.sub(" ", head))]


def _diff(text: str) -> Told | None:
    if "\n+++ " not in text[:READ]:
        return None
    return f"diff, {_lines(text)}", list(dict.fromkeys(_CHANGED.findall(text[:PARSED])))


def _hits(text: str) -> Told | None:
    if _HIT.match(text) is None:
        return None
    found = _HIT.findall(text[:READ])
    lines = text.count("\n", 0, READ) + 1
    if len(found) < 2 or len(found) * 2 < lines:  # noqa: PLR2004 (most lines are hits)
        return None
    return f"matches, {_lines(text)}", list(dict.fromkeys(found))


def _code(text: str) -> Told | None:
    signatures = _signatures(text)
    lines = islice(_CODE_LINE.finditer(text, 0, READ), LEAST_CODE)
    if len(signatures) + sum(1 for _ in lines) < LEAST_CODE:
        return None
    return _told_of_code(text, signatures)


def _code_block(text: str) -> Told | None:
    return _told_of_code(text, _signatures(text))


def _told_of_code(text: str, signatures: list[str]) -> Told:
    return f"code, {_lines(text)}", [first_line(text), *(signatures or names(text))]


def _signatures(text: str) -> list[str]:
    return [match[1] for match in islice(_SIGNATURE.finditer(text, 0, READ), MOST_SIGNATURES)]


def _table(text: str) -> Told | None:
    rows = text[:READ].split("\n", 6)[:6]
    for mark in ("\t", "|", ";", ","):
        cells = {row.count(mark) for row in rows[:5] if row.strip(" -+|")}
        if len(rows) > 2 and len(cells) == 1 and min(cells) > 0:  # noqa: PLR2004 (header and two rows)
            columns = [cell.strip(' "') for cell in rows[0].strip(mark).split(mark)]
            return f"table, {_lines(text)}, columns", columns
    return None


def _plain(text: str) -> Told:
    return f"text, {_lines(text)}", [
        f"“{first_line(text)}”",
        *trouble(text),
        *names(text),
    ]


def _lines(text: str) -> str:
    return _many(text.count("\n") + 1, "line")


def _many(count: int, one: str, several: str = "") -> str:
    return f"{count:,} {one if count == 1 else several or one + 's'}"
