"""The backend as memory wants it: it counts tokens, writes summaries, and compares texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.backend.client import Backend
from app.backend.errors import ModelFailure
from app.backend.protocol import (
    DIMENSIONS,
    EMBEDDER,
    CompletionRequest,
    Delta,
    Finished,
    ModelInfo,
    Priority,
    ToolCall,
)
from app.host.catalogue import canonical, find, is_embedded
from app.host.store import ModelStore
from app.schema import ModelSettings
from memory.events import ModelChosen
from memory.parts import CountedBy, ModelMode
from memory.pieces import ChatMessage
from memory.plain_prompt import FRAMING, OPENING, TASK_STOPS, plain_messages
from memory.protocols import Completion
from memory.tokens import ESTIMATED_MESSAGE_OVERHEAD, ESTIMATED_REQUEST_OVERHEAD, estimate

SCHEMA_REFUSED = ("bad_request", "malformed", "server")
"""Failures by which a server may say that it does not take a schema."""
LABEL_TOKENS = 4
"""Tokens of a turn in plain text beside what is said: an empty line, the label, a colon."""


@dataclass(frozen=True, slots=True)
class BackendCounter:
    """Counts with the tokenizer of a model."""

    backend: Backend
    model: str
    tokenizer: str
    counted_by: CountedBy

    async def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text.

        Raises:
            ModelFailure: The model's host can't be reached.
        """
        return (await self.backend.count(self.model, texts)).tokens

    async def count_tools(self, schemas: Sequence[Mapping[str, Any]]) -> int | None:
        """Tokens that offering tools adds to a request; None where the template is not known.

        Raises:
            ModelFailure: The model's host can't be reached.
        """
        asked: list[ChatMessage] = [{"role": "user", "content": "?"}]
        with_tools = await self.backend.count_request(self.model, asked, list(map(dict, schemas)))
        without = await self.backend.count_request(self.model, asked)
        if not with_tools.exact or with_tools.tokens is None or without.tokens is None:
            return None
        return max(0, with_tools.tokens - without.tokens)


@dataclass(frozen=True, slots=True)
class BackendSummariser:
    """Asks a model for summaries, after whoever waits for an answer."""

    backend: Backend
    name: str
    context_window: int | None
    timeout_s: float
    stall_s: float
    mode: ModelMode = "chat"
    without_schema: set[str] = field(default_factory=set)
    """Names of models whose server does not take a schema."""

    async def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, temperature: float
    ) -> Completion:
        """The model's answer.

        Raises:
            ModelFailure: It could not answer.
        """
        return await self._asked(self._request(messages, max_tokens, temperature))

    async def complete_json(
        self,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        max_tokens: int,
        temperature: float,
    ) -> Completion:
        """The model's answer, held to a schema; without it where the server refuses schemas.

        Raises:
            ModelFailure: It could not answer.
        """
        request = self._request(messages, max_tokens, temperature)
        if self.mode == "completion" or self.name in self.without_schema:
            return await self._asked(request)
        wanted = {"name": "answer", "schema": dict(schema), "strict": True}
        held = replace(request, response_format={"type": "json_schema", "json_schema": wanted})
        try:
            return await self._asked(held)
        except ModelFailure as failure:
            if failure.kind not in SCHEMA_REFUSED:
                raise
        answer = await self._asked(request)
        self.without_schema.add(self.name)
        return answer

    def _request(
        self, messages: Sequence[ChatMessage], max_tokens: int, temperature: float
    ) -> CompletionRequest:
        request = CompletionRequest(
            model=self.name,
            messages=list(messages),
            max_tokens=max_tokens,
            temperature=temperature,
            priority="background",
            timeout_s=self.timeout_s,
            stall_s=self.stall_s,
        )
        if self.mode == "completion":
            return replace(request, prompt=plain_messages(messages), stop=list(TASK_STOPS))
        return request

    async def _asked(self, request: CompletionRequest) -> Completion:
        text, calls_tool, finished = "", False, None
        async for event in self.backend.complete(request):
            match event:
                case Delta():
                    text += event.text
                case ToolCall():
                    calls_tool = True
                case Finished():
                    finished = event
        return Completion(
            text=text,
            calls_tool=calls_tool,
            cut_off=finished is not None and finished.finish_reason == "length",
            input_tokens=(finished.usage.input or 0) if finished else 0,
            output_tokens=(finished.usage.output or 0) if finished else 0,
            cost=finished.usage.cost if finished else None,
        )


@dataclass(frozen=True, slots=True)
class BackendEmbedder:
    """Asks the embedding model for vectors, after whoever waits for an answer."""

    backend: Backend
    name: str
    dimensions: int = DIMENSIONS
    priority: Priority = "background"

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vector of each text, of length one.

        Raises:
            ModelFailure: The model is gone or damaged.
        """
        return await self.backend.embed(texts, priority=self.priority)

    def at_once(self) -> "BackendEmbedder":
        """The same for who waits: no answer of a local model is waited for."""
        return replace(self, priority="chat")


def embedder(backend: Backend, store: ModelStore) -> BackendEmbedder | None:
    """The embedding model, or None where it is not installed."""
    if not store.installed(find(EMBEDDER)):
        return None
    return BackendEmbedder(backend, canonical(EMBEDDER))


def exact_counter(backend: Backend, info: ModelInfo) -> BackendCounter | None:
    """A counter with a model's own tokenizer, or None where its counts would be estimates too."""
    if info.counted_by == "estimate":
        return None
    return BackendCounter(backend, info.name, info.tokenizer, info.counted_by)


def summariser(backend: Backend, info: ModelInfo, settings: ModelSettings) -> BackendSummariser:
    """A writer of summaries that asks a model as patiently as the user configured it."""
    return BackendSummariser(
        backend,
        info.name,
        info.context_window,
        settings.timeout_s,
        settings.stall_s,
        settings.mode,
    )


async def chosen_summariser(
    backend: Backend, chat: ModelInfo, settings: ModelSettings
) -> BackendSummariser:
    """The writer of summaries that is configured; without one the model that answers.

    Args:
        backend: Who asks.
        chat: The model that answers.
        settings: The configuration.

    Raises:
        ModelFailure: The configured model can't be described.
        UnknownModel: There is no embedded model of that name.
    """
    named = settings.summary_model
    info = chat if named is None else await backend.describe(canonical(named))
    return summariser(backend, info, settings)


def model_chosen(info: ModelInfo, window: int | None, mode: ModelMode = "chat") -> ModelChosen:
    """The event that records a model.

    Args:
        info: What the backend knows of it.
        window: Tokens it takes in all by configuration, for models whose window nobody knows.
        mode: How it is asked.
    """
    estimated = info.counted_by == "estimate"
    if mode == "completion":
        info = replace(
            info, message_overhead=LABEL_TOKENS, request_overhead=estimate(len(FRAMING + OPENING))
        )
    return ModelChosen(
        name=info.name,
        window=window or info.context_window,
        tokenizer=info.tokenizer,
        counted_by=info.counted_by,
        message_overhead=info.message_overhead or (ESTIMATED_MESSAGE_OVERHEAD if estimated else 0),
        request_overhead=info.request_overhead or (ESTIMATED_REQUEST_OVERHEAD if estimated else 0),
        mode=mode,
        reminded=is_embedded(info.name),
    )
