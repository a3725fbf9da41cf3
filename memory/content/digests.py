"""Short digests, and what the results of a tool are stored as."""

import json
import re

from memory.content.compactors import digest_of
from memory.content.telling import one_line
from memory.parts import ItemType

_SOURCES = ("path", "file", "filename", "file_path", "url", "uri", "command", "query", "pattern")
LONGEST = 300
"""Characters of a digest where a compaction needs room."""
_WEB_TOOL = re.compile(r"web|fetch|url|http|brows|page", re.IGNORECASE)
_DATA_TOOL = re.compile(
    r"sql|query_(?!memory)|database|(?:^|_)db(?:_|$)|table|select", re.IGNORECASE
)
_SEARCH_TOOL = re.compile(r"(?:^|_)(?:search|grep|find|rg)(?:_|$)", re.IGNORECASE)
_FILE_TOOL = re.compile(r"(?:^|_)(?:read|view|open|cat)_?file|(?:^|_)cat$", re.IGNORECASE)
_BY_TOOL: tuple[tuple[re.Pattern[str], ItemType], ...] = (
    (_WEB_TOOL, "web_content"),
    (_DATA_TOOL, "database_result"),
    (_FILE_TOOL, "file"),
    (_SEARCH_TOOL, "search_results"),
)


def digest(text: str, type: ItemType, longest: int = LONGEST) -> str:
    """A short description of a text, in one line.

    Args:
        text: The text.
        type: What it is stored as; decides where its form alone does not.
        longest: Characters it may have.
    """
    return digest_of(text, type, chars=longest)


def digest_of_result(text: str, tool: str, arguments: str, longest: int = LONGEST) -> str:
    """A short description of a tool's result, in one line.

    Args:
        text: The result.
        tool: The tool; decides where the form of the text alone does not.
        arguments: What it was called with, as JSON.
        longest: Characters it may have.
    """
    type = item_type(tool)
    return digest_of(text, type, tool, source_in(arguments), arguments, chars=longest)


def source_in(arguments: str) -> str:
    """What a call asks for, by its arguments: a path, an address, a query; empty where it is none.

    Args:
        arguments: The text of a JSON object.
    """
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return ""
    values = (given.get(name) for name in _SOURCES) if isinstance(given, dict) else ()
    return next((one_line(value) for value in values if isinstance(value, str) and value), "")


def item_type(tool: str) -> ItemType:
    """The type that the results of a tool are stored as."""
    for pattern, type in _BY_TOOL:
        if pattern.search(tool):
            return type
    return "action_result"
