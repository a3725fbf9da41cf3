"""What the vault's files say of a session: its live window and its summaries. Pure.

The JSON has the shape of S1's stored context, so that what reads those files can read it; the
part `strata` beside it says what that shape has no place for, and is what an import goes by.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memory.clock import parse_time
from memory.events import Message, Recorded
from memory.history import CompactionRecord
from memory.parts import MessageRef, SummaryRef
from memory.state import State
from memory.tokens import Tally
from memory.vault_names import context_path, summaries_folder
from memory.vault_work import environment, task_entry, work_entry, workspace

VERSION = 1
"""Of the part `strata`; raised when what it says changes its meaning."""
LONG_TERM = "longterm.md"
SHORT_TERM = "recent.md"

_ORDERS_IN_JSON = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_ORDERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)
"""What a terminal or an editor obeys in place of showing it (ALL-8)."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A session at a moment, with all that its files are made from."""

    session: str
    """Its id."""
    state: State
    texts: Mapping[str, str]
    tally: Tally
    said: Mapping[int, Recorded]
    """The messages of the window and the pinned ones by number, for their times."""
    dated: Mapping[str, SummaryRef] = field(default_factory=dict)
    """Cascades whose files are to be written, by path."""


def vault_files(kept: Kept) -> dict[str, str | None]:
    """What each file is to hold, by its path in the vault; None where there is to be none."""
    folding = kept.state.folding
    folder = summaries_folder(kept.state.agent, kept.session)
    standing = {LONG_TERM: folding.long_term, SHORT_TERM: folding.short_term}
    summaries = {
        **{str(folder / name): summary for name, summary in standing.items()},
        **kept.dated,
    }
    return {
        **{
            path: None if summary is None else _markdown(kept, path, summary)
            for path, summary in summaries.items()
        },
        str(context_path(kept.session)): _json(_context(kept)),
    }


def dated_summaries(
    agent: str, session: str, records: Iterable[CompactionRecord]
) -> dict[str, SummaryRef]:
    """The short-term summary of every cascade by the path of its file.

    Args:
        agent: The session's agent.
        session: The session's id.
        records: All compactions, oldest first: names count those of one second.
    """
    folder = summaries_folder(agent, session)
    dated: dict[str, SummaryRef] = {}
    taken: Counter[str] = Counter()
    for record in records:
        summary = record.event.short_term
        if summary is None:
            continue
        digits = re.sub(r"\D", "", record.at)
        name = f"recent-{digits[:8]}-{digits[8:14]}"
        taken[name] += 1
        more = f"-{taken[name]}" if taken[name] > 1 else ""
        dated[str(folder / f"{name}{more}.md")] = summary
    return dated


def _context(kept: Kept) -> dict[str, Any]:
    state = kept.state
    folding = state.folding
    summaries = [s for s in (folding.long_term, folding.short_term) if s is not None]
    newest = _seconds(kept.said.get(state.messages), state)
    return {
        "session_id": kept.session,
        "system_state": {
            "last_workspace": workspace(state.work, kept.texts),
            "preferences": {p.name: kept.texts[p.text.body] for p in state.work.preferences},
        },
        "facts": [],
        "recent_history": [_entry(ref, kept) for ref in folding.verbatim],
        "long_term_summary": "\n\n".join(kept.texts[summary.body] for summary in summaries),
        "active_tasks": [task_entry(task, kept.texts) for task in state.work.tasks],
        "tool_stats": {
            "total_calls": state.work.tools.total,
            "by_tool": dict(state.work.tools.by_tool),
            "failures": state.work.tools.failures,
        },
        "last_known_environment": environment(state.work, kept.texts, newest),
        "token_usage": {
            "total_input": state.usage.input,
            "total_output": state.usage.output,
            "by_session": state.usage.input + state.usage.output,
        },
        "strata": {
            "version": VERSION,
            "agent": state.agent,
            "title": state.title,
            "model": state.model.name if state.model else None,
            "messages": state.messages,
            "long_term": _summary(folding.long_term, kept),
            "short_term": _summary(folding.short_term, kept),
            "pinned": [_entry(ref, kept) for ref in folding.pinned],
            "pins": [
                {"text": kept.texts[pin.body], "number": pin.number, "whole": pin.whole}
                for pin in state.pins
            ],
            "last_cascade": folding.last_cascade,
            "automatic_waits": state.automatic_waits,
            "work": work_entry(state.work, kept.texts),
        },
    }


def _entry(ref: MessageRef, kept: Kept) -> dict[str, Any]:
    """A message as S1 keeps it, with its number and what only we know of it."""
    recorded = kept.said.get(ref.number)
    metadata: dict[str, Any] = {}
    if recorded is not None:
        metadata["at"] = recorded.at
        if isinstance(recorded.event, Message):
            metadata["origin"] = recorded.event.origin
    if ref.calls:
        metadata["tool_calls"] = json.loads(kept.texts[ref.calls])
    if ref.answers:
        metadata["tool_call_id"] = ref.answers
    if ref.reasoning:
        metadata["reasoning"] = json.loads(kept.texts[ref.reasoning])
    if ref.interrupted:
        metadata["interrupted"] = True
    return {
        "timestamp": _seconds(recorded, kept.state),
        "role": ref.role,
        "content": kept.texts[ref.body],
        "token_count": kept.tally.body(ref.body, ref.chars),
        "number": ref.number,
        "metadata": metadata,
    }


def _seconds(recorded: Recorded | None, state: State) -> int:
    """When something was said, in seconds since 1970; the session's beginning where unknown."""
    at = recorded.at if recorded else state.started_at
    return int(parse_time(at).timestamp()) if at else 0


def _summary(summary: SummaryRef | None, kept: Kept) -> dict[str, Any] | None:
    """A summary in the words of `strata status --json`."""
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
        "text": kept.texts[summary.body],
        "details": kept.texts[summary.details] if summary.details else "",
        "details_tokens": summary.details_tokens,
    }


def _markdown(kept: Kept, path: str, summary: SummaryRef) -> str:
    """A summary with what it stands for; its text is the body, whatever it says."""
    head = {
        "session": kept.session,
        "agent": kept.state.agent,
        "summary": "long-term" if path.endswith(LONG_TERM) else "short-term",
        "from": summary.first,
        "to": summary.last,
        "version": summary.version,
        "by": summary.by,
        "model": summary.model,
        "made": summary.made_at,
        "details": kept.texts[summary.details] if summary.details else None,
    }
    lines = [f"{key}: {_json_line(value)}" for key, value in head.items() if value is not None]
    body = _shown(kept.texts[summary.body].replace("\r\n", "\n"))
    return "\n".join(["---", *lines, "---", "", body.rstrip("\n"), ""])


def _json(document: Any) -> str:
    text = json.dumps(document, ensure_ascii=False, indent=2)
    return _ORDERS_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text) + "\n"


def _json_line(value: Any) -> str:
    return _shown(json.dumps(value, ensure_ascii=False))


def _shown(text: str) -> str:
    r"""The text with escapes such as `\u202e` in place of what is obeyed and not shown."""
    return _ORDERS.sub(lambda match: ascii(match[0])[1:-1], text)
