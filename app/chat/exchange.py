"""A request that is on its way, and what has come back: kept however it ends."""

import time
from dataclasses import dataclass, field, replace

from app.backend.errors import ModelFailure
from app.backend.protocol import (
    Attempt,
    Delta,
    Finished,
    Reading,
    Retrying,
    StreamEvent,
    ToolCall,
    Usage,
)
from app.chat.asking import Asking
from app.chat.happenings import (
    AnswerAdded,
    AnswerGrew,
    Failed,
    Happening,
    ReadingPrompt,
    Stopped,
    Waiting,
)
from app.chat.tool_calls import read_calls
from memory import parts
from memory.answer import Answer
from memory.errors import StrataError
from memory.events import RequestEnded
from memory.memory import Memory
from memory.prompt import Prompt


def failed(error: StrataError) -> Failed:
    """What is told of a failure, where nothing is kept of an answer."""
    kind = error.kind if isinstance(error, ModelFailure) else type(error).__name__
    return Failed(error.sentence, error.next_step, kind)


@dataclass(slots=True)
class Exchange:
    """A request that is on its way, and what has come back."""

    memory: Memory
    prompt: Prompt
    answer: Answer
    asking: Asking
    started: float = field(default_factory=time.monotonic)
    attempt: int = 1
    first_token_s: float | None = None
    called: list[ToolCall] = field(default_factory=list)
    finished: Finished | None = None

    def take(self, event: StreamEvent) -> Happening | None:
        """Takes in an event of the stream; returns what there is to tell of it."""
        match event:
            case Attempt():
                self.attempt = event.n
            case Retrying():
                return Waiting(f"{event.reason} Trying again in {event.wait_s:.0f} s.")
            case Reading():
                return ReadingPrompt(event.done, event.total)
            case Delta():
                if self.first_token_s is None:
                    self.first_token_s = time.monotonic() - self.started
                self.answer.grow(event.text, event.reasoning)
                return AnswerGrew(event.text, event.reasoning)
            case ToolCall():
                self.called.append(event)
            case Finished():
                self.finished = event
                if self.first_token_s is None:
                    self.first_token_s = self._begun(event)
        return None

    async def close(self) -> Happening:
        """Ends it after the stream has: finished, or stopped by the user."""
        if self.finished is None:
            return await self.close_stopped()
        return await self._close_finished(self.finished)

    async def close_stopped(self) -> Happening:
        """Keeps what had arrived when the user stopped it."""
        try:
            message = await self.answer.close(interrupted=True)
            await self.memory.ended(self._attempt("stopped", Usage()))
        except StrataError as error:
            return failed(error)
        self.memory.start_upkeep()
        return Stopped(message)

    async def close_failed(self, failure: StrataError) -> Failed:
        """Keeps what had arrived when the request failed."""
        told = failed(failure)
        try:
            message = await self.answer.close(interrupted=True)
            attempt = self._attempt("failed", Usage())
            await self.memory.ended(replace(attempt, error=told.kind))
        except StrataError as error:
            return failed(error)
        return replace(told, kept=message)

    async def _close_finished(self, finished: Finished) -> Happening:
        blocks = list(finished.thinking_blocks)
        cut_short = finished.finish_reason == "length"
        calls = read_calls(self.called, self._ids_in_use(), cut_short=cut_short)
        try:
            message = await self.answer.close(
                tool_calls=[call.message_part for call in calls],
                reasoning={"thinking_blocks": blocks} if blocks else None,
            )
            await self.memory.ended(self._attempt("ok", finished.usage))
        except StrataError as error:
            return failed(error)
        self.memory.start_upkeep()
        if message is None:
            return Failed(
                "The model answered nothing.", "Say it in other words, or @retry.", "empty"
            )
        seconds = time.monotonic() - self.started
        return AnswerAdded(message, finished.usage, seconds, self.first_token_s, cut_short, calls)

    def _begun(self, finished: Finished) -> float | None:
        """When the model began to write what was not shown as text: seconds after the request.

        A call comes whole, so only the backend has seen its first piece.
        """
        told = finished.timings
        if "first_token" not in told or "total" not in told:
            return None
        writing = max(0.0, told["total"] - told["first_token"])
        return max(0.0, time.monotonic() - self.started - writing)

    def _ids_in_use(self) -> set[str]:
        """The ids of calls that the next prompt may show."""
        folding = self.memory.state.folding
        return {id for ref in (*folding.pinned, *folding.verbatim) for id in ref.call_ids}

    def failed_attempt(self, retrying: Retrying) -> RequestEnded:
        """The event of an attempt that failed and is followed by another."""
        attempt = self._attempt("failed", Usage())
        return replace(attempt, attempt=retrying.attempt, error=retrying.reason)

    def _attempt(self, outcome: parts.Outcome, usage: Usage) -> RequestEnded:
        first = self.first_token_s
        return RequestEnded(
            request=self.answer.request,
            attempt=self.attempt,
            model=self.asking.model,
            outcome=outcome,
            usage=parts.Usage(usage.input or 0, usage.output or 0, usage.cached, usage.cost),
            # Nothing is learned about our count from a figure the provider never gave.
            counted=self.prompt.tokens if usage.reported else 0,
            first_token_s=None if first is None else round(first, 4),
            duration_s=round(time.monotonic() - self.started, 4),
        )
