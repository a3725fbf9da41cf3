"""Tries whether a search finds again what a compaction took out of the prompt (COMPACT-13)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from memory.journal import Journal
from memory.storage.everywhere import Heard, said_anywhere
from memory.views import LossItem

MOST_ASKED = 300
"""Items of one compaction that are searched for, about 1 ms each; of more, the rest is told as
lost."""
FOUND_BY = "found by @search: "
"""How an item that is found is told of; its message follows."""
PLACES = 20
"""Places that one search returns, as `@search` does."""


async def refound(journal: Journal, agent: str, items: Sequence[LossItem]) -> tuple[LossItem, ...]:
    """The items, those that a search really returns told as retrievable, with their message.

    What was forgotten is in no search table, and an item without any word is not asked for: both
    stay lost.

    Args:
        journal: The open session, in which the items were said.
        agent: Whose sessions are searched.
        items: What became of each item by the prompt and its receipts alone.

    Raises:
        StorageError: The database refused.
    """
    wanted = [item for item in items if item.state == "lost" and has_words(item.text)][:MOST_ASKED]
    heard = {item.text: await _heard(journal, agent, item.text) for item in wanted}
    bodies = {place.body for places in heard.values() for place in places}
    texts = await journal.bodies.texts(sorted(bodies))
    found = {text: _holder(text, places, texts) for text, places in heard.items()}
    return tuple(
        replace(item, state="retrievable", how=f"{FOUND_BY}m{number}")
        if item.state == "lost" and (number := found.get(item.text))
        else item
        for item in items
    )


def has_words(text: str) -> bool:
    """Whether there is anything in a text that a search goes by."""
    return any(character.isalnum() for character in text)


async def _heard(journal: Journal, agent: str, text: str) -> list[Heard]:
    """The messages of this session that a search for the text returns, likeliest first."""
    places = await said_anywhere(journal.database, text, agent, PLACES)
    stream = journal.log.stream
    return [place for place in places if place.stream == stream and place.number]


def _holder(text: str, places: Sequence[Heard], texts: Mapping[str, str]) -> int:
    """The message that really holds the item; 0 for none."""
    return next((p.number for p in places if text in texts.get(p.body, "")), 0)
