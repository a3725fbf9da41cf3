"""What became of each item of a compaction's sources: kept, retrievable or lost. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from memory.events import LossReported
from memory.loss.found import Found
from memory.loss.gathering import Source, Standing, Way
from memory.loss.items import EXTRACTOR, find_items
from memory.loss.judge import Standing as Text
from memory.loss.judge import normalised
from memory.loss.sentences import sentence_at
from memory.views import ItemState, LossItem

LONGEST_SENTENCE = 240
"""Characters of the sentence that is shown with an item."""


def loss_items(
    sources: Sequence[Source], standing: Sequence[Standing], ways: Mapping[int, Sequence[Way]]
) -> tuple[LossItem, ...]:
    """Each item of the sources once, in their order.

    Args:
        sources: What the compaction folded, edited or replaced.
        standing: The prompt after it, by its parts; the first that says an item is named.
        ways: What can be retrieved of a message, by its number.
    """
    parts = [(part.where, Text(part.text)) for part in standing]
    judged: dict[tuple[str, str], LossItem] = {}
    for source in sources:
        for found in find_items(source.text, source.role):
            key = (found.kind, normalised(found.text))
            known = judged.get(key)
            if known is not None and known.state != "lost":
                continue
            kept = None if known is not None else _kept(found, parts)
            state, how = kept or _retrievable(found, source, ways) or ("lost", source.fate)
            if known is None or state != "lost":
                judged[key] = _item(found, source, state, how)
    return tuple(judged.values())


def counted(compaction: str, items: Iterable[LossItem]) -> LossReported:
    """The report in figures, as the log keeps it."""
    states = [item.state for item in items]
    return LossReported(
        compaction=compaction,
        extractor=EXTRACTOR,
        items=len(states),
        kept=states.count("kept"),
        retrievable=states.count("retrievable"),
        lost=states.count("lost"),
    )


def _kept(found: Found, parts: Iterable[tuple[str, Text]]) -> tuple[ItemState, str] | None:
    return next((("kept", where) for where, text in parts if text.holds(found)), None)


def _retrievable(
    found: Found, source: Source, ways: Mapping[int, Sequence[Way]]
) -> tuple[ItemState, str] | None:
    mine = ways.get(source.number, ()) if source.number is not None else ()
    return next((("retrievable", way.where) for way in mine if found.text in way.text), None)


def _item(found: Found, source: Source, state: ItemState, how: str) -> LossItem:
    start, end = sentence_at(source.text, found.start, found.end)
    if end - start > LONGEST_SENTENCE:
        start = max(start, found.start - LONGEST_SENTENCE // 2)
        end = min(end, start + LONGEST_SENTENCE)
    sentence = " ".join(source.text[start:end].split())
    return LossItem(found.kind, found.text, sentence, source.number, state, how)
