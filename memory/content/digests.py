"""Short digests, and what the results of a tool are stored as."""

import re

from memory.content.compactors import digest_of
from memory.parts import ItemType

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


def item_type(tool: str) -> ItemType:
    """The type that the results of a tool are stored as."""
    for pattern, type in _BY_TOOL:
        if pattern.search(tool):
            return type
    return "action_result"
