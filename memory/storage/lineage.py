"""Which branches a branch has its events from, read with the standard library alone."""

import sqlite3


def lineage(connection: sqlite3.Connection, branch: str) -> list[tuple[str, int, int]]:
    """The branches whose events a branch sees as its own, oldest first, each with a range."""
    segments: list[tuple[str, int, int]] = []
    seen: set[str] = set()
    current, high = branch, 2**62
    while current not in seen:
        seen.add(current)
        query = "SELECT parent, parent_n FROM branch WHERE id = ?"
        found: tuple[str | None, int | None] | None
        found = connection.execute(query, (current,)).fetchone()
        parent, parent_n = found or (None, None)
        segments.append((current, (parent_n or 0) + 1, high))
        if parent is None or parent_n is None:
            break
        current, high = parent, min(high, parent_n)
    return segments[::-1]
