"""The part of `@memory-status` about facts, the index and what was recalled (VIEW-6). Pure."""

from memory.recall_views import IndexView, RecallView
from memory.snapshot import Snapshot
from widgets.figures import call_seconds, count


def known_lines(snapshot: Snapshot) -> list[str]:
    """What the agent knows, how far it can be found, and what this turn has of it."""
    facts = snapshot.facts
    pinned = f", {facts.pinned:,} pinned" if facts.pinned else ""
    lines = [f"Facts: {facts.live:,} hold{pinned}, {facts.ended:,} ended", _index(snapshot.index)]
    if snapshot.recalled is not None:
        lines += _recalled(snapshot.recalled)
    return lines


def recalled_words(found: RecallView) -> str:
    """What a turn has of what was found: 3 passages, 2 facts, 412 tokens."""
    parts = (
        count(len(found.texts), "passage") if found.texts else "",
        count(len(found.facts), "fact") if found.facts else "",
        count(found.tokens, "token"),
    )
    return ", ".join(filter(None, parts))


def _index(index: IndexView) -> str:
    told = count(index.passages, "passage")
    if index.state == "off":
        left = f", {index.backlog:,} older entries to be read" if index.backlog else ""
        return f"Recall: {told} found by their words; no embedding model makes vectors{left}"
    left = f", {index.backlog:,} to go" if index.backlog else ""
    problem = f". {index.problem}" if index.problem else ""
    return f"Recall: {index.indexed:,} of {told} indexed{left}{problem}"


def _recalled(found: RecallView) -> list[str]:
    how = "" if found.meaning else ", by words only"
    took = f"in {call_seconds(found.duration_s)}{how}"
    told = f"{recalled_words(found)} of {found.budget:,}, {took}"
    lines = [f"  for message {found.number:,}: {told}"]
    if found.left_out:
        lines.append(f"  left out: {len(found.left_out):,} more, see the pane “recalled”")
    return lines
