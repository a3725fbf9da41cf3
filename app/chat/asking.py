"""How a model is asked: from a prompt to the request that is sent. Pure."""

from dataclasses import dataclass

from app.backend.protocol import CompletionRequest
from memory.pieces import REMINDER
from memory.plain_prompt import TURN_STOPS
from memory.prompt import Prompt

REMINDER_BEGINS = 24
"""Characters of it that nobody else begins a line with."""
CALLING_TEMPERATURE = 0.2
"""Of models on this machine that may call tools: at their own, 0.8, the default one now and then
calls what does not exist, or puts the call between marks of its own making."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked."""

    model: str
    timeout_s: float
    stall_s: float
    temperature: float | None = None
    max_tokens: int | None = None
    local: bool = False
    """It runs on this machine, and needs to be told where its window ends."""


def completion_request(prompt: Prompt, asking: Asking) -> CompletionRequest:
    """The request that sends a prompt."""
    room = prompt.budget.window - prompt.tokens if asking.local else None
    longest = [tokens for tokens in (asking.max_tokens, room) if tokens is not None]
    return CompletionRequest(
        model=asking.model,
        messages=list(prompt.messages),
        max_tokens=min(longest) if longest else None,
        temperature=_temperature(prompt, asking),
        tools=list(prompt.tools) or None,
        timeout_s=asking.timeout_s,
        stall_s=asking.stall_s,
        prompt=prompt.text,
        stop=_stops(prompt),
    )


def _temperature(prompt: Prompt, asking: Asking) -> float | None:
    """How freely the model may choose its words; None leaves it to the model."""
    if asking.temperature is None and asking.local and prompt.tools:
        return CALLING_TEMPERATURE
    return asking.temperature


def _stops(prompt: Prompt) -> list[str] | None:
    """Texts that end the answer: turns of others, or the reminder, which small models repeat."""
    if prompt.text is not None:
        return list(TURN_STOPS)
    reminded = prompt.messages and str(prompt.messages[-1]["content"]).endswith(REMINDER)
    return [REMINDER.strip()[:REMINDER_BEGINS]] if reminded else None
