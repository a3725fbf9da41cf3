"""What the search's process is asked and what it answers, as JSON lines."""

import json
from dataclasses import asdict, dataclass
from typing import Any

LONGEST_LINE = 300
"""Characters of a line that a hit shows."""
MOST_HITS = 200
"""Hits of one search: more are no answer but a second search."""


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """One search.

    Args:
        root: The workspace.
        path: The folder or file, as the model wrote it.
        pattern: A regular expression, or plain text.
        regex: Which of the two.
        ignore_case: Whether capitals matter.
        files: A glob that files must match.
        context: Lines that are shown before and after a hit.
        seconds: The longest that it may take.
    """

    root: str
    path: str
    pattern: str
    regex: bool = True
    ignore_case: bool = False
    files: str | None = None
    context: int = 0
    seconds: float = 20.0

    def to_line(self) -> bytes:
        """The request as a line."""
        return json.dumps(asdict(self)).encode() + b"\n"


def read_request(line: bytes) -> SearchRequest:
    """The request that a line holds."""
    fields: dict[str, Any] = json.loads(line)
    return SearchRequest(**fields)
