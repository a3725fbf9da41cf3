"""`strata status --json`: the contract's form of a snapshot."""

from collections.abc import Iterable
from typing import Any

from memory.history import CompactionRecord
from memory.snapshot import Snapshot, SummaryView

SESSION_CAP = 12_000
SESSION_WARNING = 10_000
ARCHIVE_CAP = 6_000
"""Tokens of session memory and of archived goals (S2)."""


def status_document(snapshot: Snapshot, records: Iterable[CompactionRecord]) -> dict[str, Any]:
    """The document of `strata status --json`.

    Args:
        snapshot: Memory at a moment.
        records: All compactions up to then, oldest first.
    """
    context = snapshot.context
    following = snapshot.next_compaction
    return {
        "session": snapshot.session,
        "session_id": snapshot.session_id,
        "agent": snapshot.agent,
        "model": snapshot.model,
        "policy": snapshot.policy,
        "messages": snapshot.messages,
        "events": snapshot.n,
        "context": {
            "window": context.window,
            "limit": context.limit,
            "used": context.used,
            "trigger": context.trigger,
            "warning": context.warning,
            "counted_by": context.counted_by,
            "sections": dict(context.sections),
        },
        "verbatim": span_document(snapshot.verbatim),
        "short_term": summary_document(snapshot.short_term),
        "long_term": summary_document(snapshot.long_term),
        "next_compaction": None
        if following is None
        else {
            "trigger": following.trigger,
            "in_messages": following.in_messages,
            "in_tokens": following.in_tokens,
            "in_turns": following.in_turns,
        },
        "breaker": {
            "state": "open" if snapshot.breaker.open else "closed",
            "failures": snapshot.breaker.failures,
            "reason": snapshot.breaker.reason,
            "until": snapshot.breaker.until,
        },
        "compactions": [compaction_document(record) for record in records],
        "caps": {
            "session_tokens": {
                "used": context.sections["working"],
                "cap": SESSION_CAP,
                "warning": SESSION_WARNING,
            },
            "archived_goals_tokens": {"used": 0, "cap": ARCHIVE_CAP},
        },
        "goals": {
            "active": None,
            "completed": 0,
            "failed": 0,
            "tasks": {"ready": 0, "running": 0, "done": 0, "failed": 0},
        },
        "execution": {"steps": 0, "discovered_context_entries": 0, "current_task": None},
        "content": {"items": snapshot.content_items, "characters": snapshot.content_chars},
        "facts": {"live": 0, "ended": 0},
        "tools": {"total_calls": 0, "by_tool": {}, "failures": 0},
        "summary_cache": {"hits": snapshot.cache_hits, "misses": snapshot.cache_misses},
        "usage": {
            "input": snapshot.usage.input,
            "output": snapshot.usage.output,
            "cached": snapshot.usage.cached,
            "cost": snapshot.usage.cost,
        },
        "count_ratio": round(snapshot.ratio, 4),
        "requests": snapshot.requests,
        "read_only": snapshot.read_only,
    }


def compaction_document(record: CompactionRecord) -> dict[str, Any]:
    """One compaction as `status` and `replay` print it."""
    event = record.event
    return {
        "id": event.id,
        "message": event.message,
        "time": record.at,
        "trigger": event.trigger,
        "policy": event.policy,
        "stages": [{"name": stage.name, "freed": stage.freed} for stage in event.stages],
        "tokens_before": event.tokens_before,
        "tokens_after": event.tokens_after,
        "ratio": record.ratio,
        "duration_s": event.duration_s,
        "usage": {
            "input": event.usage.input,
            "output": event.usage.output,
            "cost": event.usage.cost,
        },
        "by": event.by,
        "undone": record.undone,
        "failures": list(event.failures),
        "loss": loss_document(record),
    }


def loss_document(record: CompactionRecord) -> dict[str, Any] | None:
    """What a compaction lost; None where nobody has looked yet (COMPACT-13)."""
    loss = record.loss
    if loss is None:
        return None
    return {
        "items": loss.items,
        "kept": loss.kept,
        "retrievable": loss.retrievable,
        "lost": loss.lost,
        "similarity": record.similarity,
    }


def summary_document(summary: SummaryView | None) -> dict[str, Any] | None:
    """A summary as `status` prints it."""
    if summary is None:
        return None
    return {
        "from": summary.first,
        "to": summary.last,
        "tokens": summary.tokens,
        "version": summary.version,
        "by": summary.by,
        "model": summary.model,
        "time": summary.made_at,
        "text": summary.text,
        "details": summary.details,
    }


def span_document(span: tuple[int, int] | None) -> dict[str, int] | None:
    """The numbers of the first and the last message as `status` and `replay` print them."""
    return None if span is None else {"from": span[0], "to": span[1]}
