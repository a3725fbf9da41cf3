"""Counts tokens with the model's own tokenizer where it is known, else by estimate."""

from __future__ import annotations

import asyncio
import importlib
import importlib.util
import json
import os
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from app.backend.embedded import EmbeddedModels, host_failures_in_words
from app.backend.protocol import CountedBy, Counts, JsonObject, RequestCount
from app.host.catalogue import canonical, is_embedded

CHARACTERS_PER_TOKEN = 4
"""The estimate of S0, within 20 % on English prose."""

PIECE_CHARACTERS = 50_000
"""tiktoken's time grows with the square of a run without spaces: longer texts go in pieces."""

OPENAI_PREFIXES = ("gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-", "ft:gpt-")
OPENAI_PROVIDERS = ("openai", "azure", "openrouter/openai", "github_copilot")
NEWEST_ENCODING = "o200k_base"

MESSAGE_OVERHEAD: dict[CountedBy, int] = {"model": 5, "tiktoken": 3, "estimate": 4}
"""Tokens of a message beyond its text: ChatML's `<|im_start|>role LF … <|im_end|> LF`; OpenAI's
from its cookbook; for an estimate the mean of common templates."""

REQUEST_OVERHEAD: dict[CountedBy, int] = {"model": 3, "tiktoken": 3, "estimate": 3}
"""Tokens with which a request asks for the answer."""


class Counter:
    """Counts for every model.

    Args:
        embedded: The models on this machine, which count by their own tokenizer.
    """

    def __init__(self, embedded: EmbeddedModels) -> None:
        self._embedded = embedded

    async def count(self, model: str, texts: Sequence[str]) -> Counts:
        """Counts some texts; a text's count does not depend on the others.

        Raises:
            ModelFailure: An embedded model is unknown or its host fails.
        """
        how, tokenizer = tokenizer_of(model)
        if how == "model":
            local = await self._embedded.model(model)
            with host_failures_in_words():
                numbers = await local.client.tokenize([local.neutralizer.text(t) for t in texts])
            return Counts(tuple(numbers), tokenizer, how)
        return await asyncio.to_thread(_count_here, tuple(texts), tokenizer, how)

    async def count_text(self, model: str, prompt: str) -> RequestCount:
        """Counts a plain text as a model reads it that is to continue it.

        Raises:
            ModelFailure: An embedded model is unknown or its host fails.
        """
        if is_embedded(model):
            local = await self._embedded.model(model)
            with host_failures_in_words():
                text = local.neutralizer.text(prompt)
                (tokens,) = await local.client.tokenize([text], special=True)
            return RequestCount(tokens, exact=True)
        counts = await self.count(model, [prompt])
        return RequestCount(counts.tokens[0], exact=False)

    async def count_request(
        self, model: str, messages: Sequence[JsonObject], tools: Sequence[JsonObject] | None
    ) -> RequestCount:
        """Counts a whole request; exactly for an embedded model, by sum for others.

        Raises:
            ModelFailure: An embedded model is unknown or its host fails.
        """
        if is_embedded(model):
            local = await self._embedded.model(model)
            with host_failures_in_words():
                sent = local.neutralizer.messages(messages)
                return RequestCount(await local.client.count_request(sent, tools), exact=True)
        texts = [text_of(message) for message in messages]
        texts += [json.dumps(tool) for tool in tools or ()]
        counts = await self.count(model, texts)
        overhead = MESSAGE_OVERHEAD[counts.counted_by] * len(messages)
        total = sum(counts.tokens) + overhead + REQUEST_OVERHEAD[counts.counted_by]
        return RequestCount(total, exact=False)


def tokenizer_of(model: str) -> tuple[CountedBy, str]:
    """Tells how a model's tokens are counted, and the tokenizer's name."""
    if is_embedded(model):
        return "model", canonical(model)
    encoding = openai_encoding(model)
    return ("tiktoken", encoding) if encoding else ("estimate", "characters/4")


def openai_encoding(model: str) -> str | None:
    """Returns the name of tiktoken's encoding for a model of OpenAI's, else None."""
    provider, _, name = model.rpartition("/")
    if provider not in ("", *OPENAI_PROVIDERS) or not name.startswith(OPENAI_PREFIXES):
        return None
    known = importlib.import_module("tiktoken.model")
    try:
        return str(known.encoding_name_for_model(name))
    except KeyError:
        return NEWEST_ENCODING


def text_of(message: JsonObject) -> str:
    """Returns the text that a message adds to a prompt: content, name, tool calls."""
    content = message.get("content") or ""
    if not isinstance(content, str):
        content = "".join(str(part.get("text", "")) for part in content)
    calls = message.get("tool_calls")
    return content + (json.dumps(calls) if calls else "") + str(message.get("name") or "")


def estimate(text: str) -> int:
    """Returns the estimated tokens of a text, at least one for any text that is not empty."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def _count_here(texts: Sequence[str], tokenizer: str, how: CountedBy) -> Counts:
    if how == "tiktoken":
        encoding = _encoding(tokenizer)
        if encoding is not None:
            return Counts(tuple(_encoded(encoding, text) for text in texts), tokenizer, how)
    return Counts(tuple(map(estimate, texts)), "characters/4", "estimate")


def _encoded(encoding: Any, text: str) -> int:
    pieces = (text[at : at + PIECE_CHARACTERS] for at in range(0, len(text), PIECE_CHARACTERS))
    return sum(len(encoding.encode_ordinary(piece)) for piece in pieces)


@cache
def _encoding(name: str) -> Any:
    """Loads an encoding from the files that litellm carries; None where they are not there.

    litellm itself is not imported for it, and tiktoken must not download them.
    """
    spec = importlib.util.find_spec("litellm")
    folders = spec.submodule_search_locations if spec else None
    for folder in folders or ():
        files = Path(folder) / "litellm_core_utils" / "tokenizers"
        if files.is_dir():
            os.environ["TIKTOKEN_CACHE_DIR"] = str(files)
            return importlib.import_module("tiktoken").get_encoding(name)
    return None
