"""What would be forgotten, and what was, in words that fit a screen (RECALL-6)."""

from collections import Counter
from collections.abc import Iterable

from memory.dooming import Found, Plan
from memory.forgetting import Done
from widgets.figures import count
from widgets.plain import short_line

MOST = 8
"""Texts that are shown; the others are counted."""
SHOWN = 70
"""Characters of each."""
QUOTING = {
    "compaction": ("summary or receipt", "summaries and receipts"),
    "undo": ("summary or receipt", "summaries and receipts"),
    "redo": ("summary or receipt", "summaries and receipts"),
    "summary_rewritten": ("summary or receipt", "summaries and receipts"),
    "restored": ("summary or receipt", "summaries and receipts"),
    "receipts": ("summary or receipt", "summaries and receipts"),
    "helping": ("text of a helper", "texts of helpers"),
    "content_digested": ("digest", "digests"),
    "pinned": ("pinned sentence", "pinned sentences"),
    "tool_executed": ("record of a call", "records of calls"),
}
"""Texts that quote, by the kind of the event that names them; others are notes of the work."""
NOTES = ("goal, task, note or value", "goals, tasks, notes and values")
SORTS = {
    "message": ("message", "messages"),
    "content": ("stored text", "stored texts"),
    "fact": ("fact", "facts"),
    "title": ("title", "titles"),
    "unsent": ("unsent text", "unsent texts"),
}
NAMELESS = {"title": "title", "unsent": "not sent"}


def told_plan(plan: Plan) -> list[str]:
    """What would go, as lines."""
    lines = [f"Forgotten for good: {_counted(plan.found)}." if plan.found else ""]
    lines += [_line(found) for found in plan.found[:MOST]]
    if len(plan.found) > MOST:
        lines.append(f"… and {len(plan.found) - MOST:,} more.")
    if quoting := _quoting(plan):
        lines.append(f"Quotes of it are cut out of {quoting}.")
    if plan.untouched:
        texts = count(plan.untouched, "text")
        lines.append(
            f"It also stands in {texts} of the configuration, a tool list or a memory file: "
            "change it there."
        )
    return [line for line in lines if line]


def told_done(plan: Plan, done: Done) -> str:
    """What was forgotten, in a line, and what the user should know of it."""
    cut = f" {count(done.cut, 'text')} that quoted it cut." if done.cut else ""
    what = _counted(plan.found) or "quotes"
    return "\n".join([f"Forgotten: {what}.{cut}", *done.notes])


def _line(found: Found) -> str:
    name = NAMELESS.get(found.sort, found.name)
    name = f"message {name}" if found.sort == "message" else name
    elsewhere = found.session and found.sort != "title"
    where = f" of {short_line(found.session, SHOWN)}" if elsewhere else ""
    return f"  {name}{where}: {short_line(found.text, SHOWN)}" if found.text else f"  {name}{where}"


def _counted(found: Iterable[Found]) -> str:
    sorts = Counter(each.sort for each in found)
    return ", ".join(
        f"{n:,} {SORTS[sort][0] if n == 1 else SORTS[sort][1]}" for sort, n in sorts.items()
    )


def _quoting(plan: Plan) -> str:
    kinds: Counter[tuple[str, str]] = Counter()
    for kind, n in plan.quoting.items():
        kinds[QUOTING.get(kind, NOTES)] += n
    return ", ".join(f"{n:,} {one if n == 1 else many}" for (one, many), n in kinds.items())
