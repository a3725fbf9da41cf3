"""What the facts screen reads and does, done by the open session."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.screens.carrying import carried
from app.screens.facts_rows import Cited
from app.screens.place import Place
from memory.views import FactView
from widgets.panes.facts import in_prompt

if TYPE_CHECKING:
    from app.chat.conversation import Conversation

NEAR_MOST = 20
"""Facts near in meaning that are shown below those with the words."""
BUDGET = 4_000


class KnownFacts:
    """Reads and changes what the agent knows.

    Args:
        conversation: The open one.
    """

    def __init__(self, conversation: "Conversation") -> None:
        self._conversation = conversation
        self._memory = conversation.memory

    async def facts(self) -> tuple[FactView, ...]:
        """All facts: those that hold, the weightiest first, then those that have ended.

        Raises:
            StorageError: The database refused.
        """
        await self._memory.facts.refresh()
        return tuple(self._memory.facts.all())

    def standing(self) -> frozenset[str]:
        """Ids of those in the present prompt."""
        return in_prompt(self._memory.snapshot())

    async def near(self, words: str) -> tuple[str, ...]:
        """Ids of facts that have to do with words, the nearest first.

        Raises:
            StrataError: They can't be searched.
        """
        from memory.recall.choosing import NAMED, NEAR

        known = {fact.text: fact.id for fact in self._memory.facts.live()}
        hits = await self._memory.recall(words, NEAR_MOST, BUDGET, {"kind": "fact"})
        return tuple(
            known[hit.text]
            for hit in hits
            if hit.text in known
            and (hit.parts.get("meaning", 0.0) >= NEAR or hit.parts.get("words", 0.0) >= NAMED)
        )

    async def cited(self, fact: FactView) -> tuple[Cited, ...]:
        """The messages that a fact was learned from.

        Raises:
            StorageError: The database refused.
        """
        cited: list[Cited] = []
        for source in fact.sources:
            for said in await self._memory.sessions.said(source.branch, source.numbers):
                here = self._memory.facts.is_here(said.branch, said.n)
                place = Place(said.number, "" if here else said.branch, said.name)
                cited.append(Cited(place, said.role, said.at, said.text))
        return tuple(cited)

    async def carry(self, command: str) -> str:
        """Carries out an @command, and returns what it reports."""
        return await carried(self._conversation, command)

    async def doomed(self, id: str) -> Sequence[str]:
        """What would go if a fact were forgotten, as lines.

        Raises:
            StrataError: It can't be forgotten.
        """
        from app.tools.forget_words import told_plan

        return told_plan(await self._memory.forgetting.plan(id))
