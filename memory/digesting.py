"""Has a model write digests of what is stored, behind the conversation (CONT-5)."""

import asyncio
import logging
from collections import deque

from memory import telemetry
from memory.background import Background
from memory.compaction.digest_wording import MOST_TOKENS, accepted_digest, digest_request
from memory.config import MemoryConfig
from memory.content.compactors import digest_of
from memory.content_events import ContentDigested, ContentStored
from memory.errors import StrataError
from memory.events import Recorded
from memory.ids import new_id
from memory.journal import Journal
from memory.parts import ContentItem, Usage
from memory.protocols import LanguageModel, asked, continues_text
from memory.storage.bodies import ERASED
from memory.upkeep import Upkeep

LOGGER = logging.getLogger("strata.memory")
LEAST = 600
"""Characters of a text below which the digest by rule says as much."""
MOST_WAITING = 8
"""Texts that wait; of more, the oldest keep their digest by rule."""
LONGEST_S = 30.0
"""Longest wait for an answer; leaving the session waits for what is under way."""
KEPT = 200
"""Digests at hand; a receipt is made soon after its digest or without it."""
PLAIN = "text, "
"""How the digest by rule of a text begins whose form no compactor knows."""


class Digesting:
    """Digests by the model, one at a time; no turn waits for them.

    What was written is at hand for the receipts that are made from then on.
    """

    def __init__(self, journal: Journal, config: MemoryConfig, upkeep: Upkeep) -> None:
        self._journal = journal
        self._config = config
        self._upkeep = upkeep
        self._waiting: deque[ContentItem] = deque(maxlen=MOST_WAITING)
        self._background = Background("strata digests")
        journal.listen(self._note)

    async def begin(self) -> None:
        """Takes up the newest digests of the log.

        Raises:
            StorageError: The database refused.
        """
        newest = await self._journal.log.read_newest((ContentDigested.KIND,), KEPT)
        events = [entry.event for entry in newest if isinstance(entry.event, ContentDigested)]
        texts = await self._journal.bodies.texts(event.body for event in events)
        found = ((event.item, texts.get(event.body, ERASED)) for event in events)
        self._journal.digests.update((item, text) for item, text in found if text != ERASED)

    async def settled(self) -> None:
        """Waits until nothing is left to write."""
        await self._background.settled()

    async def stop(self) -> None:
        """Ends the work; what was not written stays with its digest by rule."""
        await self._background.stop()

    def _note(self, recorded: Recorded) -> None:
        match recorded.event:
            case ContentStored(items=items) if self._config.content_digest != "rule":
                self._waiting.extend(item for item in items if item.chars >= LEAST)
                self._background.begin(self._work)
            case ContentDigested(item=item, body=body) if body in self._journal.texts:
                # A process that only watches does not have it, and makes no receipts.
                digests = self._journal.digests
                digests[item] = self._journal.texts[body]
                while len(digests) > KEPT:
                    del digests[next(iter(digests))]

    async def _work(self) -> None:
        while self._waiting:
            item, model = self._waiting.popleft(), self._upkeep.model
            if model is None or continues_text(model) or self._journal.read_only:
                continue
            try:
                await self._digest(item, model)
            except (StrataError, TimeoutError) as error:
                LOGGER.info("no digest of %s by the model: %s", item.id, error)

    @telemetry.operation("memory.content.digest")
    async def _digest(self, item: ContentItem, model: LanguageModel) -> None:
        journal = self._journal
        text = journal.texts.get(item.body)
        if text is None:
            text = (await journal.bodies.texts([item.body])).get(item.body, "")
        text = text[item.start : item.end]
        if self._config.content_digest == "text" and not _is_plain(text, item):
            return
        request = digest_request(text, item, self._goal(), self._config.digest_prompt)
        async with asyncio.timeout(LONGEST_S):
            answer = await asked(
                model,
                request,
                max_tokens=MOST_TOKENS,
                temperature=self._config.summary_temperature,
            )
        digest = accepted_digest(answer.text, text, cut_off=answer.cut_off)
        if digest is None or answer.calls_tool:
            LOGGER.info("the model's digest of %s was not accepted", item.id)
            return
        body, cleaned = new_id(), self._journal.door.clean(digest)
        usage = Usage(answer.input_tokens, answer.output_tokens, cost=answer.cost)
        event = ContentDigested(item.id, body, len(cleaned.text), model.name, usage)
        await journal.append(lambda _: ([event], {body: cleaned}))

    def _goal(self) -> str:
        goal = self._journal.state.work.goal
        return self._journal.texts.get(goal.text.body, "") if goal is not None else ""


def _is_plain(text: str, item: ContentItem) -> bool:
    """Whether no compactor knows the form of a text."""
    return digest_of(text, item.type, item.source, item.source).startswith(PLAIN)
