"""Reads the numbers out of a provider's refusal of a request as too large."""

from __future__ import annotations

import re
from typing import NamedTuple

_NUMBER = r"(\d[\d,_]*)"

# Each pattern names the groups it finds: the limit, the tokens sent, or both. The wording is
# the provider's; patterns with both numbers come first.
_PATTERNS = tuple(
    re.compile(
        pattern.replace("LIMIT", f"(?P<limit>{_NUMBER})").replace("SENT", f"(?P<sent>{_NUMBER})")
    )
    for pattern in (
        # OpenAI, vLLM, DeepSeek, Groq
        (
            r"maximum context length is LIMIT tokens.{0,80}?"
            r"(?:resulted in|requested|contains?(?: at least)?|has) SENT"
        ),
        # Anthropic
        r"prompt is too long: SENT tokens > LIMIT maximum",
        # Gemini
        r"input token count \(?SENT\)? exceeds the maximum number of tokens allowed \(?LIMIT",
        # llama.cpp
        r"request \(SENT tokens\) exceeds the available context size \(LIMIT tokens",
        # xAI
        r"maximum prompt length is LIMIT but the request contains SENT",
        # Mistral
        r"prompt contains SENT tokens.{0,60}?(?:limit|length) of LIMIT",
        # Cohere
        r"size limit exceeded by \d+ tokens.{0,120}?shorter than LIMIT",
        r"maximum context length (?:is|of) LIMIT",
        r"maximum (?:prompt|input|context) (?:length|size) (?:is|of) LIMIT",
    )
)

_WORDINGS = re.compile(
    r"context[ _]length|context[ _]window|context[ _]size|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|maximum number of tokens|request too large|reduce the length"
    r"|maximum prompt length|request entity too large|exceed_context_size"
)
"""How providers say it without numbers, in lower case."""


class Overflow(NamedTuple):
    """The numbers of a refusal, in tokens; None for what it does not tell."""

    limit_tokens: int | None
    sent_tokens: int | None


def says_too_large(message: str) -> bool:
    """Tells whether a provider's message speaks of a request that is too large."""
    return _WORDINGS.search(message.lower()) is not None


def parse_overflow(message: str) -> Overflow:
    """Returns the limit and the tokens sent, as far as the message tells them."""
    text = " ".join(message.lower().split())
    for pattern in _PATTERNS:
        found = pattern.search(text)
        if found:
            groups = found.groupdict()
            return Overflow(_number(groups.get("limit")), _number(groups.get("sent")))
    return Overflow(None, None)


def _number(digits: str | None) -> int | None:
    return None if digits is None else int(re.sub(r"\D", "", digits))
