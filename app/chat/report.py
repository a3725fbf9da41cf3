"""`@memory-status`: memory in plain words (VIEW-6). Pure."""

from collections.abc import Sequence

from app.chat.recall_report import known_lines
from memory.history import CompactionRecord
from memory.pieces import SECTION_NAMES
from memory.privacy import left_out
from memory.snapshot import Snapshot, SummaryView
from memory.work_views import ArchiveView, WorkView
from widgets.figures import count, short_number
from widgets.plain import one_line

BAR_CELLS = 30
MOST_TOOLS = 6
"""Tools that are named, the most used ones."""
TELLING_RATIO = 0.01
"""Difference between the provider's count and ours that is worth a line."""


def memory_report(snapshot: Snapshot, records: Sequence[CompactionRecord]) -> str:
    """The full report of a session's memory as lines of text."""
    blocks = [
        _head(snapshot),
        _context(snapshot),
        _summaries(snapshot),
        _compactions(snapshot, records),
        _work(snapshot),
        known_lines(snapshot),
        _advice(snapshot),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block)


def _head(snapshot: Snapshot) -> list[str]:
    replaced = sum(number for _, number in snapshot.redacted)
    private = [f"{left_out(replaced, snapshot.redacted)}."] if replaced else []
    usage = snapshot.usage
    cost = "" if usage.cost is None else f", ${usage.cost:.4f}"
    return [
        (
            f"Session {snapshot.session} · agent {snapshot.agent} · "
            f"model {snapshot.model or 'not known yet'} · policy {snapshot.policy}"
        ),
        (
            f"{count(snapshot.messages, 'message')}, {count(snapshot.n, 'event')} in the log, "
            f"{count(snapshot.requests, 'request')}: {short_number(usage.input)} tokens in, "
            f"{short_number(usage.output)} out, {short_number(usage.cached)} cached{cost}"
        ),
        *private,
    ]


def _context(snapshot: Snapshot) -> list[str]:
    context = snapshot.context
    share = context.used / context.limit if context.limit else 0
    filled = min(BAR_CELLS, round(share * BAR_CELLS))
    how = {"model": "counted", "tiktoken": "counted", "estimate": "estimated"}[context.counted_by]
    assumed = "" if snapshot.model is not None else " (assumed until a model is there)"
    lines = [
        (
            f"Next prompt  {'█' * filled}{'░' * (BAR_CELLS - filled)}  "
            f"{context.used:,} of {context.limit:,} tokens ({share:.0%}), {how}"
        ),
        (
            f"  window {context.window:,}{assumed} · compaction at {context.trigger:,} · "
            f"warning at {context.warning:,}"
        ),
    ]
    if context.spare > 1:
        lines.append(
            f"  to be safe, by our count: compaction at {context.trigger_at:,} · "
            f"at most {context.limit_at:,}"
        )
    lines += [
        f"  {SECTION_NAMES[name]:<19} {tokens:>7,}"
        for name, tokens in context.sections.items()
        if tokens
    ]
    if abs(snapshot.ratio - 1) >= TELLING_RATIO:
        lines.append(f"  The provider counts {snapshot.ratio:.2f} times what is counted here.")
    return lines


def _summaries(snapshot: Snapshot) -> list[str]:
    if snapshot.verbatim:
        first, last = snapshot.verbatim
        lines = [f"Verbatim: messages {first} to {last} ({last - first + 1})"]
    else:
        lines = ["Verbatim: no messages yet"]
    for name, summary in (
        ("Short-term", snapshot.short_term),
        ("Long-term", snapshot.long_term),
    ):
        lines += _summary(name, summary)
    return lines


def _summary(name: str, summary: SummaryView | None) -> list[str]:
    if summary is None:
        return [f"{name}: nothing folded yet"]
    by = {"model": f"by {summary.model}", "rule": "by rule", "carried": "carried over"}[summary.by]
    head = (
        f"{name}: messages {summary.first} to {summary.last}, "
        f"version {summary.version}, {summary.tokens} tokens, {by}"
    )
    details = [f"  Details: {summary.details}"] if summary.details else []
    return [head, *(f"  {line}" for line in summary.text.splitlines()), *details]


