"""The requests of an open session: made, recorded, answered."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from memory import telemetry
from memory.answer import Answer, NewMessage, append_messages
from memory.events import (
    Compacted,
    Event,
    RequestEnded,
    RequestPrepared,
    RequestRefused,
    ToolsOffered,
)
from memory.ids import new_id
from memory.journal import Journal
from memory.pairing import NOT_RUN, open_calls
from memory.privacy import Cleaned
from memory.prompt import Prompt, build_prompt
from memory.recall_events import Recalled
from memory.receipting import receipt_results
from memory.sent import LastSent
from memory.state import State
from memory.upkeep import Upkeep


class Requests:
    """What is asked of models in a session, and what came of it."""

    def __init__(self, journal: Journal, upkeep: Upkeep) -> None:
        self._journal = journal
        self._upkeep = upkeep
        self._sent = LastSent(journal)
        self.answering: Answer | None = None
        """The newest answer; its draft may still be written."""

    async def answer_open_calls(self) -> None:
        """Says of calls at the end of the conversation that they were not run."""
        calls = open_calls(self._journal.state.folding.verbatim)
        if calls:
            results = [NewMessage("tool", NOT_RUN, "library", tool_call_id=id) for id in calls]
            await append_messages(self._journal, results)

    async def prompt(self, text: str, spare: float, recalled: Recalled | None) -> Prompt:
        """The prompt of the next request, made small enough first.

        Args:
            text: What the user is about to send.
            spare: Factor for safety.
            recalled: What long-term memory brings to that text.

        Raises:
            PromptTooLarge: It can't be made to fit.
        """
        journal, upkeep = self._journal, self._upkeep
        if upkeep.config.compaction == "wait":
            await upkeep.settled()
        await receipt_results(journal)
        await upkeep.count()
        await upkeep.relieve()
        budget = upkeep.budget()
        budget = replace(budget, spare=budget.spare * spare)
        state = journal.state
        if text:
            state = replace(state, recalled=recalled)
            await journal.load_texts(state)
        with telemetry.span("memory.prompt.build", self):
            return build_prompt(state, journal.texts, journal.tally, budget, text)

    async def offer_tools(self, schemas: Sequence[Mapping[str, Any]]) -> None:
        """Records which tools requests offer from here on, where they are other ones."""
        names = tuple(str(schema.get("function", {}).get("name", "")) for schema in schemas)
        text = json.dumps(list(schemas), ensure_ascii=False, separators=(",", ":"))
        cleaned = self._journal.door.clean(text)

        def make(state: State) -> tuple[list[Event], dict[str, Cleaned]] | None:
            offered = state.tools.body if state.tools else None
            known = self._journal.texts.get(offered or "", "[]")
            if known == cleaned.text:
                return None
            if not schemas:
                return [ToolsOffered(None, 0, ())], {}
            body = new_id()
            return [ToolsOffered(body, len(cleaned.text), names)], {body: cleaned}

        await self._journal.append(make)

    def let_go(self) -> None:
        """Lets go of the texts of the request before: some were forgotten."""
        self._sent.let_go()

    async def prepare(self, prompt: Prompt) -> str:
        """Records a prompt that is about to be sent; returns the request's id."""
        request = new_id()
        await self._append(RequestPrepared(request, await self._sent.compared(prompt)))
        return request

    async def refused(
        self, request: str, counted: int, limit: int | None, sent: int | None
    ) -> Compacted | None:
        """Records that a request was too large, and makes it smaller where that is possible."""
        await self._append(RequestRefused(request, counted, limit, sent))
        return await self._upkeep.refused()

    @telemetry.operation("memory.request_ended")
    async def ended(self, attempt: RequestEnded) -> None:
        """Records how one attempt at a request ended.

        What a completed one has shown stands as receipts from then on, so that whoever looks at
        the next request sees it as it will be.
        """
        await self._append(attempt)
        if attempt.outcome == "ok":
            await receipt_results(self._journal)

    def answer(self, request: str) -> Answer:
        """The answer to a request, to be grown as it streams and closed at its end."""
        self.answering = Answer(self._journal, request)
        return self.answering

    @property
    def streams(self) -> bool:
        """Whether an answer is coming."""
        return self.answering is not None and self.answering.streams

    async def leave(self) -> None:
        """Leaves the newest answer as it is."""
        if self.answering is not None:
            await self.answering.leave()

    async def _append(self, event: RequestPrepared | RequestRefused | RequestEnded) -> None:
        await self._journal.append(lambda _: ([event], {}))
