"""Gives an untitled session a title while the conversation goes on.

After an answer the session gets a title by rule, at once. A model is asked for a better one after
the first answer, and once more after the third where that came to nothing. What the user chose
is never replaced.
"""

import asyncio
import logging

from app.chat.title_rule import title_by_rule
from app.chat.titles import ANSWER_TOKENS, TEMPERATURE, accepted_title, title_request
from memory.errors import StrataError
from memory.events import Message
from memory.memory import Memory
from memory.protocols import LanguageModel, asked

LOGGER = logging.getLogger("strata.chat")
ATTACHED = "Attached "
"""How a message begins that shows what was attached: what is asked about it tells more."""
FIRST_MESSAGES = 12
"""Messages at the beginning that may tell what a session is about."""
ASKED_AFTER = (1, 3)
"""Answers after which a model is asked."""
LONGEST_S = 60.0
"""Longest wait for a model's title; the one by rule stands meanwhile."""

Turns = list[tuple[str, str]]


class Naming:
    """Titles for one session, made in the background."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._task: asyncio.Task[None] | None = None
        self._ruled = asyncio.Event()

    def answered(self, model: LanguageModel | None) -> None:
        """Begins to find a title, if one is wanted and none is being found.

        Args:
            model: Whom to ask; without it the title is made by rule.
        """
        running = self._task is not None and not self._task.done()
        if running or self._memory.state.titled_by in ("user", "model"):
            return
        self._ruled.clear()
        self._task = asyncio.create_task(self._name(model), name="strata title")
        self._task.add_done_callback(_log_fault)

    async def stop(self) -> None:
        """Sees the title by rule on disk, and waits no longer for a model's."""
        if self._task is None or self._task.done():
            return
        await self._ruled.wait()
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _name(self, model: LanguageModel | None) -> None:
        try:
            turns = await self._first_turns()
            by_rule = title_by_rule([text for role, text in turns if role == "user"])
            if by_rule is not None:
                await self._memory.suggest_title(by_rule, "rule")
            self._ruled.set()
            answers = sum(role == "assistant" for role, _ in turns)
            if model is not None and answers in ASKED_AFTER:
                await self._ask(model, turns)
        except (StrataError, TimeoutError) as error:
            # A title only helps to find a session again; the next answer may bring one.
            LOGGER.info("no title: %s", error)
        finally:
            self._ruled.set()

    async def _ask(self, model: LanguageModel, turns: Turns) -> None:
        async with asyncio.timeout(LONGEST_S):
            answer = await asked(
                model, title_request(turns), max_tokens=ANSWER_TOKENS, temperature=TEMPERATURE
            )
        usable = not answer.cut_off and not answer.calls_tool
        title = accepted_title(answer.text, turns) if usable else None
        if title is not None:
            await self._memory.suggest_title(title, "model")

    async def _first_turns(self) -> Turns:
        """Role and text of the first messages of the user and complete answers to them."""
        recorded = await self._memory.messages(1, FIRST_MESSAGES)
        refs = [entry.event.ref for entry in recorded if isinstance(entry.event, Message)]
        texts = await self._memory.texts([ref.body for ref in refs])
        return [
            (ref.role, texts[ref.body])
            for ref in refs
            if ref.role in ("user", "assistant")
            and not ref.interrupted
            and texts[ref.body]
            and not (ref.item and texts[ref.body].startswith(ATTACHED))
        ]


def _log_fault(task: asyncio.Task[None]) -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        LOGGER.error("finding a title failed", exc_info=fault)
