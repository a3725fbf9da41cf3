"""Token counts: estimates, and what a template adds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from memory.errors import StrataError
from memory.events import ModelChosen
from memory.parts import CountedBy, MessageRef

CHARS_PER_TOKEN = 4
"""Characters of English prose to a token (S0), within 20 %."""
ESTIMATED_MESSAGE_OVERHEAD = 4
"""Tokens that chat templates add to each message: role and two delimiters (OpenAI's figure)."""
ESTIMATED_REQUEST_OVERHEAD = 3
"""Tokens that open the answer (OpenAI's figure)."""


class TokenCounter(Protocol):
    """Counts with a model's own tokenizer; slow or remote, hence asynchronous."""

    @property
    def tokenizer(self) -> str:
        """Names the counts in the database."""
        ...

    @property
    def counted_by(self) -> CountedBy:
        """How it counts."""
        ...

    async def count(self, texts: Sequence[str]) -> Sequence[int]:
        """Tokens of each text, without what a template adds."""
        ...


@runtime_checkable
class ToolCounter(Protocol):
    """A counter that knows what a model's template makes of tools."""

    async def count_tools(self, schemas: Sequence[Mapping[str, Any]]) -> int | None:
        """Tokens that offering tools adds to a request; None where nobody can tell."""
        ...


def estimate(chars: int) -> int:
    """Tokens of a text of so many characters, rounded up."""
    return -(-chars // CHARS_PER_TOKEN)


async def count_texts(counter: TokenCounter | None, texts: Sequence[str]) -> Sequence[int]:
    """Tokens of each text; estimates where nobody counts, or the counter fails."""
    estimates = [estimate(len(text)) for text in texts]
    if counter is None:
        return estimates
    try:
        return await counter.count(texts)
    except StrataError:
        return estimates


async def count_text(counter: TokenCounter | None, text: str) -> int:
    """Tokens of one text, as `count_texts` gives them."""
    return (await count_texts(counter, [text]))[0]


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts by body id for one tokenizer; what is not counted yet is estimated."""

    counted: Mapping[str, int] = field(default_factory=dict)
    message_overhead: int = ESTIMATED_MESSAGE_OVERHEAD
    request_overhead: int = ESTIMATED_REQUEST_OVERHEAD

    @classmethod
    def for_model(cls, model: ModelChosen | None, counted: Mapping[str, int]) -> "Tally":
        """The counts of a model, or estimates where none is chosen."""
        if model is None:
            return cls(counted)
        return cls(counted, model.message_overhead, model.request_overhead)

    def body(self, body: str, chars: int) -> int:
        """Tokens of one text."""
        counted = self.counted.get(body)
        return estimate(chars) if counted is None else counted

    def message(self, ref: MessageRef) -> int:
        """Tokens of a message with its calls, its reasoning and the template's part."""
        return self.around(ref) + self.body(ref.body, ref.chars)

    def around(self, ref: MessageRef) -> int:
        """Tokens of a message beside its text: calls, reasoning and the template's part."""
        extras = [body for body in (ref.calls, ref.reasoning) if body is not None]
        if any(body not in self.counted for body in extras):
            return self.message_overhead + estimate(ref.extra_chars)
        return self.message_overhead + sum(self.counted[body] for body in extras)
