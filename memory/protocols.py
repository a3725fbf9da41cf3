"""What memory needs from outside: a model that writes summaries, and one that compares texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from memory import telemetry
from memory.pieces import ChatMessage


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered."""

    text: str
    calls_tool: bool = False
    cut_off: bool = False
    """It ended because it reached `max_tokens`."""
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """US dollars, where the price is known."""


class LanguageModel(Protocol):
    """A model that memory may ask for a summary.

    One that continues plain text has a field `mode`, which says "completion" (PROMPT-6).
    """

    @property
    def name(self) -> str:
        """How the model is named in the log."""
        ...

    @property
    def context_window(self) -> int | None:
        """Tokens it takes in all; None where nobody knows."""
        ...

    async def complete(
        self, messages: Sequence[ChatMessage], *, max_tokens: int, temperature: float
    ) -> Completion:
        """The answer to a request that nobody waits for.

        Raises:
            StrataError: The model could not answer.
        """
        ...


@runtime_checkable
class StructuredModel(Protocol):
    """A language model that can be held to a JSON schema; others are told of it in words."""

    async def complete_json(
        self,
        messages: Sequence[ChatMessage],
        schema: Mapping[str, Any],
        *,
        max_tokens: int,
        temperature: float,
    ) -> Completion:
        """The answer to a request, as JSON of this schema where the server can see to that.

        Raises:
            StrataError: The model could not answer.
        """
        ...


def continues_text(model: LanguageModel | None) -> bool:
    """Whether a model is asked by plain text that it continues; others are sent messages."""
    return getattr(model, "mode", "chat") == "completion"


class Embedder(Protocol):
    """Tells how near texts are in meaning, by a vector for each."""

    @property
    def name(self) -> str:
        """How the model is named in the log; vectors of different models can't be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Numbers in a vector."""
        ...

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """The vector of each text, of length one.

        Raises:
            StrataError: The model could not be asked.
        """
        ...


@runtime_checkable
class BusyEmbedder(Embedder, Protocol):
    """An embedder that lets others go first unless somebody waits for the vectors."""

    def at_once(self) -> Embedder:
        """The same, for who waits."""
        ...


def at_once(embedder: Embedder) -> Embedder:
    """An embedder for a text that somebody waits for."""
    return embedder.at_once() if isinstance(embedder, BusyEmbedder) else embedder


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A vector for the index, with what it may be asked for by."""

    id: int
    """The passage it stands for."""
    session: str
    """The session the passage belongs to."""
    vector: bytes
    """4-byte floats, little-endian, of length one."""


class VectorIndex(Protocol):
    """Finds vectors near another one. It may be lost at any time: SQLite keeps the truth.

    A space holds vectors that can be compared: those of one agent by one embedder.
    """

    async def known(self, space: str, dimensions: int) -> frozenset[int]:
        """Opens a space, makes it where there is none, and tells the ids it holds.

        Raises:
            StrataError: The index can't be used now.
        """
        ...

    async def add(self, space: str, entries: Sequence[IndexEntry]) -> None:
        """Adds vectors; one whose id is there takes its place.

        Raises:
            StrataError: The index can't be used now.
        """
        ...

    async def nearest(
        self, space: str, vector: Sequence[float], most: int, sessions: Sequence[str] | None = None
    ) -> Sequence[tuple[int, float]]:
        """Ids with their cosine, nearest first; of some sessions, or of all.

        Raises:
            StrataError: The index can't be used now.
        """
        ...

    async def remove(self, space: str, ids: Sequence[int]) -> None:
        """Removes vectors for good; ids that are not there are passed over.

        Raises:
            StrataError: The index can't be used now.
        """
        ...


async def asked(
    model: LanguageModel,
    messages: Sequence[ChatMessage],
    *,
    max_tokens: int,
    temperature: float,
    schema: Mapping[str, Any] | None = None,
) -> Completion:
    """What a model answers, as one operation; held to a schema where it can be (ALL-4).

    Raises:
        StrataError: The model could not answer.
    """
    how = "text_completion" if continues_text(model) else "chat"
    known: dict[str, telemetry.Value | None] = {
        "gen_ai.operation.name": how,
        "gen_ai.request.model": model.name,
        "gen_ai.request.max_tokens": max_tokens,
        "gen_ai.request.temperature": temperature,
    }
    with telemetry.span(f"{how} {model.name}", asks=True, **known) as span:
        if schema is not None and isinstance(model, StructuredModel):
            answer = await model.complete_json(
                messages, schema, max_tokens=max_tokens, temperature=temperature
            )
        else:
            answer = await model.complete(messages, max_tokens=max_tokens, temperature=temperature)
        used: dict[str, telemetry.Value | None] = {
            "gen_ai.usage.input_tokens": answer.input_tokens,
            "gen_ai.usage.output_tokens": answer.output_tokens,
        }
        span.tell(cost=answer.cost, **used)
    return answer


async def embedded(embedder: Embedder, texts: Sequence[str]) -> Sequence[Sequence[float]]:
    """The vectors of texts, as one operation.

    Raises:
        StrataError: The model could not be asked.
    """
    known: dict[str, telemetry.Value | None] = {
        "gen_ai.operation.name": "embeddings",
        "gen_ai.request.model": embedder.name,
        "gen_ai.embeddings.dimension.count": embedder.dimensions,
    }
    name = f"embeddings {embedder.name}"
    with telemetry.span(name, asks=True, texts=len(texts), **known):
        return await embedder.embed(texts)
