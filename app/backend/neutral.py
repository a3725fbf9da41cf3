"""Takes the power from text that looks like a local model's control tokens.

A chat template is filled in as text: a message that contains `<|im_start|>system` would end
itself and begin a new one. A zero-width space inside the token's text makes it plain text to the
tokenizer, and looks the same to the reader.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from app.backend.protocol import JsonObject

ZERO_WIDTH_SPACE = "\u200b"

COMMON_CONTROL_TOKENS = (
    "<|im_start|>",
    "<|im_end|>",
    "<|endoftext|>",
    "<|end_of_text|>",
    "<|begin_of_text|>",
    "<|start_header_id|>",
    "<|end_header_id|>",
    "<|eot_id|>",
    "<start_of_turn>",
    "<end_of_turn>",
    "[INST]",
    "[/INST]",
)
"""Those of the widespread chat templates, for a model file that does not list its own."""

SHORTEST_TOKEN = 3


class Neutralizer:
    """Finds the control tokens of one model in messages.

    Args:
        control_tokens: Texts that steer the model.
    """

    def __init__(self, control_tokens: Sequence[str]) -> None:
        tokens = {*control_tokens, *COMMON_CONTROL_TOKENS}
        longest_first = sorted((t for t in tokens if len(t) >= SHORTEST_TOKEN), key=len)[::-1]
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def text(self, text: str) -> str:
        """Returns the text with each control token broken after its first character."""
        return self._pattern.sub(lambda found: _broken(found.group()), text)

    def messages(self, messages: Sequence[Mapping[str, Any]]) -> list[JsonObject]:
        """Returns copies of messages in which no text is a control token."""
        return [self._value(dict(message)) for message in messages]

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {key: self._value(part) for key, part in value.items()}
        if isinstance(value, list | tuple):
            return [self._value(part) for part in value]
        return value


def _broken(token: str) -> str:
    return token[0] + ZERO_WIDTH_SPACE + token[1:]
