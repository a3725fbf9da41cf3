"""`strata status --json`: the contract's form of a snapshot."""

from collections.abc import Iterable
from typing import Any

from memory.history import CompactionRecord
from memory.recall_views import IndexView, RecallView
from memory.snapshot import FileView, Snapshot, SummaryView
from memory.work_views import ArchiveView, EnvironmentView, WorkView


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
            "gains": following.gains,
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
        **work_document(snapshot.work),
        "content": {"items": snapshot.content_items, "characters": snapshot.content_chars},
        "memory_files": [file_document(file) for file in snapshot.files],
        "facts": {"live": snapshot.facts.live, "ended": snapshot.facts.ended},
        "index": index_document(snapshot.index),
        "recalled": recall_document(snapshot.recalled),
        "summary_cache": {"hits": snapshot.cache_hits, "misses": snapshot.cache_misses},
        "usage": {
            "input": snapshot.usage.input,
            "output": snapshot.usage.output,
            "cached": snapshot.usage.cached,
            "cost": snapshot.usage.cost,
        },
        "count_ratio": round(snapshot.ratio, 4),
        "requests": snapshot.requests,
        "redacted": dict(snapshot.redacted),
        "read_only": snapshot.read_only,
    }


def file_document(file: FileView) -> dict[str, Any]:
    """A memory file as `status` prints it (PROMPT-2)."""
    return {
        "path": file.path,
        "tokens": file.tokens,
        "characters": file.chars,
        "cut": file.cut,
        "changed": file.changed,
        "note": file.note,
    }


def index_document(index: IndexView) -> dict[str, Any]:
    """How far searches are complete as `status` prints it (RECALL-2)."""
    return {
        "passages": index.passages,
        "indexed": index.indexed,
        "backlog": index.backlog,
        "state": index.state,
        "problem": index.problem,
    }


def recall_document(found: RecallView | None) -> dict[str, Any] | None:
    """What stands in the present turn of what was found, as `status` prints it (RECALL-4)."""
    if found is None:
        return None
    return {
        "message": found.number,
        "passages": len(found.texts),
        "facts": len(found.facts),
        "left_out": len(found.left_out),
        "tokens": found.tokens,
        "budget": found.budget,
        "by_meaning": found.meaning,
        "seconds": round(found.duration_s, 3),
    }


def work_document(work: WorkView) -> dict[str, Any]:
    """Caps, goals, execution memory and tool statistics as `status` prints them."""
    running = sum(task.status == "running" for task in work.tasks)
    return {
        "caps": {
            "session_tokens": {"used": work.tokens, "cap": work.cap, "warning": work.warning},
            "archived_goals_tokens": {"used": work.archived_tokens, "cap": work.archived_cap},
        },
        "goals": {
            "active": work.goal.text if work.goal else None,
            "completed": work.completed,
            "failed": work.failed,
            "tasks": {
                "ready": sum(task.ready for task in work.tasks),
                "running": running,
                "done": work.tasks_done,
                "failed": work.tasks_failed,
                "waiting": sum(t.status == "open" and not t.ready for t in work.tasks),
            },
            "archived": [archive_document(archive) for archive in work.archives],
        },
        "execution": {
            "steps": len(work.steps),
            "discovered_context_entries": len(work.discovered),
            "current_task": work.task_text,
            "success_patterns": dict(work.success_patterns),
            "error_patterns": dict(work.error_patterns),
            "plan_changes": work.plan_changes,
            "insights": work.insights,
        },
        "tools": {
            "total_calls": work.tools.total,
            "by_tool": dict(work.tools.by_tool),
            "failures": work.tools.failures,
            "failures_by_tool": dict(work.tools.failures_by_tool),
            "seconds_by_tool": dict(work.tools.seconds_by_tool),
        },
        "environment": environment_document(work.environment),
        "preferences": dict(work.preferences),
    }


def archive_document(archive: ArchiveView) -> dict[str, Any]:
    """An archived goal as `status` prints it (GOAL-4)."""
    return {
        "id": archive.id,
        "goal": archive.text,
        "status": archive.status,
        "replaced": archive.replaced,
        "why": archive.why,
        "ended": archive.ended_at,
        "executions": archive.executions,
        "success_rate": archive.success_rate,
        "by_tool": dict(archive.by_tool),
        "errors": dict(archive.errors),
        "time_range": {"first": archive.first_at, "last": archive.last_at},
        "tasks": {"total": archive.tasks, "done": archive.done, "failed": archive.failed},
        "themes": [
            {"words": list(t.words), "tasks": t.tasks, "done": t.done, "failed": t.failed}
            for t in archive.themes
        ],
        "context": archive.context,
        "tokens": archive.tokens,
        "tokens_before": archive.tokens_before,
    }


def environment_document(seen: EnvironmentView | None) -> dict[str, Any] | None:
    """Where the work happened last, as `status` prints it (GOAL-7)."""
    if seen is None:
        return None
    return {
        "workspace": seen.workspace,
        "memory_used_mb": seen.memory_used_mb,
        "disk_used_percent": seen.disk_used_percent,
        "time": seen.at,
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
