"""What memory needs from outside: a model that writes summaries, and one that compares texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

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
