"""What spans tell of the results of operations: numbers, kinds and names of ours, never a text."""

from collections.abc import Mapping, Sequence
from typing import Any

from memory.telemetry import Value

Known = Mapping[str, Value | None]
LONGEST_KIND = 40


def told_of_message(stored: Any) -> Known:
    """Of a stored message; of none where nothing had arrived."""
    if stored is None:
        return {"messages": 0}
    return {
        "message": stored.number,
        "role": stored.role,
        "characters": len(stored.content),
        "redacted": stored.redacted,
        "interrupted": stored.interrupted,
    }


def told_of_messages(stored: Sequence[Any]) -> Known:
    """Of several stored messages."""
    return {
        "messages": len(stored),
        "characters": sum(len(message.content) for message in stored),
        "redacted": sum(message.redacted for message in stored),
    }


def told_of_prompt(prompt: Any) -> Known:
    """Of a prompt: its tokens in all and by section, and what it may have."""
    return {
        "tokens": prompt.tokens,
        "limit": prompt.budget.limit,
        "messages": len(prompt.messages),
        "pieces": len(prompt.pieces),
        "tools": len(prompt.tools),
        **{f"strata.tokens.{name}": tokens for name, tokens in prompt.sections.items()},
    }


def told_of_passages(found: Sequence[Any]) -> Known:
    """Of what recall found."""
    return {"passages": len(found), "tokens": sum(passage.tokens for passage in found)}


def told_of_recalled(recalled: Any) -> Known:
    """Of what a search before a turn brings."""
    if recalled is None:
        return {"passages": 0}
    return {
        "passages": len(recalled.texts),
        "facts": len(recalled.facts),
        "left_out": len(recalled.left_out),
        "budget": recalled.budget,
        "by_meaning": recalled.meaning,
    }


def told_of_item(item: Any) -> Known:
    """Of stored content."""
    return {"item": item.id, "type": item.type, "characters": item.chars}


def told_of_compaction(event: Any) -> Known:
    """Of a compaction, with the tokens that each stage freed; of none where nothing is gained."""
    if event is None:
        return {"done": False}
    freed = {f"strata.freed.{stage.name}": stage.freed for stage in event.stages}
    return {
        "done": True,
        "compaction": event.id,
        "trigger": event.trigger,
        "policy": event.policy,
        "by": event.by,
        "message": event.message,
        "tokens_before": event.tokens_before,
        "tokens_after": event.tokens_after,
        "failures": len(event.failures),
        "cache_hits": event.cache_hits,
        "cache_misses": event.cache_misses,
        **freed,
    }


def told_of_summary(new: Any) -> Known:
    """Of a summary that was written."""
    written = new.written
    return {
        "by": written.by,
        "tokens": written.tokens,
        "details_tokens": new.details_tokens,
        "failures": len(written.failures),
        "cache_hits": written.cache_hits,
        "cache_misses": written.cache_misses,
    }


def told_of_loss(report: Any) -> Known:
    """Of a loss report: how many items, and what became of them."""
    return {
        "compaction": report.compaction,
        "items": report.items,
        "kept": report.kept,
        "retrievable": report.retrievable,
        "lost": report.lost,
    }


def told_of_attempt(attempt: Any) -> Known:
    """Of an attempt at a request, by the names of OpenTelemetry for generative AI."""
    usage, failed = attempt.usage, attempt.outcome == "failed"
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": attempt.model,
        "gen_ai.usage.input_tokens": usage.input,
        "gen_ai.usage.output_tokens": usage.output,
        "gen_ai.usage.cache_read.input_tokens": usage.cached,
        "gen_ai.response.time_to_first_chunk": attempt.first_token_s,
        "outcome": attempt.outcome,
        "attempt": attempt.attempt,
        "counted": attempt.counted,
        "cost": usage.cost,
        "error.type": kind_of(attempt.error) if failed else None,
    }


def kind_of(error: str | None) -> str:
    """The kind of a failure; a sentence is none."""
    known = error is not None and len(error) <= LONGEST_KIND and error.isidentifier()
    return error if known and error is not None else "failed"
