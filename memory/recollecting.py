"""Searches long-term memory before a turn, and records what it brings (RECALL-3)."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from memory import telemetry
from memory.budget import Budget
from memory.compaction.phatic import is_acknowledgement
from memory.config import RecallConfig
from memory.errors import StrataError
from memory.facts.folding import Fact
from memory.journal import Journal
from memory.parts import MessageRef
from memory.privacy import Cleaned
from memory.prompt import prompt_tokens
from memory.protocols import Embedder, at_once, embedded
from memory.recall_events import Recalled
from memory.state import State
from memory.storage.failures import StorageError
from memory.telling import told_of_recalled
from memory.window import Window, is_receipt

if TYPE_CHECKING:
    from memory.recall.choosing import Limits, Standing
    from memory.recall.corpus import Corpus
    from memory.recall.searching import Found

LOGGER = logging.getLogger("strata.memory")

CANDIDATES = 60
"""Passages that are looked at, best first: many may stand in the prompt already."""
SHARE = 10
"""What is brought may have one part in so many of the model's window."""
LEAST = 100
"""Tokens below which there is no room for anything worth reading."""
LOCAL_SPEED = 48.0
"""Tokens a second that a model on this machine is taken to read until it was seen to: the default
model on two cores."""


class Recollecting:
    """Brings to each turn what its message calls for.

    Args:
        journal: The open session.
        config: How much is brought.
        corpus: What is searched.
        budget: The levels of the model's window, as they are now.
        pinned: Facts that stand in every turn.
    """

    def __init__(
        self,
        journal: Journal,
        config: RecallConfig,
        corpus: "Corpus",
        budget: Callable[[], Budget],
        pinned: Callable[[], Sequence[Fact]],
    ) -> None:
        self._journal = journal
        self._config = config
        self._corpus = corpus
        self._budget = budget
        self._pinned = pinned
        self._embedder: Embedder | None = None
        self.embedded = False
        """Whether a message was embedded in time."""
        self.searching = False
        """Whether a turn waits for what is found."""
        self._searched = 0
        """The message that was searched for last."""

    def use(self, embedder: Embedder) -> None:
        """From here on this model tells what a message means."""
        self._embedder = at_once(embedder)

    @property
    def is_due(self) -> bool:
        """Whether there is a message of the user that was not searched for."""
        return self._config.enabled and self._unsearched is not None

    @property
    def _unsearched(self) -> MessageRef | None:
        """The newest message of the user, unless it was searched for."""
        state = self._journal.state
        asked = state.folding.question
        recalled = state.recalled.number if state.recalled is not None else 0
        if asked is None or self._journal.read_only or asked.number in (self._searched, recalled):
            return None
        return asked

    async def recollect(self) -> Recalled | None:
        """Searches for the newest message of the user, unless that was done already.

        A store that can't be searched leaves the turn without memories, and says so in the log
        file: an answer is worth more.

        Returns:
            What was recorded; None for nothing.

        Raises:
            StorageError: The database refused to record it.
        """
        asked = self._unsearched
        if asked is None:
            return None
        self.searching = True
        try:
            found = await self.expected(self._journal.texts[asked.body], asked.number)
        finally:
            self.searching = False
        # Only now: who stopped a turn while it was searched may ask once more.
        self._searched = asked.number
        if found is None:
            return None
        await self._journal.append(lambda now: _if_asked(now, found))
        return found

    async def expected(self, text: str, number: int) -> Recalled | None:
        """What a message that is still being written will call for.

        Args:
            text: The message as it is now.
            number: The number it will have.

        Returns:
            What would be recorded; None for nothing, also where it can't be searched.
        """
        try:
            found = await self.found(text, number)
        except StorageError as error:
            LOGGER.warning("long-term memory can't be searched: %s", error.sentence)
            return None
        return found if found is not None and tells_anything(found) else None

    @telemetry.operation("memory.recollect", told_of_recalled)
    async def found(self, text: str, number: int) -> Recalled | None:
        """What a message of the user calls for.

        Args:
            text: The message.
            number: Its number; one beyond the last where it is not said yet.

        Returns:
            What would be recorded; None where there is no room for anything.

        Raises:
            StorageError: The database refused.
        """
        helping = self._journal.state.helping
        if not self._config.enabled or (helping is not None and helping.scope == "isolated"):
            return None
        # Slow to load, and no part of the first paint.
        from memory.recall.asking import understand
        from memory.recall.choosing import choose
        from memory.recall.corpus import Scope
        from memory.recall.searching import search

        begun = time.monotonic()
        limits = self._limits()
        if limits.budget < LEAST:
            return None
        state = self._journal.state
        vector = await self._meaning(text)
        sessions = None if self._config.across_sessions else frozenset({self._journal.log.stream})
        query = understand(text, now=datetime.now(UTC), vector=vector)
        found: Sequence[Found] = ()
        limits = replace(limits, meaning=vector is not None)
        if query.words and not is_acknowledgement(text, "user"):
            # Who works with a copy of a memory finds what was in it when the copy was made.
            copied = helping is not None and helping.scope == "snapshot"
            scope = Scope(state.agent, sessions, until=state.started_at if copied else None)
            found = await search(self._corpus, query, scope, CANDIDATES)
        standing = self._standing(number)
        with telemetry.span("memory.recall.pack", self, candidates=len(found)):
            choice = choose(found, self._pinned(), standing, limits, self._journal.tally)
        return Recalled(
            number,
            facts=tuple(choice.facts),
            texts=tuple(choice.texts),
            left_out=tuple(choice.left_out),
            budget=limits.budget,
            meaning=vector is not None,
            duration_s=round(time.monotonic() - begun, 4),
        )

    def _limits(self) -> "Limits":
        """How much may be brought, beside what the prompt has anyhow."""
        from memory.recall.choosing import Limits

        config, state, budget = self._config, self._journal.state, self._budget()
        room = budget.room - prompt_tokens(state, self._journal.tally)
        most = [config.budget_tokens, budget.window // SHARE, room]
        if (speed := _speed(state)) is not None:
            most.append(int(speed * config.reading_s))
        return Limits(max(0, min(most)), config.passage_tokens, config.passages, config.facts)

    def _standing(self, number: int) -> "Standing":
        """What the prompt shows anyhow; the question with what it asks is of it."""
        from memory.recall.choosing import Standing

        journal = self._journal
        folding, pins = journal.state.folding, journal.state.pins
        window = Window.of(folding)
        shown = [
            ref for ref in window.refs if not is_receipt(ref) and ref.number not in window.edits
        ]
        refs = [*shown, *folding.pinned]
        summaries = [s.body for s in (folding.long_term, folding.short_term) if s is not None]
        bodies = {*(ref.body for ref in refs), *(pin.body for pin in pins), *summaries}
        return Standing(
            session=journal.log.stream,
            numbers=frozenset({number, *(ref.number for ref in refs)}),
            bodies=frozenset(bodies),
            texts=frozenset(journal.texts[body] for body in bodies),
        )

    async def _meaning(self, text: str) -> Sequence[float] | None:
        """The message's embedding, if it is to be had in time."""
        if self._embedder is None or not self._config.wait_s:
            return None
        try:
            async with asyncio.timeout(self._config.wait_s):
                vector = (await embedded(self._embedder, [text]))[0]
                self.embedded = True
                return vector
        except TimeoutError:
            LOGGER.info("the message was not embedded in time: it is searched by words alone")
        except StrataError as error:
            LOGGER.warning("the message was not embedded: %s", error.sentence)
        return None


def tells_anything(found: Recalled) -> bool:
    """Whether a search brought anything, or left out what is not in the prompt anyhow."""
    from memory.recall.choosing import IN_PROMPT, SAME_TEXT

    known = (IN_PROMPT, SAME_TEXT)
    return bool(
        found.facts or found.texts or any(one.why_not not in known for one in found.left_out)
    )


def _speed(state: State) -> float | None:
    """Tokens a second that the model reads; None where it was not seen to and may be any."""
    if state.reading_speed is not None:
        return state.reading_speed
    local = state.model is not None and state.model.counted_by == "model"
    return LOCAL_SPEED if local else None


def _if_asked(state: State, found: Recalled) -> tuple[tuple[Recalled, ...], dict[str, Cleaned]]:
    """What was found, unless another question was asked meanwhile."""
    asked = state.folding.question
    return ((found,) if asked is not None and asked.number == found.number else ()), {}