def _compactions(snapshot: Snapshot, records: Sequence[CompactionRecord]) -> list[str]:
    lines = [f"Compactions: {snapshot.compactions}"]
    for record in records[-5:]:
        event = record.event
        undone = ", undone" if record.undone else ""
        lines.append(
            f"  at message {event.message}: {event.trigger}, {event.tokens_before:,} → "
            f"{event.tokens_after:,} tokens ({record.ratio:.0%}), {event.duration_s:.1f} s, "
            f"by {event.by}{undone}"
        )
    if snapshot.running is not None:
        lines.append(f"  Running now: {snapshot.running.stage}.")
    breaker = snapshot.breaker
    if breaker.open:
        lines.append(
            f"  Automatic compaction rests until {breaker.until}: {breaker.failures} failures, "
            f"the last because {breaker.reason}. @compact-memories tries again at once."
        )
    elif breaker.failures:
        lines.append(f"  {count(breaker.failures, 'failure')} in a row: {breaker.reason}.")
    lines.append(
        f"  Summary cache: {count(snapshot.cache_hits, 'hit')}, {snapshot.cache_misses} made anew"
    )
    return lines


def _work(snapshot: Snapshot) -> list[str]:
    work = snapshot.work
    session = f"Session memory: {work.tokens:,} of {work.cap:,} tokens"
    lines = [
        f"{session} · archived goals: {work.archived_tokens:,} of {work.archived_cap:,} tokens"
    ]
    if work.goal is None:
        lines[0] += " · no goal set"
    if work.tokens >= work.warning:
        lines.append(
            f"  Over the warning at {work.warning:,}: at the cap the oldest details become counts. "
            "Ending the goal archives it."
        )
    if work.goal is not None:
        failed = f", {work.goal.failures} failed" if work.goal.failures else ""
        lines.append(f"Goal {work.goal.id}: {one_line(work.goal.text)}")
        lines.append(f"  {count(work.goal.executions, 'tool call')}{failed}{_tasks(work)}")
    elif work.tasks:
        lines.append(f"Tasks without a goal{_tasks(work)}")
    if work.archives or work.completed or work.failed:
        lines.append(f"Earlier goals: {work.completed} completed, {work.failed} failed")
    lines += [f"  {_archive(archive)}" for archive in work.archives]
    return [*lines, *_execution(work)]


def _tasks(work: WorkView) -> str:
    states = {
        "ready": sum(task.ready for task in work.tasks),
        "running": sum(task.status == "running" for task in work.tasks),
        "waiting": sum(task.status == "open" and not task.ready for task in work.tasks),
        "done": work.tasks_done,
        "failed": work.tasks_failed,
    }
    told = ", ".join(f"{number} {name}" for name, number in states.items() if number)
    return f" · tasks: {told}" if told else ""


def _archive(archive: ArchiveView) -> str:
    how = "replaced" if archive.replaced else archive.status
    calls = ""
    if archive.executions:
        calls = f", {count(archive.executions, 'tool call')}, {archive.success_rate:.0%} went well"
    return (
        f"{archive.id} {how}: {one_line(archive.text)}{calls}; "
        f"{archive.tokens_before:,} → {archive.tokens:,} tokens"
    )


def _execution(work: WorkView) -> list[str]:
    tools = work.tools
    if not (tools.total or work.steps):
        return []
    most = sorted(tools.by_tool.items(), key=lambda item: -item[1])[:MOST_TOOLS]
    named = ", ".join(f"{tool} {times}" for tool, times in most)
    return [
        f"Tools: {count(tools.total, 'call')}, {tools.failures} failed"
        + (f" · {named}" if named else ""),
        f"Steps of the current task: {len(work.steps)}, {len(work.discovered)} discovered",
    ]


def _advice(snapshot: Snapshot) -> list[str]:
    if snapshot.policy == "none":
        return ["Policy none: nothing is compacted; old messages are left out where they must be."]
    if snapshot.automatic_waits:
        return ["After an undo: automatic compaction waits for @compact-memories, or the limit."]
    following = snapshot.next_compaction
    if following is None:
        return []
    messages = count(following.in_messages, "message")
    distance = f"{messages} or {following.in_tokens:,} tokens" if following.in_tokens else messages
    turns = f"about {count(following.in_turns, 'turn')} from now"
    lines = [f"Next compaction by {following.trigger}: in {distance}, {turns}."]
    if not following.in_messages and not following.gains:
        lines = ["Next compaction: once there is more to fold; now it would gain nothing."]
    if snapshot.context.unfitted > snapshot.context.limit_at:
        lines.append(
            f"In full the prompt would have {snapshot.context.unfitted:,} tokens: "
            "what does not fit is left out or shortened until it is folded."
        )
    elif snapshot.context.used >= snapshot.context.warning_at:
        lines.append("The prompt is near the trigger: @compact-memories folds it now.")
    return lines
