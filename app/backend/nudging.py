"""Reminds a small model, behind a tool's result, that it may answer now.

Without it the default model repeats the call that it has just made: it did so for 8 of 8 results
that held the answer, and answered from 8 of 8 with it.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.backend.protocol import JsonObject

NUDGE = "\n\n[Now answer the user in words, or call another function if this is not enough.]"


def nudged(messages: Sequence[JsonObject], tools: Sequence[JsonObject] | None) -> list[JsonObject]:
    """The messages, of which a last one that is a tool's result ends in the reminder.

    Only the last: what stands before it is the same in the next request.
    """
    if not (messages and tools) or messages[-1].get("role") != "tool":
        return list(messages)
    last = messages[-1]
    return [*messages[:-1], {**last, "content": f"{last.get('content') or ''}{NUDGE}"}]
