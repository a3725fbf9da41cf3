"""Stored items in words: one line of data about each, never its content. Pure."""

from collections.abc import Iterable

from memory.parts import ContentItem


def told(item: ContentItem) -> str:
    """An item in one line: id, type, source, size, time, and what it is marked with."""
    size = "1 character" if item.chars == 1 else f"{item.chars:,} characters"
    parts = [item.id, item.type, item.source, size, _time(item.at)]
    if item.number is not None:
        parts.append(f"message {item.number}")
    if item.tags:
        parts.append(f"tags {', '.join(item.tags)}")
    if item.related:
        parts.append(f"with {', '.join(item.related)}")
    return " · ".join(" ".join(part.split()) for part in parts if part)


def told_all(items: Iterable[ContentItem]) -> str:
    """Items one below the other."""
    return "\n".join(map(told, items))


def _time(at: str) -> str:
    return f"{at[:10]} {at[11:16]} UTC" if at else ""
