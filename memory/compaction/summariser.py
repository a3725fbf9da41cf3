"""Writes one summary: model, then model in fewer words, then by rule, so that it always ends."""

import hashlib
import json
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from memory.compaction.acceptance import tidy, why_refused, why_too_long
from memory.compaction.rule import CHARS_PER_TOKEN, bullets_of, lines_of
from memory.compaction.transcript import CountText, chunks_that_fit
from memory.compaction.wording import Level, Wording, merge_request, summary_request
from memory.errors import StrataError
from memory.parts import SummaryBy, Usage, add_usage
from memory.pieces import ChatMessage
from memory.protocols import LanguageModel, asked, continues_text

UNKNOWN_WINDOW = 8_192
"""Tokens assumed of a summariser whose window nobody knows."""
TEMPLATE_TOKENS = 40
"""Tokens that a chat template adds to a request of two messages, generously."""
SMALLEST_CHUNK = 64
"""Tokens of a text below which a summary of it is no use."""
LEVELS: tuple[Level, ...] = ("normal", "terse")
SHRINK = 0.75
"""Factor by which the room of a rule-based summary shrinks until its count is small enough."""
MOST_CHUNKS = 8
"""Requests about one transcript; beyond that it is condensed by rule before it is read."""
RULE_ATTEMPTS = 8

RequestFor = Callable[[str], list[ChatMessage]]
"""From a text to the request that asks about it."""


class NoGain(StrataError):
    """No summary smaller than its source can be made; the messages wait."""


class SummaryCache(Protocol):
    """Equal inputs within 24 hours give the summary made before (S2)."""

    async def find(self, digest: str) -> str | None:
        """The summary kept under the digest of its request, if it is fresh."""
        ...

    async def keep(self, digest: str, text: str) -> None:
        """Keeps a summary."""
        ...


@dataclass(frozen=True, slots=True)
class Style:
    """How a summary is to be."""

    sentences: int
    max_tokens: int
    temperature: float
    instructions: str


@dataclass(frozen=True, slots=True)
class Written:
    """A summary that was accepted, and how it came about."""

    text: str
    by: SummaryBy
    tokens: int
    model: str | None = None
    failures: tuple[str, ...] = ()
    cache_hits: int = 0
    cache_misses: int = 0
    duration_s: float = 0.0
    usage: Usage = field(default_factory=Usage)
    """What asking for it has used, attempts that were not accepted included."""


@dataclass(slots=True)
class _Attempt:
    hits: int = 0
    misses: int = 0
    failures: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)


