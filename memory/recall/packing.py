"""What is found, packed into a budget of tokens: in rank order, what doesn't fit is skipped. Pure.

Lines are `speaker: text` below one header for each session and day.
"""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from memory.recall.corpus import Passage
from memory.recall.speakers import prefix

Source = TypeVar("Source")


@dataclass(frozen=True, slots=True)
class Entry(Generic[Source]):
    """Something that may be packed."""

    source: Source
    """Where it is from; it is handed back as it is."""
    tokens: int
    """Of its line."""
    group: Hashable = None
    """Entries of a group share one header."""
    header_tokens: int = 0
    """Of the header, which the first entry of a group brings along."""


@dataclass(frozen=True, slots=True)
class Packed(Generic[Source]):
    """What fits and what doesn't, each best first."""

    kept: tuple[Entry[Source], ...] = ()
    left_out: tuple[Entry[Source], ...] = ()
    tokens: int = 0
    """Tokens of what is kept, headers included."""


def pack(entries: Iterable[Entry[Source]], budget: int) -> Packed[Source]:
    """Packs what fits.

    Args:
        entries: Best first.
        budget: Tokens there are.
    """
    kept: list[Entry[Source]] = []
    left_out: list[Entry[Source]] = []
    opened: set[Hashable] = set()
    used = 0
    for entry in entries:
        cost = entry.tokens + (0 if entry.group in opened else entry.header_tokens)
        if used + cost > budget:
            left_out.append(entry)
            continue
        used += cost
        opened.add(entry.group)
        kept.append(entry)
    return Packed(tuple(kept), tuple(left_out), used)


def entry_of(
    passage: Passage, source: Source, count: Callable[[str], int], header: str | None = None
) -> Entry[Source]:
    """An entry for a passage.

    Args:
        passage: The passage.
        source: What the entry hands back.
        count: Tokens of a text.
        header: What stands above the passages of its group; by default the day.
    """
    head = header_of(passage) if header is None else header
    return Entry(
        source,
        count(line_of(passage) + "\n"),
        (passage.session, head),
        count(head + "\n"),
    )


def line_of(passage: Passage) -> str:
    """`speaker: text`; a text that begins with its speaker's name stands as it is."""
    if passage.kind == "message" and prefix(passage.text) is not None:
        return passage.text
    return f"{passage.role}: {passage.text}"


def header_of(passage: Passage) -> str:
    """The header of a day."""
    return f"## {passage.at[:10]}"
