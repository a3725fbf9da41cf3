"""Feeds a recorded conversation through memory and reports every turn (LAB-1)."""

import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.chat.status import compaction_document, span_document
from app.transfer.messages import RecordedMessage
from memory.config import MemoryConfig
from memory.events import ModelChosen
from memory.memory import Memory
from memory.prompt import Prompt, PromptTooLarge
from memory.protocols import LanguageModel
from memory.sharing import shared_tokens
from memory.snapshot import Snapshot
from memory.tokens import TokenCounter
from memory.views import TurnPoint

SESSION = "replay"


@dataclass(frozen=True, slots=True)
class Lab:
    """With what a replay is run.

    `model` writes the summaries, or nobody does and they are made by rule; `counter` counts,
    or counts are estimates; `chat_model` tells the window and what a template adds;
    `input_price` is what a token of prompt costs in US dollars, where that is known.
    """

    config: MemoryConfig
    model: LanguageModel | None = None
    counter: TokenCounter | None = None
    chat_model: ModelChosen | None = None
    input_price: float | None = None


@dataclass(slots=True)
class _Sums:
    requests: int = 0
    prompt_tokens: int = 0
    full_history_tokens: int = 0
    shared_prefix_tokens: int = 0
    largest_prompt: int = 0
    last_request: Prompt | None = None
    rows: list[dict[str, Any]] = field(default_factory=list)


async def replay(file: str, messages: Sequence[RecordedMessage], lab: Lab) -> dict[str, Any]:
    """Replays a conversation in a temporary directory; the document of `replay --json`.

    Args:
        file: What the recording is called in the document.
        messages: The conversation.
        lab: With what to run it.
    """
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="strata-replay-") as directory:
        async with Memory.open(
            Path(directory),
            SESSION,
            config=replay_config(lab.config),
            model=lab.model,
            counter=lab.counter,
            chat_model=lab.chat_model,
        ) as memory:
            sums = _Sums()
            async for row in _rows(memory, messages, sums):
                sums.rows.append(row)
            _add_histories(sums, await memory.turn_points())
            compactions = await memory.compactions()
            snapshot = memory.snapshot()
    return {
        "file": file,
        "policy": lab.config.policy,
        "messages": len(messages),
        "context_window": snapshot.context.window,
        "counted_by": snapshot.context.counted_by,
        "turns": sums.rows,
        "compactions": [compaction_document(record) for record in compactions],
        "totals": {
            "requests": sums.requests,
            "prompt_tokens": sums.prompt_tokens,
            "full_history_tokens": sums.full_history_tokens,
            "shared_prefix_tokens": sums.shared_prefix_tokens,
            "largest_prompt": sums.largest_prompt,
            "seconds": round(time.monotonic() - started, 3),
        },
    }


def replay_config(config: MemoryConfig) -> MemoryConfig:
    """The thresholds of a replay, which is about what compaction leaves of a prompt.

    Facts would be lost with the directory, and what is recalled would hide what a policy has lost.

    Args:
        config: What is configured.
    """
    recall = config.recall.model_copy(update={"enabled": False})
    once = {"compaction": "wait", "vault": False, "extract_facts": False, "recall": recall}
    return config.model_copy(update=once)


async def _rows(
    memory: Memory, messages: Sequence[RecordedMessage], sums: _Sums
) -> AsyncIterator[dict[str, Any]]:
    done = 0
    for place, message in enumerate(messages):
        begun = time.monotonic()
        await memory.add_all([message.imported()])
        await memory.settled()
        snapshot = memory.snapshot()
        is_request = place + 1 < len(messages) and messages[place + 1].role == "assistant"
        row = await _row(memory, snapshot, sums, is_request=is_request)
        row["compaction"] = (
            snapshot.recent_compactions[-1].event.id if snapshot.compactions > done else None
        )
        row["seconds"] = round(time.monotonic() - begun, 4)
        done = snapshot.compactions
        yield row


async def _row(
    memory: Memory, snapshot: Snapshot, sums: _Sums, *, is_request: bool
) -> dict[str, Any]:
    try:
        prompt: Prompt | None = await memory.prompt()
    except PromptTooLarge:
        prompt = None
    tokens = prompt.tokens if prompt else snapshot.context.used
    sections = prompt.sections if prompt else snapshot.context.sections
    shared = shared_tokens(sums.last_request, prompt)
    row: dict[str, Any] = {
        "message": snapshot.messages,
        "prompt_tokens": tokens,
        "full_history_tokens": 0,
        "sections": dict(sections),
        "verbatim": span_document(snapshot.verbatim),
        "short_term": span_document(_covered(snapshot.short_term)),
        "long_term": span_document(_covered(snapshot.long_term)),
        "shared_prefix_tokens": shared,
        "receipts": _receipts(prompt),
        "fits": prompt is not None,
        "request": is_request,
    }
    if is_request:
        sums.requests += 1
        sums.prompt_tokens += tokens
        sums.shared_prefix_tokens += shared
        sums.largest_prompt = max(sums.largest_prompt, tokens)
        sums.last_request = prompt
    return row


def _add_histories(sums: _Sums, points: Sequence[TurnPoint]) -> None:
    """Puts into the rows what the prompt would have had if nothing had ever been compacted."""
    full = {point.message: point.full_history_tokens for point in points}
    for row in sums.rows:
        row["full_history_tokens"] = full[row["message"]]
        sums.full_history_tokens += row["full_history_tokens"] if row["request"] else 0


def _receipts(prompt: Prompt | None) -> int:
    """How many receipts stand in a prompt, those included that only this prompt needs."""
    if prompt is None:
        return 0
    ledger = prompt.ledger
    standing = sum(
        piece.stage is not None or (piece.ref is not None and piece.ref.number in ledger.shortened)
        for piece in prompt.pieces
    )
    return standing + (ledger.left_out is not None)


def _covered(summary: Any) -> tuple[int, int] | None:
    return None if summary is None else (summary.first, summary.last)
