"""What facts make findable, in the transaction of the events that change them (RECALL-2)."""

from collections.abc import Mapping

from memory.facts.folding import Fact
from memory.parts import FactBy, Origin
from memory.storage.database import Transaction
from memory.storage.passages import Place, add, remove_named
from memory.storage.sources import Source

ORIGINS: Mapping[FactBy, Origin] = {"user": "user", "model": "model", "tool": "tool"}


async def keep_findable(
    transaction: Transaction, place: Place, before: Mapping[str, Fact], after: Mapping[str, Fact]
) -> None:
    """Lets a search find the facts that hold as they are now, and no others.

    One that has ended is not found: it would be told as if it held.

    Args:
        transaction: In which the events are written.
        place: The agent's stream and its newest event.
        before: The facts before the events.
        after: The facts after them.
    """
    for id in before.keys() | after.keys():
        was, now = before.get(id), after.get(id)
        if was is now:
            continue
        if was is not None and was.live:
            await remove_named(transaction, place.stream, "fact", id)
        if now is not None and now.live:
            await add(transaction, place, _source(now))


def _source(fact: Fact) -> Source:
    return Source(
        kind="fact",
        body=fact.body,
        role="user",
        origin=ORIGINS[fact.by],
        name=fact.id,
        importance=fact.importance,
        pinned=fact.pinned,
        at=fact.valid_from,
    )
