"""What memory needs from outside: a language model that writes summaries."""

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


class LanguageModel(Protocol):
    """A model that memory may ask for a summary."""

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