class Summariser:
    """Writes summaries that are smaller than what they replace.

    Args:
        model: The model to ask, or None for rule-based summaries alone.
        style: Length and wording.
        count: Counts a text's tokens with the chat model's tokenizer.
        cache: Where equal requests are remembered.
    """

    def __init__(
        self, model: LanguageModel | None, style: Style, count: CountText, cache: SummaryCache
    ) -> None:
        self._model = model
        self._style = style
        self._count = count
        self._cache = cache

    async def summarise(self, lines: Sequence[str], source_tokens: int, room: int) -> Written:
        """A summary of transcript lines.

        Args:
            lines: `role: text`, oldest first.
            source_tokens: Tokens of what it will replace.
            room: Tokens it may have.

        Raises:
            NoGain: Not even a rule-based summary is smaller than the source.
        """
        return await self._write(lines, lines, source_tokens, room, self._ask_about_lines)

    async def merge(self, summaries: Sequence[str], source_tokens: int, room: int) -> Written:
        """One summary in the place of several, oldest first.

        Raises:
            NoGain: Not even a rule-based one is smaller than all of them together.
        """
        lines = [line for summary in summaries for line in lines_of(summary)]
        return await self._write(summaries, lines, source_tokens, room, self._ask_to_merge)

    async def append(
        self, earlier: Sequence[str], lines: Sequence[str], source_tokens: int, room: int
    ) -> Written:
        """Earlier bullets with those of further lines after them, by rule (S1).

        Where they are too many, the weightiest of all stay.

        Raises:
            NoGain: It would not be smaller than all of them.
        """
        started = time.monotonic()
        kept = [line for summary in earlier for line in lines_of(summary)]
        used = await self.count("\n".join(kept)) if kept else 0
        fresh = bullets_of(lines, max(1, (room - used) if used < room else 1))
        text = "\n".join([*(f"- {line.removeprefix('- ')}" for line in kept), *fresh.splitlines()])
        tokens = await self.count(text)
        if fresh and tokens <= room and tokens < source_tokens:
            return _with_attempt(Written(text, "rule", tokens), _Attempt(), started)
        written = await self._by_rule([*kept, *lines], source_tokens, room)
        return _with_attempt(written, _Attempt(), started)

    async def count(self, text: str) -> int:
        """Tokens of a text as the chat model counts them."""
        return await self._count(text)

    async def _write(
        self,
        sources: Sequence[str],
        lines: Sequence[str],
        source_tokens: int,
        room: int,
        ask: Callable[[LanguageModel, Sequence[str], Level, int, _Attempt], Awaitable[str]],
    ) -> Written:
        started = time.monotonic()
        attempt = _Attempt()
        if self._model is not None:
            for level in LEVELS:
                text = await self._accepted(
                    ask, self._model, sources, level, source_tokens, room, attempt
                )
                if text is not None:
                    written = Written(text, "model", await self._count(text), self._model.name)
                    return _with_attempt(written, attempt, started)
        return _with_attempt(await self._by_rule(lines, source_tokens, room), attempt, started)

    async def _accepted(
        self,
        ask: Callable[[LanguageModel, Sequence[str], Level, int, _Attempt], Awaitable[str]],
        model: LanguageModel,
        sources: Sequence[str],
        level: Level,
        source_tokens: int,
        room: int,
        attempt: _Attempt,
    ) -> str | None:
        try:
            text = await ask(model, sources, level, room, attempt)
        except StrataError as error:
            attempt.failures.append(error.sentence)
            return None
        if await self._count(text) >= source_tokens:
            attempt.failures.append("the summary was not smaller than its source")
            return None
        return text

    async def _ask_about_lines(
        self,
        model: LanguageModel,
        lines: Sequence[str],
        level: Level,
        room: int,
        attempt: _Attempt,
    ) -> str:
        request = self._request(summary_request, level)
        chunks = await self._chunks(model, lines, request, room)
        if len(chunks) > MOST_CHUNKS:
            # A long import would keep a local model busy for hours: it reads the weightiest lines.
            characters = sum(map(len, chunks)) * MOST_CHUNKS // len(chunks)
            condensed = bullets_of(lines, characters // CHARS_PER_TOKEN).splitlines()
            chunks = await self._chunks(model, condensed, request, room)
        parts = [await self._ask(model, request(chunk), room, attempt) for chunk in chunks]
        if len(parts) == 1:
            return parts[0]
        return await self._ask_to_merge(model, parts, level, room, attempt)

    async def _ask_to_merge(
        self,
        model: LanguageModel,
        summaries: Sequence[str],
        level: Level,
        room: int,
        attempt: _Attempt,
    ) -> str:
        """Merges in chunks that fit, until one summary is left."""
        request = self._request(merge_request, level)
        parts = list(summaries)
        while True:
            chunks = await self._chunks(model, parts, request, room)
            parts = [await self._ask(model, request(chunk), room, attempt) for chunk in chunks]
            if len(parts) == 1:
                return parts[0]
            if sum(map(len, parts)) >= sum(map(len, chunks)):
                raise NoGain("The summaries did not get smaller when they were merged.")

    async def _ask(
        self, model: LanguageModel, request: list[ChatMessage], room: int, attempt: _Attempt
    ) -> str:
        digest = _digest(model.name, room, request)
        kept = await self._cache.find(digest)
        if kept is not None:
            attempt.hits += 1
            return kept
        attempt.misses += 1
        completion = await asked(
            model, request, max_tokens=room, temperature=self._style.temperature
        )
        used = Usage(completion.input_tokens, completion.output_tokens, cost=completion.cost)
        attempt.usage = add_usage(attempt.usage, used)
        if completion.calls_tool:
            raise StrataError("the model called a tool")
        text = tidy(completion.text, sentences=self._style.sentences, cut_off=completion.cut_off)
        reason = why_refused(text) or why_too_long(await self._count(text), room)
        if reason is not None:
            raise StrataError(reason)
        await self._cache.keep(digest, text)
        return text

    async def _by_rule(self, lines: Sequence[str], source_tokens: int, room: int) -> Written:
        allowed = room
        for _ in range(RULE_ATTEMPTS):
            text = bullets_of(lines, allowed)
            tokens = await self._count(text)
            if text and tokens <= room and tokens < source_tokens:
                return Written(text, "rule", tokens)
            allowed = int(allowed * SHRINK)
        raise NoGain("The messages are too small to gain anything by folding them.")

    def _request(self, wording: Wording, level: Level) -> RequestFor:
        style = self._style
        return partial(
            wording,
            sentences=style.sentences,
            level=level,
            instructions=style.instructions,
            plain=continues_text(self._model),
        )

    async def _chunks(
        self, model: LanguageModel, lines: Sequence[str], request: RequestFor, room: int
    ) -> list[str]:
        """The lines in chunks, each of which fits the model's window with what is asked about it.

        Raises:
            StrataError: The window is too small for that.
        """
        frame = await self._count("\n".join(message["content"] for message in request("")))
        window = model.context_window or UNKNOWN_WINDOW
        tokens = window - room - frame - TEMPLATE_TOKENS
        if tokens < SMALLEST_CHUNK:
            raise StrataError("the summariser's window is too small")
        return await chunks_that_fit(lines, tokens, self._count)


def _with_attempt(written: Written, attempt: _Attempt, started: float) -> Written:
    return replace(
        written,
        failures=tuple(attempt.failures),
        cache_hits=attempt.hits,
        cache_misses=attempt.misses,
        duration_s=time.monotonic() - started,
        usage=attempt.usage,
    )


def _digest(model: str, room: int, request: list[ChatMessage]) -> str:
    canonical = json.dumps([model, room, request], sort_keys=True)
    return hashlib.sha256(canonical.encode()).hexdigest()
